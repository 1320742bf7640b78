"""How far a call has come, and what it has come to in the end."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Literal

from ...plugins.results.codes import Code, Outcome
from ...plugins.results.failures import failure

if TYPE_CHECKING:
    from ...plugins.results.call_result import CallResult

    Result = CallResult

EarlyCode = Literal[Code.DEADLINE_EXCEEDED, Code.CANCELLED]


class Stage(Enum):
    """How far a call has come."""

    QUEUED = "queued"
    STARTED = "started"
    ENDED = "ended"


def early_end(code: EarlyCode, error: str, unsent: str | None, *, may_have_run: bool) -> Result:
    """Return the result of a call that was ended from outside: ``unsent``, if there is any, in place of ``error`` if no tool had it."""
    if may_have_run:
        return failure(code, error, outcome=Outcome.OUTCOME_UNKNOWN)
    return failure(code, unsent or error, outcome=Outcome.NOT_SENT)


def too_late(tool: str | None, seconds: float | None) -> tuple[str, str]:
    """Return what a deadline says of a call that its tool was given, and of one that no tool was given."""
    if seconds is not None and seconds <= 0:
        over = f"its deadline, {seconds:g} s, was over as it was submitted"
        return f"{tool!r} did not answer: {over}", f"{tool!r} was not asked: {over}"
    within = f"within {seconds:g} s"
    waited = "the call waited for its turn, its host or a hook"
    return f"{tool!r} did not answer {within}", f"{tool!r} was not asked {within}: {waited}"
