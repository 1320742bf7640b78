"""Interrupts a caller with real signals, at random moments of whatever it does, and checks what is left.

The signal is an alarm (``SIGALRM``), as time limits of test runners and task queues set it, and its handler raises. One comes at a time: a second
interrupt during the handling of the first is not tried. Python runs signal handlers in the main thread, so all of this runs there.
"""

from __future__ import annotations

import _weakrefset
import asyncio
import gc
import selectors
import signal
import sys
import threading
import time
import weakref
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ...base.locks import RLock
from ...plugins.results.failures import ending_of
from ..checker.interruptions import NEVER_BEGUN, WITHOUT_END, Interruption, interrupts_break_nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from types import FrameType

    from ...actors.board import Board
    from ...actors.calls.call import Call
    from ...actors.calls.stage import Result
    from ...supervision.runtime.events import Event
    from ..recorder import Recorder

Json = dict[str, Any]

POSSIBLE = sys.platform != "win32"
"""Whether this system has alarms."""

_BACK = 20.0
"""Seconds in which a host that was killed has to answer again."""

_KILLED = 8
"""How many interrupts there are to one whose host is killed at the same moment."""

_MISSES = 1.25
"""How much longer than a step its alarm may take. Beyond the step it interrupts nothing."""

_FIRST = 0.001
"""Seconds that a step is taken to last as long as none was timed."""

_EARLY = 2 / 3
"""The share of the alarms that ring soon after the beginning."""

_BEGINNING = 0.0003
"""How many seconds that is."""

_SOON = 10e-6
"""Seconds after which an alarm rings again that has met code which is not to be interrupted; twice as many each time.

On a busy machine an alarm may ring again before its handler has returned, and so within it.
"""

_LATEST = 1e-3
"""The most that becomes of them."""

_SPARED = (
    str(Path(asyncio.__file__).parent),
    selectors.__file__,
    weakref.__file__,
    _weakrefset.__file__,
    __file__,
)
"""Where that is: asyncio is not made for it, what a finalizer raises goes nowhere, and this module is no part of the library."""


class Interrupted(KeyboardInterrupt):
    """What the handler raises; no code that catches errors catches it."""


class Target(NamedTuple):
    """A plugin whose callers are interrupted.

    Attributes:
        plugin: its name.
        wire: makes a call of that name, which takes next to no time.
        kill: kills its host, if it has one.
    """

    plugin: str
    wire: Callable[[str], Json]
    kill: Callable[[], object] | None = None


@dataclass(slots=True)
class _Alarm:
    """Interrupts one step after another; made and used in the main thread.

    Attributes:
        line: where it has raised last; empty if it has not since `set`.
    """

    line: str = ""
    _armed: bool = False
    _again: float = _SOON
    _former: Any = field(default=None)

    def __enter__(self) -> Self:
        if sys.platform != "win32":
            self._former = signal.signal(signal.SIGALRM, self._ring)
        return self

    def __exit__(self, *_: object) -> None:
        _ring_after(0.0)
        if sys.platform != "win32":
            signal.signal(signal.SIGALRM, self._former)

    def interrupt(self, step: Callable[[], object], after: float) -> bool:
        """Do a step, and interrupt it after so many seconds; whether it was. What else it raises is raised."""
        self.line, self._again = "", _SOON
        collects = gc.isenabled()
        gc.disable()  # what is raised in a callback of the collector goes nowhere
        try:
            try:
                self._armed = True
                _ring_after(max(after, 1e-6))
                step()
            finally:
                self._armed = False  # what rings from here on is not heard
        except Interrupted:
            pass
        finally:
            _ring_after(0.0)
            if collects:
                gc.enable()
        return bool(self.line)

    def _ring(self, _number: int, frame: FrameType | None) -> None:
        if not self._armed:
            return
        file = Path("" if frame is None else frame.f_code.co_filename)
        if str(file).startswith(_SPARED) or _in_finalizer(frame):
            self._again = min(2 * self._again, _LATEST)
            _ring_after(self._again)
            return
        self._armed = False
        self.line = f"{file.parent.name}/{file.name}:{0 if frame is None else frame.f_lineno}"
        raise Interrupted(self.line)


