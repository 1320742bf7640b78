"""Calls streamed by Amazon Bedrock's Converse.

Events are read as the SDK hands them on, one key each. A block of text has no start; a ``toolUse`` that
the provider executes itself has the type ``server_tool_use``, and is left alone.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..assembly.blocks import BlockAssembler
from ..format_ids import BEDROCK_CONVERSE


class BedrockAssembler(BlockAssembler):
    """Reads the events of a ``ConverseStream``."""

    format: ClassVar[str] = BEDROCK_CONVERSE
    id_key: ClassVar[str] = "toolUseId"
    endings: ClassVar[frozenset[str]] = frozenset({"tool_use", "end_turn", "stop_sequence"})

    def wire(self, block: dict[str, Any]) -> dict[str, Any]:
        """Return the call as a content block."""
        return {"toolUse": block}

    def _take(self, event: dict[str, Any]) -> None:
        match event:
            case {"messageStart": _}:
                self._begin_answer()
            case {"contentBlockStart": {"start": {"toolUse": dict(use)}} as start}:
                executed_there = use.get("type") == "server_tool_use"
                self._start(start.get("contentBlockIndex"), None if executed_there else use)
            case {"contentBlockStart": {"contentBlockIndex": index}}:
                self._start(index, None)
            case {"contentBlockDelta": {"delta": {"toolUse": dict(use)}} as delta}:
                self._piece(delta.get("contentBlockIndex"), use, "input")
            case {"contentBlockStop": {"contentBlockIndex": index}}:
                self._stop(index)
            case {"messageStop": {"stopReason": reason}}:
                self._stop_reason(reason)
                self._close()

    def _begins(self, event: dict[str, Any]) -> bool:
        return "messageStart" in event
