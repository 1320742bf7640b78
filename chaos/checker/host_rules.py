"""What has to be true of the generations of hosts. Pure: a run goes in, what it breaks comes out.

The rules reckon for themselves when a start was due and what was left of the budget. They know the
policy; that the supervisor says it waited proves nothing.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, cast

from ...supervision.restart.policy import RestartType
from ...supervision.runtime.event_order import check_order
from .facts import REFUSED, Answered, Asked, Happened, Run, Violation
from .host_stories import BY_HAND, DOWN, GenerationStory, HostStory, stories

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...supervision.runtime.events import Event

OWN_ANSWERS = frozenset({"success", "failure", "tool_raised", REFUSED})
"""Endings that a tool has given itself."""


def one_generation_at_a_time(run: Run) -> Iterator[Violation]:
    """No two generations of a host are alive together, but for those that its terms allow."""
    rule = "one generation at a time"
    for story in stories(run):
        retires = any(event.kind == "host_replaced" for event in story.events)
        most = 1 + story.terms.overlap + retires
        for look in story.looks:
            if len(look.pids) > most:
                pids = ", ".join(map(str, look.pids))
                said = f"{len(look.pids)} processes of {story.host!r} were alive together: {pids}"
                yield Violation(rule, said, (look,))
        alive: dict[int, Happened] = {}
        for event in story.events:
            if event.kind in DOWN:
                alive.pop(event.facts["generation"], None)
            elif event.kind == "host_starting":
                alive.clear()  # of one that ended well nothing tells but the next start
            elif event.kind == "host_ready":
                alive[event.facts["generation"]] = event
                if len(alive) > most:
                    which = ", ".join(map(str, alive))
                    said = f"generations {which} of {story.host!r} were ready at the same time"
                    yield Violation(rule, said, tuple(alive.values()))


def no_start_before_its_time(run: Run) -> Iterator[Violation]:
    """Nothing starts before the wait that its policy asks for is over, unless it is ordered."""
    for story in stories(run):
        streak = 0
        for before, after in pairwise(story.generations):
            if _by_hand(run, story, before, after):
                streak = 0
                continue
            if _was_stable(run, story, before):
                streak = 0
            if not before.spends or before.ended is None:
                continue
            wait = _least_wait(story, before, streak)
            streak += not before.parked
            if after.began - before.ended < wait - run.slack:
                said = f"{story.host!r} was started {after.began - before.ended:.3f} s after its end; "
                said += f"at least {wait:.3f} s were to pass"
                yield Violation("no start before its time", said, story.of(before, after))


def _least_wait(story: HostStory, generation: GenerationStory, streak: int) -> float:
    """The shortest wait that the policy allows after a generation; jitter only makes it longer."""
    policy = story.terms.policy
    least = policy.cool_down if generation.parked else policy.backoff.delay(streak, _no_chance)
    return max(least, generation.wait or 0.0)


def _no_chance() -> float:
    return 0.0


_BUDGET = "restarts within budget"


def restarts_within_budget(run: Run) -> Iterator[Violation]:
    """In no period, and in no row of failed starts, are there more restarts than the policy allows; a stable generation gives the budget back."""
    for story in stories(run):
        yield from _failed_starts(run, story)
        policy, probing = story.terms.policy, False
        spent: list[tuple[float, GenerationStory]] = []
        for before, after in pairwise(story.generations):
            if _by_hand(run, story, before, after) or _was_stable(run, story, before):
                spent, probing = [], False
            if not before.spends or before.ended is None or _by_hand(run, story, before, after):
                continue
            if before.parked:
                probing = True
                continue
            if probing:
                said = f"{story.host!r} was restarted though its probe, generation {before.number}, failed"
                yield Violation(_BUDGET, said, story.of(before, after))
            if before.ready is None:
                continue
            now = before.ended
            spent = [(at, generation) for at, generation in spent if now - at <= policy.period - run.slack]
            spent.append((now, after))
            if len(spent) > policy.intensity:
                said = f"{story.host!r} was restarted {len(spent)} times within {policy.period:g} s; "
                said += f"{policy.intensity} are allowed"
                yield Violation(_BUDGET, said, story.of(*(generation for _, generation in spent)))


def _failed_starts(run: Run, story: HostStory) -> Iterator[Violation]:
    """Starts that fail have a budget of their own: as many in a row, whenever they were."""
    allowed, failed = story.terms.policy.intensity, list[GenerationStory]()
    for before, after in pairwise(story.generations):
        if before.ready is not None or before.parked or _by_hand(run, story, before, after):
            failed = []
        elif before.spends and before.ended is not None:
            failed.append(after)
            if len(failed) > allowed:
                said = f"{story.host!r} was restarted {len(failed)} times in a row and was never ready; {allowed} are allowed"
                yield Violation(_BUDGET, said, story.of(*failed))


def restarts(run: Run, story: HostStory) -> Iterator[tuple[GenerationStory, GenerationStory]]:
    """The ends of a host's generations that its policy had to judge, each with the generation that came after it."""
    for before, after in pairwise(story.generations):
        if before.spends and not _by_hand(run, story, before, after):
            yield before, after


