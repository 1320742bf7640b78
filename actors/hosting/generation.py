"""One generation of a host as a table: what happened goes in, what is to be done comes out.

A generation is one run of a host's process. It begins with its process and ends with the last process of that tree.
`TABLE` says which events mean something in which state, and which states may follow; an event that has no row there changes
nothing, and asks for nothing. The table is drawn in ``docs/design/states.md``.

Two states say more than the process does. LOADED is a standby or a candidate: its plugins are loaded, and it is sent
no calls until it takes over. REPORTED has told of its end before its tree is gone, because a standby takes over at once.

What a reader would get wrong: the first reason to end a generation is the one that counts. A later one can only hasten
the stop, so a polite stop stays the reason of a process that has to be killed in the end. A process that was quicker than
the stop has ended by itself: that is the first reason of all.

Pure: `HostActor` holds the process, the clock and the timers, and carries out the effects.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.frozen import frozen
from ...hosts.process.stop_ladder import KILL_NOW, StopLadder
from ...hosts.report.crash_report import FROM_OUTSIDE
from ...supervision.restart.exits import Exit, ExitKind
from ..handshake.messages import LoadPlugin
from .messages import (
    Begin,
    Drain,
    Drained,
    EndGeneration,
    LimitReached,
    ProcessEnded,
    Retire,
    StartOverdue,
    TakeOver,
    TreeGone,
)
from .process_end import verdict_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...hosts.limits.limits import Exceeded
    from ...hosts.report.crash_report import CrashReport
    from ..handshake.handshake import LoadedPlugin, Refusal
    from .settings import HostSettings


class State(StrEnum):
    """Where a generation is."""

    NEW = "new"
    """Nothing is started; it waits to be told."""
    QUEUED = "queued"
    """It waits until fewer others are being started."""
    STARTING = "starting"
    """Its process is being started."""
    HANDSHAKE = "handshake"
    """Its plugins are being loaded."""
    LOADED = "loaded"
    """It waits to take over."""
    READY = "ready"
    """It is sent calls."""
    RECYCLING = "recycling"
    """It is sent calls, has come to a limit, and waits for its successor to be started."""
    RETIRING = "retiring"
    """It is sent calls until its successor takes them."""
    DRAINING = "draining"
    """It is sent no more calls, and finishes those that are under way."""
    STOPPING = "stopping"
    """Its process is being ended."""
    ENDED = "ended"
    """Its process has ended; others of its tree may not have."""
    REPORTED = "reported"
    """As ENDED, and its end was told."""
    GONE = "gone"
    """Nothing of it is left."""


# What happens to it beside what it is told by others, which `messages` has


class SlotGranted:
    """It may start now, see `StartSlots`."""


class Spawned:
    """Its process has been started."""


@frozen
class SpawnFailed:
    """Its process could not be started."""

    exit: Exit


class Advanced:
    """One more plugin is loaded or refused, where each is given its own time."""


@frozen
class Settled:
    """Each plugin is loaded or refused; ``failure`` if none is loaded."""

    failure: Refusal | None = None


@frozen
class Overdue:
    """`StartOverdue`, and what the handshake is at.

    Attributes:
        extended: it was given time for a preparation already.
        preparing: a plugin prepares itself.
        loading: the host is still loading what it runs.
        been_up: a generation of this host has served before.
    """

    extended: bool
    preparing: bool
    loading: bool
    been_up: bool


class NextDiffers:
    """The next generation will be another for this end: what is permanent about it may not be."""


class Covered:
    """A standby takes over as soon as the end is told."""


@frozen
class Lost:
    """Its process has ended, and deciding on that failed."""

    exit: Exit
    report: CrashReport


# What is to be done


class Do(Enum):
    """What is to be done, where no more need be said."""

    TAKE_SLOT = "take_slot"
    """Take its place among those that are being started; then, at once or later, it is `SlotGranted`."""
    SPAWN = "spawn"
    """Start the process; then it is `Spawned` or `SpawnFailed`."""
    HANDSHAKE = "handshake"
    """Begin to load its plugins."""
    CANCEL_TIMER = "cancel_timer"
    TELL_LOADED = "tell_loaded"
    """It could take over."""
    SERVE = "serve"
    """Have calls sent to it, tell that it is ready, and hold it to its limits."""
    DRAIN = "drain"
    """Have its host take no more calls, and tell (`Drained`) when none is under way."""
    ASK_COVERED = "ask_covered"
    """Find out whether it is `Covered`."""
    CLOSE = "close"
    """Tell that nothing of it is left, and end its actor."""


@frozen
class StartTimer:
    """Tell ``message`` after so many seconds; the timer before it is cancelled."""

    seconds: float
    message: StartOverdue | Drained


@frozen
class Load:
    """Load one more plugin; ``patience`` is how many seconds it has, if it is not the generation that waits for it."""

    plugin: LoadedPlugin
    patience: float | None


@frozen
class Recycle:
    """Have it replaced."""

    exceeded: Exceeded


@frozen
class TellDown:
    """Tell the actors of its plugins that it takes no more calls.

    Attributes:
        ended: its process has ended.
        report: of a crash that is of its own making.
    """

    ended: bool
    report: CrashReport | None = None


@frozen
class Stop:
    """Begin to end the process, or hasten that."""

    reason: str
    ladder: StopLadder


@frozen
class FindSuspect:
    """Find out whether a plugin that was being loaded is to blame; then it is `NextDiffers`.

    Attributes:
        alone: it was sent no calls yet.
    """

    cause: str
    alone: bool


@frozen
class Report:
    """Tell of its end. Once."""

    exit: Exit


@frozen
class WarnOfLeftovers:
    """Say which processes would not end, which the report could not have."""

    pids: tuple[int, ...]


News = TellDown | FindSuspect | Report | WarnOfLeftovers
Effect = Do | StartTimer | Load | Recycle | Stop | News
Effects = tuple[Effect, ...]


class Generation(NamedTuple):
    """What is known of one generation.

    Attributes:
        settings: how its host is run.
        standby: once its plugins are loaded it waits to take over.
        ready_at: since when its plugins are loaded, and it could serve.
        why: it was replaced for this.
        exit: why it is being ended, and then how it has ended.
        report: on that end.
    """

    settings: HostSettings
    state: State = State.NEW
    standby: bool = False
    ready_at: float | None = None
    why: str = "it was replaced"
    exit: Exit | None = None
    report: CrashReport | None = None

    def to(self, state: State, *effects: Effect, **facts: Any) -> Step:
        """It is in that state now, and this is to be done."""
        return self._replace(state=state, **facts), effects

    def end(self, exit_: Exit, ladder: StopLadder = KILL_NOW) -> Step:
        """Begin to end it, for this reason."""
        return self.to(State.STOPPING, Stop(exit_.cause, ladder), exit=exit_)

    def expect(self, *effects: Effect) -> Step:
        """It has its time to become ready again, from now on."""
        return self, (StartTimer(self.settings.start_deadline, StartOverdue()), *effects)


Step = tuple[Generation, Effects]


def step(generation: Generation, event: Any, now: float) -> Step:
    """What a generation is after an event, and what is to be done then. Times in seconds, on one clock."""
    row = TABLE.get((generation.state, type(event)))
    return (generation, ()) if row is None else row.then(generation, event, now)


# How it starts


def _begin(generation: Generation, _: Begin, __: float) -> Step:
    return generation.to(State.QUEUED, Do.TAKE_SLOT)


def _granted(generation: Generation, _: SlotGranted, __: float) -> Step:
    return generation.to(State.STARTING, Do.SPAWN)


def _spawned(generation: Generation, _: Spawned, __: float) -> Step:
    return generation._replace(state=State.HANDSHAKE).expect(Do.HANDSHAKE)


def _never(generation: Generation, event: SpawnFailed | EndGeneration | Retire, _: float) -> Step:
    """It ends before it has a process."""
    exit_ = event.exit if isinstance(event, SpawnFailed) else _reason_of(event)
    return generation.to(State.GONE, Report(exit_), Do.CLOSE, exit=exit_)


def _reason_of(event: EndGeneration | Retire) -> Exit:
    return Exit(ExitKind.REQUESTED if isinstance(event, Retire) else event.kind, event.reason)


def _advanced(generation: Generation, _: Advanced, __: float) -> Step:
    return generation.expect()


def _settled(generation: Generation, event: Settled, now: float) -> Step:
    if (refusal := event.failure) is not None:
        return generation.end(Exit(ExitKind.START_FAILED, refusal.cause, permanent=refusal.permanent))
    if generation.standby:
        return generation.to(State.LOADED, Do.CANCEL_TIMER, Do.TELL_LOADED, ready_at=now)
    return generation.to(State.READY, Do.CANCEL_TIMER, Do.SERVE, ready_at=now)


def _overdue(generation: Generation, event: Overdue, _: float) -> Step:
    settings = generation.settings
    if event.preparing and not event.extended:
        return generation, (StartTimer(settings.prepare_timeout, StartOverdue(extended=True)),)
    cause = f"it was not ready within {settings.start_deadline:g} s"
    if event.preparing:
        cause = f"preparing it took more than {settings.prepare_timeout:g} s"
    elif event.loading:
        cause += ", for its plugin was still being loaded; have that end, or raise 'start_deadline'"
    lasting = event.loading and not event.been_up
    return generation.end(Exit(ExitKind.START_TIMEOUT, cause, permanent=event.preparing, lasting=lasting))


def _load_early(generation: Generation, event: LoadPlugin, _: float) -> Step:
    return generation.expect(Load(event.loaded_plugin, None))


def _load(generation: Generation, event: LoadPlugin, _: float) -> Step:
    return generation, (Load(event.loaded_plugin, generation.settings.start_deadline),)


# How it takes over, and is replaced


def _not_waiting(generation: Generation, _: TakeOver, __: float) -> Step:
    return generation._replace(standby=False), ()


def _take_over(generation: Generation, _: TakeOver, now: float) -> Step:
    return generation.to(State.READY, Do.SERVE, standby=False, ready_at=now)


def _limit(generation: Generation, event: LimitReached, now: float) -> Step:
    if event.exceeded.hard:
        return _end(generation, EndGeneration(event.exceeded.cause, ExitKind.LIMIT), now)
    if generation.state is State.READY:
        return generation.to(State.RECYCLING, Recycle(event.exceeded))
    return generation, ()


def _retire(generation: Generation, event: Retire, now: float) -> Step:
    if generation.settings.limits.overlap:
        return generation.to(State.RETIRING, why=event.reason)
    return _drain(generation._replace(why=event.reason), event, now)


def _drain(generation: Generation, _: Drain | Retire, __: float) -> Step:
    late = StartTimer(generation.settings.limits.drain, Drained(late=True))
    return generation.to(State.DRAINING, TellDown(ended=False), late, Do.DRAIN)


def _drained(generation: Generation, event: Drained, _: float) -> Step:
    reason, settings = generation.why, generation.settings
    if event.late:
        reason += f"; calls were still under way {settings.limits.drain:g} s later"
    return generation.end(Exit(ExitKind.REQUESTED, reason), settings.ladder)


# How it ends


def _end(generation: Generation, event: EndGeneration | Retire, _: float) -> Step:
    exit_ = _reason_of(event)
    ladder = generation.settings.ladder if exit_.kind is ExitKind.REQUESTED else KILL_NOW
    if generation.state is State.STOPPING:
        assert generation.exit is not None
        return generation, (Stop(generation.exit.cause, ladder),)
    return generation.end(exit_, ladder)


def _ended(generation: Generation, event: ProcessEnded, now: float) -> Step:
    report, ready_at = event.report, generation.ready_at
    # A process that ended before our stop came to it has ended by itself, whatever has been ordered since.
    ours = generation.state is State.STOPPING and event.exit.stop_reason is not None
    innocent = not ours and event.exit.signal in FROM_OUTSIDE
    exit_ = generation.exit
    ordered = exit_ is not None and not exit_.is_crash
    if not ours or exit_ is None:
        exit_ = verdict_on(event.exit, report, event.breach, ready=ready_at is not None)
    effects: list[Effect] = [
        Do.CANCEL_TIMER,
        TellDown(ended=True, report=None if ours or innocent else report),
    ]
    if exit_.is_crash and not innocent:
        effects.append(FindSuspect(exit_.cause, alone=ready_at is None))
    if exit_.is_crash and not ordered:
        effects.append(Do.ASK_COVERED)
    if ready_at is not None:
        exit_ = replace(exit_, ready_for=now - ready_at)
    return generation.to(State.ENDED, *effects, exit=exit_, report=report)


def _lost(generation: Generation, event: Lost, _: float) -> Step:
    down = TellDown(ended=True)
    return generation.to(State.ENDED, Do.CANCEL_TIMER, down, exit=event.exit, report=event.report)


def _next_differs(generation: Generation, _: NextDiffers, __: float) -> Step:
    assert generation.exit is not None
    return generation._replace(exit=replace(generation.exit, permanent=False, lasting=False)), ()


def _covered(generation: Generation, _: Covered, __: float) -> Step:
    return generation.to(State.REPORTED, Report(_told(generation)))


def _gone(generation: Generation, event: TreeGone, _: float) -> Step:
    return generation.to(State.GONE, Report(_told(generation, event.leftovers)), Do.CLOSE)


def _gone_late(generation: Generation, event: TreeGone, _: float) -> Step:
    effects = (WarnOfLeftovers(event.leftovers),) if event.leftovers else ()
    return generation.to(State.GONE, *effects, Do.CLOSE)


def _told(generation: Generation, leftovers: tuple[int, ...] = ()) -> Exit:
    """The end, with everything that is known of it."""
    assert generation.exit is not None
    assert generation.report is not None
    report = generation.report.as_dict()
    report["leftovers"] = list(leftovers)
    return replace(generation.exit, report=report)


# The table

STARTS = (State.QUEUED, State.STARTING, State.HANDSHAKE)
"""It has a slot among those that are being started, or waits for one."""
SERVING = (State.READY, State.RECYCLING)
CALLED = (*SERVING, State.RETIRING, State.DRAINING)
UP = (State.HANDSHAKE, State.LOADED, *CALLED)
"""There is a process, and nobody has begun to end it."""


class Row(NamedTuple):
    """What an event means in a state, and which states may follow."""

    then: Callable[[Generation, Any, float], Step]
    to: tuple[State, ...]


def _rows(
    states: Iterable[State], event: type, then: Callable[[Generation, Any, float], Step], *to: State
) -> dict[tuple[State, type], Row]:
    """The same row for several states; without ``to`` each of them stays as it is."""
    return {(state, event): Row(then, to or (state,)) for state in states}


TABLE: dict[tuple[State, type], Row] = {
    **_rows((State.NEW,), Begin, _begin, State.QUEUED),
    **_rows((State.QUEUED,), SlotGranted, _granted, State.STARTING),
    **_rows((State.STARTING,), Spawned, _spawned, State.HANDSHAKE),
    **_rows((State.STARTING,), SpawnFailed, _never, State.GONE),
    **_rows((State.HANDSHAKE,), Advanced, _advanced),
    **_rows((State.HANDSHAKE,), Settled, _settled, State.LOADED, State.READY, State.STOPPING),
    **_rows((State.HANDSHAKE,), Overdue, _overdue, State.HANDSHAKE, State.STOPPING),
    **_rows((State.HANDSHAKE,), LoadPlugin, _load_early),
    **_rows((State.LOADED, *SERVING), LoadPlugin, _load),
    **_rows((State.NEW, *STARTS), TakeOver, _not_waiting),
    **_rows((State.LOADED,), TakeOver, _take_over, State.READY),
    **_rows((State.READY,), LimitReached, _limit, State.RECYCLING, State.STOPPING),
    **_rows((State.RECYCLING,), LimitReached, _limit, State.RECYCLING, State.STOPPING),
    **_rows((State.RETIRING,), LimitReached, _limit, State.RETIRING, State.STOPPING),
    **_rows((State.DRAINING,), LimitReached, _limit, State.DRAINING, State.STOPPING),
    **_rows((State.STOPPING,), LimitReached, _limit),
    **_rows((State.NEW, State.QUEUED), Retire, _never, State.GONE),
    **_rows((State.HANDSHAKE, State.LOADED), Retire, _end, State.STOPPING),
    **_rows(SERVING, Retire, _retire, State.RETIRING, State.DRAINING),
    **_rows((State.RETIRING,), Retire, _retire),
    **_rows((State.RETIRING,), Drain, _drain, State.DRAINING),
    **_rows((State.DRAINING,), Drained, _drained, State.STOPPING),
    **_rows((State.NEW, State.QUEUED, State.STARTING), EndGeneration, _never, State.GONE),
    **_rows((*UP, State.STOPPING), EndGeneration, _end, State.STOPPING),
    **_rows((*UP, State.STOPPING), ProcessEnded, _ended, State.ENDED),
    **_rows((*UP, State.STOPPING), Lost, _lost, State.ENDED),
    **_rows((State.ENDED,), NextDiffers, _next_differs),
    **_rows((State.ENDED,), Covered, _covered, State.REPORTED),
    **_rows((State.ENDED,), TreeGone, _gone, State.GONE),
    **_rows((State.REPORTED,), TreeGone, _gone_late, State.GONE),
}  # fmt: skip

EVENTS = frozenset(event for _, event in TABLE)
"""What means something in some state."""
