"""The demonstration at work: a real board, real processes, real kills.

One thread, that of `Show.run`, does everything in turn: it takes news (a call has ended, a host is
ready) from one queue, and does what the plan says is next. So nothing is polled, and the record needs
no lock.
"""

from __future__ import annotations

import queue
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from ..base.errors import CallboardError
from ..base.frozen import frozen
from ..callboard import Callboard
from ..hosts.node.find import find_node
from ..hosts.process_tree.tree_kill import created, kill
from .leftovers import Census
from .plan import LANES, Lane, Plan, Request
from .plugins import configuration
from .record import HOSTED, Ended, Kill, Record
from .verdict import Aftermath, Check, verdict

if TYPE_CHECKING:
    from random import Random

    from ..actors.calls.call import Call
    from ..supervision.runtime.events import Event

Json = dict[str, Any]

PATIENCE = 60.0
"""Seconds without any news after which something is wrong; every call has a deadline of half of it."""

LOW, BURST = 3, (6, 22)
"""When fewer calls than this of a tool are open, so many more come: work comes in bursts."""

_LOOK = 0.1
"""Seconds between two looks at the status, for those who watch."""

_EXIT_NEWS = 2.0
"""Seconds between two pieces of news that a tool tried to end the process, which it does all the time."""


class ShowStuck(CallboardError):
    """Nothing happens any more, though calls are open or hosts are not ready."""


@frozen
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
        plugins: what the board's status said of them a moment ago; empty before the first call.
        began: when, on `clock`; ``None`` before.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.record = Record()
        self.news: deque[tuple[float, str, str]] = deque(maxlen=50)
        self.plugins: Json = {}
        self.began: float | None = None
        self._board = Callboard(configuration(PATIENCE / 2), seed=plan.seed)
        self._inbox: queue.SimpleQueue[Ended | Event | None] = queue.SimpleQueue()
        self._lanes = {lane.name: _LaneState(lane, plan.chance(lane.name)) for lane in LANES}
        self._chance = plan.chance("victims")
        self._due = deque(plan.kills_due())
        self._generations = dict.fromkeys(HOSTED, 1)
        self._stopping = False
        self._looked = self._exit_told = 0.0

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

    def stop(self) -> None:
        """Make no more calls: `run` returns soon, with nothing. From any thread."""
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
        census = Census()
        with self._board:
            self._board.subscribe(self._inbox.put, {"host_ready", "host_crashed", "host_parked"})
            self.began = self.clock()
            for phase in (self._flow, self._recover, self._call_the_roll):
                phase()
                if self._stopping:
                    return None
            seconds = self.elapsed
            status = self._board.status()
            self.plugins = status["plugins"]
            states = {name: self._board.board.state_of(name) for name in HOSTED}
        left = census.left((kill.pid, kill.birth) for kill in self.record.kills)
        after = Aftermath(status, states, seconds, *left)
        return Outcome(self.plan, self.record, after, verdict(self.plan, self.record, after))

    # The three phases

    def _flow(self) -> None:
        """Calls in bursts, and kills when they are due."""
        while not self._stopping:
            self._kill_what_is_due()
            if self._due or not self._time_is_up():
                for lane in self._lanes.values():
                    self._submit_burst(lane)
            if not self._open and not self._due:  # what could be submitted has been
                return
            self._take_news()

    def _recover(self) -> None:
        """Wait for the hosts that were killed last."""
        while not all(map(self._is_whole, HOSTED)) and not self._stopping:
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

    def _time_is_up(self) -> bool:
        return self.plan.seconds is not None and self.elapsed >= self.plan.seconds

    def _submit_burst(self, lane: _LaneState) -> None:
        if lane.open < LOW:
            allowed = self.plan.allowed(lane.lane, len(self.record.kills))
            room = BURST[1] if allowed is None else allowed - lane.made
            for _ in range(min(lane.chance.randint(*BURST), room)):
                self._submit(lane)

    def _submit(self, lane: _LaneState) -> None:
        request = lane.next()
        self.record.submitted[lane.lane.name] += 1
        call = self._board.submit(lane.lane.wire(request))
        call.add_done_callback(lambda: self._inbox.put(self._end_of(request, call)))

    def _end_of(self, request: Request, call: Call) -> Ended:
        """In the thread that has ended the call: the moment is what counts."""
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
        """Whether a host is in the life that it has to be in: one that restarts is not killed again."""
        return self._generations[name] == self.record.lives(name)

    def _kill(self, name: str) -> None:
        self._look()
        pid = self.plugins[name]["host"]["pid"]
        self.record.kills.append(Kill(name, pid, created(pid), self.clock()))
        kill(pid)

    # News

    def _take_news(self) -> None:
        if self.elapsed - self._looked > _LOOK:
            self._look()
        wait = self._patience()
        try:
            item = self._inbox.get(timeout=wait)
        except queue.Empty:
            if wait == PATIENCE:
                raise self._stuck(f"nothing has happened for {PATIENCE:g} s") from None
            return
        if isinstance(item, Ended):
            self._on_end(item)
        elif item is not None:
            self._on_event(item)

    def _patience(self) -> float:
        """Until a kill is due by time, or as long as it may be quiet."""
        if self.plan.seconds is None or not self._due:
            return PATIENCE
        wait = self._due[0] * self.plan.seconds - self.elapsed
        return wait if 0 < wait < PATIENCE else PATIENCE

    def _on_end(self, end: Ended) -> None:
        self._lanes[end.request.lane].open -= 1
        self.record.note_end(end)
        if end.result.get("type") == "SystemExit" and self.elapsed - self._exit_told > _EXIT_NEWS:
            self._exit_told = self.elapsed
            self._tell(end.request.lane, "called sys.exit(): tool_raised, and the next call works")

    def _on_event(self, event: Event) -> None:
        name, facts = event.subject, event.facts
        match event.kind:
            case "host_ready":
                self._generations[name] = facts["generation"]
                took = [self.clock() - kill.at for kill in self.record.kills if kill.host == name][-1:]
                for seconds in took:
                    self._tell(
                        name, f"ready again after {seconds * 1000:,.0f} ms, generation {facts['generation']}"
                    )
            case "host_crashed":
                under_way = len(facts["report"]["in_flight"])
                self.record.note_crash(name, under_way)
                calls = "call" if under_way == 1 else "calls"
                self._tell(name, f"crashed: {facts['report']['exit']}, {under_way} {calls} under way")
            case "host_parked":
                raise self._stuck(f"the host {name!r} was parked: {facts['why']}")

    def _stuck(self, why: str) -> ShowStuck:
        self._look()
        hosts = ", ".join(f"{name} {self.plugins[name]['host']['state']}" for name in HOSTED)
        return ShowStuck(f"{why}; {self._open} calls are open; hosts: {hosts}")

    def _look(self) -> None:
        self.plugins = self._board.status()["plugins"]
        self._looked = self.elapsed

    def _tell(self, whom: str, what: str) -> None:
        self.news.append((self.elapsed, whom, what))


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
