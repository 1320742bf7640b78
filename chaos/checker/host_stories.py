"""The generations of a host, put together from the events that tell of them. Pure.

A generation begins with ``host_starting`` and ends with what comes first: a crash, an end that the board
tells no event of (then the next generation's start ends it), a stop, or the end of the run.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ...base.frozen import frozen
from .facts import Answered, Asked, Happened, Ordered, Ran, Seen, Submitted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from .facts import Fact, Run, Terms

DOWN = frozenset({"host_crashed", "host_backoff", "host_parked", "host_stopped", "host_replaced"})
"""Events that say of a generation that it is over."""

_OF_GENERATIONS = DOWN | {"host_starting", "host_ready"}
"""Events of which generations are made. A generation that comes to a limit, or has been reloaded, goes on."""

OVER = DOWN - {"host_replaced"}
"""Those after which it is given no call any more: one that is replaced serves on until its successor is ready."""


@frozen
class GenerationStory:
    """One generation.

    Attributes:
        host: whose.
        number: which of its host's.
        began: when it was started.
        ready: when it was ready; ``None`` if it never was.
        ended: when it was known to be over; ``None`` if it was not.
        exit: how, as the crash report says; empty where there was no crash.
        cause: why, in a sentence.
        crashed: it ended in a crash.
        cancelled: it was ended because a call that was cancelled went on, which costs no restart.
        wait: seconds the board said it would wait before the next; ``None`` if it said nothing.
        held: it went down with its group, which decides when it is started again and pays for that.
        parked: the host was parked after it.
        until_revived: parked, and to stay so until somebody revives it.
        stopped: the host was stopped after it.
        replaced: another generation was to take its place.
    """

    host: str
    number: int
    began: float
    ready: float | None = None
    ended: float | None = None
    exit: str = ""
    cause: str = ""
    crashed: bool = False
    cancelled: bool = False
    wait: float | None = None
    held: bool = False
    parked: bool = False
    until_revived: bool = False
    stopped: bool = False
    replaced: bool = False

    @property
    def spends(self) -> bool:
        """Whether the start after it is a restart that its policy has to allow: nobody else has wished it."""
        if self.ended is None or self.replaced or self.cancelled or self.held:
            return False
        return self.crashed or self.wait is not None

    @property
    def ready_for(self) -> float:
        """Seconds from ready to the end; 0 if it never was ready, or lives."""
        return 0.0 if self.ready is None or self.ended is None else self.ended - self.ready


@dataclass(slots=True)
class HostStory:
    """What a run has to tell of one host.

    Attributes:
        host: its name.
        terms: what it was promised.
        generations: in the order in which they began.
        events: of its generations, in their order.
        looks: at its processes.
        orders: by hand.
        reloaded: the generations that a reload has started.
        rolled_back: when a reload was taken back, and the former program started.
        group_reloads: when a host of its group was reloaded, which starts a group that is down, all of it with fresh budgets.
    """

    host: str
    terms: Terms
    generations: list[GenerationStory] = field(default_factory=list)
    events: list[Happened] = field(default_factory=list)
    looks: list[Seen] = field(default_factory=list)
    orders: list[Ordered] = field(default_factory=list)
    reloaded: set[int] = field(default_factory=set)
    rolled_back: list[float] = field(default_factory=list)
    group_reloads: list[float] = field(default_factory=list)

    def of(self, *generations: GenerationStory) -> tuple[Happened, ...]:
        """The events that tell of these generations."""
        numbers = {generation.number for generation in generations}
        return tuple(event for event in self.events if event.facts["generation"] in numbers)

    def was_ordered(self, since: float, until: float) -> bool:
        """Whether somebody has had it started by hand in that time."""
        return any(order.verb in BY_HAND and since <= order.at <= until for order in self.orders)

    def was_reloaded(self, generation: int, since: float, until: float) -> bool:
        """Whether a reload has started that generation, or taken another back in that time: both have a fresh budget."""
        return generation in self.reloaded or any(since <= at <= until for at in self.rolled_back)

    def was_down_at_a_reload(self, generation: GenerationStory, until: float) -> bool:
        """Whether its group was started by a reload after the end of that generation, and so itself."""
        return generation.ended is not None and any(
            generation.ended <= at <= until for at in self.group_reloads
        )

    def was_loaded(self, until: float) -> bool:
        """Whether it was taken off the board and loaded again by then; what was taken off may start once more meanwhile."""
        return any(order.verb == "load" and order.at <= until for order in self.orders)


BY_HAND = frozenset({"restart", "revive", "load"})
"""Orders that start a host at once, with a fresh budget; one that was taken off and is loaded again is a new one."""


_OF_CALLS = (Asked, Submitted, Ran, Answered)


def stories(run: Run) -> list[HostStory]:
    """The story of every host, in one look at the facts."""
    hosts = {run.host_of(name): terms for name, terms in run.terms.items() if terms.hosted}
    found = {name: HostStory(name, terms) for name, terms in hosts.items()}
    together: dict[str, list[HostStory]] = {}
    for fact in run.facts:
        if isinstance(fact, _OF_CALLS) or (isinstance(fact, Happened) and fact.kind.startswith("call_")):
            continue  # nearly all are these, and every rule of generations looks at all facts
        _note_group(fact, found, together)
        story = found.get(fact.plugin)
        if story is None:
            continue
        match fact:
            case Happened(_, _, kind) if kind in _OF_GENERATIONS:
                story.events.append(fact)
                _take(story.generations, fact)
            case Happened(_, _, "host_reloaded"):
                story.reloaded.add(fact.facts["generation"])
                for member in together.get(story.host, ()):
                    member.group_reloads.append(fact.at)
            case Happened(_, _, "host_reload_failed") if fact.facts["rolled_back"]:
                story.rolled_back.append(fact.at)
            case Seen():
                story.looks.append(fact)
            case Ordered():
                story.orders.append(fact)
    return list(found.values())


def _note_group(fact: Fact, found: Mapping[str, HostStory], together: dict[str, list[HostStory]]) -> None:
    if isinstance(fact, Happened) and fact.kind == "group_restarting":
        members = [found[member] for member in fact.facts["members"] if member in found]
        together |= dict.fromkeys((member.host for member in members), members)


def answering_unready(facts: Iterable[Fact], host_of: Callable[[str], str]) -> set[str]:
    """The hosts that are given calls, and were not reported as ready yet.

    Args:
        facts: in the order in which they were told.
        host_of: the host in which a plugin lives.
    """
    given: dict[str, bool] = {}
    for fact in facts:
        match fact:
            case Happened(_, host, "host_starting"):
                given[host] = False
            # Other events may be about a generation that retires, and not about the latest.
            case Happened(_, host, kind) if kind in _OF_GENERATIONS:
                given.pop(host, None)
            case Happened(_, plugin, "call_started") if (host := host_of(plugin)) in given:
                given[host] = True
    return {host for host, answers in given.items() if answers}


TOLD = frozenset({"host_crashed", "host_stopped", "host_retired"})
"""Events that tell of an end in which calls may be lost."""

OF_GROUPS = frozenset({"group_restarting", "group_limit", "group_parked", "group_stopped"})
"""Events of groups, whose members go down for each other's sake."""


