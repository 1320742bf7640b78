"""What of a run each rule has looked at: how many things, and in words; or why there was nothing to look at. Pure.

A rule that found nothing to look at has proved nothing: it was not tested. So what is counted is what could have broken
it: two calls that begin, not one; a second generation, not the first.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from .call_starts import by_the_board, by_the_tool
from .facts import Answered, Asked, Broken, Happened, Ran, Run
from .history import Verdict, call_stories
from .host_rules import restarts
from .host_stories import stories

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .call_starts import Begun
    from .facts import Fact

LookedAt = tuple[int, str]
"""How many things, and which; or 0, and why."""


def _count(run: Run, wanted: Callable[[Fact], bool]) -> int:
    return sum(wanted(fact) for fact in run.facts)


def _many(count: int, one: str, more: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def _calls(run: Run) -> LookedAt:
    count = _count(run, lambda fact: isinstance(fact, Asked))
    return count, _many(count, "call") if count else "no call was made"


def _limited(run: Run) -> LookedAt:
    count = _count(run, lambda fact: isinstance(fact, Asked) and fact.deadline is not None)
    return count, f"{_many(count, 'call')} with a deadline" if count else "no call has a deadline"


def _answers(run: Run) -> LookedAt:
    count = _count(run, lambda fact: isinstance(fact, Answered) and fact.judged)
    if not count:
        return 0, "no answer can be told from another"
    return count, f"{_many(count, 'answer')} that can be told apart"


def _ledger(run: Run) -> LookedAt:
    kept = {name for name, terms in run.terms.items() if terms.ledger}
    calls = _count(run, lambda fact: isinstance(fact, Asked) and fact.plugin in kept)
    runs = _count(run, lambda fact: isinstance(fact, Ran) and fact.plugin in kept)
    if not kept:
        return 0, "nobody writes down what a tool runs"
    if not calls:
        return runs, "no call was made to a tool whose runs are written down"
    return calls + runs, f"{_many(runs, 'run')} in {_many(len(kept), 'ledger')}, of {_many(calls, 'call')}"


def _verdicts(run: Run) -> LookedAt:
    told = [story.verdict for story in call_stories(run).values()]
    said = ", ".join(f"{told.count(verdict):,} {verdict}" for verdict in Verdict)
    return len(told), said if told else "no call was made"


def _counts(run: Run) -> LookedAt:
    counting = {name for name, terms in run.terms.items() if terms.counts}
    count = _count(
        run,
        lambda fact: isinstance(fact, Answered) and fact.plugin in counting and fact.counted is not None,
    )
    if not counting:
        return 0, "no tool counts its answers"
    return count, f"{_many(count, 'answer')} that count" if count else "no answer counts"


def _in_order(run: Run) -> LookedAt:
    tool, board = (_ordered(run, told) for told in (by_the_tool(run), by_the_board(run)))
    if not _pairs(tool) + _pairs(board):
        return 0, _why_no_order(run)
    return len(tool) + len(board), f"{len(tool):,} beginnings told by tools, {len(board):,} by the board"


def _one_at_a_time(run: Run) -> LookedAt:
    tool = _ordered(run, (one for one in by_the_tool(run) if one.generation))
    board = _ordered(run, by_the_board(run))
    if not _pairs(tool) + _pairs(board):
        return 0, _why_no_order(run)
    timed = len(tool) + len(board)
    return timed, f"{timed:,} beginnings with their times"


def _ordered(run: Run, told: Iterable[Begun]) -> list[Begun]:
    return [one for one in told if one.plugin in run.terms and run.terms[one.plugin].ordered]


def _pairs(told: list[Begun]) -> int:
    """How many of them come after another of the same plugin."""
    return len(told) - len({one.plugin for one in told})


def _why_no_order(run: Run) -> str:
    if run.terms and not any(terms.ordered for terms in run.terms.values()):
        return "every tool may run several calls at once"
    if by_the_tool(run) or by_the_board(run):
        return "no tool was called twice"
    return "nobody tells when a call begins"


def _crossed(run: Run) -> LookedAt:
    again = {story.host for story in stories(run) if len(story.generations) > 1}
    named = [fact for fact in run.facts if isinstance(fact, Answered) and fact.generation]
    count = sum(fact.plugin in again for fact in named)
    if not named:
        return 0, "no answer names its generation"
    return (
        count,
        f"{_many(count, 'answer')} that name their generation"
        if count
        else "no host had a second generation",
    )


def _generations(run: Run) -> LookedAt:
    """Rules of one generation after another: those that came after one."""
    told = stories(run)
    again = sum(len(list(pairwise(story.generations))) for story in told)
    return again, _told_of_generations(run, again, "no host had a second generation")


def _restarts(run: Run) -> LookedAt:
    count = sum(1 for story in stories(run) for _ in restarts(run, story))
    return count, _told_of_generations(run, count, "no host was restarted after its end")


def _told_of_generations(run: Run, count: int, why: str) -> str:
    hosts = sum(terms.hosted for terms in run.terms.values())
    if not hosts:
        return "there is no host"
    if not count:
        return why
    generations = sum(len(story.generations) for story in stories(run))
    crashes = _count(run, lambda fact: isinstance(fact, Happened) and fact.kind == "host_crashed")
    told = [
        _many(generations, "generation", "generations"),
        _many(hosts, "host"),
        _many(crashes, "crash", "crashes"),
    ]
    return f"{told[0]} of {told[1]}, {told[2]}"


def _told(run: Run) -> LookedAt:
    count = _count(run, lambda fact: isinstance(fact, Happened) and bool(fact.sequence))
    return count, _many(count, "event") if count else "no event was kept with its number"


def _healed(run: Run) -> LookedAt:
    if run.healed is None:
        return 0, "nobody waited for it"
    healed = run.healed
    faults = Counter(type(fact) for fact in run.facts if _is_fault(fact) and fact.at <= healed)
    late = _count(run, lambda fact: isinstance(fact, Asked) and fact.at >= healed)
    if not faults:
        return 0, "nothing went wrong that it could recover from"
    return late, f"all hosts, and {_many(late, 'call')}" if late else "no call was made after the faults"


def _is_fault(fact: Fact) -> bool:
    return isinstance(fact, Broken) or (isinstance(fact, Happened) and fact.kind == "host_crashed")


def _left(run: Run) -> LookedAt:
    if not run.ended > 0:
        return 0, "the run has no end"
    return 1, "0 processes, 0 threads, 0 descriptors"


LOOKED_AT: dict[str, Callable[[Run], LookedAt]] = {
    "each call ends once": _calls,
    "each call ends in time": _limited,
    "each answer is its call's": _answers,
    "runs as often as it may": _ledger,
    "unknown has a reason": _verdicts,
    "counts without a gap": _counts,
    "calls begin in order": _in_order,
    "one call at a time": _one_at_a_time,
    "no reply crosses generations": _crossed,
    "one generation at a time": _generations,
    "generations count up": _generations,
    "no start before its time": _restarts,
    "restarts within budget": _restarts,
    "events keep their order": _told,
    "works after the faults": _healed,
    "nothing left behind": _left,
}
"""By the names of the rules."""
