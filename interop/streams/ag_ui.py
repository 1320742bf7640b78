"""Calls in AG-UI's events: ``TOOL_CALL_START``, pieces in ``TOOL_CALL_ARGS``, ``TOOL_CALL_END``; or ``TOOL_CALL_CHUNK`` for all.

A chunk without an id goes on with the call that the last one was about. What ends a chunked call is the next event of
another kind, so it is whole when the run ends. A call that has a ``TOOL_CALL_RESULT`` was run by the agent: see `runs`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..assembly.assembler import missed, note_stray
from ..assembly.runs import RunAssembler, RunDraft
from ..format_ids import AG_UI


class AgUiAssembler(RunAssembler):
    """Reads the events of a run. Calls come out as they stand in ``toolCalls``, which is Chat's form to the letter."""

    format: ClassVar[str] = AG_UI

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._chunked: str | None = None

    def _take(self, event: dict[str, Any]) -> None:
        call_id = event.get("toolCallId")
        match event.get("type"):
            case "RUN_STARTED":
                self._begin_answer()
            case "TOOL_CALL_START":
                self._begin_call(call_id, {"name": event.get("toolCallName")})
            case "TOOL_CALL_ARGS":
                self._piece(call_id, event.get("delta"), event)
            case "TOOL_CALL_CHUNK":
                self._chunk(call_id, event)
            case "TOOL_CALL_END":
                draft = self._call(call_id)
                if draft is not None:
                    draft.whole = True
            case "TOOL_CALL_RESULT":
                self._answered(call_id)
            case "RUN_FINISHED":
                self._end_chunk()
                outcome = event.get("outcome")
                cancelled = isinstance(outcome, dict) and outcome.get("type") == "cancelled"
                self._close() if cancelled else self._end_run()
            case "RUN_ERROR":
                self._close()

    def _begins(self, event: dict[str, Any]) -> bool:
        return event.get("type") == "RUN_STARTED"

    def _piece(self, call_id: Any, piece: Any, event: dict[str, Any]) -> None:
        draft = self._call(call_id)
        if draft is None:
            named = isinstance(call_id, str)
            self._astray("a piece came for a call that is not open", () if named else self._drafts.values())
        elif draft.whole:
            self._contradiction("more of a call came after its end", draft)
        else:
            note_stray(draft, event, (), event=True)
            self._add(draft, piece)

    def _chunk(self, call_id: Any, event: dict[str, Any]) -> None:
        if call_id is not None and call_id != self._chunked:
            self._end_chunk()
            self._begin_call(call_id, {"name": event.get("toolCallName")})
            self._chunked = call_id if isinstance(call_id, str) else None
        if event.get("delta"):
            self._piece(self._chunked, event["delta"], event)

    def _end_chunk(self) -> None:
        draft = self._call(self._chunked)
        if draft is not None:
            draft.whole = True

    def _written(self, draft: RunDraft) -> dict[str, Any]:
        missed(draft, draft.text)
        function = {key: item for key, item in draft.told.items() if item is not None}
        return {"id": draft.call_id, "type": "function", "function": {**function, "arguments": draft.text}}
