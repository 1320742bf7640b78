"""Notes what happens on a board, as the facts that the rules are about.

The recorder submits calls itself, so that it knows of each what the caller knows. Events it takes from
the board's stream, at the time at which they were published. When a host is started or ready, it looks
which processes of that host live, and does not ask the board.
"""

from __future__ import annotations

import itertools
import math
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..actors.hosted.hosted_plugin import HostedPlugin
from ..base.locks import RLock
from ..hosts.process_tree.tree_kill import alive, created, marks_of
from ..plugins.results.failures import describe, reported
from ..supervision.runtime.clock import SystemClock
from .checker.facts import (
    Answered,
    Asked,
    Broken,
    Happened,
    Left,
    Ordered,
    Ran,
    Run,
    Seen,
    Stalled,
    Submitted,
    Terms,
    ending_in,
)
from .checker.host_stories import answering_unready, ends_owed
from .inject.arming import entered_before

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..actors.board import Board
    from ..actors.calls.call import Call
    from ..actors.calls.stage import Result
    from ..supervision.runtime.events import Event
    from .checker.facts import Fact, PartsRead

Json = dict[str, Any]

_PATIENCE = 10.0

_TICK = 0.05
"""Seconds between two looks whether this program is given a processor."""

_STALL = 0.1
"""Seconds by which such a look has to be late to be noted."""

_READINGS = 5
"""How often two clocks are read at most, until they are read together."""

_AT_ONCE = 0.001
"""Seconds in which both have to be read."""

REAL_SLACK = 0.25
"""Seconds by which a real time may be off: the observer may have had to wait for a processor."""


