"""What has to be true of every call. Pure: a run goes in, what it breaks comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .call_starts import by_the_board, by_the_tool, ended_by_the_board
from .facts import Answered, Asked, Happened, PartsRead, Stalled, Submitted, Violation
from .history import CallStory, call_stories, stalled
from .host_rules import OWN_ANSWERS
from .host_stories import OVER, stories

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .call_starts import Begun
    from .facts import Run
    from .host_stories import GenerationStory


def each_call_ends_once(run: Run) -> Iterator[Violation]:
    """Every call that was submitted ends, once, and nothing else does."""
    rule = "each call ends once"
    for story in call_stories(run).values():
        name, answers = f"call {story.call} of {story.plugin!r}", len(story.answers)
        if len(story.asked) > 1:
            yield Violation(
                rule, f"{name} was submitted {len(story.asked)} times; names are to differ", story.facts
            )
        if story.asked and not answers:
            yield Violation(rule, f"{name} was never answered", story.facts)
        if answers > 1:
            yield Violation(rule, f"{name} was answered {answers} times", story.facts)
        if answers and not story.asked:
            yield Violation(rule, f"{name} was answered, and nobody had submitted it", story.facts)


def each_call_ends_in_time(run: Run) -> Iterator[Violation]:
    """No call ends later than its deadline allows, but for what the machine is seen to have stalled meanwhile."""
    stalls = [fact for fact in run.facts if isinstance(fact, Stalled)]
    for story in call_stories(run).values():
        if not story.asked or not story.answers or story.asked[0].deadline is None:
            continue
        since, until = (story.submitted or story.asked[0]).at, story.answers[0].at
        took, limit = until - since, story.asked[0].deadline
        if took <= limit + _LATE * run.slack + _TICK:
            continue
        if took > limit + _LATE * run.slack + _TICK + stalled(stalls, since, until):
            said = f"call {story.call} of {story.plugin!r} ended after {took:.3f} s; it had {limit:g} s"
            yield Violation("each call ends in time", said, story.facts)


_TICK = 1e-6
"""What is lost to rounding."""

_LATE = 4
"""How often the slack of a run is added to a deadline, and a stall to the end of a call: whoever ends the call, and whoever notes it, may each have to wait for a processor."""


def each_answer_is_its_calls(run: Run) -> Iterator[Violation]:
    """An answer that can be told from others belongs to the call that it was given to."""
    for story in call_stories(run).values():
        for answer in story.answers:
            if answer.wrong:
                said = f"the answer to call {story.call} of {story.plugin!r} is none to it: {answer.wrong}"
                yield Violation("each answer is its call's", said, story.facts)


def mailboxes_are_bounded(run: Run) -> Iterator[Violation]:
    """No more calls wait for a tool than its mailbox has places; one that is put back after a crash keeps its own."""
    over = _refused(run)
    noted = {fact.call for fact in run.facts if isinstance(fact, Submitted)}
    waiting: dict[str, set[str]] = {}
    halfway: set[str] = set()
    for fact in run.facts:
        terms = run.terms.get(fact.plugin)
        if terms is None or terms.mailbox is None:
            continue
        waits = waiting.setdefault(fact.plugin, set())
        match fact:
            case Submitted(_, _, call) | Happened(_, _, "call_submitted", {"call": call}) if call not in over:
                # The plugin may take it after `submit` has returned, or before: it waits when both have come.
                if call in halfway or call not in noted:
                    waits.add(call)
                halfway.add(call)
            case Happened(_, _, "call_started", {"call": call}) | Answered(_, _, call):
                waits.discard(call)
                over.add(call)
        # One that has been taken, and is about to begin, waits no more; one is just being put in.
        if len(waits) > terms.mailbox + terms.concurrency + 1:
            said = f"{len(waits)} calls of {fact.plugin!r} waited; its mailbox has {terms.mailbox} places"
            yield Violation("mailboxes are bounded", said, (fact,))
            waits.clear()


def _refused(run: Run) -> set[str]:
    """The calls that have never waited, as far as their ends tell."""
    return {fact.call for fact in run.facts if isinstance(fact, Answered) and fact.ending in _REFUSALS}


_REFUSALS = frozenset({"overloaded", "host_unavailable", "invalid_call", "unknown_tool", "denied"})


def parts_in_order(run: Run) -> Iterator[Violation]:
    """A caller reads each part once, in the order of emission; a success has all parts. A repeated call emits them anew."""
    for fact in run.facts:
        if isinstance(fact, PartsRead) and (why := _parts_astray(run, fact)):
            yield Violation("parts in order", f"call {fact.call} of {fact.plugin!r} {why}", (fact,))


def _parts_astray(run: Run, read: PartsRead) -> str:
    terms, last = run.terms.get(read.plugin), 0
    repeats = 0 if terms is None else terms.repeats
    for number in read.numbers:
        if number == 1 and last and repeats:
            repeats -= 1
        elif number != last + 1:
            return f"gave part {number} after part {last}" if last else f"gave part {number} first"
        last = number
    return "" if read.due in {None, last} else f"gave {last} of {read.due} parts"


def no_reply_crosses_generations(run: Run) -> Iterator[Violation]:
    """An answer comes from the generation that ran the call last, and from none that was over before."""
    hosts = stories(run)
    generations = {
        (story.host, generation.number): generation for story in hosts for generation in story.generations
    }
    over = {
        (story.host, event.facts["generation"]): event.sequence
        for story in hosts
        for event in story.events
        if event.kind in OVER
    }
    begun = {one.call: one.sequence for one in by_the_board(run)}
    for story in call_stories(run).values():
        for answer in story.answers:
            if answer.generation and answer.ending in OWN_ANSWERS:
                why = _crossing(run, story, answer.generation, generations)
                if not why and over.get((run.host_of(story.plugin), answer.generation), _NEVER) < begun.get(
                    story.call, 0
                ):
                    why = "which was over when the call began"
                if why:
                    said = f"the answer to call {story.call} of {story.plugin!r} came from generation {answer.generation}, "
                    yield Violation("no reply crosses generations", said + why, story.facts)


_NEVER = 1 << 62


def _crossing(
    run: Run, story: CallStory, generation: int, generations: Mapping[tuple[str, int], GenerationStory]
) -> str:
    """Why an answer cannot come from this generation; empty when it can."""
    ran = [fact.generation for fact in story.runs if fact.generation]
    if ran and ran[-1] != generation:
        return f"and generation {ran[-1]} ran it last"
    known = generations.get((run.host_of(story.plugin), generation))
    if known is None:
        host = run.host_of(story.plugin)
        later = any(name == host and number > generation for name, number in generations)
        # One that was just being replaced when the recording began serves until its successor is ready.
        return "of which nothing is known" if generations and not later else ""
    ended = known.ended
    if known.replaced:  # it serves until its successor is ready
        successor = generations.get((known.host, generation + 1))
        ended = None if successor is None else successor.ready
    if story.asked and ended is not None and ended < story.asked[0].at - run.slack:
        return "which was over when the call was submitted"
    return ""


def calls_begin_in_order(run: Run) -> Iterator[Violation]:
    """Calls of one plugin begin in the order in which they were submitted; sent again, they keep their place.

    Held against what the tool writes down and against what the board tells, each for itself.
    """
    places = submissions(run)
    for begun in (by_the_tool(run), by_the_board(run)):
        yield from _out_of_order(run, begun, places)


class Submission(NamedTuple):
    """Where a submission stands among the facts of a run: those of two threads may be under way together.

    Attributes:
        begun: when the call was about to be submitted.
        ended: when it had been; the same where nobody has noted that.
    """

    begun: int
    ended: int


def submissions(run: Run) -> dict[str, Submission]:
    """The submission of each call. One comes before another if it had ended when that was begun."""
    found: dict[str, Submission] = {}
    for place, fact in enumerate(run.facts):
        if isinstance(fact, Asked):
            found.setdefault(fact.call, Submission(place, place))
        elif isinstance(fact, Submitted) and fact.call in found:
            found[fact.call] = found[fact.call]._replace(ended=place)
    return found


def _out_of_order(run: Run, all_begun: list[Begun], places: Mapping[str, Submission]) -> Iterator[Violation]:
    begun: set[str] = set()
    last: dict[str, Begun] = {}
    for one in all_begun:
        if one.call in begun or one.call not in places or not _is_ordered(run, one.plugin):
            continue
        begun.add(one.call)
        before = last.get(one.plugin)
        if before is not None and places[one.call].ended < places[before.call].begun:
            said = f"call {one.call} of {one.plugin!r} was submitted before {before.call}, and began after it"
            yield Violation("calls begin in order", said, (before.fact, one.fact))
        elif before is None or places[one.call].begun > places[before.call].begun:
            last[one.plugin] = one


def one_call_at_a_time(run: Run) -> Iterator[Violation]:
    """A tool that runs one call at a time begins none while another is under way that it answers later."""
    yield from _two_at_once(run, [one for one in by_the_tool(run) if one.generation])
    yield from _two_at_once(run, by_the_board(run))


def _two_at_once(run: Run, all_begun: list[Begun]) -> Iterator[Violation]:
    answered, ended = call_stories(run), ended_by_the_board(run)
    stalls = [fact for fact in run.facts if isinstance(fact, Stalled)]
    latest = {one.call: one for one in all_begun}
    under_way: dict[str, Begun] = {}
    for one in all_begun:
        if not _is_ordered(run, one.plugin):
            continue
        before, under_way[one.plugin] = under_way.get(one.plugin), one
        # What was given up, or lost with its generation, may be gone before its caller is told.
        if before is None or before.call == one.call or before is not latest[before.call]:
            continue
        story = answered.get(before.call)
        if before.generation != one.generation or story is None or not story.answers:
            continue
        answer = story.answers[0]
        # Who waits for an answer notes it when there is a processor to spare for that.
        end = min(answer.at, ended.get(before.call, answer.at))
        # Who ends a call frees its place before it tells, and may get no processor for longer than the watch that notes stalls.
        late = run.slack + _LATE * stalled(stalls, one.fact.at, end)
        if answer.ending in OWN_ANSWERS and end > one.fact.at + late:
            said = f"call {one.call} of {one.plugin!r} began while call {before.call} was under way"
            yield Violation("one call at a time", said, (*story.facts, one.fact))


def _is_ordered(run: Run, plugin: str) -> bool:
    terms = run.terms.get(plugin)
    return terms is not None and terms.ordered
