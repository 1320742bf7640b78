"""After a signal handler has raised at any point, each dead letter and each turn of a breaker is told once and counted once."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from contextlib import ExitStack

import pytest
from callboard.actors.board import Board
from callboard.actors.calls import unread_parts
from callboard.actors.calls.stage import Stage
from callboard.actors.endpoint.circuit_breaker import BreakerPolicy
from callboard.actors.endpoint.crash_attribution import QuarantinePolicy
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.plugins.adapter.adapter import PluginAdapter
from every_point import interrupted_at_each_point
from leaks import no_leaks, wait_until
from manual_clock import ManualClock
from memory_hosts import memory_board
from tools import a_tool, schema, tool_call

PATIENCE = 20.0
RESET = 10.0


class Trial:
    """A board of a manual clock with one plugin, and what was told of it."""

    def __init__(self, stack, plugin, settings):
        self.clock = ManualClock()
        self.board = Board(clock=self.clock)
        stack.callback(self.board.stop)
        self.events = []
        self.board.subscribe(self.events.append)
        self.board.add(plugin, config={}, settings=settings)

    def submit(self, **arguments):
        return self.board.submit(tool_call("tool", **arguments))

    def begun(self):
        call = self.submit()
        wait_until(lambda: call.stage is not Stage.QUEUED)
        return call

    def idle(self):
        return not self.status()["running"] + self.status()["waiting"]

    def works(self):
        self.clock.advance(4 * RESET)
        return self.submit().result(PATIENCE)["success"]

    def told(self, *kinds):
        assert self.board.events.settle(PATIENCE)
        return [event for event in self.events if event.kind in kinds]

    def drops(self):
        """Dead letters by their reasons, as told and as counted."""
        told = self.told("dead_letter")
        assert len({event.facts["letter"] for event in told}) == len(told), told
        counted = self.board.events.dead_letters.counts()
        return Counter(event.facts["reason"] for event in told), Counter(counted)

    def status(self):
        return self.board.status()["plugins"]["tool"]


@pytest.fixture
def stack():
    with no_leaks(), ExitStack() as stack:
        yield stack


class Waiting:
    """A tool that works until it is let go."""

    name = "tool"

    def get_tool_schemas(self, state=None):
        return [schema("tool")]

    async def execute_tool(self, tool_name, arguments, state):
        await asyncio.sleep(3600)


class Talking(Waiting):
    """A tool that tells more than is kept, and works on."""

    async def stream_tool_async(self, tool_name, arguments, state):
        for number in range(4):
            yield {"part": number}
        await asyncio.sleep(3600)


def test_an_interrupted_call_that_finds_no_room_is_dropped_once_if_it_is(stack):
    trial = Trial(stack, PluginAdapter(Waiting()), ToolSettings(mailbox_size=1))
    under_way, waits = trial.begun(), trial.submit()

    def agrees():
        told, counted = trial.drops()
        overloaded = Counter(event.facts["code"] for event in trial.told("call_ended"))["overloaded"]
        return told == counted == Counter(overflow=overloaded)

    for _ in interrupted_at_each_point(trial.submit):
        wait_until(lambda: trial.status()["waiting"] + trial.status()["running"] == 2)
        wait_until(agrees)  # the actor's thread goes on with a call that was interrupted

    under_way.cancel(), waits.cancel()


def test_parts_of_a_call_whose_cancel_is_interrupted_are_dropped_once(stack, monkeypatch):
    monkeypatch.setattr(unread_parts, "MAX_UNREAD_PARTS", 2)
    trial = Trial(stack, PluginAdapter(Talking()), ToolSettings())
    calls = []

    def begin():
        calls.append(trial.submit())
        wait_until(lambda: calls[-1].parts_dropped == 2)

    for place in interrupted_at_each_point(lambda: bool(calls[-1].cancel()), before=begin):
        calls[-1].cancel()
        calls[-1].result(PATIENCE)
        wait_until(lambda: trial.status()["calls"]["ended"] == len(calls))
        told, counted = trial.drops()
        assert told == counted == Counter(parts=len(calls)), place


def test_a_call_that_waits_as_a_stop_is_interrupted_is_dropped_once(stack):
    trials, calls = [], []

    def begin():
        trials.append(Trial(stack, PluginAdapter(Waiting()), ToolSettings()))
        calls[:] = [trials[-1].begun(), trials[-1].submit(), trials[-1].submit()]

    def stop():
        trials[-1].board.stop()

    for place in interrupted_at_each_point(stop, before=begin):
        trials[-1].board.stop()
        wait_until(lambda: all(call.done() for call in calls))
        told, counted = trials[-1].drops()
        assert told == counted == Counter(stopped=2), place


def failing(arguments, state):
    if arguments.get("fail"):
        raise OSError("the line is down")
    return {"success": True, "result": None}


def breaker_turns(events):
    """The state that the told turns lead to; `AssertionError` if one of them cannot follow the one before."""
    state = "closed"
    before = {"open": {"closed", "half_open"}, "half_open": {"open"}, "closed": {"open", "half_open"}}
    for event in events:
        turned = event.kind.removeprefix("breaker_").replace("opened", "open")
        assert state in before[turned], [event.kind for event in events]
        state = turned
    return state


TURNS = ("breaker_opened", "breaker_half_open", "breaker_closed")


def agrees(trial, place):
    """Whether what was told of the breaker is what it has done."""
    told, status = trial.told(*TURNS), trial.status()
    (breaker,) = status["breakers"].values()
    opened = sum(event.kind == "breaker_opened" for event in told)
    assert status["guarded"]["opened"] == opened, place
    assert breaker_turns(told) == breaker["state"], place


STEPS = {
    "a trial": lambda trial: trial.submit().result(PATIENCE),
    "a trial that fails": lambda trial: trial.submit(fail=True).result(PATIENCE),
    "by hand": lambda trial: trial.board.plugin_manager.handle("tool").endpoint.admission.pardon(),
}


@pytest.mark.parametrize("step", STEPS)
def test_each_turn_of_a_breaker_is_told_once_whatever_point_is_interrupted(stack, step):
    trials = []

    def begin():
        trial = Trial(stack, a_tool(failing), ToolSettings(breaker=BreakerPolicy(failures=1, reset=RESET)))
        trial.submit(fail=True).result(PATIENCE)
        trial.clock.advance(2 * RESET)
        trials.append(trial)

    for place in interrupted_at_each_point(lambda: STEPS[step](trials[-1]), before=begin):
        trial = trials[-1]
        wait_until(trial.idle)
        wait_until(trial.works)
        agrees(trial, place)
        assert breaker_turns(trial.told(*TURNS)) == "closed", place


def test_a_deadline_that_ends_a_trial_opens_the_breaker_once_whatever_point_is_interrupted(stack):
    policy = BreakerPolicy(failures=1, reset=RESET, max_reset=1000.0)
    calls, gates = [], []

    def wait(arguments, state):
        return {"success": gates[-1].wait(PATIENCE)}

    trial = Trial(stack, a_tool(wait), ToolSettings(breaker=policy, deadline=1.0))

    def begin():
        trial.clock.advance(2000.0)
        gates.append(threading.Event())
        calls.append(trial.begun())

    for place in interrupted_at_each_point(lambda: trial.clock.advance(1.0), before=begin):
        calls[-1].cancel()
        calls[-1].result(PATIENCE)
        gates[-1].set()
        wait_until(lambda: not trial.status()["running"])
        agrees(trial, place)
    gates[-1].set()


def test_what_leaves_quarantine_is_told_of_once_whatever_point_is_interrupted(stack):
    memory = stack.enter_context(memory_board())
    host = memory.add(quarantine=QuarantinePolicy(crashes=2, seconds=RESET))
    confined = []

    def begin():
        for _ in range(2):
            memory.call(poison=len(confined))
            host.generation.request()
            memory.relive(host)
        confined.append(memory.status()["quarantine"])
        memory.clock.advance(2 * RESET)

    def works():
        call = memory.call()
        while not call.done():
            host.generation.succeed()
        return call.result(PATIENCE)["success"]

    for place in interrupted_at_each_point(memory.call, before=begin):
        wait_until(works)
        memory.settle()
        assert memory.status()["quarantine"] == [], place
        assert len(memory.events.of("tool_quarantined")) == len(confined), place
        assert len(memory.events.of("tool_released")) == len(confined), place
