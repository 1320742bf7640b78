"""After a signal handler has raised at any point, each call is told once and counted once, and what was raised is raised on."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from callboard import Callboard
from callboard.supervision.runtime.event_order import check_order
from every_point import Interrupted, OutOfTime, interrupted_at_each_point
from leaks import no_leaks, wait_until
from thorough import each_once
from tools import tool_call

PATIENCE = 20.0


@pytest.fixture
def events():
    return []


@pytest.fixture
def board(events):
    with no_leaks(), Callboard(subscribers=[events.append]) as board:

        @board.tool
        async def echo(text: str = "", seconds: float = 0) -> str:
            await asyncio.sleep(seconds)
            return text

        yield board


def asked(seconds=0.0, deadline=PATIENCE):
    return tool_call("echo", text="x", seconds=seconds), {"deadline": deadline}


def begun(board, **how):
    call, options = asked(**how)
    return board.submit(call, **options)


def executed(board):
    call, options = asked()
    return board.execute(call, **options)


def misfit(board):
    return board.execute(tool_call("echo", text=3), deadline=PATIENCE)


def refused(board):
    return board.execute(tool_call("echo", text="x"), deadline=0.0)


STEPS = {
    "submit": begun,
    "execute": executed,
    "execute what does not fit": misfit,
    "execute what is late": refused,
    "call": lambda board: board.call("echo", text="x"),
    "cancel at work": lambda board, call: call.cancel(),
    "cancel in the queue": lambda board, call: call.cancel(),
}


def counts(board):
    return board.status()["plugins"]["echo"]


def agree(board, events):
    """Whether no call is under way or waits, and each is counted, and told of, as submitted and ended once."""
    assert board.board.events.settle(PATIENCE)
    told = Counter((event.kind, event.facts["call"]) for event in events if "call" in event.facts)
    submitted = {call for kind, call in told if kind == "call_submitted"}
    ended = {call for kind, call in told if kind == "call_ended"}
    of_plugin = counts(board)
    counted = {of_plugin["calls"]["submitted"], of_plugin["calls"]["ended"]}
    under_way = of_plugin["running"] + of_plugin["waiting"]
    return not under_way and set(told.values()) <= {1} and submitted == ended and counted == {len(ended)}


@pytest.mark.parametrize(("step", "kind"), each_once(STEPS, [Interrupted, OutOfTime]))
def test_each_call_is_told_and_counted_once_whatever_point_is_interrupted(board, events, step, kind):
    made = []

    def begin():
        made.clear()
        if step.startswith("cancel"):
            made.append(begun(board, seconds=3600.0))
            if step == "cancel in the queue":
                made.insert(0, begun(board, seconds=3600.0))
                made.reverse()

    def run():
        if made:
            STEPS[step](board, made[0])
        else:
            STEPS[step](board)

    astray = []
    for place in interrupted_at_each_point(run, before=begin, kind=kind):
        for call in made:
            call.cancel()
            call.result(PATIENCE)
        try:
            wait_until(lambda: agree(board, events))
        except AssertionError:
            astray.append((place, counts(board), Counter(event.kind for event in events)))
            break

    assert astray == []
    assert check_order(events) == []
