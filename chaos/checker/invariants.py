"""All that has to be true of a run, and whether it is. Pure.

`check` names every rule, also those that hold, with what it has looked at: a rule that looked at
nothing has proved nothing, and is told as not tested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen
from .call_rules import (
    calls_begin_in_order,
    each_answer_is_its_calls,
    each_call_ends_in_time,
    each_call_ends_once,
    mailboxes_are_bounded,
    no_reply_crosses_generations,
    one_call_at_a_time,
    parts_in_order,
)
from .coverage import LOOKED_AT
from .history import counts_without_a_gap, runs_as_often_as_it_may, unknown_has_a_reason
from .host_rules import (
    events_keep_their_order,
    generations_count_up,
    no_start_before_its_time,
    nothing_left,
    one_generation_at_a_time,
    restarts_within_budget,
    works_after_the_faults,
)
from .standings import Standing, together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .facts import Run, Violation

RULES: dict[str, Callable[[Run], Iterable[Violation]]] = {
    "each call ends once": each_call_ends_once,
    "each call ends in time": each_call_ends_in_time,
    "each answer is its call's": each_answer_is_its_calls,
    "runs as often as it may": runs_as_often_as_it_may,
    "unknown has a reason": unknown_has_a_reason,
    "counts without a gap": counts_without_a_gap,
    "calls begin in order": calls_begin_in_order,
    "one call at a time": one_call_at_a_time,
    "mailboxes are bounded": mailboxes_are_bounded,
    "parts in order": parts_in_order,
    "no reply crosses generations": no_reply_crosses_generations,
    "one generation at a time": one_generation_at_a_time,
    "generations count up": generations_count_up,
    "no start before its time": no_start_before_its_time,
    "restarts within budget": restarts_within_budget,
    "events keep their order": events_keep_their_order,
    "works after the faults": works_after_the_faults,
    "nothing left behind": nothing_left,
}
"""The rules by their names, in the order in which they are told."""


_WHERE_SEEN = frozenset({"parts in order", "mailboxes are bounded"})
"""Rules of what a tool may lack, or nobody be able to see: where there is none of it nothing is untested."""


@frozen
class Check:
    """One rule, held against a run.

    Attributes:
        rule: its name.
        said: what was looked at; the first thing that is wrong; or why there was nothing to look at.
        looked_at: how many things; a rule that looked at none has proved nothing.
        violations: all that is wrong.
        applies: it is about something that was agreed with one of the plugins.
    """

    rule: str
    said: str
    looked_at: int
    violations: tuple[Violation, ...] = ()
    applies: bool = True

    @property
    def standing(self) -> Standing:
        """How it came out."""
        if self.violations:
            return Standing.BROKEN
        if self.looked_at:
            return Standing.HELD
        return Standing.NOT_TESTED if self.applies else Standing.CANNOT_APPLY

    @property
    def told(self) -> str:
        """What is said of it, in words."""
        untold = self.standing in {Standing.NOT_TESTED, Standing.CANNOT_APPLY}
        return f"{self.standing}: {self.said}" if untold else self.said

    @property
    def ok(self) -> bool:
        """Whether it was tested and holds."""
        return self.standing is Standing.HELD

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "rule": self.rule,
            "standing": self.standing.value,
            "ok": self.ok,
            "said": self.said,
            "looked_at": self.looked_at,
            "violations": [violation.as_dict() for violation in self.violations],
        }


def standing(checks: Iterable[Check]) -> Standing:
    """How a run came out as a whole: broken if a rule is; held only if all that apply were tested."""
    return together(check.standing for check in checks)


def check(run: Run) -> tuple[Check, ...]:
    """Hold a run against every rule; those of parts and of mailboxes only if there are parts, and mailboxes."""
    return tuple(_check(run, name) for name in RULES if name not in _WHERE_SEEN or LOOKED_AT[name](run)[0])


def violations(run: Run) -> tuple[Violation, ...]:
    """All that is wrong with a run."""
    return tuple(violation for one in check(run) for violation in one.violations)


def _check(run: Run, rule: str) -> Check:
    found = tuple(RULES[rule](run))
    count, said, applies = LOOKED_AT[rule](run)
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        return Check(rule, found[0].what + more, count, found)
    return Check(rule, said, count, applies=applies)
