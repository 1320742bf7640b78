"""All that has to be true of a run, and whether it is. Pure.

`check` names every rule, also those that hold, with what it has looked at: a rule that looked at
nothing has proved nothing, and says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..plugins.frozen import frozen
from .beginnings import by_the_board, by_the_tool
from .call_rules import (
    calls_begin_in_order,
    each_answer_is_its_calls,
    each_call_ends_in_time,
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

    from .facts import Fact

RULES: dict[str, Callable[[Run], Iterable[Violation]]] = {
    "each call ends once": each_call_ends_once,
    "each call ends in time": each_call_ends_in_time,
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


@frozen
class Check:
    """One rule, held against a run.

    Attributes:
        rule: its name.
        said: what was looked at, or the first thing that is wrong.
        looked_at: how many things; a rule that looked at none has proved nothing.
        violations: all that is wrong.
    """

    rule: str
    said: str
    looked_at: int
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
            "looked_at": self.looked_at,
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
    count, said = _LOOKED_AT[rule](run)
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        return Check(rule, found[0].what + more, count, found)
    return Check(rule, said, count)


def _count(run: Run, wanted: Callable[[Fact], bool]) -> int:
    return sum(wanted(fact) for fact in run.facts)


def _calls(run: Run) -> tuple[int, str]:
    count = _count(run, lambda fact: isinstance(fact, Asked))
    return count, f"{count:,} calls"


def _limited(run: Run) -> tuple[int, str]:
    count = _count(run, lambda fact: isinstance(fact, Asked) and fact.deadline is not None)
    return count, f"{count:,} calls with a deadline" if count else "no call has a deadline"


def _answers(run: Run) -> tuple[int, str]:
    count = _count(run, lambda fact: isinstance(fact, Answered) and fact.judged)
    return (
        count,
        f"{count:,} answers that can be told apart" if count else "no answer can be told from another",
    )


def _ledger(run: Run) -> tuple[int, str]:
    kept = {name for name, terms in run.terms.items() if terms.ledger}
    lines = _count(run, lambda fact: isinstance(fact, Ran) and fact.plugin in kept)
    return lines, f"{lines:,} runs in {len(kept)} ledgers" if kept else "no tool keeps a ledger"


def _unknown(run: Run) -> tuple[int, str]:
    told = [story.verdict for story in call_stories(run).values()]
    return len(told), ", ".join(f"{told.count(verdict):,} {verdict}" for verdict in Verdict)


def _counts(run: Run) -> tuple[int, str]:
    counting = {name for name, terms in run.terms.items() if terms.counts}
    count = _count(
        run,
        lambda fact: isinstance(fact, Answered) and fact.plugin in counting and fact.counted is not None,
    )
    return count, f"{count:,} answers that count" if count else "no tool counts its answers"


def _begun(run: Run) -> tuple[int, str]:
    tool, board = len(by_the_tool(run)), len(by_the_board(run))
    if not tool + board:
        return 0, "nobody tells when a call begins"
    return tool + board, f"{tool:,} beginnings told by tools, {board:,} by the board"


def _timed(run: Run) -> tuple[int, str]:
    timed = sum(bool(one.life) for one in by_the_tool(run)) + len(by_the_board(run))
    return timed, f"{timed:,} beginnings with their times" if timed else "nobody tells when a call begins"


def _crossed(run: Run) -> tuple[int, str]:
    count = _count(run, lambda fact: isinstance(fact, Answered) and bool(fact.life))
    return count, f"{count:,} answers that name their life" if count else "no answer names its life"


def _lives(run: Run) -> tuple[int, str]:
    starts = _count(run, lambda fact: isinstance(fact, Happened) and fact.kind == "host_starting")
    crashes = _count(run, lambda fact: isinstance(fact, Happened) and fact.kind == "host_crashed")
    hosts = sum(terms.hosted for terms in run.terms.values())
    if not hosts:
        return 0, "there is no host"
    told = [_many(starts, "life", "lives"), _many(hosts, "host", "hosts"), _many(crashes, "crash", "crashes")]
    return starts, f"{told[0]} of {told[1]}, {told[2]}"


def _many(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"


def _told(run: Run) -> tuple[int, str]:
    count = _count(run, lambda fact: isinstance(fact, Happened) and bool(fact.sequence))
    return count, f"{count:,} events"


def _healed(run: Run) -> tuple[int, str]:
    if run.healed is None:
        return 0, "nobody waited for it"
    healed = run.healed
    late = _count(run, lambda fact: isinstance(fact, Asked) and fact.at >= healed)
    return late, f"all hosts, and {_many(late, 'call', 'calls')}"


_LOOKED_AT: dict[str, Callable[[Run], tuple[int, str]]] = {
    "each call ends once": _calls,
    "each call ends in time": _limited,
    "each answer is its call's": _answers,
    "runs as often as it may": _ledger,
    "unknown has a reason": _unknown,
    "counts without a gap": _counts,
    "calls begin in order": _begun,
    "one call at a time": _timed,
    "no reply crosses generations": _crossed,
    "one life at a time": _lives,
    "generations count up": _lives,
    "no start before its time": _lives,
    "restarts within budget": _lives,
    "events keep their order": _told,
    "works after the faults": _healed,
    "nothing left behind": lambda run: (int(run.ended > 0), "0 processes, 0 threads, 0 descriptors"),
}