def ends_owed(facts: Iterable[Fact], host_of: Callable[[str], str]) -> set[str]:
    """The hosts with which a call was lost, while nothing was told since its submission that would explain it.

    The caller hears of the end of a host at once. The board tells of it when the whole process tree is gone.

    Args:
        facts: in the order in which they were noted.
        host_of: the host in which a plugin lives.
    """
    owed: set[str] = set()
    asked: dict[str, int] = {}
    told: dict[str, int] = {}
    told_of_groups = -1
    for place, fact in enumerate(facts):
        match fact:
            case Asked(_, _, call):
                asked.setdefault(call, place)
            case Answered(_, plugin, call, "host_crashed"):
                host = host_of(plugin)
                if max(told.get(host, -1), told_of_groups) < asked.get(call, place):
                    owed.add(host)
            case Happened(_, host, kind) if kind in TOLD:
                told[host] = place
                owed.discard(host)
            case Happened(_, _, kind) if kind in OF_GROUPS:
                told_of_groups = place
                owed.clear()
            case Ordered(_, host):
                told[host] = place
    return owed


def _take(generations: list[GenerationStory], event: Happened) -> None:
    number = event.facts["generation"]
    if event.kind == "host_starting":
        if generations and generations[-1].ended is None:
            generations[-1] = replace(generations[-1], ended=event.at)
        generations.append(GenerationStory(event.plugin, number, event.at))
        return
    # From the end: news is of the last generation, or of the one before it.
    for place in range(len(generations) - 1, -1, -1):
        if generations[place].number == number:
            generation = generations[place]
            generations[place] = (
                replace(generation, ready=event.at)
                if event.kind == "host_ready"
                else _ended(generation, event)
            )
            return


def _ended(generation: GenerationStory, event: Happened) -> GenerationStory:
    if generation.ended is None:
        generation = replace(generation, ended=event.at)
    facts = event.facts
    match event.kind:
        case "host_crashed":
            exit_ = facts.get("report", {}).get("exit") or facts.get("exit", "")
            cancelled = facts.get("exit") == "cancel"
            return replace(
                generation, crashed=True, cancelled=cancelled, exit=exit_, cause=facts.get("cause", "")
            )
        case "host_backoff":
            seconds = facts.get("seconds")
            return replace(generation, wait=seconds, held=seconds is None)
        case "host_parked":
            seconds = facts.get("seconds")
            return replace(generation, wait=seconds, held=False, parked=True, until_revived=seconds is None)
        case "host_replaced":
            return replace(generation, replaced=True)
    return replace(generation, stopped=True)
