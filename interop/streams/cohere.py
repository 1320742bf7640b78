"""Calls streamed by Cohere's API, version 2: a start, pieces of the arguments, an end, each with the index of the call.

The start brings the call as it will stand in the message, with blank arguments. The plan that is told before
(``tool-plan-delta``) is text, and passed over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..assembly.assembler import missed
from ..assembly.blocks import BlockAssembler
from ..format_ids import COHERE

if TYPE_CHECKING:
    from ..assembly.blocks import BlockDraft


class CohereAssembler(BlockAssembler):
    """Reads the events of a message. Calls come out as Chat's, which they are to the letter."""

    format: ClassVar[str] = COHERE
    id_key: ClassVar[str] = "id"
    endings: ClassVar[frozenset[str]] = frozenset({"TOOL_CALL", "COMPLETE", "STOP_SEQUENCE"})

    def _take(self, event: dict[str, Any]) -> None:
        match event:
            case {"type": "message-start"}:
                self._begin_answer()
            case {"type": "tool-call-start", "delta": {"message": {"tool_calls": call}}}:
                self._start_call(event.get("index"), call)
            case {"type": "tool-call-delta", "delta": {"message": {"tool_calls": {"function": dict(piece)}}}}:
                self._piece(event.get("index"), piece, "arguments", "name")
            case {"type": "tool-call-end"}:
                self._stop(event.get("index"))
            case {"type": "message-end"}:
                delta = event.get("delta")
                self._stop_reason(delta.get("finish_reason") if isinstance(delta, dict) else None)
                self._close()

    def _begins(self, event: dict[str, Any]) -> bool:
        return event.get("type") == "message-start"

    def _start_call(self, index: Any, call: Any) -> None:
        if isinstance(call, list) and len(call) == 1:  # as its documents have it
            call = call[0]
        if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
            self._contradiction("a call begins without a function")
            return
        begun = call["function"].get("arguments")
        bare = {key: item for key, item in call["function"].items() if key != "arguments"}
        self._start(index, {**call, "function": bare})
        if begun:
            self._piece(index, {"arguments": begun}, "arguments")

    def _write(self, draft: BlockDraft) -> None:
        missed(draft, draft.text)
        function = draft.block.get("function")
        bare = function if isinstance(function, dict) else {}
        called = {"type": "function", "function": {**bare, "arguments": draft.text}}
        self._hand_over(draft, {**draft.block, **called})