def generations_count_up(run: Run) -> Iterator[Violation]:
    """Every start of a host is its next generation."""
    for story in stories(run):
        for before, after in pairwise(story.generations):
            again = after.number == 1 and story.was_loaded(after.began + run.slack)
            if after.number != before.number + 1 and not again:
                said = f"generation {after.number} of {story.host!r} came after {before.number}"
                yield Violation("generations count up", said, story.of(before, after))


def events_keep_their_order(run: Run) -> Iterator[Violation]:
    """The board tells what happens in the order that it promises."""
    told = [fact for fact in run.facts if isinstance(fact, Happened) and fact.sequence]
    told.sort(key=lambda fact: fact.sequence)
    for said in check_order(cast("list[Event]", told)):  # a fact has each attribute of an event that it reads
        yield Violation("events keep their order", said)


def works_after_the_faults(run: Run) -> Iterator[Violation]:
    """Once the faults are over, every host is ready again and every call is answered, in good time."""
    if run.healed is None:
        return
    for story in stories(run):
        if story.generations and not _is_off(story):
            yield from _ready_after(run, run.healed, story)
    yield from _answered_after(run, run.healed)


def _ready_after(run: Run, healed: float, story: HostStory) -> Iterator[Violation]:
    rule, last = "works after the faults", story.generations[-1]
    before = story.generations[-2] if len(story.generations) > 1 else None
    if last.replaced or (
        before is not None and before.replaced and last.ready is None and last.ended is None
    ):
        return  # one that is to be replaced serves until the next one is ready
    if last.ready is None or last.ended is not None:
        said = f"{story.host!r} was not ready {run.ended - healed:.1f} s after the last fault"
        yield Violation(rule, said, story.of(last))
    elif last.ready - healed > run.patience + run.slack:
        said = f"{story.host!r} was ready {last.ready - healed:.1f} s after the last fault; "
        yield Violation(rule, f"{said}{run.patience:g} s were allowed", story.of(last))


def _answered_after(run: Run, healed: float) -> Iterator[Violation]:
    rule = "works after the faults"
    late = {fact.call: fact for fact in run.facts if isinstance(fact, Asked) and fact.at >= healed}
    for fact in run.facts:
        if not isinstance(fact, Answered) or fact.call not in late:
            continue
        asked = late[fact.call]
        if fact.ending not in OWN_ANSWERS:
            said = f"call {fact.call} of {fact.plugin!r} ended with {fact.ending} after the last fault"
            yield Violation(rule, said, (asked, fact))
        elif fact.at - asked.at > run.patience + run.slack:
            said = f"call {fact.call} of {fact.plugin!r} took {fact.at - asked.at:.1f} s after the last fault"
            yield Violation(rule, said, (asked, fact))


def _is_off(story: HostStory) -> bool:
    """Whether a host is off for a reason that no rule is about: it waits for a person, or one stopped it."""
    last = story.generations[-1]
    if story.orders and story.orders[-1].verb == "park":
        return True
    revived = any(order.verb in BY_HAND and order.at >= (last.ended or 0.0) for order in story.orders)
    let_be = last.stopped and story.terms.policy.restart is not RestartType.PERMANENT
    return (last.until_revived or let_be) and not revived


def nothing_left(run: Run) -> Iterator[Violation]:
    """After the stop no process, no thread and no descriptor is there that was not before."""
    for what in ("processes", "threads", "descriptors"):
        if left := getattr(run.left, what):
            yield Violation("nothing left behind", f"{len(left)} {what} were left: {', '.join(left)}")


def _was_stable(run: Run, story: HostStory, generation: GenerationStory) -> bool:
    return generation.ready_for >= story.terms.policy.stable_for - run.slack


def _by_hand(run: Run, story: HostStory, before: GenerationStory, after: GenerationStory) -> bool:
    since, until = before.began, after.began + run.slack
    if after.number == 1 and story.was_loaded(until):
        return True
    return (
        story.was_ordered(since, until)
        or story.was_reloaded(after.number, since, until)
        or story.was_down_at_a_reload(before, until)
    )
