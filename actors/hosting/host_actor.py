"""One life of a host as an actor: it starts with its process and stops when that is gone.

::

    spawn ─▶ all who live in it move in ─▶ ready ─▶ … ─▶ ended ─▶ gone
       └──────────────────┴── nobody could, it was overdue or ended on the way: never ready

Calls do not pass through here: they are written to the host by the tool actors and answered by
the host's pump. This actor sees to the life itself. A new life is a new actor, so there is no
half-restarted state to be in. How a plugin moves in is for `Handshake` to say; most hosts have just
one, and for that one nothing is different.
"""

from __future__ import annotations

import functools
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...base.foreign import Log, contain, shown
from ...hosts.errors import HostGone, HostStartError
from ...hosts.host import Host
from ...hosts.process.stop_ladder import KILL_NOW, StopLadder
from ...hosts.report.crash_report import FROM_OUTSIDE
from ...supervision.restart.exits import Exit, ExitKind
from ...supervision.runtime.telling import tell
from ..handshake.driver import HandshakeDriver
from ..handshake.liveness import sound_out
from ..handshake.messages import (
    HandshakeAnswered,
    HandshakeFailed,
    LoadOverdue,
    LoadPlugin,
    LoadProbed,
    UnloadPlugin,
)
from ..threads.actor import BaseActor, UnknownMessage
from .contracts import Armed
from .exit_reason import verdict_on
from .life import CallGate
from .listener import HostEar
from .messages import (
    BEGIN,
    Begin,
    Drain,
    Drained,
    EndLife,
    LimitReached,
    ProcessEnded,
    Retire,
    StartOverdue,
    TakeOver,
    TreeGone,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...hosts.limits.limits import Exceeded
    from ...hosts.process.process import ProcessExit
    from ...hosts.process_tree.watchdog import Watchdog
    from ...hosts.report.crash_report import CrashReport
    from ...hosts.sharing import Program
    from ...supervision.runtime.clock import Clock, Timer
    from ...supervision.runtime.events import EventStream
    from ..handshake.handshake import Handshake
    from ..handshake.loaded_plugin import LoadedPlugin
    from .contracts import GenerationContext, Reporter
    from .settings import HostSettings

logger = Log("callboard.actors")


class HostActor(BaseActor):
    """See the module.

    Args:
        program: what it is started from.
        settings: how it is run.
        reporter: the supervisor's ear for this life, or a standby's.
        kin: who lives in it, and the lives beside it.
        loaded: for one that waits: told its process, and who is in, once it could serve. It does when told to take over.
        waits: the process is started when that is told (`Begin`), and not before.

    Attributes:
        gate: keeps calls from it once it is to end.
    """

    def __init__(
        self,
        program: Program,
        settings: HostSettings,
        *,
        reporter: Reporter,
        kin: GenerationContext,
        loaded: Callable[[int, Handshake], None] | None = None,
        waits: bool = False,
        clock: Clock,
        events: EventStream,
        watchdog: Watchdog | None,
    ) -> None:
        super().__init__(f"{program.name}#{reporter.generation}", events, clock)
        self.gate = CallGate()
        self._program = program
        self._settings = settings
        self._reporter = reporter
        self._kin = kin
        self._loaded = loaded
        self._waits = waits
        self._recycled = False
        self._armed = Armed()
        self._watchdog = watchdog
        self._host: Host | None = None
        self._timer: Timer | None = None
        self._handshake_driver = HandshakeDriver(self.actor_ref)
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
            case Begin():
                self._spawn()
            case HandshakeAnswered() | HandshakeFailed():
                self._move(lambda: self._handshake_driver.hear(message))
            case StartOverdue(extended):
                self._on_start_overdue(extended=extended)
            case EndLife(reason, kind):
                ladder = self._settings.ladder if kind is ExitKind.REQUESTED else KILL_NOW
                self._end(Exit(kind, reason), ladder)
            case ProcessEnded(exit_, report, breach):
                self._on_ended(exit_, report, breach)
            case TreeGone(leftovers):
                self._on_gone(leftovers)
            case _:
                self._follow(message)

    def on_failed(self, message: Any, error: BaseException) -> None:
        """What it was about is half done, so the life ends; what it has to be told of its end it was told."""
        if isinstance(error, UnknownMessage):
            return
        exit_ = Exit(ExitKind.CODE, f"its actor failed on {type(message).__name__}: {shown(error)}")
        match message:
            case ProcessEnded():
                self._exit = self._exit or (exit_, message.report)
            case TreeGone():
                self._close(exit_ if self._exit is None else self._exit[0])
            case _:
                self._end(exit_, KILL_NOW)

    def _follow(self, message: Any) -> None:
        """One plugin, or one life, follows another."""
        match message:
            case LoadPlugin(loaded_plugin):
                self._take_in(loaded_plugin)
            case UnloadPlugin(loaded_plugin):
                self._move(lambda: self._handshake_driver.let_go(loaded_plugin))
            case LoadOverdue(loaded_plugin, extended):
                self._on_loading_plugin_overdue(loaded_plugin, extended=extended)
            case LoadProbed(loaded_plugin, patience, answers):
                self._on_loading_plugin_sounded(loaded_plugin, patience, answers=answers)
            case TakeOver(reporter):
                self._take_over(reporter)
            case Retire(reason):
                self._retire(reason)
            case LimitReached(exceeded):
                self._on_limit(exceeded)
            case Drain():
                self._drain()
            case Drained(late):
                self._on_drained(late=late)
            case _:
                super().receive(message)

    def _spawn(self) -> None:
        if self._closed:  # told to end, and to begin, at the same time
            return
        if self._verdict is not None:  # told to end before it began
            self._close(self._verdict)
            return
        try:
            self._host = Host(
                self._program.name,
                self._program.command(),
                HostEar(self.actor_ref, self._program.name, self.events),
                generation=self._reporter.generation,
                max_line=self._settings.max_line_bytes,
                max_stray=self._settings.max_stray_lines,
                flight_recorder=self._settings.flight_recorder,
                now=self._clock.now,
                watchdog=self._watchdog,
                carry=self._program.carry,
            )
            self.gate.lead_to(self._host)
            self._host.start()
        except HostStartError as error:
            self._host = None
            self._close(Exit(ExitKind.START_FAILED, str(error), permanent=error.permanent))
            return
        except BaseException as error:  # noqa: BLE001 - what makes the command line is the embedder's
            contain(error, logger, "starting host %r failed", self._program.name)
            host, self._host = self._host, None  # and a start of which nobody hears is awaited for ever
            if host is not None:
                with suppress(
                    Exception
                ):  # if there is a process, it ends when it is read; else the watchdog knows it
                    host.stop("starting it failed", KILL_NOW)
            self._close(Exit(ExitKind.START_FAILED, f"starting it failed: {shown(error)}"))
            return
        self._expect()
        host, residents = self._host, self._kin.residents()
        self._move(lambda: self._handshake_driver.open(host, residents))

    def _expect(self) -> None:
        """From now on it has so much time to become ready."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._after(self._settings.start_deadline, StartOverdue())

    def _on_start_overdue(self, *, extended: bool) -> None:
        if self._ready_at is not None:
            return
        preparing = self._handshake_driver.preparing()
        if preparing and not extended:
            self._timer = self._after(self._settings.prepare_timeout, StartOverdue(extended=True))
            return
        cause = f"it was not ready within {self._settings.start_deadline:g} s"
        loading = self._handshake_driver.is_loading
        if preparing:
            cause = f"preparing it took more than {self._settings.prepare_timeout:g} s"
        elif loading:
            cause += ", for its plugin was still being loaded; have that end, or raise 'start_deadline'"
        lasting = loading and not self._kin.been_up
        self._end(Exit(ExitKind.START_TIMEOUT, cause, permanent=preparing, lasting=lasting), KILL_NOW)

    def _on_loading_plugin_overdue(self, loaded_plugin: LoadedPlugin, *, extended: bool) -> None:
        preparing = self._handshake_driver.preparing(loaded_plugin)
        if preparing and not extended:
            self._after(self._settings.prepare_timeout, LoadOverdue(loaded_plugin, extended=True))
            return
        patience = self._settings.prepare_timeout if preparing else self._settings.start_deadline
        if self._host is not None and self._handshake_driver.awaits(loaded_plugin):
            sound_out(
                self._host,
                self._clock,
                lambda answers: tell(self.actor_ref, LoadProbed(loaded_plugin, patience, answers)),
            )

    def _on_loading_plugin_sounded(
        self, loaded_plugin: LoadedPlugin, patience: float, *, answers: bool
    ) -> None:
        if (
            self._host is None
            or self._verdict is not None
            or not self._handshake_driver.awaits(loaded_plugin)
        ):
            return
        if answers:
            self._move(lambda: self._handshake_driver.give_up(loaded_plugin, patience))
            return
        self._host.stalled = True
        cause = (
            f"plugin {loaded_plugin.name!r} was not ready within {patience:g} s, and the host answers nothing"
        )
        self._end(Exit(ExitKind.HANG, cause), KILL_NOW)

    def _after(self, seconds: float, message: Any) -> Timer:
        then = functools.partial(tell, self.actor_ref, message)
        return self._clock.call_at(self._clock.now() + seconds, then)

    def _take_in(self, loaded_plugin: LoadedPlugin) -> None:
        """One more lives here. In a life that has not begun yet that is known by then."""
        if self._host is None or self._verdict is not None or self._retiring is not None:
            return
        if self._ready_at is None:
            self._expect()
        else:
            self._after(self._settings.start_deadline, LoadOverdue(loaded_plugin))
        self._move(lambda: self._handshake_driver.take_in(loaded_plugin))

    def _move(self, step: Callable[[], object]) -> None:
        """Somebody comes on with moving in, or out."""
        try:
            moved = step()
        except HostGone:
            # It has ended, or has closed its stdin and will have ended for that soon: which of them, and with what
            # status, is the pump's to tell. A verdict now would be the first, and hide that.
            return
        if self._verdict is not None or self._host is None or self._ready_at is not None:
            return
        if self._handshake_driver.settled:
            self._on_settled(self._host)
        elif moved and self._handshake_driver.one_by_one:
            self._expect()

    def _on_settled(self, host: Host) -> None:
        if (nobody := self._handshake_driver.failure) is not None:
            self._end(Exit(ExitKind.START_FAILED, nobody.cause, permanent=nobody.permanent), KILL_NOW)
            return
        if self._timer is not None:
            self._timer.cancel()
        self._ready_at = self._clock.now()
        if self._loaded is None:
            self._serve(host)
        else:
            self._loaded(host.pid, self._handshake_driver.moving)

    def _serve(self, host: Host) -> None:
        """Have calls sent here from now on."""
        self._kin.came_up()
        self._armed = self._kin.arm(self.actor_ref, host)
        self._handshake_driver.serve(self._armed.on_sent, self._reporter.ready)

    def _take_over(self, reporter: Reporter) -> None:
        """It was a standby, in whatever stage; what it still has to do it does as any life."""
        self._reporter, self._loaded = reporter, None
        if self._host is not None:
            self._host.generation = reporter.generation
        if (
            self._verdict is None
            and self._exit is None
            and self._host is not None
            and self._ready_at is not None
        ):
            self._ready_at = self._clock.now()
            self._serve(self._host)

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
        self._handshake_driver.down(self._reporter.generation)
        self._timer = self._after(self._settings.limits.drain, Drained(late=True))
        self._host.drain(functools.partial(tell, self.actor_ref, Drained()))

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
        self._handshake_driver.ended()
        innocent = self._verdict is None and exit_.signal in FROM_OUTSIDE
        self._handshake_driver.down(self._reporter.generation, None if self._verdict or innocent else report)
        ready_for = None if self._ready_at is None else self._clock.now() - self._ready_at
        verdict = self._verdict or verdict_on(exit_, report, breach, ready=ready_for is not None)
        if verdict.is_crash and not innocent:
            coming, alone = self._handshake_driver.unanswered, ready_for is None
            if self._kin.ruined(coming, verdict.cause, alone=alone):
                verdict = replace(verdict, permanent=False, lasting=False)  # the next life is another
        self._exit = replace(verdict, ready_for=ready_for), report
        if verdict.is_crash and self._kin.covered():
            self._report(report)

    def _on_gone(self, leftovers: tuple[int, ...]) -> None:
        assert self._exit is not None
        exit_, report = self._exit
        if leftovers and self._reported:
            logger.warning("host %r has left processes that would not end: %s", self._program.name, leftovers)
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
