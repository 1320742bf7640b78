"""The history of every call, and what it proves: done, not done, or nobody can say. Pure.

Each call ends in one of three verdicts, as in the histories that Jepsen checks:

* ``ok``: the tool has answered, so it ran;
* ``fail``: Callboard says ``not_sent``, so it must not have run;
* ``unknown``: Callboard says ``outcome_unknown``, and that is only true where a crash, a deadline, a
  cancel or the tool itself gave it a reason.

A *ledger* tool writes a line before it answers. What stands in the ledger ran, whatever anybody was
told; what does not, did not. So "at most once" and "at least once" are counted and not believed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from typing import TYPE_CHECKING

from .facts import (
    Answered,
    Asked,
    Broken,
    Happened,
    Malformed,
    Ordered,
    Ran,
    Replied,
    Stalled,
    Submitted,
    Violation,
)
from .host_rules import OWN_ANSWERS
from .host_stories import OF_GROUPS, TOLD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .facts import Fact, Run


class Verdict(StrEnum):
    """What is known of a call."""

    OK = "ok"
    FAIL = "fail"
    UNKNOWN = "unknown"


@dataclass(slots=True)
class CallStory:
    """What a run has to tell of one call, each kind of fact in its order."""

    call: str
    plugin: str
    asked: list[Asked] = field(default_factory=list)
    runs: list[Ran] = field(default_factory=list)
    answers: list[Answered] = field(default_factory=list)
    submitted: Submitted | None = None
    replied: Replied | None = None

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All of them."""
        return (*self.asked, *self.runs, *self.answers)

    @property
    def verdict(self) -> Verdict | None:
        """What its first answer says; ``None`` if there is none."""
        if not self.answers:
            return None
        answer = self.answers[0]
        if answer.ending in OWN_ANSWERS:
            return Verdict.OK
        return Verdict.FAIL if answer.outcome == "not_sent" else Verdict.UNKNOWN


def call_stories(run: Run) -> dict[str, CallStory]:
    """The story of every call, in the order of submission."""
    found: dict[str, CallStory] = {}
    for fact in run.facts:
        if isinstance(fact, Asked | Submitted | Ran | Replied | Answered):
            story = found.get(fact.call)
            if story is None:
                story = found[fact.call] = CallStory(fact.call, fact.plugin)
            match fact:
                case Asked():
                    story.asked.append(fact)
                case Submitted():
                    story.submitted = fact
                case Replied():
                    story.replied = story.replied or fact
                case Ran():
                    story.runs.append(fact)
                case Answered():
                    story.answers.append(fact)
    return found


def runs_as_often_as_it_may(run: Run) -> Iterator[Violation]:
    """By the ledger: ``ok`` ran, ``fail`` did not, and nothing ran more often than its terms allow."""
    rule = "runs as often as it may"
    for story in call_stories(run).values():
        terms = run.terms.get(story.plugin)
        if terms is None or not terms.ledger:
            continue
        times, name = len(story.runs), f"call {story.call} of {story.plugin!r}"
        if times and not story.asked:
            yield Violation(rule, f"{name} ran, and nobody had submitted it", story.facts)
        if times > 1 + terms.repeats:
            most = f"{1 + terms.repeats} times" if terms.repeats else "once"
            yield Violation(rule, f"{name} ran {times} times; it may run {most}", story.facts)
        if story.verdict is Verdict.FAIL and times:
            yield Violation(rule, f"{name} was told not_sent, and has run", story.facts)
        if story.verdict is Verdict.OK and not times:
            yield Violation(rule, f"{name} was answered, and has never run", story.facts)


def unknown_has_a_reason(run: Run) -> Iterator[Violation]:
    """``unknown`` is said only of a call that a crash, a deadline, a cancel or a breach of the protocol has met, and that had no answer by then."""
    troubles, told, malformed = _troubles(run), _told(run), _malformed(run)
    stalls = [fact for fact in run.facts if isinstance(fact, Stalled)]
    for story in call_stories(run).values():
        if story.verdict is not Verdict.UNKNOWN or not story.asked:
            continue
        asked, answer = story.asked[0], story.answers[0]
        host, took = run.host_of(story.plugin), answer.at - asked.at
        said = f"call {story.call} of {story.plugin!r} ended with {answer.ending} after {took:.3f} s, "
        if answer.ending == "host_crashed":
            excused = _was_told(run, asked, answer, told)
        else:
            excused = _excused(run, asked, answer, troubles[host])
        if not excused:
            yield Violation(
                "unknown has a reason", f"{said}and neither a crash nor a deadline was near", story.facts
            )
        elif answer.ending == "protocol_error" and not _was_malformed(run, asked, answer, malformed, stalls):
            yield Violation(
                "unknown has a reason", f"{said}and its host had written no malformed line", story.facts
            )
        elif story.replied is not None and _was_lost(run, story.replied, answer, stalls):
            before = answer.at - story.replied.at
            yield Violation(
                "unknown has a reason", f"{said}and its host had answered {before:.3f} s before", story.facts
            )


def stalled(stalls: Iterable[Stalled], since: float, until: float) -> float:
    """Seconds in a time for which the program was given no processor."""
    return sum(one.seconds for one in stalls if since <= one.at and one.at - one.seconds <= until)


