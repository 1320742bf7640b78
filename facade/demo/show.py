"""The demonstration at work: a real board, real processes, real kills.

One thread, `Show.run`, does everything in turn: it takes news (a call has ended, a host is ready) from one
queue, and answers with what the plan says is next. So nothing is polled, and the record needs no lock.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..callboard import Callboard
from ..hosts.node import find_node
from ..hosts.sweep import alive, created, descendants
from ..plugins.errors import CallboardError
from .plan import LANES, Lane, Plan, Request
from .record import HOSTED, Aftermath, Check, Ended, Kill, Record

if TYPE_CHECKING:
    from random import Random

    from ..actors.call import Call
    from ..supervision.events import Event

Json = dict[str, Any]

TOOLS = Path(__file__).with_name("tools")
PYTHON_TOOLS = {"sums": "Sums", "moody": "Moody"}

PATIENCE = 60.0
"""Seconds without any news after which something is wrong; every call has a deadline of half of it."""

LOW, BURST = 3, (6, 22)
"""When fewer calls than this of a tool are open, so many more come: work comes in bursts."""

_EXIT_NEWS = 2.0
"""Seconds between two pieces of news that a tool tried to end the process, which it does all the time."""

_THREAD_PATIENCE = 5.0
"""Seconds for a thread of a board that was stopped to run out."""


class ShowStuck(CallboardError):  # noqa: N818 - the state is the message
    """Nothing happens any more, though calls are open or hosts are not ready."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the demonstration went.

    Attributes:
        plan: what was asked for.
        record: what happened.
        after: what there was at the end.
        checks: what had to be true, and whether it was.
    """

    plan: Plan
    record: Record
    after: Aftermath
    checks: list[Check]

    @property
    def ok(self) -> bool:
        """Whether all was as it had to be."""
        return all(check.ok for check in self.checks)


class Show:
    """One demonstration; `run` it once. The rest may be looked at from any thread meanwhile.

    Attributes:
        plan: what is asked.
        record: what has happened so far.
        news: the last remarkable things: seconds since the start, whom, and what.
        began: when, on `clock`; ``None`` before.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.record = Record()
        self.news: deque[tuple[float, str, str]] = deque(maxlen=50)
        self.began: float | None = None
        self._board = Callboard(_configuration(), seed=plan.seed)
        self._inbox: queue.SimpleQueue[Ended | Event | None] = queue.SimpleQueue()
        self._lanes = {lane.name: _LaneState(lane, plan.chance(lane.name)) for lane in LANES}
        self._chance = plan.chance("victims")
        self._due = deque(plan.kills_due())
        self._ready: dict[str, int] = {}
        self._stopping = False
        self._exit_told = 0.0

    clock = staticmethod(time.monotonic)

    @property
    def elapsed(self) -> float:
        """Seconds since the first call; 0 before."""
        return 0.0 if self.began is None else self.clock() - self.began

    @property
    def progress(self) -> float:
        """How much is done, from 0 to 1."""
        if self.plan.seconds is not None:
            return min(1.0, self.elapsed / self.plan.seconds)
        assert self.plan.calls is not None
        return len(self.record.ended) / self.plan.calls

    def status(self) -> Json:
        """The board's plugins, as its status tells them; none when it does not run."""
        plugins: Json = self._board.status()["plugins"]
        return plugins

    def stop(self) -> None:
        """Make no more calls; `run` returns soon, with a record that is not whole. From any thread."""
        self._stopping = True
        self._inbox.put(None)

    def run(self) -> Outcome | None:
        """Do it all; ``None`` when it was stopped.

        Raises:
            HostStartError: there is no usable Node.js.
            PluginLoadError: a tool did not start.
            ShowStuck: nothing happens any more.
        """
        find_node()  # asked first, because its error is a sentence of its own
        threads = set(threading.enumerate())
        strangers = set(descendants(os.getpid()))
        try:
            with self._board:
                self._board.subscribe(self._inbox.put, {"host_ready", "host_crashed", "host_parked"})
                self._ready = dict.fromkeys(HOSTED, 1)
                self.began = self.clock()
                for phase in (self._flow, self._recover, self._call_the_roll):
                    phase()
                    if self._stopping:
                        return None
                seconds = self.elapsed
                status = self._board.status()
                states = {name: self._board.board.state_of(name) for name in HOSTED}
        finally:
            left = self._left(threads, strangers)
        after = Aftermath(status, states, seconds, *left)
        return Outcome(self.plan, self.record, after, self.record.verdict(self.plan, after))

    # The three phases

    def _flow(self) -> None:
        """Calls in bursts, and kills when they are due."""
        while not self._stopping:
            self._kill_what_is_due()
            over = not self._due and self._over()
            if not over:
                for lane in self._lanes.values():
                    self._submit_burst(lane)
            if self._open == 0 and (over or not self._more()):
                return
            self._take_news()

    def _recover(self) -> None:
        """Wait for the hosts that were killed last."""
        killed = {name: 1 + sum(kill.host == name for kill in self.record.kills) for name in HOSTED}
        while self._ready != killed and not self._stopping:
            self._take_news()

    def _call_the_roll(self) -> None:
        """One more call to each host, so that every kill is followed by an answer."""
        for name in HOSTED:
            self._submit(self._lanes[name])
        while self._open and not self._stopping:
            self._take_news()

    # Calls

    @property
    def _open(self) -> int:
        return sum(lane.open for lane in self._lanes.values())

    def _over(self) -> bool:
        """Whether the time is up; a plan for a number of calls ends with the calls."""
        return self.plan.seconds is not None and self.elapsed >= self.plan.seconds

    def _more(self) -> bool:
        """Whether any lane has calls to make, now or after the next kill."""
        return bool(self._due) or any(self._room(lane) for lane in self._lanes.values())

    def _room(self, lane: _LaneState) -> int:
        """How many more calls of a lane the plan allows for now."""
        allowed = self.plan.allowed(lane.lane, len(self.record.kills))
        return BURST[1] if allowed is None else allowed - lane.made

    def _submit_burst(self, lane: _LaneState) -> None:
        if lane.open < LOW:
            for _ in range(min(lane.chance.randint(*BURST), self._room(lane))):
                self._submit(lane)

    def _submit(self, lane: _LaneState) -> None:
        request = lane.next()
        self.record.submitted[lane.lane.name] += 1
        call = self._board.submit(lane.lane.wire(request))
        call.add_done_callback(lambda: self._inbox.put(self._end_of(request, call)))

    def _end_of(self, request: Request, call: Call) -> Ended:
        """In the thread that ended the call: the moment is what counts."""
        return Ended(request, call.result(), list(call.parts()), call.attempt, self.clock())

    # Kills

    def _kill_what_is_due(self) -> None:
        while self._due and self._reached(self._due[0]):
            victims = [name for name in HOSTED if self._is_whole(name)]
            if not victims:
                return
            self._kill(self._chance.choice(victims))
            self._due.popleft()

    def _reached(self, due: float) -> bool:
        if self.plan.seconds is not None:
            return self.elapsed >= due * self.plan.seconds
        return len(self.record.ended) >= due * sum(self.plan.quota(lane) or 0 for lane in LANES)

    def _is_whole(self, name: str) -> bool:
        """Whether a host has come up as often as it had to: what restarts is not killed again."""
        return self._ready[name] == 1 + sum(kill.host == name for kill in self.record.kills)

    def _kill(self, name: str) -> None:
        pid = self.status()[name]["host"]["pid"]
        self.record.kills.append(Kill(name, pid, created(pid), self.clock()))
        os.kill(pid, signal.SIGKILL)

    # News

    def _take_news(self) -> None:
        wait = self._patience()
        try:
            item = self._inbox.get(timeout=wait)
        except queue.Empty:
            if wait == PATIENCE:
                raise ShowStuck(
                    f"nothing has happened for {PATIENCE:g} s; {self._open} calls are open, "
                    f"hosts: { {name: self.status()[name]['host']['state'] for name in HOSTED} }"
                ) from None
            return
        if item is None:
            return
        if isinstance(item, Ended):
            self._lanes[item.request.lane].open -= 1
            self.record.note_end(item)
            if item.result.get("type") == "SystemExit" and self.elapsed - self._exit_told > _EXIT_NEWS:
                self._exit_told = self.elapsed
                self._tell(item.request.lane, "called sys.exit(): tool_raised, and the next call works")
            return
        self._on_event(item)

    def _patience(self) -> float:
        """Until a kill is due by time, or as long as it may be quiet."""
        if self.plan.seconds is None:
            return PATIENCE
        times = [due * self.plan.seconds for due in self._due] or [self.plan.seconds]
        wait = min(times) - self.elapsed
        return wait if 0 < wait < PATIENCE else PATIENCE

    def _on_event(self, event: Event) -> None:
        if event.subject not in self._ready:
            return
        facts = event.facts
        match event.kind:
            case "host_ready":
                self._ready[event.subject] = facts["generation"]
                kills = [kill for kill in self.record.kills if kill.host == event.subject]
                if kills:
                    took = (self.clock() - kills[-1].at) * 1000
                    self._tell(
                        event.subject, f"ready again after {took:,.0f} ms, generation {facts['generation']}"
                    )
            case "host_crashed":
                in_flight = len(facts["report"]["in_flight"])
                self.record.note_crash(event.subject, in_flight)
                self._tell(
                    event.subject,
                    f"crashed: {facts['report']['exit']}, {in_flight} call{'' if in_flight == 1 else 's'} under way",
                )
            case "host_parked":
                raise ShowStuck(f"the host {event.subject!r} was parked: {facts['why']}")

    def _tell(self, whom: str, what: str) -> None:
        self.news.append((self.elapsed, whom, what))

    def _left(
        self, threads: set[threading.Thread], strangers: set[tuple[int, float]]
    ) -> tuple[list[int], list[str]]:
        """What lives, now that the board was stopped, and should not."""
        until = self.clock() + _THREAD_PATIENCE
        for thread in self._new_threads(threads):
            thread.join(max(0.0, until - self.clock()))
        ours = {(kill.pid, kill.birth) for kill in self.record.kills} | set(descendants(os.getpid()))
        return (
            sorted(pid for pid, birth in ours - strangers if created(pid) == birth and alive(pid)),
            [thread.name for thread in self._new_threads(threads)],
        )

    def _new_threads(self, before: set[threading.Thread]) -> list[threading.Thread]:
        return [
            each
            for each in threading.enumerate()
            if each not in before and each is not threading.current_thread()
        ]


class _LaneState:
    """One lane as far as it has come."""

    def __init__(self, lane: Lane, chance: Random) -> None:
        self.lane = lane
        self.chance = chance
        self.made = 0
        self.open = 0

    def next(self) -> Request:
        """The next call."""
        self.made += 1
        self.open += 1
        return self.lane.make(self.made, self.chance)


def _configuration() -> Json:
    """A board that restarts its hosts as often as they are killed."""
    plugins: list[Json] = []
    for lane in LANES:
        if lane.hosted:
            source: Json = {"node_tool": {"file": str(TOOLS / f"{lane.name}.mjs"), "id": lane.name}}
        else:
            source = {"plugin": f"{__package__}.python_tools.{PYTHON_TOOLS[lane.name]}"}
        plugins.append({**source, "required": True, "idempotent": lane.idempotent})
    return {
        "plugins": plugins,
        "supervision": {"intensity": 1000, "backoff": {"first": 0.0, "min": 0.01, "max": 0.2}},
        "calls": {"deadline": PATIENCE / 2},
        "start_deadline": PATIENCE / 2,
    }
