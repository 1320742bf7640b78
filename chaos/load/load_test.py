"""A load test: calls in bursts to every plugin of a board, while a nemesis is at its hosts; then the proof.

One thread, that of `LoadTest.run`, does everything in turn: it submits, takes news (a call has ended, a
host is ready) from one queue, and lets the nemesis do the rest. When all calls have ended the faults are
over; then every host has to come back, and every plugin to answer once more.
"""

from __future__ import annotations

import math
import queue
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.errors import CallboardError
from ..inject.arming import entered_before
from .host_states import host_states
from .requests import quotas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ...supervision.runtime.events import Event
    from ..checker.facts import Answered
    from ..recorder import Recorder
    from .requests import Request, Source

Json = dict[str, Any]

QUIET = 120.0
"""Seconds without any news after which something is wrong, beyond the deadline of a call."""

_BACK = frozenset({"host_ready", "host_parked", "host_stopped"})


class LoadTestStuck(CallboardError):
    """Nothing happens any more, though calls are open or hosts are not back."""


@dataclass(slots=True)
class Front:
    """How far the load test of one plugin has come.

    Attributes:
        source: of its calls.
        quota: how many calls it gets.
        made, ended: so far.
        proven: the last request that has succeeded and may be made again; ``None`` as long as there is none.
    """

    source: Source
    quota: int
    chance: Random
    made: int = 0
    ended: int = 0
    proven: Request | None = None


class _Ended(NamedTuple):
    """A call has ended that was made of this request, before that had a name."""

    answer: Answered
    request: Request


@dataclass(slots=True)
class Counts:
    """What those who watch want to know at once.

    Attributes:
        endings: how many calls ended how.
        crashes: that the board told of.
    """

    endings: dict[str, int] = field(default_factory=dict)
    crashes: int = 0