def _excused(run: Run, asked: Asked, answer: Answered, troubles: list[float]) -> bool:
    match answer.ending:
        case "deadline_exceeded":
            terms = run.terms.get(asked.plugin)
            limits = (asked.deadline, terms.idle if terms is not None else None)
            return (
                answer.at - asked.at >= min(each for each in (*limits, inf) if each is not None) - run.slack
            )
        case "cancelled" | "invalid_result" | "protocol_error":  # the caller's doing, the tool's, the host's
            return True
    # A host's end is told to its calls before it is told to the board: the event may come after.
    return any(asked.at - run.slack <= trouble <= answer.at + run.late for trouble in troubles)


def _was_lost(run: Run, replied: Replied, answer: Answered, stalls: list[Stalled]) -> bool:
    """Whether an answer that came on the line should have been its caller's: at the moment of a deadline either may win.

    A thread that has read it may have to wait, and go on after the deadline: for as long as the machine is seen to have stalled.
    """
    before = answer.at - replied.at
    if answer.ending in {"deadline_exceeded", "cancelled"}:
        near = _NEAR * run.slack
        return before > near and before > near + stalled(stalls, replied.at, answer.at)
    return answer.ending in _FOR_NO_ANSWER and before > 0


def _was_malformed(
    run: Run, asked: Asked, answer: Answered, malformed: Mapping[str, list[float]], stalls: list[Stalled]
) -> bool:
    """Whether a host that is overheard has written a malformed line during a call. A print is none, whatever stands in it.

    A call may be submitted while such a line is being read.
    """
    if asked.plugin not in run.overheard:
        return True
    return any(
        at <= answer.at and asked.at - at <= run.slack + stalled(stalls, at, asked.at)
        for at in malformed[run.host_of(asked.plugin)]
    )


def _malformed(run: Run) -> dict[str, list[float]]:
    """When the hosts of plugins have written malformed lines."""
    times: dict[str, list[float]] = defaultdict(list)
    for fact in run.facts:
        if isinstance(fact, Malformed):
            times[run.host_of(fact.plugin)].append(fact.at)
    return times


_FOR_NO_ANSWER = frozenset({"host_crashed", "protocol_error"})
"""Endings, beside those by time, of calls whose hosts have given no valid answer."""

_NEAR = 4
"""How often the slack of a run an answer may come before a deadline, and lose against it."""


_ENDS = frozenset({"host_crashed", "host_backoff", "host_parked", "host_stopped", "host_retired"})
"""Events that tell of the end of a generation, and so perhaps of its calls; with a group it may end for a neighbour's sake."""


def _troubles(run: Run) -> dict[str, list[float]]:
    """When something went wrong with a host, or was done to it."""
    times: dict[str, list[float]] = defaultdict(list)
    for fact in run.facts:
        crash = isinstance(fact, Happened) and fact.kind in _ENDS
        if crash or isinstance(fact, Broken | Ordered):
            times[fact.plugin].append(fact.at)
    return times


def _was_told(run: Run, asked: Asked, answer: Answered, told: list[Happened | Ordered]) -> bool:
    """Whether the board has told of the crash that a call was lost in, or there was another reason to end its host."""
    host, swept = run.host_of(asked.plugin), answer.at + _SWEEP
    for fact in told:
        if fact.plugin != host and not (isinstance(fact, Happened) and fact.kind in OF_GROUPS):
            continue
        # An order comes before what it does. A crash is told when all that the host had started has been ended,
        # and before the next generation is ready.
        latest = answer.at + run.slack if isinstance(fact, Ordered) else swept + run.late
        if isinstance(fact, Happened) and fact.kind == "host_ready":
            swept = min(swept, fact.at) if fact.at > answer.at else swept
        elif asked.at - run.slack <= fact.at <= latest:
            return True
    return False


def _told(run: Run) -> list[Happened | Ordered]:
    wanted = TOLD | OF_GROUPS | {"host_ready"}
    return [
        fact
        for fact in run.facts
        if isinstance(fact, Ordered) or (isinstance(fact, Happened) and fact.kind in wanted)
    ]


_SWEEP = 2.5
"""Seconds that it may take until nothing is left of a host that has ended."""


def counts_without_a_gap(run: Run) -> Iterator[Violation]:
    """A tool's counter, which it keeps in its state, goes up with each answer that counted, by one or by what was asked.

    It begins anew when the board has given up the state, once for each event that says so.
    """
    last: dict[str, int] = defaultdict(int)
    resets = _resets(run)
    for story in call_stories(run).values():
        terms = run.terms.get(story.plugin)
        if terms is None or not terms.counts or not story.answers or story.answers[0].ending != "success":
            continue
        answer, due = story.answers[0], last[story.plugin] + story.answers[0].added
        differs = answer.counted is not None and answer.counted != due
        if differs and _begins_anew(answer, resets[story.plugin], run.late):
            due = answer.added
        if answer.counted != due:
            said = f"call {story.call} of {story.plugin!r} counted {answer.counted}; {due} was due"
            yield Violation("counts without a gap", said, story.facts)
        # An answer that is none to this call may say anything.
        last[story.plugin] = answer.counted if isinstance(answer.counted, int) else due


def _begins_anew(answer: Answered, resets: list[float], late: float) -> bool:
    """Whether a count is the first of a fresh state; that uses up one of the times at which the state was given up."""
    if answer.counted != answer.added or not resets or resets[0] > answer.at + late:
        return False
    resets.pop(0)
    return True


def _resets(run: Run) -> dict[str, list[float]]:
    """When the states of plugins were given up."""
    times: dict[str, list[float]] = defaultdict(list)
    for fact in run.facts:
        if isinstance(fact, Happened) and fact.kind == "state_reset":
            times[fact.plugin].append(fact.at)
    return times
