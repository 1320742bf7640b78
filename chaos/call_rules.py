"""What has to be true of every call. Pure: a run goes in, what it breaks comes out."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from .facts import Ran, Violation
from .history import CallStory, call_stories
from .life_rules import OWN_ANSWERS
from .lives import stories

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .facts import Run
    from .lives import Life


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


def each_answer_is_its_calls(run: Run) -> Iterator[Violation]:
    """An answer that somebody can tell from others belongs to the call that it was given to."""
    for story in call_stories(run).values():
        for answer in story.answers:
            if answer.wrong:
                said = f"the answer to call {story.call} of {story.plugin!r} is none to it: {answer.wrong}"
                yield Violation("each answer is its call's", said, story.facts)


def no_reply_crosses_generations(run: Run) -> Iterator[Violation]:
    """An answer comes from the life that ran the call last, and from none that was over before."""
    lives = {(story.host, life.generation): life for story in stories(run) for life in story.lives}
    for story in call_stories(run).values():
        for answer in story.answers:
            if answer.life and answer.ending in OWN_ANSWERS:
                why = _crossing(run, story, answer.life, lives)
                if why:
                    said = f"the answer to call {story.call} of {story.plugin!r} came from generation {answer.life}, "
                    yield Violation("no reply crosses generations", said + why, story.facts)


def _crossing(run: Run, story: CallStory, life: int, lives: Mapping[tuple[str, int], Life]) -> str:
    """Why an answer cannot come from this life; empty when it can."""
    ran = [fact.life for fact in story.runs if fact.life]
    if ran and ran[-1] != life:
        return f"and generation {ran[-1]} ran it last"
    known = lives.get((story.plugin, life))
    if known is None:
        return "of which nothing is known" if lives else ""
    if story.asked and known.ended is not None and known.ended < story.asked[0].at - run.slack:
        return "which was over when the call was submitted"
    return ""


def calls_begin_in_order(run: Run) -> Iterator[Violation]:
    """Calls to one tool begin in the order in which they were submitted; sent again, they keep their place."""
    places: dict[str, int] = {
        story.call: place for place, story in enumerate(call_stories(run).values()) if story.asked
    }
    begun: set[str] = set()
    last: dict[str, Ran] = {}
    for fact in run.facts:
        if not isinstance(fact, Ran) or fact.call in begun or fact.call not in places:
            continue
        terms = run.terms.get(fact.plugin)
        if terms is None or not terms.ordered:
            continue
        begun.add(fact.call)
        before = last.get(fact.plugin)
        if before is not None and places[before.call] > places[fact.call]:
            said = (
                f"call {fact.call} of {fact.plugin!r} was submitted before {before.call}, and began after it"
            )
            yield Violation("calls begin in order", said, (before, fact))
        else:
            last[fact.plugin] = fact


def one_call_at_a_time(run: Run) -> Iterator[Violation]:
    """A tool that runs one call at a time begins none while the life that it runs on owes another an answer."""
    under_way: dict[str, CallStory | None] = defaultdict(lambda: None)
    answered = call_stories(run)
    for fact in run.facts:
        terms = run.terms.get(fact.plugin)
        if not isinstance(fact, Ran) or terms is None or not terms.ordered:
            continue
        before, story = under_way[fact.plugin], answered[fact.call]
        under_way[fact.plugin] = story
        if before is None or before is story or not before.answers or not before.runs[-1].life:
            continue
        same_life = before.runs[-1].life == fact.life
        if (
            same_life
            and before.answers[0].ending in OWN_ANSWERS
            and before.answers[0].at > fact.at + run.slack
        ):
            said = f"call {fact.call} of {fact.plugin!r} began while call {before.call} was under way"
            yield Violation("one call at a time", said, (*before.facts, fact))