class LoadTest:
    """See the module; `run` it once. The rest may be looked at from any thread meanwhile.

    Args:
        recorder: through which the calls are made.
        sources: of the calls, for each plugin.
        calls: how many, before one more to each plugin in the end.
        seed: of what is drawn.
        in_flight: calls of one plugin that are open at a time.
        deadline: seconds for each; ``None`` for the plugin's own.
        weights: how much more of the calls a plugin gets than one of weight 1.
        seconds: for which calls are made, instead of so many.
        ahead: how many more calls a plugin may have got than the one with the fewest; ``None`` for no limit.
        more: asked when all calls are made, until it says ``None``: which plugins are to be called once more, and after
            how many seconds it is to be asked again.
        heal: what makes an end of the faults.
        revive: have a host that waits for a person started by hand, as a person would.

    Attributes:
        fronts: by plugin.
        counts: what has happened so far.
    """

    def __init__(
        self,
        recorder: Recorder,
        sources: Sequence[Source],
        *,
        calls: int,
        seed: int,
        in_flight: int = 16,
        deadline: float | None = None,
        weights: Mapping[str, int] | None = None,
        seconds: float | None = None,
        ahead: int | None = None,
        more: Callable[[], tuple[Iterable[str], float] | None] = lambda: None,
        heal: Callable[[], None] = lambda: None,
        revive: bool = False,
    ) -> None:
        shares = quotas(calls, [source.plugin for source in sources], weights)
        self.recorder = recorder
        self.calls = calls
        self.counts: Counts = Counts()
        self.fronts: dict[str, Front] = {
            source.plugin: Front(source, shares[source.plugin], Random(f"{seed} {source.plugin}"))  # noqa: S311 - a load by its seed, no secret
            for source in sources
        }
        self._board = recorder.board
        self._in_flight = in_flight
        self._deadline = deadline
        self._seconds = seconds
        self._ahead = math.inf if ahead is None else ahead
        self._more = more
        self._heal = heal
        self._revive = revive
        self._news: queue.SimpleQueue[_Ended | Event | None] = queue.SimpleQueue()
        self._stopping = False
        self._out: set[str] = set()
        self._over: set[str] = set()
        self._there = {name for name, _, state in entered_before(self._board) if state == "ready"}
        self._subscription = self._board.subscribe(self._news.put, _BACK | {"host_crashed"})

    @property
    def ended(self) -> int:
        """Calls that have ended."""
        return sum(front.ended for front in self.fronts.values())

    def stop(self) -> None:
        """Make no more calls: `run` returns soon. From any thread."""
        self._stopping = True
        self._news.put(None)

    def run(self) -> bool:
        """Do it all; False when it was stopped.

        Raises:
            LoadTestStuck: nothing happens any more.
        """
        try:
            self._flow()
            self._go_on()
            self._heal()
            self.recorder.heal()
            self._come_back()
            self._call_the_roll()
        finally:
            self._subscription.close()
        return not self._stopping

    # The phases

    def _flow(self) -> None:
        until = None if self._seconds is None else self._board.clock.now() + self._seconds
        while not self._stopping and (until is not None or self.ended < self.calls):
            left = None if until is None else until - self._board.clock.now()
            if left is not None and left <= 0:
                self._drain()
                return
            for name, front in self.fronts.items():
                if name in self._out:  # refusals come at once, and there would be no end to them
                    continue
                for _ in range(self._room(front)):
                    self._submit(front)
            self._take_news(left)

    def _room(self, front: Front) -> int:
        """How many more calls a plugin may be given now."""
        if front.source.bursts and front.made > front.ended:
            return 0
        room = self._in_flight - (front.made - front.ended)
        if self._seconds is None:
            room = min(room, front.quota - front.made)
        fewest = min(each.made for each in self.fronts.values())
        return int(min(room, fewest + self._ahead - front.made))

    def _drain(self) -> None:
        """Wait for the calls that are open."""
        while not self._stopping and any(front.ended < front.made for front in self.fronts.values()):
            self._take_news()

    def _go_on(self) -> None:
        while not self._stopping and (wanted := self._more()) is not None:
            plugins, seconds = wanted
            for name in plugins:
                front = self.fronts[name]
                if front.made == front.ended:
                    self._submit(front)
            self._take_news(seconds)

    def _come_back(self) -> None:
        """Revive what was parked, and wait until all hosts are ready; whether they are is for the rules to say."""
        for name, state in self.states().items():
            if state in {"parked", "stopped"}:
                self.recorder.order("revive", name)
        until = self._board.clock.now() + self.recorder.patience
        while not self._stopping and any(state != "ready" for state in self.states().values()):
            left = until - self._board.clock.now()
            if left <= 0 or not self._take_news(left):
                return

    def _call_the_roll(self) -> None:
        """One more call to each plugin, which has to go well: the faults are over.

        It is one that has gone well before: what a further one would ask for, and how long that takes, nobody knows.
        """
        for front in self.fronts.values():
            self._submit(front, front.proven)
        self._drain()

    def states(self) -> dict[str, str]:
        """The present state of each host that was there at the beginning, by plugin; see `host_states`."""
        return {name: state for name, state in host_states(self._board).items() if name in self._there}

    # Calls and news

    def _submit(self, front: Front, again: Request | None = None) -> None:
        drawn = again or front.source.draw(front.chance)
        request = front.source.named(drawn)
        front.made += 1
        self.recorder.submit_wire(
            front.source.plugin,
            request.wire,
            name=request.name,
            deadline=self._deadline,
            judge=request.judge,
            examine=request.examined,
            then=lambda answer: self._news.put(_Ended(answer, drawn)),
        )

    def _take_news(self, within: float | None = None) -> bool:
        """False when there was none ``within`` so many seconds; without a limit that is an error."""
        try:
            item = self._news.get(timeout=QUIET + (self._deadline or 0.0) if within is None else within)
        except queue.Empty:
            if within is not None:
                return False
            raise LoadTestStuck(f"nothing has happened for {QUIET:g} s; {self._open()}") from None
        if isinstance(item, _Ended):
            self._on_end(*item)
        elif item is not None:
            self._on_event(item)
        return True

    def _on_end(self, answer: Answered, request: Request) -> None:
        if (
            answer.call in self._over
        ):  # an end that comes twice is for the rules to tell, and leaves no room for a call
            return
        self._over.add(answer.call)
        front = self.fronts[answer.plugin]
        front.ended += 1
        may_be_repeated = request.name is None and request.expected is None
        if answer.ending == "success" and may_be_repeated:
            front.proven = request
        self.counts.endings[answer.ending] = self.counts.endings.get(answer.ending, 0) + 1

    def _on_event(self, event: Event) -> None:
        match event.kind:
            case "host_crashed":
                self.counts.crashes += 1
            case "host_parked" if self._revive:
                self._out.add(event.subject)
                self.recorder.order("revive", event.subject)
            case "host_ready":
                self._out.discard(event.subject)

    def _open(self) -> str:
        calls = sum(front.made - front.ended for front in self.fronts.values())
        hosts = ", ".join(f"{name} {state}" for name, state in self.states().items())
        return f"{calls} calls are open; hosts: {hosts or 'none'}"
