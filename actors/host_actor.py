"""One life of a host as an actor: it starts with its process and stops when that is gone.

::

    spawn ─▶ init ─▶ get_tool_schemas ─▶ ready ─▶ … ─▶ ended ─▶ gone
       └───────┴───────────────┴── refused, overdue or ended on the way: never ready

Calls do not pass through here: they are written to the host by the tool actor and answered by
the host's pump. This actor sees to the life itself. A new life is a new actor, so there is no
half-restarted state to be in.
"""

from __future__ import annotations

import functools
import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..hosts.errors import HostError, HostStartError
from ..hosts.host import Host
from ..hosts.ladder import KILL_NOW, StopLadder
from ..hosts.limits import Exceeded, Limits
from ..hosts.recorder import FRAMES
from ..plugins.errors import JsonValueError
from ..supervision.exits import Exit, ExitKind
from ..supervision.telling import tell
from . import messages as m
from .base import HouseActor
from .host_endings import Handshake, verdict_on
from .reporting import Armed

if TYPE_CHECKING:
    from collections.abc import Callable

    import pykka

    from ..hosts.hosted_tool import HostedToolPlugin
    from ..hosts.process import ProcessExit
    from ..hosts.report import CrashReport
    from ..hosts.watchdog import Watchdog
    from ..supervision.clock import Clock, Timer
    from ..supervision.events import EventStream
    from .reporting import Kin, Reporter

logger = logging.getLogger("callboard.actors")

BEGIN = m.HandshakeAnswered("spawn", None, None)
"""To a host actor that waits: start the process."""


@dataclass(frozen=True, slots=True)
class HostSettings:
    """How a host is run.

    Attributes:
        config: what its ``init`` is given.
        start_deadline: seconds from spawn until it has to be ready.
        max_line_bytes: the longest line, in either direction.
        max_stray_lines: lines on stdout that are no messages and are borne in one life; one more is
            a breach of the protocol. ``None`` for any number.
        flight_recorder: how many of its last messages a crash report has; 0 for none.
        ladder: how it is stopped.
        group: the group that it is supervised in; none if it is empty.
        limits: what each life may use, and how it is replaced.
        standby: keep a further host, started and loaded, that takes over when this one ends.
    """

    config: dict[str, Any]
    start_deadline: float = 10.0
    max_line_bytes: int = 64 * 1024 * 1024
    max_stray_lines: int | None = None
    flight_recorder: int = FRAMES
    ladder: StopLadder = field(default_factory=StopLadder)
    group: str = ""
    limits: Limits = field(default_factory=Limits)
    standby: bool = False


class HostLife:
    """A life, as the supervisor holds it.

    Args:
        actor: sees to it.
        on_stop: told when an order by hand ends it: what waits to take over was not asked for.
    """

    def __init__(self, actor: pykka.ActorRef[Any], on_stop: Callable[[str], None]) -> None:
        self._actor = actor
        self._on_stop = on_stop

    def stop(self, reason: str) -> None:
        """Begin to end it."""
        self._on_stop(reason)
        tell(self._actor, m.EndLife(reason))

    def retire(self, reason: str) -> None:
        """Its successor has been started: begin to end it, with nothing lost."""
        tell(self._actor, m.Retire(reason))


