"""Calls in the stream of the AI SDK's interfaces (Vercel): ``tool-input-start``, pieces, ``tool-input-available`` with all of it.

The whole input is believed, whatever the pieces said: the SDK mends calls between the two. A call that the provider runs,
that has an output or an error, or that waits for the user's approval, is not for whoever reads this: see `runs`.
``reset-step`` takes back what began since ``start-step``.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from ..assembly.runs import RunAssembler, RunDraft
from ..format_ids import AI_SDK

_SETTLED: Final = frozenset(
    {
        "tool-input-error",
        "tool-output-available",
        "tool-output-error",
        "tool-output-denied",
        "tool-approval-request",
    }
)
_WHOLE: Final = "tool-input-available"


class AiSdkAssembler(RunAssembler):
    """Reads the chunks of a message. Calls come out as ``tool-input-available`` chunks."""

    format: ClassVar[str] = AI_SDK

    def _take(self, event: dict[str, Any]) -> None:
        call_id = event.get("toolCallId")
        match event.get("type"):
            case "start":
                self._begin_answer()
            case "start-step":
                self._step += 1
            case "reset-step":
                self._forget_step()
            case "tool-input-start":
                self._input_start(call_id, event)
            case "tool-input-delta":
                self._input_piece(call_id, event.get("inputTextDelta"))
            case "tool-input-available":
                self._available(call_id, event)
            case str(kind) if kind in _SETTLED and event.get("preliminary") is not True:
                self._answered(call_id)
            case "finish":
                self._end_run()
            case "abort":
                self._close()

    def _begins(self, event: dict[str, Any]) -> bool:
        return event.get("type") == "start"

    def _input_start(self, call_id: Any, event: dict[str, Any]) -> None:
        told = {key: item for key, item in event.items() if key not in {"type", "inputEncoding"}}
        draft = self._begin_call(call_id, told)
        if draft is not None and event.get("providerExecuted") is True:
            self._let_go(draft)

    def _input_piece(self, call_id: Any, piece: Any) -> None:
        draft = self._call(call_id)
        if draft is not None:
            self._add(draft, piece)

    def _available(self, call_id: Any, event: dict[str, Any]) -> None:
        if isinstance(call_id, str) and call_id in self._drafts and self._drafts[call_id].ended:
            return
        draft = self._call(call_id) or self._begin_call(call_id, {})
        if draft is None:
            return
        if draft.whole:
            self._contradiction("its input came a second time", draft)
            return
        draft.told = {**draft.told, **self._copy_object(event, "$", draft)}
        draft.whole = True
        if event.get("providerExecuted") is True:
            self._let_go(draft)

    def _written(self, draft: RunDraft) -> dict[str, Any]:
        said = draft.told if draft.whole else {**draft.told, "input": draft.text}
        return {**said, "type": _WHOLE}
