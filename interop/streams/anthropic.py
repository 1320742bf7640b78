"""Calls streamed by Anthropic Messages.

A ``tool_use`` block begins with ``input: {}``, which is a placeholder and not the arguments. Blocks that the
provider executes itself (``server_tool_use``, ``mcp_tool_use``) have pieces of input too; they are no
calls of ours, and are left alone.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..assembly.blocks import BlockAssembler
from ..format_ids import ANTHROPIC_MESSAGES


class AnthropicAssembler(BlockAssembler):
    """Reads the events of a message."""

    format: ClassVar[str] = ANTHROPIC_MESSAGES
    id_key: ClassVar[str] = "id"
    endings: ClassVar[frozenset[str]] = frozenset({"tool_use", "end_turn", "stop_sequence", "pause_turn"})

    def _take(self, event: dict[str, Any]) -> None:
        match event:
            case {"type": "message_start"}:
                self._begin_answer()
            case {"type": "content_block_start", "content_block": {"type": "tool_use"} as block}:
                self._start(event.get("index"), block)
            case {"type": "content_block_start"}:
                self._start(event.get("index"), None)
            case {"type": "content_block_delta", "delta": {"type": "input_json_delta"} as delta}:
                self._piece(event.get("index"), delta, "partial_json", "type")
            case {"type": "content_block_stop"}:
                self._stop(event.get("index"))
            case {"type": "message_delta", "delta": {"stop_reason": reason}}:
                self._stop_reason(reason)
            case {"type": "message_stop"}:
                self._close()

    def _begins(self, event: dict[str, Any]) -> bool:
        return event.get("type") == "message_start"