class HostActor(HouseActor):
    """See the module.

    Args:
        plugin: whose host this is; it is told which life is the present one.
        settings: how it is run.
        reporter: the supervisor's ear for this life, or a standby's.
        kin: the lives beside it.
        loaded: for a standby: told the process once it could serve. It serves when it is told to take over.
        waits: the process is started when that is told (`BEGIN`), and not before.
        tool: the actor that sends calls to it.
    """

    def __init__(
        self,
        plugin: HostedToolPlugin,
        settings: HostSettings,
        *,
        reporter: Reporter,
        kin: Kin,
        loaded: Callable[[int], None] | None = None,
        waits: bool = False,
        tool: pykka.ActorRef[Any],
        clock: Clock,
        events: EventStream,
        watchdog: Watchdog | None,
    ) -> None:
        super().__init__(f"{plugin.name}#{reporter.generation}", events, clock)
        self._plugin = plugin
        self._settings = settings
        self._reporter = reporter
        self._kin = kin
        self._loaded = loaded
        self._waits = waits
        self._recycled = False
        self._armed = Armed()
        self._tool = tool
        self._watchdog = watchdog
        self._host: Host | None = None
        self._timer: Timer | None = None
        self._state: dict[str, Any] = {}
        self._schemas: tuple[dict[str, Any], ...] | None = None
        self._retiring: str | None = None
        self._reported = False
        self._closed = False
        self._ready_at: float | None = None
        self._verdict: Exit | None = None
        self._exit: tuple[Exit, CrashReport] | None = None
        if not waits:  # not in on_start: an exception in there would end the actor and tell nobody
            self.actor_ref.tell(BEGIN)

    def on_stop(self) -> None:
        """A life ends with its actor, whoever stopped that; a process that has ended stays so."""
        if self._host is not None:
            self._host.stop("its actor was stopped", KILL_NOW)

    def receive(self, message: Any) -> None:
        """Handle one message."""
        match message:
            case m.HandshakeAnswered(method, value, state):
                self._advance(method, value, state)
            case m.HandshakeFailed(method, cause, permanent):
                self._end(
                    Exit(ExitKind.START_FAILED, f"{method} failed: {cause}", permanent=permanent), KILL_NOW
                )
            case m.StartOverdue():
                if self._schemas is None:
                    cause = f"it was not ready within {self._settings.start_deadline:g} s"
                    self._end(Exit(ExitKind.START_TIMEOUT, cause), KILL_NOW)
            case m.EndLife(reason, hang):
                kind = ExitKind.HANG if hang else ExitKind.REQUESTED
                self._end(Exit(kind, reason), KILL_NOW if hang else self._settings.ladder)
            case m.ProcessEnded(exit_, report, breach):
                self._on_ended(exit_, report, breach)
            case m.TreeGone(leftovers):
                self._on_gone(leftovers)
            case _:
                self._follow(message)

    def _follow(self, message: Any) -> None:
        """One life follows another."""
        match message:
            case m.TakeOver(reporter):
                self._take_over(reporter)
            case m.Retire(reason):
                self._retire(reason)
            case m.LimitReached(exceeded):
                self._on_limit(exceeded)
            case m.Drain():
                self._drain()
            case m.Drained(late):
                self._on_drained(late=late)
            case _:
                super().receive(message)

    def _advance(self, method: str, value: Any, state: dict[str, Any] | None) -> None:
        match method:
            case "spawn":
                self._spawn()
            case "init":
                self._state = state if state is not None else value if isinstance(value, dict) else {}
                self._request("get_tool_schemas", {"state": self._state})
            case "get_tool_schemas":
                self._on_schemas(value)

    def _spawn(self) -> None:
        if self._closed:  # told to end, and to begin, at the same time
            return
        if self._verdict is not None:  # told to end before it began
            self._close(self._verdict)
            return
        try:
            self._host = Host(
                self._plugin.name,
                self._plugin.command(),
                self,
                generation=self._reporter.generation,
                max_line=self._settings.max_line_bytes,
                max_stray=self._settings.max_stray_lines,
                flight_recorder=self._settings.flight_recorder,
                now=self._clock.now,
                watchdog=self._watchdog,
                carry=self._plugin.carry,
            )
            self._host.start()
        except HostStartError as error:
            self._host = None
            self._close(Exit(ExitKind.START_FAILED, str(error), permanent=error.permanent))
            return
        except Exception as error:
            # What makes the command line is the embedder's, and a start of which nobody hears is awaited for ever.
            logger.exception("starting host %r failed", self._plugin.name)
            self._host = None
            self._close(Exit(ExitKind.START_FAILED, f"starting it failed: {error!r}"))
            return
        self._request("init", {"config": self._settings.config})
        self._timer = self._clock.call_at(
            self._clock.now() + self._settings.start_deadline,
            functools.partial(tell, self.actor_ref, m.StartOverdue()),
        )

    def _request(self, method: str, params: dict[str, Any]) -> None:
        assert self._host is not None
        try:
            self._host.send(method, params, Handshake(method, functools.partial(tell, self.actor_ref)))
        except JsonValueError as error:
            cause = f"{method} cannot be sent to a host: {error}"
            self._end(Exit(ExitKind.START_FAILED, cause, permanent=True), KILL_NOW)
        except HostError as error:
            # It has ended, which the pump is about to tell; or the request cannot be sent at all.
            self._end(Exit(ExitKind.START_FAILED, str(error)), KILL_NOW)

    def _on_schemas(self, value: Any) -> None:
        assert self._host is not None
        if not isinstance(value, list) or not all(isinstance(schema, dict) for schema in value):
            cause = f"get_tool_schemas answered with {type(value).__name__}, not with a list of objects"
            self._end(Exit(ExitKind.START_FAILED, cause, permanent=True), KILL_NOW)
            return
        if self._verdict is not None:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._schemas = tuple(value)
        self._ready_at = self._clock.now()
        if self._loaded is None:
            self._serve()
        else:
            self._loaded(self._host.pid)

    def _serve(self) -> None:
        """Have calls sent here from now on."""
        assert self._host is not None
        assert self._schemas is not None
        self._plugin.attach(self._host)
        self._armed = self._kin.arm(self.actor_ref, self._host)
        ready = self._reporter.ready
        tell(
            self._tool,
            m.HostUp(self._host, self.actor_ref, self._schemas, self._state, ready, self._armed.on_sent),
        )

    def _take_over(self, reporter: Reporter) -> None:
        """It was a standby, in whatever stage; what it still has to do it does as any life."""
        self._reporter, self._loaded = reporter, None
        if self._host is not None:
            self._host.generation = reporter.generation
        if self._verdict is None and self._exit is None and self._schemas is not None:
            self._ready_at = self._clock.now()
            self._serve()

    # The end of it

    def _on_limit(self, exceeded: Exceeded) -> None:
        if exceeded.hard:
            self._end(Exit(ExitKind.LIMIT, exceeded.cause), KILL_NOW)
        elif not self._recycled and self._retiring is None and self._verdict is None:
            self._recycled = True
            self._kin.recycle(exceeded, self._reporter.generation)

    def _retire(self, reason: str) -> None:
        self._retiring = reason
        if self._ready_at is None:
            self._on_drained(late=False)
        elif not self._settings.limits.overlap:
            self._drain()

    def _drain(self) -> None:
        if self._retiring is None or self._host is None or self._verdict is not None:
            return
        tell(self._tool, m.HostDown(self._reporter.generation))
        self._timer = self._clock.call_at(
            self._clock.now() + self._settings.limits.drain,
            functools.partial(tell, self.actor_ref, m.Drained(late=True)),
        )
        self._host.drain(functools.partial(tell, self.actor_ref, m.Drained()))

    def _on_drained(self, *, late: bool) -> None:
        reason = self._retiring or "it was replaced"
        if late:
            reason = f"{reason}; calls were still under way {self._settings.limits.drain:g} s later"
        self._end(Exit(ExitKind.REQUESTED, reason), self._settings.ladder)

    def _end(self, verdict: Exit, ladder: StopLadder) -> None:
        """Begin to end the process; the first verdict on why is the one that counts."""
        if self._verdict is None:
            self._verdict = verdict
        if self._host is not None:
            self._host.stop(self._verdict.cause, ladder)
        elif self._waits:  # for the end of the life before it, which is not its business any more
            self.actor_ref.tell(BEGIN)

    def _on_ended(self, exit_: ProcessExit, report: CrashReport, breach: str | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._armed.disarm()
        if self._plugin.host is self._host:
            self._plugin.attach(None)
        tell(self._tool, m.HostDown(self._reporter.generation))
        ready_for = None if self._ready_at is None else self._clock.now() - self._ready_at
        verdict = self._verdict or verdict_on(exit_, report, breach, ready=ready_for is not None)
        self._exit = replace(verdict, ready_for=ready_for), report
        if verdict.is_crash and self._kin.covered():
            self._report(report)

    def _on_gone(self, leftovers: tuple[int, ...]) -> None:
        assert self._exit is not None
        exit_, report = self._exit
        if leftovers and self._reported:
            logger.warning("host %r has left processes that would not end: %s", self._plugin.name, leftovers)
        report = replace(report, leftovers=leftovers)
        self._close(replace(exit_, report=report.as_dict()))

    def _report(self, report: CrashReport) -> None:
        """Tell at the end of the process, not of its tree: a standby is there to take over at once."""
        assert self._exit is not None
        self._reported = True
        self._reporter.ended(replace(self._exit[0], report=report.as_dict()))

    def _close(self, exit_: Exit) -> None:
        self._closed = True
        if not self._reported:
            self._reporter.ended(exit_)
        self._kin.gone()
        self.stop()

    # The host's listener, in its pump's thread: pass everything on as messages.

    def on_stray(self, text: bytes) -> None:
        """Publish what was printed to stdout."""
        if self.events.wants("output_stray"):
            self.events.publish("output_stray", self._plugin.name, text=text[:500].decode("utf-8", "replace"))

    def on_dropped(self, reason: str, request_id: str) -> None:
        """A dead letter, but for what a newer host says that this version does not know."""
        if reason != "ignored":
            self.events.dead_letters.drop(reason, self._plugin.name, request_id)

    def on_ended(self, exit_: ProcessExit, report: CrashReport, *, breach: str | None) -> None:
        """Tell the actor."""
        tell(self.actor_ref, m.ProcessEnded(exit_, report, breach))

    def on_gone(self, leftovers: list[int]) -> None:
        """Tell the actor."""
        tell(self.actor_ref, m.TreeGone(tuple(leftovers)))