class Recorder:
    """See the module. It listens from the moment it is made until the board stops.

    Args:
        board: whose run it is.
        patience: seconds after `heal` in which everything has to work again.
        kinds: of the events that are noted; all when ``None``.

    Attributes:
        facts: all that was noted, in the order of noting; append through `note`.
        patience: see the arguments.
        readers: by plugin, what says which parts the caller of a call reads that has ended; `Call.parts` is theirs alone.
        overheard: the plugins of which each malformed line of their hosts is noted.
        known: (pid, time of creation) of every process of a host that was seen.
        marks: in the environment of each of them, which their children inherit.
        generations: the generation of each of them, by its pid.
    """

    def __init__(self, board: Board, *, patience: float = 30.0, kinds: Iterable[str] | None = None) -> None:
        self.board = board
        self.facts: list[Fact] = []
        self.known: set[tuple[int, float]] = set()
        self.marks: set[str] = set()
        self.generations: dict[int, int] = {}
        self.terms: dict[str, Terms] = {}
        self.readers: dict[str, Callable[[str, Call], PartsRead | None]] = {}
        self.overheard: set[str] = set()
        self.patience = patience
        self._told = 0.0
        self._real = isinstance(board.clock, SystemClock)
        self._began = board.clock.now()
        self._healed: float | None = None
        self._ended: float | None = None
        self._lock = threading.Condition(RLock())
        self._numbers = itertools.count(1)
        self._pids: dict[str, list[tuple[int, float]]] = {}
        self._entered: dict[str, dict[str, int]] = {}
        self._caught_up = 0
        with self._lock:  # until it is known what came before, no event is noted
            self._subscription = board.subscribe(self._on_event, kinds)
            self._catch_up()
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._watch_for_stalls, name="stall watch", daemon=True)
        if self._real:
            self._watch.start()

    def _catch_up(self) -> None:
        """The hosts that are there already: nobody will tell of their start any more, or it is about to be told."""
        for name, generation, state in entered_before(self.board):
            self.note(Happened(0.0, name, f"host_{state}", {"generation": generation}))
            self._entered.setdefault(name, {})[f"host_{state}"] = generation
            if state == "ready":
                self._look(name)
        with self.board.subscribe(self._on_event, ()) as here:
            self._caught_up = here.after

    def _is_known(self, event: Event) -> bool:
        """Whether the status that was read at the beginning has told it: the event was still on its way then."""
        if event.sequence > self._caught_up or "generation" not in event.facts:
            return False
        entered = self._entered.get(event.subject)
        if entered is None:
            return False
        generation: int = event.facts["generation"]
        return generation < entered["host_starting"] or generation == entered.get(event.kind)

    def now(self) -> float:
        """Seconds since the recording began, on the board's clock."""
        return self.board.clock.now() - self._began

    def note(self, fact: Fact) -> None:
        """Add a fact; from any thread."""
        with self._lock:
            self.facts.append(fact)
            self._lock.notify_all()

    def _watch_for_stalls(self) -> None:
        """Note when a thread that wants to run is not let: then a deadline may be late for no fault of the board's."""
        before = self.now()
        while not self._over.wait(_TICK):
            now = self.now()
            if (late := now - before - _TICK) > _STALL:
                self.note(Stalled(now, "", late))
            before = now

    # What is done

    def submit(
        self,
        plugin: str,
        tool: str,
        arguments: Json | None = None,
        *,
        name: str | None = None,
        deadline: float | None = None,
        judge: Callable[[Result], Json] | None = None,
        then: Callable[[Answered], None] | None = None,
    ) -> Call:
        """Submit a call, and note it and its end.

        Args:
            plugin: that the tool belongs to.
            tool: its name.
            arguments: as an object.
            name: of the call, unlike all others of the run; made up when ``None``.
            deadline: as `Board.submit`.
            judge: says more of a result, as fields of `Answered`: ``generation``, ``counted``, ``wrong``.
            then: called with its end, in the thread that ends it.
        """
        wire = {"type": "function_call", "name": tool, "arguments": arguments or {}}
        return self.submit_wire(plugin, wire, name=name, deadline=deadline, judge=judge, then=then)

    def submit_wire(
        self,
        plugin: str,
        wire: Json,
        *,
        name: str | None = None,
        deadline: float | None = None,
        judge: Callable[[Result], Json] | None = None,
        examine: Callable[[Call], Json] | None = None,
        then: Callable[[Answered], None] | None = None,
    ) -> Call:
        """As `submit`, with a call as it was written; its id is replaced by ``name``.

        ``examine`` is as ``judge``, of the whole call, whichever way it has ended.
        """
        name = name or f"c{next(self._numbers)}"
        key = "call_id" if "call_id" in wire or wire.get("type") == "function_call" else "id"
        limit = deadline if deadline is not None else self._deadline(plugin)
        offered = plugin in self.board.catalog.offers
        self.note(Asked(self.now(), plugin, name, limit))
        call = self.board.submit({**wire, key: name}, deadline=deadline)
        if offered:
            self.note(Submitted(self.now(), plugin, name))

        def ended() -> None:
            if not offered:  # nobody knew that it was this plugin's: later calls may have come before it
                self.note(Submitted(self.now(), plugin, name))
            if (reader := self.readers.get(plugin)) and (read := reader(name, call)):
                self.note(read)
            more = {} if examine is None else _judgement(examine, call)
            answer = self._answer(plugin, name, call.result(), judge, more)
            self.note(answer)
            if then is not None:
                then(answer)

        call.add_done_callback(ended)
        return call

    def _answer(
        self, plugin: str, name: str, result: Result, judge: Callable[[Result], Json] | None, more: Json
    ) -> Answered:
        if judge is not None and result.get("success"):
            more = more | _judgement(judge, result)
        outcome = None if reported(result) is None else result.get("outcome")
        return Answered(
            self.now(),
            plugin,
            name,
            ending_in(result),
            None if outcome is None else str(outcome),
            error="" if result.get("success") else str(result.get("error", "")),
            saved=result.get("state_saved") is not False,
            **more,
        )

    def order(self, verb: str, plugin: str) -> None:
        """Order ``restart``, ``park`` or ``revive``, and note it. Raises `UnknownChild`."""
        self.note(Ordered(self.now(), self._host_of(plugin), verb))
        self.board.order(verb, plugin)

    def ordered(self, verb: str, host: str) -> None:
        """Note an order about a host that is given elsewhere: ``reload``, ``remove``, ``load``."""
        self.note(Ordered(self.now(), host, verb))

    def broke(self, plugin: str, fault: str) -> None:
        """Note that something was done to a host."""
        self.note(Broken(self.now(), plugin, fault))

    def heal(self) -> None:
        """From now on nothing is done to the hosts."""
        self._healed = self.now()

    def close(self) -> None:
        """Hear no more of what the board tells: what comes now is its stop.

        A host answers its first calls while another thread is about to tell that it is ready, and a call is lost before the end of
        its host is told. Both are waited for.
        """
        self.board.events.settle(_PATIENCE)
        with self._lock:
            self._lock.wait_for(lambda: not self._owed(), _PATIENCE)
        self._subscription.close()
        self._over.set()
        if self._real:
            self._watch.join()
        self._ended = self.now()

    def _owed(self) -> set[str]:
        """The hosts of which something is about to be told."""
        return answering_unready(self.facts, self._host_of) | ends_owed(self.facts, self._host_of)

    def _host_of(self, plugin: str) -> str:
        handle = self.board.plugin_manager.handles().get(plugin)
        if isinstance(handle, HostedPlugin):
            return handle.host_name
        terms = self.terms.get(plugin)  # it may have been taken off the board
        return plugin if terms is None else terms.host or plugin

    def terms_of(self, plugin: str) -> Terms:
        """What the board has agreed on with a plugin, or what was said of it since."""
        return self.terms.get(plugin) or terms_of(self.board.plugin_manager.handle(plugin))

    def take_ledger(self, plugin: str, calls: Iterable[str]) -> None:
        """Note what a tool has written down: the names of the calls that it began, in their order.

        A ledger without times still tells the order: no run is placed before its call was submitted,
        and none before the one that stands above it.
        """
        with self._lock:
            submits = (fact for fact in self.facts if isinstance(fact, Asked))
            asked = {fact.call: fact.at for fact in submits}
            at = 0.0
            for call in calls:
                at = max(at, asked.get(call, 0.0))
                self.facts.append(Ran(at, plugin, call))

    def run(self, left: Left | None = None) -> Run:
        """The run so far; once the board has stopped, with what was left."""
        with self._lock:
            facts = sorted(self.facts, key=_when)
        return Run(
            tuple(facts),
            {**self._agreed(), **self.terms},
            healed=self._healed,
            ended=self.now() if self._ended is None else self._ended,
            patience=self.patience,
            slack=REAL_SLACK if self._real else 0.0,
            left=left or Left(),
            overheard=frozenset(self.overheard),
        )

    # What the board tells

    def _on_event(self, event: Event) -> None:
        with self._lock:
            if self._is_known(event):
                return
            self.note(Happened(self._moment(event), event.subject, event.kind, event.facts, event.sequence))
        if event.kind in {"host_starting", "host_ready"}:
            self._look(event.subject)

    def _moment(self, event: Event) -> float:
        """When it was published: the stream's thread may be late. It is never before the event that came before it."""
        at = event.time - self._wall_ahead() if self._real else self.now()
        self._told = max(self._told, min(at, self.now()))
        return self._told

    def _wall_ahead(self) -> float:
        """Seconds by which the wall clock is ahead of that of the run.

        Both are read until this thread had not to wait between the readings: on a busy machine that may be a third of a second.
        """
        best, ahead = math.inf, 0.0
        for _ in range(_READINGS):
            before, wall, after = self.now(), time.time(), self.now()
            if after - before < best:
                best, ahead = after - before, wall - before
            if best < _AT_ONCE:
                break
        return ahead

    def _look(self, name: str) -> None:
        """Which processes of a host live now."""
        handles = self.board.plugin_manager.handles().values()
        hosted = [one for one in handles if isinstance(one, HostedPlugin) and one.host_name == name]
        if not hosted or not self._real:
            return
        pids = self._pids.setdefault(name, [])
        for host in filter(None, (handle.plugin.host for handle in hosted)):
            if (birth := created(host.pid)) is not None:
                known = (host.pid, birth)
                self.known.add(known)
                self.marks |= marks_of(host.pid)
                self.generations[host.pid] = host.generation
                if known not in pids:
                    pids.append(known)
        pids[:] = [(pid, birth) for pid, birth in pids if created(pid) == birth and alive(pid)]
        self.note(Seen(self.now(), name, tuple(pid for pid, _ in pids)))

    # What was agreed

    def _agreed(self) -> dict[str, Terms]:
        return {name: terms_of(handle) for name, handle in self.board.plugin_manager.handles().items()}

    def _deadline(self, plugin: str) -> float | None:
        handle = self.board.plugin_manager.handles().get(plugin)
        return None if handle is None else handle.endpoint.settings.deadline


def terms_of(handle: Any) -> Terms:
    """What the board has agreed on with a plugin that is on it."""
    settings = handle.endpoint.settings
    repeats, ordered = settings.repeats if settings.idempotent else 0, settings.concurrency == 1
    terms = Terms(
        repeats=repeats,
        ordered=ordered,
        concurrency=settings.concurrency,
        idle=settings.idle_deadline,
        mailbox=settings.mailbox_size,
    )
    if isinstance(handle, HostedPlugin):
        host = "" if handle.host_name == handle.name else handle.host_name
        return replace(terms, policy=handle.child_spec().policy, host=host)
    return replace(terms, hosted=False, repeats=0)


def _judgement(judge: Callable[[Any], Json], ended: Any) -> Json:
    """What a judge says. An answer that has not even the form of the due one is wrong; its call has ended all the same."""
    try:
        return {"judged": True, **judge(ended)}
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        return {"judged": True, "wrong": f"it cannot be read: {describe(error)}"}


def _when(fact: Fact) -> float:
    return fact.at
