"""Calls in the streams that an agent sends to its user's interface, by the ids of the calls.

Such a stream tells all calls of a run, also those that the agent runs itself: their results come in the same stream. Only
a call that is left without one when the run ends is for whoever reads it. So all wait for the end of the run, and a run
that breaks off leaves nothing that could be run: its calls come out as cut off, whole arguments or not.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .assembler import Assembler, Draft

if TYPE_CHECKING:
    from .assembler import StreamLimits


@dataclass(slots=True, eq=False)
class RunDraft(Draft):
    """``told`` is what came of the call beside its arguments; ``whole``: nothing more of it is to come; ``step``: when it began."""

    told: dict[str, Any] = field(default_factory=dict)
    whole: bool = False
    step: int = 0


class RunAssembler(Assembler):
    """What the assemblers of such streams share."""

    def __init__(self, limits: StreamLimits | None = None) -> None:
        super().__init__(limits)
        self._drafts: dict[str, RunDraft] = {}
        self._run_ended = False
        self._step = 0

    @abstractmethod
    def _written(self, draft: RunDraft) -> dict[str, Any]:
        """Return a call as it stands in the messages of this format."""

    def _begin_answer(self) -> None:
        """A run begins: what is under way belongs to one that broke off."""
        for draft in self._drafts.values():
            if not draft.ended:
                self._let_go(draft)
        self._drafts.clear()

    def _call(self, call_id: Any) -> RunDraft | None:
        """Return the call with an id, if it is under way."""
        draft = self._drafts.get(call_id) if isinstance(call_id, str) else None
        return None if draft is None or draft.ended else draft

    def _begin_call(self, call_id: Any, told: dict[str, Any]) -> RunDraft | None:
        """A call begins; ``told`` is kept as it is copied."""
        if not isinstance(call_id, str) or not call_id:
            self._contradiction("a call begins without an id")
            return None
        before = self._drafts.get(call_id)
        if before is not None:
            self._contradiction("it began a second time", before)
            return None
        if not self._may_begin():
            return None
        draft = RunDraft(call_id, step=self._step)
        draft.told = self._copy_object(told, "$", draft)
        self._drafts[call_id] = draft
        return draft

    def _answered(self, call_id: Any) -> None:
        """A call has a result, or needs none: whoever reads this is not to run it."""
        draft = self._call(call_id)
        if draft is not None:
            self._let_go(draft)

    def _forget_step(self) -> None:
        """What began since the last step is no part of the answer."""
        for draft in self._drafts.values():
            if draft.step == self._step and not draft.ended:
                self._let_go(draft)
        self._drafts = {its: draft for its, draft in self._drafts.items() if draft.step != self._step}

    def _end_run(self) -> None:
        """The run is over as it should be: what has no result is for whoever reads it."""
        self._run_ended = True
        self._close()

    def _end(self) -> None:
        for draft in self._drafts.values():
            if draft.ended:
                continue
            if draft.trouble is None and not (self._run_ended and draft.whole):
                draft.trouble = ("cut_off", "the run ended before the call was left to whoever reads it")
            self._hand_over(draft, self._written(draft))
