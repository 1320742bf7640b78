"""Reloading one host: a candidate is loaded, looked at, and made the next generation, or nothing changes.

The caller waits for it; the host goes on with its calls meanwhile. What is to be run is handed in as an
`ProgramVersion`: where it comes from is for the rooms above to know.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

import pykka

from ...base.errors import CallboardError
from ...base.frozen import frozen
from ...base.threads import uninterrupted
from ...supervision.errors import UnknownChild
from ...supervision.messages import Order
from ...supervision.restart.policy import RestartType
from ...supervision.runtime.telling import ask_supervisor
from ..hosting.reload_progress import ReloadRefused
from .policy import Change, ReloadPolicy, ToolChange, compare, objection

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Sequence

    from ..board import Board
    from ..endpoint.plugin import PluginHandle
    from ..handshake.handshake import Handshake, PluginLoaded
    from ..hosting.candidate import Candidate, ProgramVersion
    from ..hosting.host import SupervisedHost
    from ..hosting.reload_progress import Takeover


@frozen
class Reloaded:
    """What came of a reload.

    Attributes:
        host: the host's name.
        plugins: those that live in it; all of them were loaded.
        done: the new program serves.
        why: why it does not, as a sentence; ``None`` if it does.
        rolled_back: it was serving, or about to, crashed, and the former program was brought back.
        generation: of the generation that serves by it; ``None`` if none does.
        changes: how its tools differ from those before, also when that is why it was refused.
        seconds: how long it took.
    """

    host: str
    plugins: tuple[str, ...]
    done: bool
    why: str | None
    rolled_back: bool
    generation: int | None
    changes: tuple[ToolChange, ...]
    seconds: float

    def tools(self, change: Change) -> list[str]:
        """The names of the tools with which that has happened."""
        return [each.tool for each in self.changes if each.change is change]


class NotTaken(CallboardError):
    """The new program is not taken over; the present one serves on.

    Attributes:
        changes: how its tools differ, if that is known.
        takeover: that which has failed, if it had come so far.
    """

    def __init__(
        self, why: str, changes: Sequence[ToolChange] = (), takeover: Takeover | None = None
    ) -> None:
        super().__init__(why)
        self.changes: tuple[ToolChange, ...] = tuple(changes)
        self.takeover = takeover


def reload(
    board: Board,
    name: str,
    make: Callable[[list[str]], ProgramVersion],
    *,
    policy: ReloadPolicy,
    way_back: bool,
    timeout: float | None = None,
    reason: str = "by hand",
) -> Reloaded:
    """Load what a host runs anew and have it take over at a call boundary; returns when it serves, or will not.

    Args:
        board: where the host is.
        name: the host's, or a plugin's, for the host that it lives in.
        make: makes what is to be run, given the plugins that live in the host; may take its time.
        policy: what changes of tools are refused, and how long the new generation is on probation.
        way_back: what the host runs now can be run again later.
        timeout: seconds for all that comes after ``make``; a reload of the same host that is under way included.
        reason: for the events.

    Raises:
        ReloadRefused: it has no host, or two generations of its host must not be, or it is being taken off the board.
    """
    supervised_host = _supervised_host(board, name)
    if not supervised_host.lifecycle.overlap:
        raise ReloadRefused(
            name,
            "'overlap: false' in its 'limits' says that two generations of its host must not be, and the next one is loaded "
            "beside the present one; restart it",
        )
    until = math.inf if timeout is None else time.monotonic() + timeout
    run, turn = (
        _Reload(board, supervised_host, policy, until, timeout),
        supervised_host.lifecycle.reloads.turn,
    )
    try:
        if not turn.take(run, timeout):
            raise ReloadRefused(name, f"another reload of it was still under way {timeout:g} s later")
        return run.run(make, reason, way_back=way_back)
    finally:
        try:
            turn.give_back(run)
        except BaseException:  # an interrupt: raised again
            turn.give_back(run)
            raise


def _supervised_host(board: Board, name: str) -> SupervisedHost:
    host_registry = board.plugin_manager.host_registry
    with board.plugin_manager.lock:  # or it could be one without a plugin yet
        supervised_host = host_registry.of(name) or host_registry.named(name)
    if supervised_host is None and name in board.plugin_manager.handles():
        raise ReloadRefused(
            name, "it runs in a thread of this process, which keeps what it has imported; give it 'isolate'"
        )
    if supervised_host is None:
        raise ReloadRefused(name, "there is no plugin and no host of that name")
    return supervised_host


class _Reload:
    """One run of it, by whose turn it is."""

    def __init__(
        self,
        board: Board,
        supervised_host: SupervisedHost,
        policy: ReloadPolicy,
        until: float,
        timeout: float | None,
    ) -> None:
        self._board = board
        self._supervised_host = supervised_host
        self._policy = policy
        self._until = until
        self._timeout = timeout
        self._candidate: Candidate | None = None
        self._takeover: Takeover | None = None

    def run(self, make: Callable[[list[str]], ProgramVersion], reason: str, *, way_back: bool) -> Reloaded:
        began = time.monotonic()
        supervised_host, events = self._supervised_host, self._board.events
        names = supervised_host.names
        events.publish("host_reloading", supervised_host.name, why=reason)
        changes: tuple[ToolChange, ...] = ()
        generation: int | None = None
        why, rolled_back = None, False
        try:
            program_version = make(names)
            if self._timeout is not None:
                self._until = time.monotonic() + self._timeout
            supervised_host.acquit()
            candidate = self._begin(program_version)
            changes = self._look_at(candidate)
            generation = self._take_over(candidate, way_back=way_back).generation
        except ReloadRefused as error:
            events.publish("host_reload_failed", supervised_host.name, why=str(error), rolled_back=False)
            raise
        except CallboardError as error:
            why = str(error)
            takeover = None
            if isinstance(error, NotTaken):
                changes, takeover = error.changes or changes, error.takeover
            rolled_back = takeover is not None and takeover.rolled_back
            if takeover is None or not takeover.told:
                events.publish("host_reload_failed", supervised_host.name, why=why, rolled_back=False)
        except BaseException:  # an interrupt: raised again
            self._give_up("it was interrupted")
            raise
        supervised_host.lifecycle.reloads.count(done=why is None)
        took = time.monotonic() - began
        result = Reloaded(
            supervised_host.name, tuple(names), why is None, why, rolled_back, generation, changes, took
        )
        if why is None:
            told = {change.value: result.tools(change) for change in Change}
            events.publish("host_reloaded", supervised_host.name, generation=generation, took=took, **told)
        return result

    def _begin(self, program_version: ProgramVersion) -> Candidate:
        def begin() -> None:
            self._candidate = self._supervised_host.lifecycle.load_again(program_version)

        uninterrupted(begin)  # after an interrupt `_give_up` drops it
        assert self._candidate is not None
        return self._candidate

    def _give_up(self, why: str) -> None:
        """After an interrupt: leave nothing of it but what the supervisor has started."""
        reloads = self._supervised_host.lifecycle.reloads
        if self._takeover is not None:
            reloads.cancel(self._takeover, why)
        elif self._candidate is not None:
            reloads.drop(self._candidate, why)
        reloads.count(done=False)
        self._board.events.publish(
            "host_reload_failed", self._supervised_host.name, why=why, rolled_back=False
        )

    def _look_at(self, candidate: Candidate) -> tuple[ToolChange, ...]:
        """Wait for a candidate, and see whether it will do. Raises `NotTaken`; then it has been dismissed."""
        reloads = self._supervised_host.lifecycle.reloads
        try:
            self._wait(candidate.known, "loading it")
            return self._judge(_loaded(candidate))
        except NotTaken as error:
            reloads.drop(candidate, f"it does not take over: {error}")
            raise

    def _judge(self, moving: Handshake) -> tuple[ToolChange, ...]:
        board = self._board
        handles = board.plugin_manager.handles()
        for name, refusal in moving.refusals.items():
            if name in handles and handles[name].available:
                raise NotTaken(f"plugin {name!r} cannot be loaded: {refusal.cause}")
        loaded = [(handles[name], known) for name, known in moving.loaded.items() if name in handles]
        changes: list[ToolChange] = []
        try:
            for handle, known in loaded:
                changes += self._changes(handle, known)
            # So that no tool is registered while names are compared; checking changes nothing.
            with board.plugin_manager.lock:
                board.plugin_manager.registration.check([(handle, known.schemas) for handle, known in loaded])
        except CallboardError as error:
            raise NotTaken(str(error), changes) from error
        if (why := objection(changes, self._policy.refuse)) is not None:
            raise NotTaken(why, changes)
        return tuple(changes)

    def _changes(self, handle: PluginHandle, known: PluginLoaded) -> list[ToolChange]:
        catalog = self._board.catalog
        before = {tool.tool_name: tool.schema for tool in catalog.offers.get(handle.name, ())}
        named = self._board.plugin_manager.registration.named(handle, known.schemas)
        now = {tool.tool_name: tool.schema for tool in named}
        return compare(handle.name, before, now)

    def _take_over(self, candidate: Candidate, *, way_back: bool) -> Takeover:
        reloads = self._supervised_host.lifecycle.reloads
        way_back = way_back and self._supervised_host.policy.restart is not RestartType.TEMPORARY

        def choose() -> None:
            self._takeover = reloads.choose(candidate, way_back=way_back, probation=self._policy.probation)

        uninterrupted(choose)
        assert self._takeover is not None
        takeover = self._takeover
        try:
            for verb in ("replace", "revive"):  # of a host that is not up there is no generation to replace
                order = Order(verb, self._supervised_host.name, "it was loaded anew")
                ask_supervisor(self._board.supervisor, order)
            self._wait(takeover.over, "taking over")
        except (NotTaken, UnknownChild, pykka.ActorDeadError) as error:
            reloads.cancel(takeover, str(error))
            if not isinstance(error, NotTaken):
                raise NotTaken("the host was taken off the board meanwhile") from error
            raise
        if takeover.why is not None:
            raise NotTaken(takeover.why, takeover=takeover)
        return takeover

    def _wait(self, event: threading.Event, what: str) -> None:
        seconds = None if self._until == math.inf else max(0.0, self._until - time.monotonic())
        if not event.wait(seconds):
            raise NotTaken(f"{what} took more than {self._timeout:g} s")


def _loaded(candidate: Candidate) -> Handshake:
    """Who is in it, and who is out. Raises `NotTaken` if it has ended."""
    if candidate.exit is not None:
        raise NotTaken(f"what is there now cannot be loaded: {candidate.exit.cause}")
    assert candidate.handshake is not None
    return candidate.handshake
