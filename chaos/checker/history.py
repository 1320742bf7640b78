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

from .facts import Answered, Asked, Broken, Happened, Ordered, Ran, Submitted, Violation
from .host_rules import OWN_ANSWERS

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        if isinstance(fact, Asked | Submitted | Ran | Answered):
            story = found.get(fact.call)
            if story is None:
                story = found[fact.call] = CallStory(fact.call, fact.plugin)
            match fact:
                case Asked():
                    story.asked.append(fact)
                case Submitted():
                    story.submitted = fact
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
    """``unknown`` is said only of a call that a crash, a deadline or a cancel has met."""
    crashes = _troubles(run)
    for story in call_stories(run).values():
        if story.verdict is not Verdict.UNKNOWN or not story.asked:
            continue
        asked, answer = story.asked[0], story.answers[0]
        if not _excused(run, asked, answer, crashes[run.host_of(story.plugin)]):
            took = answer.at - asked.at
            said = f"call {story.call} of {story.plugin!r} ended with {answer.ending} after {took:.3f} s, "
            yield Violation(
                "unknown has a reason", f"{said}and neither a crash nor a deadline was near", story.facts
            )


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


def counts_without_a_gap(run: Run) -> Iterator[Violation]:
    """A tool's counter, which it keeps in its state, goes up with each answer that counted, by one or by what was asked."""
    last: dict[str, int] = defaultdict(int)
    for story in call_stories(run).values():
        terms = run.terms.get(story.plugin)
        if terms is None or not terms.counts or not story.answers or story.answers[0].ending != "success":
            continue
        answer, due = story.answers[0], last[story.plugin] + story.answers[0].added
        if answer.counted != due:
            said = f"call {story.call} of {story.plugin!r} counted {answer.counted}; {due} was due"
            yield Violation("counts without a gap", said, story.facts)
        last[story.plugin] = due if answer.counted is None else answer.counted
