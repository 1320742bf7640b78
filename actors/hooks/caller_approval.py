"""A question about a call that is put to whoever made it, by a form, where that is possible."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...plugins.hooks.approval import Answer
from ...plugins.hooks.approval_form import LONGEST, answer_of, form_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...plugins.hooks.approval import Question
    from ..services import AsksCallers

    Ask = Callable[[Callable[[Answer], None]], Callable[[], None]]
    """Has the question asked, calls what it is given with the answer, and returns what withdraws the question."""


def ask_of_caller(question: Question, call: str, callers: AsksCallers | None) -> Ask | None:
    """What asks the caller of a call, or ``None`` if they cannot be asked.

    Args:
        question: about the call, as it is declared now.
        call: its id.
        callers: has them asked.
    """
    if callers is None:
        return None
    form = form_of(question)
    short = form or form_of(replace(question, prompt="", tool_input={}, result=None, changed=(), reason=None))
    if short is None or (asker := callers.asker(short, (call,))) is None:
        return None
    if form is None:
        return _too_long
    return lambda done: asker(lambda answer, _: done(answer_of(answer)))


def _too_long(done: Callable[[Answer], None]) -> Callable[[], None]:
    done(
        Answer(
            allowed=False,
            reason=f"a client is shown at most {LONGEST:,} characters, and nobody says yes to more",
        )
    )
    return lambda: None
