"""The rule of interrupts: a signal handler that raises in a caller's thread costs no call its end, and no plugin its next call. Pure.

The calls that are interrupted are none of the run's facts, because their callers may have lost the handles. What is known of each stands
in an `Interruption`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...base.frozen import frozen
from .facts import Violation
from .invariants import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RULE: Final = "interrupts break nothing"

NEVER_BEGUN: Final = "never begun"
"""The ending of a call that the board was never told of."""

WITHOUT_END: Final = "without an end"
"""The ending of a call that has none, though its deadline is over."""


@frozen
class Interruption:
    """A signal whose handler raised in a caller's thread, and what was seen afterwards.

    Attributes:
        plugin: that was called.
        doing: what the caller did: ``submit``, ``result`` and so on.
        line: at which line of which file the handler raised.
        ending: how the call ended: ``success``, ``failure``, a result code, `NEVER_BEGUN` or `WITHOUT_END`.
        next: how the next call to the plugin ended.
        taken: how many calls of the plugin were under way or waiting when all of them should have ended.
        waiting: the caller only waited, which leaves the call as it is.
        crashed: the host was killed meanwhile.
    """

    plugin: str
    doing: str
    line: str
    ending: str
    next: str
    taken: int
    waiting: bool = False
    crashed: bool = False


def interrupts_break_nothing(interruptions: Sequence[Interruption]) -> Iterator[Violation]:
    """Every interrupted call ends, one that was only waited for as it would have; then no place is taken, and the next call succeeds."""
    for one in interruptions:
        where = f"{one.doing!r} of {one.plugin!r} was interrupted at {one.line}"
        if one.ending == WITHOUT_END:
            yield Violation(RULE, f"{where}, and its call has no end")
        elif one.ending == "deadline_exceeded" and not one.crashed:
            yield Violation(RULE, f"{where}, and its call ended with its deadline")
        elif one.waiting and not one.crashed and one.ending != "success":
            yield Violation(RULE, f"{where}, and its call ended with {one.ending}, where success was due")
        if one.next != "success":
            yield Violation(RULE, f"{where}, and the next call ended with {one.next}")
        if one.taken:
            yield Violation(RULE, f"{where}, and {one.taken} calls kept their places")


def check_interrupts(interruptions: Sequence[Interruption], freed: int) -> Check:
    """Hold all interruptions against the rule.

    Args:
        interruptions: all of a run.
        freed: how many places the board itself has found taken by nothing (``place_freed``).
    """
    found = [*interrupts_break_nothing(interruptions)]
    if freed:
        found.append(Violation(RULE, f"the board had to free {freed} places that nothing used any more"))
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        return Check(RULE, found[0].what + more, len(interruptions), tuple(found))
    lines = len({one.line for one in interruptions})
    crashed = sum(one.crashed for one in interruptions)
    said = f"{len(interruptions):,} interrupts at {lines:,} lines, {crashed:,} of them beside a kill"
    return Check(RULE, said if interruptions else "no caller was interrupted", len(interruptions))
