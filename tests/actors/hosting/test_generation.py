"""One generation of a host, as a table and as histories of events: nothing is done twice, nothing is left out."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict

import pytest
from callboard.actors.handshake.handshake import LoadedPlugin, Refusal
from callboard.actors.handshake.messages import LoadPlugin
from callboard.actors.hosting.generation import (
    CALLED,
    TABLE,
    UP,
    Advanced,
    Covered,
    Do,
    FindSuspect,
    Generation,
    Load,
    Lost,
    NextDiffers,
    Overdue,
    Recycle,
    Report,
    Settled,
    SlotGranted,
    Spawned,
    SpawnFailed,
    State,
    Stop,
    TellDown,
    step,
)
from callboard.actors.hosting.messages import (
    BEGIN,
    Drain,
    Drained,
    EndGeneration,
    LimitReached,
    ProcessEnded,
    Retire,
    TakeOver,
    TreeGone,
)
from callboard.actors.hosting.settings import HostSettings
from callboard.hosts.limits.limits import Exceeded, Limits
from callboard.hosts.process.process import ProcessExit
from callboard.hosts.report.crash_report import CrashReport
from callboard.supervision.restart.exits import Exit, ExitKind
from hypothesis import given
from hypothesis import strategies as st

FAILED = Exit(ExitKind.START_FAILED, "no such program")
PLUGIN = LoadedPlugin("b", None, {}, None, {}, lambda: None, lambda _: None, lambda _: None)
OVERLAP, ALONE = HostSettings({}), HostSettings({}, limits=Limits(overlap=False))
ONCE = (Do.TAKE_SLOT, Do.SPAWN, Do.HANDSHAKE, Do.SERVE, Do.TELL_LOADED, Do.DRAIN, Do.ASK_COVERED, Do.CLOSE)


def ended(code=None, signal=None, breach=None, stop_reason=None):
    exit_ = ProcessExit(code, signal, 1.0, stop_reason)
    return ProcessEnded(exit_, CrashReport("a", 1, exit_.text, code, signal, 1.0, "?", (), "", {}), breach)


CRASH, KILLED, CLEAN = ended(code=3), ended(signal=9), ended(code=0)
STOPPED = ended(signal=9, stop_reason="stopped")
BY_OTHERS = (
    BEGIN,
    LoadPlugin(PLUGIN),
    TakeOver(None),
    LimitReached(Exceeded("calls", 1, 1)),
    LimitReached(Exceeded("memory_hard", 1, 2, hard=True)),
    Retire("replaced"),
    Drain(),
    Drained(),
    Drained(late=True),
    EndGeneration("stopped"),
    EndGeneration("it hangs", ExitKind.HANG),
    Advanced(),
    Settled(),
    Settled(Refusal("refused", permanent=True)),
    *(Overdue(*facts, been_up=False) for facts in itertools.product((False, True), repeat=3)),
)
BY_THE_PROCESS = (
    CRASH,
    KILLED,
    CLEAN,
    STOPPED,
    ended(code=0, breach="wrong_version"),
    Lost(FAILED, CRASH.report),
)
ANSWERS = (SlotGranted(), Spawned(), SpawnFailed(FAILED), NextDiffers(), Covered())
EVENTS = (*BY_OTHERS, *BY_THE_PROCESS, *ANSWERS, TreeGone(()), TreeGone((7,)))
BEGINNINGS = tuple(
    Generation(settings, standby=standby) for settings in (OVERLAP, ALONE) for standby in (False, True)
)


def kinds(history):
    return Counter(effect if isinstance(effect, Do) else type(effect) for effect in history)


def run(beginning, events):
    """Each state with what was asked for on the way there; times go by, a second an event."""
    generation = beginning
    for now, event in enumerate(events):
        generation, effects = step(generation, event, float(now))
        yield event, generation, effects


def live(beginning, events, *, spawns, differs, covered, at_once=True):
    """As its actor would run it: what an effect finds out is told at once, and the process ends as processes do."""
    told: list[object] = []
    generation, queue, answers = beginning, [], {
        Do.TAKE_SLOT: SlotGranted() if at_once else None,
        Do.SPAWN: Spawned() if spawns else SpawnFailed(FAILED),
        Do.ASK_COVERED: Covered() if covered else None,
        FindSuspect: NextDiffers() if differs else None,
    }  # fmt: skip
    spawned = process_over = tree_over = False
    for event in events:
        if isinstance(event, (ProcessEnded, Lost)):
            if not spawned or process_over:
                continue
            process_over = True
        if isinstance(event, TreeGone):
            if not process_over or tree_over:
                continue
            tree_over = True
        queue = [event]
        while queue:
            generation, effects = step(generation, queue.pop(0), 1.0)
            told += effects
            for effect in effects:
                answer = answers.get(effect if isinstance(effect, Do) else type(effect))
                if answer is not None:
                    queue.append(answer)
                    spawned = spawned or isinstance(answer, Spawned)
    return generation, told


OUTER = st.lists(
    st.sampled_from((*BY_OTHERS, *BY_THE_PROCESS, SlotGranted(), TreeGone(()), TreeGone((7,)))), max_size=25
)
WORLDS = {
    "spawns": st.sampled_from([True] * 9 + [False]),
    "differs": st.booleans(),
    "covered": st.booleans(),
    "at_once": st.sampled_from([True] * 9 + [False]),
}


@given(st.sampled_from(BEGINNINGS), st.lists(st.sampled_from(EVENTS), max_size=30))
def test_what_follows_is_in_the_table(beginning, events):
    state = beginning.state
    for event, generation, effects in run(beginning, events):
        row = TABLE.get((state, type(event)))
        assert generation.state in ((state,) if row is None else row.to)
        assert row is not None or effects == ()
        state = generation.state


def test_every_way_of_the_table_is_gone():
    gone, seen, open_ = defaultdict(set), set(), list(BEGINNINGS)
    while open_:
        generation = open_.pop()
        for event in EVENTS:
            after, _ = step(generation, event, 1.0)
            gone[generation.state, type(event)].add(after.state)
            known = after.settings.limits.overlap, after.standby, after.state, after.ready_at
            if known not in seen:
                seen.add(known)
                open_.append(after)

    assert {way: set(row.to) for way, row in TABLE.items()} == {way: gone[way] for way in TABLE}


@pytest.mark.parametrize("state", State)
def test_nothing_is_left_waiting_for_ever(state):
    """Each state but the last can be left: by an order, or because its process or its tree ends."""
    out = {event for (of, event), row in TABLE.items() if of is state and set(row.to) != {state}}

    if state is State.GONE:
        assert out == set()
    elif state in {State.NEW, State.QUEUED, State.STARTING}:
        assert EndGeneration in out
    elif state in {State.ENDED, State.REPORTED}:
        assert TreeGone in out
    else:
        assert ProcessEnded in out


@given(st.sampled_from(BEGINNINGS), OUTER, st.fixed_dictionaries(WORLDS))
def test_whatever_happens_nothing_is_done_twice(beginning, events, world):
    _, told = live(beginning, events, **world)

    assert {
        what: many for what, many in kinds(told).items() if what in (*ONCE, Report, Recycle) and many > 1
    } == {}


@given(st.sampled_from(BEGINNINGS), OUTER, st.fixed_dictionaries(WORLDS))
def test_a_generation_that_is_gone_has_told_of_its_end_and_is_closed(beginning, events, world):
    generation, told = live(beginning, events, **world)
    counts = kinds(told)

    gone = generation.state is State.GONE
    assert counts[Do.CLOSE] == gone
    assert counts[Report] == (gone or generation.state is State.REPORTED)
    assert not gone or told[-1] is Do.CLOSE


@given(st.sampled_from(BEGINNINGS), OUTER, st.fixed_dictionaries(WORLDS))
def test_each_generation_that_is_told_to_end_is_gone_once_its_tree_is(beginning, events, world):
    end = (EndGeneration("stopped"), CRASH, TreeGone(()))

    generation, told = live(beginning, (*events, *end), **world)

    assert generation.state is State.GONE
    assert kinds(told)[Report] == 1


@given(st.sampled_from(BEGINNINGS), OUTER, st.fixed_dictionaries(WORLDS))
def test_calls_are_sent_from_serving_to_the_first_news_that_it_is_down(beginning, events, world):
    _, told = live(beginning, events, **world)
    order = [effect for effect in told if effect is Do.SERVE or isinstance(effect, (TellDown, Load, Recycle))]

    down = next((n for n, each in enumerate(order) if isinstance(each, TellDown)), len(order))
    assert Do.SERVE not in order[down:]
    assert all(not isinstance(each, (Load, Recycle)) for each in order[down:])


@given(st.sampled_from(BEGINNINGS), OUTER, st.fixed_dictionaries(WORLDS))
def test_a_process_is_stopped_for_the_first_reason(beginning, events, world):
    events = [STOPPED if isinstance(event, ProcessEnded) else event for event in events]
    generation, told = live(beginning, events, **world)
    stops = [effect for effect in told if isinstance(effect, Stop)]

    assert len({stop.reason for stop in stops}) <= 1
    if stops and generation.exit is not None and not any(isinstance(event, Lost) for event in events):
        assert generation.exit.cause == stops[0].reason


@pytest.mark.parametrize("kind", [ExitKind.REQUESTED, ExitKind.HANG])
@pytest.mark.parametrize(
    ("end", "as_"), [(CRASH, ExitKind.CODE), (KILLED, ExitKind.SIGNAL), (CLEAN, ExitKind.CLEAN)]
)
def test_a_process_that_was_quicker_than_its_stop_has_ended_by_itself(kind, end, as_):
    to_end = [BEGIN, Settled(), EndGeneration("told to", kind)]

    itself, _ = live(BEGINNINGS[0], [*to_end, end], spawns=True, differs=False, covered=False)
    by_us, _ = live(BEGINNINGS[0], [*to_end, STOPPED], spawns=True, differs=False, covered=False)

    assert (itself.exit.kind, by_us.exit.kind) == (as_, kind)


def test_nothing_is_done_before_its_turn():
    (waits, *_) = BEGINNINGS

    generation, told = live(
        waits, [EndGeneration("taken off"), BEGIN], spawns=True, differs=False, covered=False
    )

    assert generation.state is State.GONE
    assert told == [Report(Exit(ExitKind.REQUESTED, "taken off")), Do.CLOSE]


@pytest.mark.parametrize("end", [CRASH, KILLED])
def test_a_standby_takes_over_before_the_tree_is_gone_if_it_ended_by_a_crash(end):
    serves = [BEGIN, Settled()]

    generation, told = live(BEGINNINGS[0], [*serves, end], spawns=True, differs=False, covered=True)
    asked_to, _ = live(
        BEGINNINGS[0], [*serves, EndGeneration("stopped"), end], spawns=True, differs=False, covered=True
    )

    assert generation.state is State.REPORTED
    assert isinstance(told[-1], Report)
    assert asked_to.state is State.ENDED


def test_one_that_is_killed_from_outside_is_nobodys_fault():
    serves = [BEGIN, Settled()]

    _, killed = live(BEGINNINGS[0], [*serves, KILLED], spawns=True, differs=False, covered=False)
    _, crashed = live(BEGINNINGS[0], [*serves, CRASH], spawns=True, differs=False, covered=False)

    assert (TellDown(ended=True), kinds(killed)[FindSuspect]) == (killed[-2], 0)
    assert (TellDown(ended=True, report=CRASH.report), kinds(crashed)[FindSuspect]) == (crashed[-3], 1)


@pytest.mark.parametrize("state", [*CALLED, State.STOPPING])
def test_a_hard_limit_ends_it_at_once(state):
    stopping = Exit(ExitKind.REQUESTED, "stopped") if state is State.STOPPING else None
    generation = Generation(OVERLAP, state, ready_at=0.0, exit=stopping)

    after, (stop,) = step(generation, LimitReached(Exceeded("memory_hard", 1, 2, hard=True)), 1.0)

    assert (after.state, stop.ladder.polite + stop.ladder.firm) == (State.STOPPING, 0)


def test_the_states_that_have_a_process_are_those_that_can_be_told_that_it_ended():
    assert {state for state, event in TABLE if event is ProcessEnded} == {*UP, State.STOPPING}
