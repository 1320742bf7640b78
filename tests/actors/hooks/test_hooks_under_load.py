"""Whatever hooks, people, tools and callers do at the same time, each call ends once, in order, and is told of once."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections import Counter

from callboard.actors.board import Board
from tools import a_tool, tool_call

PATIENCE = 30.0
CALLS = 400


def noting(name, numbers):
    def run(arguments, _state):
        numbers.append(arguments["n"])
        if arguments["n"] % 11 == 0:
            raise ValueError
        return {"success": True, "result": arguments}

    return a_tool(run, name)


def fickle(dice):
    """A hook that is late, raises, denies, asks and changes as the dice fall."""

    def hook(_event, data):
        roll = dice.random()
        if roll < 0.02:
            time.sleep(0.03)  # it is late: beyond its deadline
        if roll < 0.1:
            raise OSError
        answers = [(0.2, {"action": "deny"}), (0.3, {"action": "ask", "approval_timeout": 0.003})]
        answers += [(0.5, {"action": "modify", "data": data}), (1.0, None)]
        return next(answer for limit, answer in answers if roll < limit)

    return hook


async def watch(_event, _data):
    await asyncio.sleep(0)


class Fickle:
    """A person who takes too long at times, and is not always understood."""

    def __init__(self, dice):
        self._dice = dice

    def ask(self, _question):
        # How long this person takes, which is mostly longer than the question may last.
        time.sleep(self._dice.random() * 0.006)
        return self._dice.choice([True, "Deny", None])


class Told:
    """Counts the terminal events of each call."""

    def __init__(self):
        self.counts = Counter()
        self._came = threading.Semaphore(0)

    def __call__(self, _event, data):
        self.counts[data["tool_call_id"]] += 1
        self._came.release()

    def wait(self, count):
        for _ in range(count):
            assert self._came.acquire(timeout=PATIENCE)


def test_each_call_has_one_result_and_one_terminal_event_and_starts_in_its_order(caplog):
    caplog.set_level("CRITICAL")
    dice, told, started = random.Random(7), Told(), {name: [] for name in "abc"}
    with Board() as board:
        for name, numbers in started.items():
            board.add(noting(name, numbers), config={})
        board.hooks.approver = Fickle(dice)
        for event in ("tool:pre", "tool:post"):
            board.hooks.add(event, fickle(dice), deadline=0.01)
        board.hooks.add("tool:pre", watch, observes=True)
        board.hooks.add("tool:post", told, observes=True, priority=-1)
        board.hooks.add("tool:error", told)

        calls = []
        for number in range(CALLS):
            call = tool_call(dice.choice("abc"), str(number), n=number)
            calls.append(board.submit(call, deadline=dice.choice([None, None, 5.0, 0.01])))
            if dice.random() < 0.1:
                dice.choice(calls).cancel()
        codes = Counter(call.result(PATIENCE).get("code") for call in calls)
        told.wait(CALLS)

    assert set(codes) <= {None, "denied", "invalid_result", "deadline_exceeded", "cancelled", "tool_raised"}
    assert codes[None]
    assert codes["denied"]
    assert len(told.counts) == CALLS
    assert set(told.counts.values()) == {1}
    assert all(numbers == sorted(numbers) for numbers in started.values())
