"""The callers of a round: a thread for each, that calls in its own way until its calls are made and have ended."""

from __future__ import annotations

import asyncio
import threading
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...supervision.runtime.clock import SystemClock
from ..checker.facts import PartsRead

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ...actors.calls.call import Call
    from ...actors.calls.stage import Result
    from ..recorder import Recorder
    from ..virtual.virtual_load import CallPlan
    from .plan import CallerPlan, Plan

Json = dict[str, Any]

PATIENCE = 30.0
"""Seconds that a caller waits for an answer; what has none by then never will, and is for the rules to tell."""


class Callers:
    """See the module.

    Args:
        recorder: through which the calls are made.
        plan: of the round.
        ledger: the file in which the tools write down their runs.
    """

    def __init__(self, recorder: Recorder, plan: Plan, ledger: Path) -> None:
        self._recorder = recorder
        self._ledger = ledger
        self._clock = SystemClock()  # of the cancels: the board's own ends with the board
        self._began = self._clock.now()
        self._over = threading.Event()
        self._calls: list[tuple[str, Call]] = []
        self._threads = [
            threading.Thread(target=self._go, args=(caller,), name=f"caller {number}", daemon=True)
            for number, caller in enumerate(plan.callers)
        ]
        for thread in self._threads:
            thread.start()

    def cancel(self, plugin: str) -> bool:
        """Give up all open calls of a plugin; whether there was one."""
        return sum(call.cancel() for name, call in self._calls[:] if name == plugin) > 0

    def wait(self, seconds: float) -> None:
        """Wait so long after their beginning."""
        self._over.wait(max(0.0, self._began + seconds - self._clock.now()))

    def join(self) -> None:
        """Wait until all calls are made and have ended, or will not."""
        for thread in self._threads:
            thread.join(2 * PATIENCE)
        self._clock.close()

    def close(self) -> None:
        """Make no more calls."""
        self._over.set()
        self._clock.close()

    def _go(self, caller: CallerPlan) -> None:
        if caller.way.startswith("await"):
            asyncio.run(self._go_async(caller))
            return
        calls: list[tuple[CallPlan, Call]] = []
        for plan in caller.calls:
            if self._over.wait(max(0.0, self._left(plan))):
                return
            call = self._submit(plan)
            calls.append((plan, call))
            if caller.way == "parts":
                self._note_parts(plan, call, list(call.parts()))
            if caller.way != "burst":
                _wait(call)
        for plan, call in calls:
            _wait(call)
            if caller.way != "parts" and call.done():
                self._note_parts(plan, call, list(call.parts()))

    async def _go_async(self, caller: CallerPlan) -> None:
        await asyncio.gather(
            *(self._call_async(plan, parts=caller.way == "await_parts") for plan in caller.calls)
        )

    async def _call_async(self, plan: CallPlan, *, parts: bool) -> None:
        await asyncio.sleep(max(0.0, self._left(plan)))
        if self._over.is_set():
            return
        with suppress(TimeoutError):  # the rules tell of a call that never ends
            async with asyncio.timeout(PATIENCE):
                call = self._submit(plan)
                read = [part async for part in call] if parts else []
                await call
                self._note_parts(plan, call, [*read, *call.parts()])

    def _note_parts(self, plan: CallPlan, call: Call, parts: list[Any]) -> None:
        """Note the parts that the caller has read of a call that has ended."""
        if call.parts_dropped:  # for want of room, which the result says
            return
        numbers = tuple(number for part in parts if (number := part_number(part)) is not None)
        due = plan.arguments["parts"] if call.result()["success"] else None
        self._recorder.note(PartsRead(self._recorder.now(), plan.host, plan.name, numbers, due))

    def _left(self, plan: CallPlan) -> float:
        """Seconds until a call is due."""
        return self._began + plan.at - self._clock.now()

    def _submit(self, plan: CallPlan) -> Call:
        call = self._recorder.submit_wire(
            plan.host,
            wire(plan.name, plan.host, plan.arguments, self._ledger),
            name=plan.name,
            deadline=plan.deadline,
            judge=judge(plan.name),
        )
        self._calls.append((plan.host, call))
        if plan.cancel_after is not None:
            self._clock.call_at(self._clock.now() + plan.cancel_after, call.cancel)
        return call


def wire(call: str, plugin: str, arguments: Json, ledger: Path) -> Json:
    """A call of a ledger tool, by one of its names, as the board reads it."""
    given = {**arguments, "ledger": str(ledger), "plugin": plugin, "call": call}
    name = ("work", "also")[zlib.crc32(call.encode()) % 2]
    return {"type": "function_call", "call_id": call, "name": f"{plugin}_{name}", "arguments": given}


def part_number(part: Any) -> int | None:
    """The number that a ledger tool gave a part; ``None`` for what is no part of such a tool."""
    for key in ("payload", "progress"):
        if isinstance(part, dict):
            part = part.get(key, part)
    return int(part) if isinstance(part, int | float) else None


def judge(call: str) -> Callable[[Result], Json]:
    """What a success says of itself, and whether it is the answer to this call; see `Recorder.submit`."""

    def of(result: Result) -> Json:
        told = result.get("result")
        if not isinstance(told, dict) or told.get("call") != call:
            return {"wrong": f"it is {told!r:.80}, not of {call}"}
        return {"run": told["run"], "counted": told.get("count")}

    return of


def well(prefix: str, plugin: str, ledger: Path) -> Iterator[tuple[str, Json]]:
    """Names and wires of calls that go well, one after the other."""
    number = 0
    while True:
        number += 1
        name = f"{prefix}-{plugin}-{number}"
        yield name, wire(name, plugin, {"mood": "well", "seconds": 0.0, "parts": 0}, ledger)


def _wait(call: Call) -> None:
    with suppress(TimeoutError):  # the rules tell of a call that never ends
        call.result(PATIENCE)
