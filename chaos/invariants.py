"""All that has to be true of a run, and whether it is. Pure.

`check` names every rule, also those that hold, with what it has looked at: a rule that looked at
nothing has proved nothing, and says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .call_rules import (
    calls_begin_in_order,
    each_answer_is_its_calls,
    each_call_ends_once,
    no_reply_crosses_generations,
    one_call_at_a_time,
)
from .facts import Answered, Asked, Happened, Ran, Run, Violation
from .history import (
    Verdict,
    call_stories,
    counts_without_a_gap,
    runs_as_often_as_it_may,
    unknown_has_a_reason,
)
from .life_rules import (
    events_keep_their_order,
    generations_count_up,
    no_start_before_its_time,
    nothing_left,
    one_life_at_a_time,
    restarts_within_budget,
    works_after_the_faults,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

RULES: dict[str, Callable[[Run], Iterable[Violation]]] = {
    "each call ends once": each_call_ends_once,
    "each answer is its call's": each_answer_is_its_calls,
    "runs as often as it may": runs_as_often_as_it_may,
    "unknown has a reason": unknown_has_a_reason,
    "counts without a gap": counts_without_a_gap,
    "calls begin in order": calls_begin_in_order,
    "one call at a time": one_call_at_a_time,
    "no reply crosses generations": no_reply_crosses_generations,
    "one life at a time": one_life_at_a_time,
    "generations count up": generations_count_up,
    "no start before its time": no_start_before_its_time,
    "restarts within budget": restarts_within_budget,
    "events keep their order": events_keep_their_order,
    "works after the faults": works_after_the_faults,
    "nothing left behind": nothing_left,
}
"""The rules by their names, in the order in which they are told."""


@dataclass(frozen=True, slots=True)
class Check:
    """One rule, held against a run.

    Attributes:
        rule: its name.
        said: what was looked at, or the first thing that is wrong.
        violations: all that is wrong.
    """

    rule: str
    said: str
    violations: tuple[Violation, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it holds."""
        return not self.violations

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "rule": self.rule,
            "ok": self.ok,
            "said": self.said,
            "violations": [violation.as_dict() for violation in self.violations],
        }


def check(run: Run) -> tuple[Check, ...]:
    """Hold a run against every rule."""
    return tuple(_check(run, name) for name in RULES)


def violations(run: Run) -> tuple[Violation, ...]:
    """All that is wrong with a run."""
    return tuple(violation for one in check(run) for violation in one.violations)


def _check(run: Run, rule: str) -> Check:
    found = tuple(RULES[rule](run))
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        return Check(rule, found[0].what + more, found)
    return Check(rule, _LOOKED_AT[rule](run))


def _calls(run: Run) -> str:
    return f"{sum(isinstance(fact, Asked) for fact in run.facts):,} calls"


def _answers(run: Run) -> str:
    return f"{sum(isinstance(fact, Answered) for fact in run.facts):,} answers"


def _ledger(run: Run) -> str:
    kept = {name for name, terms in run.terms.items() if terms.ledger}
    if not kept:
        return "no tool keeps a ledger"
    lines = sum(isinstance(fact, Ran) and fact.plugin in kept for fact in run.facts)
    return f"{lines:,} runs in the ledgers of {len(kept)} tools"


def _unknown(run: Run) -> str:
    told = [story.verdict for story in call_stories(run).values()]
    return ", ".join(f"{told.count(verdict):,} {verdict}" for verdict in Verdict)


def _counts(run: Run) -> str:
    counted = sum(isinstance(fact, Answered) and fact.counted is not None for fact in run.facts)
    return f"{counted:,} answers that count" if counted else "no tool counts"


def _begun(run: Run) -> str:
    begun = sum(isinstance(fact, Ran) for fact in run.facts)
    return f"{begun:,} beginnings" if begun else "no tool tells of its beginnings"


def _crossed(run: Run) -> str:
    marked = sum(isinstance(fact, Answered) and bool(fact.life) for fact in run.facts)
    return f"{marked:,} answers that name their life" if marked else "no answer names its life"


def _lives(run: Run) -> str:
    starts = sum(isinstance(fact, Happened) and fact.kind == "host_starting" for fact in run.facts)
    crashes = sum(isinstance(fact, Happened) and fact.kind == "host_crashed" for fact in run.facts)
    return f"{starts:,} lives of {sum(t.hosted for t in run.terms.values())} hosts, {crashes:,} crashes"


def _told(run: Run) -> str:
    return f"{sum(isinstance(fact, Happened) and bool(fact.sequence) for fact in run.facts):,} events"


def _healed(run: Run) -> str:
    if run.healed is None:
        return "nobody waited for it"
    late = sum(isinstance(fact, Asked) and fact.at >= run.healed for fact in run.facts)
    return f"all hosts, and {late:,} calls"


_LOOKED_AT: dict[str, Callable[[Run], str]] = {
    "each call ends once": _calls,
    "each answer is its call's": _answers,
    "runs as often as it may": _ledger,
    "unknown has a reason": _unknown,
    "counts without a gap": _counts,
    "calls begin in order": _begun,
    "one call at a time": _begun,
    "no reply crosses generations": _crossed,
    "one life at a time": _lives,
    "generations count up": _lives,
    "no start before its time": _lives,
    "restarts within budget": _lives,
    "events keep their order": _told,
    "works after the faults": _healed,
    "nothing left behind": lambda _: "0 processes, 0 threads, 0 descriptors",
}
