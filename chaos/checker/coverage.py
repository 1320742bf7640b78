"""What of a run each rule has looked at: how many things, and in words; or why there was nothing to look at. Pure.

A rule that found nothing to look at has proved nothing: it was not tested. So what is counted is what could have broken
it: two calls that begin, not one; a second generation, not the first.

A rule cannot apply where no run could give it anything to look at: that is decided by what was agreed with the plugins, and never
by what has happened.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from .call_starts import by_the_board, by_the_tool
from .facts import Answered, Asked, Broken, Happened, PartsRead, Ran, Run
from .history import Verdict, call_stories
from .host_rules import restarts
from .host_stories import stories

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .call_starts import Begun
    from .facts import Fact, Terms


class LookedAt(NamedTuple):
    """What a rule has looked at.

    Attributes:
        number: how many things.
        said: which; why there are none.
        applies: there could be one in another run of the same plugins.
    """

    number: int
    said: str
    applies: bool = True


def _none(run: Run, why: str, could: Callable[[Terms], bool], never: str) -> LookedAt:
    """Nothing was looked at, and why; or why it never could be, by the terms of all plugins."""
    if run.terms and not any(could(terms) for terms in run.terms.values()):
        return LookedAt(0, never, applies=False)
    return LookedAt(0, why)


def _is_ordered(terms: Terms) -> bool:
    return terms.ordered


def _counts_up(terms: Terms) -> bool:
    return terms.ordered and not terms.stateless


def _is_mortal(terms: Terms) -> bool:
    return terms.hosted and not terms.remote


def _count(run: Run, wanted: Callable[[Fact], bool]) -> int:
    return sum(wanted(fact) for fact in run.facts)


def _many(count: int, one: str, more: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def _calls(run: Run) -> LookedAt:
    count = _count(run, lambda fact: isinstance(fact, Asked))
    return LookedAt(count, _many(count, "call") if count else "no call was made")


def _limited(run: Run) -> LookedAt:
    count = _count(run, lambda fact: isinstance(fact, Asked) and fact.deadline is not None)
    return LookedAt(count, f"{_many(count, 'call')} with a deadline" if count else "no call has a deadline")


def _answers(run: Run) -> LookedAt:
    count = _count(run, lambda fact: isinstance(fact, Answered) and fact.judged)
    if not count:
        return LookedAt(0, "no answer can be told from another")
    return LookedAt(count, f"{_many(count, 'answer')} that can be told apart")


def _ledger(run: Run) -> LookedAt:
    kept = {name for name, terms in run.terms.items() if terms.ledger}
    calls = _count(run, lambda fact: isinstance(fact, Asked) and fact.plugin in kept)
    runs = _count(run, lambda fact: isinstance(fact, Ran) and fact.plugin in kept)
    if not kept:
        return LookedAt(0, "nobody writes down what a tool runs")
    if not calls:
        return LookedAt(runs, "no call was made to a tool whose runs are written down")
    said = f"{_many(runs, 'run')} in {_many(len(kept), 'ledger')}, of {_many(calls, 'call')}"
    return LookedAt(calls + runs, said)


def _verdicts(run: Run) -> LookedAt:
    told = [story.verdict for story in call_stories(run).values()]
    said = ", ".join(f"{told.count(verdict):,} {verdict}" for verdict in Verdict)
    return LookedAt(len(told), said if told else "no call was made")


def _counts(run: Run) -> LookedAt:
    counting = {name for name, terms in run.terms.items() if terms.counts}
    count = _count(
        run,
        lambda fact: isinstance(fact, Answered) and fact.plugin in counting and fact.counted is not None,
    )
    if not counting:
        never = "each tool may run several calls at once, or is given no state"
        return _none(run, "no tool counts its answers", _counts_up, never)
    return LookedAt(count, f"{_many(count, 'answer')} that count" if count else "no answer counts")


def _in_order(run: Run) -> LookedAt:
    tool, board = (_ordered(run, told) for told in (by_the_tool(run), by_the_board(run)))
    if not _pairs(tool) + _pairs(board):
        return _no_order(run)
    said = f"{len(tool):,} beginnings told by tools, {len(board):,} by the board"
    return LookedAt(len(tool) + len(board), said)


def _one_at_a_time(run: Run) -> LookedAt:
    tool = _ordered(run, (one for one in by_the_tool(run) if one.generation))
    board = _ordered(run, by_the_board(run))
    if not _pairs(tool) + _pairs(board):
        return _no_order(run)
    timed = len(tool) + len(board)
    return LookedAt(timed, f"{timed:,} beginnings with their times")


def _ordered(run: Run, told: Iterable[Begun]) -> list[Begun]:
    return [one for one in told if one.plugin in run.terms and run.terms[one.plugin].ordered]


def _pairs(told: list[Begun]) -> int:
    """How many of them come after another of the same plugin."""
    return len(told) - len({one.plugin for one in told})


def _no_order(run: Run) -> LookedAt:
    told = by_the_tool(run) or by_the_board(run)
    why = "no tool was called twice" if told else "nobody tells when a call begins"
    return _none(run, why, _is_ordered, "every tool may run several calls at once")


def _bounded(run: Run) -> LookedAt:
    known = {name for name, terms in run.terms.items() if terms.mailbox is not None}
    count = _count(run, lambda fact: isinstance(fact, Asked) and fact.plugin in known)
    return LookedAt(
        count, f"{_many(count, 'call')} that could wait" if count else "no mailbox has a known bound"
    )


def _parts(run: Run) -> LookedAt:
    count = sum(len(fact.numbers) for fact in run.facts if isinstance(fact, PartsRead))
    return LookedAt(count, f"{_many(count, 'part')} that callers read" if count else "no parts were read")


def _crossed(run: Run) -> LookedAt:
    again = {story.host for story in stories(run) if len(story.generations) > 1}
    named = [fact for fact in run.facts if isinstance(fact, Answered) and fact.generation]
    count = sum(fact.plugin in again for fact in named)
    if count:
        return LookedAt(count, f"{_many(count, 'answer')} that name their generation")
    return _no_host(run, "no host had a second generation" if named else "no answer names its generation")


def _generations(run: Run) -> LookedAt:
    """Rules of one generation after another: those that came after one."""
    told = stories(run)
    again = sum(len(list(pairwise(story.generations))) for story in told)
    return _told_of_generations(run, again, "no host had a second generation")


def _restarts(run: Run) -> LookedAt:
    count = sum(1 for story in stories(run) for _ in restarts(run, story))
    return _told_of_generations(run, count, "no host was restarted after its end")


def _told_of_generations(run: Run, count: int, why: str) -> LookedAt:
    if not count:
        return _no_host(run, why)
    hosts = sum(terms.hosted for terms in run.terms.values())
    generations = sum(len(story.generations) for story in stories(run))
    crashes = _count(run, lambda fact: isinstance(fact, Happened) and fact.kind == "host_crashed")
    told = [
        _many(generations, "generation", "generations"),
        _many(hosts, "host"),
        _many(crashes, "crash", "crashes"),
    ]
    return LookedAt(count, f"{told[0]} of {told[1]}, {told[2]}")


def _no_host(run: Run, why: str) -> LookedAt:
    return _none(
        run, why if run.terms else "there is no host", _is_mortal, "no tool runs in a process of its own"
    )


def _told(run: Run) -> LookedAt:
    count = _count(run, lambda fact: isinstance(fact, Happened) and bool(fact.sequence))
    return LookedAt(count, _many(count, "event") if count else "no event was kept with its number")


def _healed(run: Run) -> LookedAt:
    if run.healed is None:
        return LookedAt(0, "nobody waited for it")
    healed = run.healed
    faults = Counter(type(fact) for fact in run.facts if _is_fault(fact) and fact.at <= healed)
    late = _count(run, lambda fact: isinstance(fact, Asked) and fact.at >= healed)
    if not faults:
        return _no_host(run, "nothing went wrong that it could recover from")
    return LookedAt(
        late, f"all hosts, and {_many(late, 'call')}" if late else "no call was made after the faults"
    )


def _is_fault(fact: Fact) -> bool:
    return isinstance(fact, Broken) or (isinstance(fact, Happened) and fact.kind == "host_crashed")


def _left(run: Run) -> LookedAt:
    if not run.ended > 0:
        return LookedAt(0, "the run has no end")
    return LookedAt(1, "0 processes, 0 threads, 0 descriptors")


LOOKED_AT: dict[str, Callable[[Run], LookedAt]] = {
    "each call ends once": _calls,
    "each call ends in time": _limited,
    "each answer is its call's": _answers,
    "runs as often as it may": _ledger,
    "unknown has a reason": _verdicts,
    "counts without a gap": _counts,
    "calls begin in order": _in_order,
    "one call at a time": _one_at_a_time,
    "mailboxes are bounded": _bounded,
    "parts in order": _parts,
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