def _in_finalizer(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code.co_name != "__del__":
        frame = frame.f_back
    return frame is not None


def _ring_after(seconds: float) -> None:
    """Have the alarm ring once; never with 0."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, seconds)


class _Step(NamedTuple):
    """What a caller does, and is interrupted in.

    Attributes:
        do: does it.
        call: that was submitted before; ``None`` if the step makes it itself.
        waiting: the step only waits for it.
        task: of the loop, that the step runs.
    """

    do: Callable[[], object]
    call: Call | None = None
    waiting: bool = False
    task: asyncio.Task[Any] | None = None


class InterruptedCaller:
    """A caller that is interrupted. Use it in a ``with`` block, in the main thread.

    Args:
        recorder: records the run; kills are noted in it.
        targets: the plugins that are called. Each runs one call at a time.
        seed: for the random moments and steps.
        ways: further ways to run a call, by their names: of those that end in ``async`` a coroutine function. Each is given the board, the
            call as it was written, and a ``deadline``.
        deadline: seconds of each call, which takes next to none.

    Attributes:
        interruptions: what was seen, of each alarm that has raised.
        freed: how many places the board has found taken by nothing.
    """

    def __init__(
        self,
        recorder: Recorder,
        targets: Sequence[Target],
        *,
        seed: int,
        ways: Mapping[str, Callable[..., Any]],
        deadline: float = 10.0,
    ) -> None:
        self.interruptions: list[Interruption] = []
        self.freed: int = 0
        self._recorder = recorder
        self._deadline = deadline
        self._patience = deadline / 2  # a place has to be free by then, and what was to end has to be told
        self._board: Board = recorder.board
        self._targets = list(targets)
        self._chance = Random(f"{seed} interrupts")  # noqa: S311 - a trial by its seed, no secret
        self._steps: dict[str, Callable[[Target, str], _Step]] = {
            "submit": self._submit,
            "cancel": self._cancel,
            "result": self._result,
            "parts": self._parts,
            "await": self._await,
            **{way: self._in_a_way(run, loop=way.endswith("async")) for way, run in ways.items()},
        }
        self._took: dict[tuple[str, str], float] = defaultdict(lambda: _FIRST)
        self._alarm = _Alarm()
        self._loop = asyncio.new_event_loop()
        self._made = 0
        self._news = threading.Condition(RLock())
        self._begun: set[str] = set()
        self._ended: dict[str, str] = {}
        kinds = {"call_submitted", "call_ended", "place_freed"}
        self._subscription = self._board.subscribe(self._on_event, kinds)

    def __enter__(self) -> Self:
        self._alarm.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._alarm.__exit__()
        self._subscription.close()
        self._loop.close()

    def interrupt(self) -> None:
        """Have a caller do something, interrupt it, and note what is left. Now and then nothing is interrupted: the step was faster.

        Once an interrupt has broken something no more are made: what is seen then may come from that one.
        """
        if any(interrupts_break_nothing(self.interruptions[-1:])):
            return
        target, doing = self._chance.choice(self._targets), self._chance.choice(list(self._steps))
        name = self._name()
        step = self._steps[doing](target, name)
        killed = target.kill is not None and len(self.interruptions) % _KILLED == 0
        if killed and target.kill is not None:
            self._recorder.broke(target.plugin, "SIGKILL")
            target.kill()
        came = self._time((target.plugin, doing), step.do)
        told = step.task is None or self._finish(target, step.task)
        if came:
            following = self._next(target, _BACK if killed else 0.0)
            ending = self._ending(name, step.call) if told else WITHOUT_END
            taken = self._taken(target.plugin)
            line = self._alarm.line
            self.interruptions.append(
                Interruption(target.plugin, doing, line, ending, following, taken, step.waiting, killed)
            )
        with self._news:
            self._begun.clear()
            self._ended.clear()

    def _time(self, key: tuple[str, str], do: Callable[[], object]) -> bool:
        """Do it, and interrupt it at some moment of the time that it takes; whether it was interrupted."""
        lasts = self._took[key] * _MISSES
        if self._chance.random() < _EARLY:  # much is done at the beginning, and then it waits
            lasts = min(lasts, _BEGINNING)
        began = time.perf_counter()
        came = self._alarm.interrupt(do, lasts * self._chance.random())
        took = time.perf_counter() - began
        self._took[key] = max(self._took[key], took) if came else (self._took[key] + took) / 2
        return came

    # What is done

    def _name(self) -> str:
        self._made += 1
        return f"interrupted-{self._made}"

    def _begin(self, target: Target, name: str) -> Call:
        return self._board.submit(target.wire(name), deadline=self._deadline)

    def _submit(self, target: Target, name: str) -> _Step:
        return _Step(lambda: self._begin(target, name))

    def _cancel(self, target: Target, name: str) -> _Step:
        call = self._begin(target, name)
        return _Step(call.cancel, call)

    def _result(self, target: Target, name: str) -> _Step:
        call = self._begin(target, name)
        return _Step(call.result, call, waiting=True)

    def _parts(self, target: Target, name: str) -> _Step:
        call = self._begin(target, name)
        return _Step(lambda: list(call.parts()), call, waiting=True)

    def _await(self, target: Target, name: str) -> _Step:
        call = self._begin(target, name)
        return self._in_loop(_awaited(call), call)

    def _in_loop(self, coroutine: Coroutine[Any, Any, Any], call: Call | None = None) -> _Step:
        task = self._loop.create_task(coroutine)
        return _Step(lambda: self._loop.run_until_complete(task), call, call is not None, task)

    def _in_a_way(self, run: Callable[..., Any], *, loop: bool) -> Callable[[Target, str], _Step]:
        def of(target: Target, name: str) -> _Step:
            wire = target.wire(name)
            if loop:
                return self._in_loop(run(self._board, wire, deadline=self._deadline))
            return _Step(lambda: run(self._board, wire, deadline=self._deadline))

        return of

    # What is left

    def _finish(self, target: Target, task: asyncio.Task[Any]) -> bool:
        """Have the loop go on until the task has ended, and a further one that calls; false if they do not end.

        A task whose call nobody else holds is cancelled, as `asyncio.run` does with all that an interrupt leaves.
        """
        further = self._loop.create_task(self._call(target))
        until = time.monotonic() + self._deadline + self._patience
        while not (task.done() and further.done()) and time.monotonic() < until:
            with suppress(RuntimeError):  # what has ended in the interrupted run stops the next one
                self._loop.run_until_complete(asyncio.wait({task, further}, timeout=self._patience))
        if task.done() and not task.cancelled():
            task.exception()  # which is the interrupt, or none
        return task.done() and further.done()

    async def _call(self, target: Target) -> Result:
        return await self._begin(target, self._name())

    def _next(self, target: Target, within: float) -> str:
        """How the next call ends; of a host that was killed, the first that succeeds within so many seconds."""
        until = time.monotonic() + within
        while True:
            name = self._name()
            ending = self._ending_of(self._begin(target, name))
            if ending == "success" or time.monotonic() > until:
                break
        with self._news:  # so that all earlier news of the calls has come
            self._news.wait_for(lambda: name in self._ended, self._patience)
        return ending

    def _ending(self, name: str, call: Call | None) -> str:
        if call is not None:
            return self._ending_of(call)
        with self._news:
            if name not in self._begun:
                return NEVER_BEGUN
            self._news.wait_for(lambda: name in self._ended, self._deadline + self._patience)
            return self._ended.get(name, WITHOUT_END)

    def _ending_of(self, call: Call) -> str:
        try:
            return ending_of(call.result(self._deadline + self._patience))
        except TimeoutError:
            return WITHOUT_END

    def _taken(self, plugin: str) -> int:
        """How many calls of a plugin are under way or wait, once they had the time to end."""
        until = time.monotonic() + self._patience
        while True:
            status = self._board.status()["plugins"][plugin]
            taken = int(status["running"] + status["waiting"])
            if not taken or time.monotonic() > until:
                return taken

    def _on_event(self, event: Event) -> None:
        with self._news:
            if event.kind == "place_freed":
                self.freed += 1
            elif event.kind == "call_submitted":
                self._begun.add(event.facts["call"])
            else:
                self._ended[event.facts["call"]] = event.facts["code"] or "success"
            self._news.notify_all()


async def _awaited(call: Call) -> Result:
    return await call
