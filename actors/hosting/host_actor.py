"""One generation of a host as an actor: it starts with its process and stops when that is gone.

Calls do not pass through here: they are written to the host by the tool actors and answered by
the host's pump. What happens to the generation is told here, `generation.step` decides, and this actor carries out the
effects. A new generation is a new actor, so there is no half-restarted state to be in. How a plugin is loaded is for
`Handshake` to say.
"""

from __future__ import annotations

import functools
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...base.foreign import Log, contain, shown
from ...hosts.errors import THREAD_FAILED, HostGone, HostStartError
from ...hosts.limits.vitals import Looks
from ...hosts.process.stop_ladder import KILL_NOW
from ...hosts.report.redaction import Redactor
from ...hosts.translating_host import start_host
from ...supervision.restart.exits import Exit, ExitKind, is_out_of_descriptors
from ...supervision.runtime.start_slots import Start, hold
from ...supervision.runtime.telling import tell
from ..handshake.driver import HandshakeDriver
from ..handshake.liveness import probe
from ..handshake.messages import (
    HandshakeAnswered,
    HandshakeFailed,
    LoadOverdue,
    LoadProbed,
    UnloadPlugin,
)
from ..threads.actor import BaseActor, UnknownMessage
from .contracts import Armed, CallGate
from .generation import (
    EVENTS,
    STARTS,
    UP,
    Advanced,
    Covered,
    Do,
    FindSuspect,
    Generation,
    Load,
    Lost,
    NextDiffers,
    Overdue,
    Recycle,
    Report,
    Settled,
    SlotGranted,
    Spawned,
    SpawnFailed,
    StartTimer,
    State,
    Stop,
    TellDown,
    WarnOfLeftovers,
    step,
)
from .messages import (
    BEGIN,
    LOOK_AT_START,
    Drained,
    EndGeneration,
    LookAtStart,
    ProcessEnded,
    StartOverdue,
    TakeOver,
    TreeGone,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import pykka

    from ...hosts.host import Host
    from ...hosts.process.process import Command, ProcessExit
    from ...hosts.report.crash_report import CrashReport
    from ...hosts.sharing import Program
    from ...supervision.runtime.clock import Timer
    from ...supervision.runtime.events import EventStream
    from ..handshake.handshake import Handshake, LoadedPlugin
    from ..services import Services
    from .contracts import GenerationContext, Reporter
    from .generation import News
    from .settings import HostSettings

logger: Log = Log("callboard.actors")


class PumpListener:
    """Tells the actor of a generation what becomes of its process, in the thread of the pump. It is a `HostListener`.

    Args:
        actor: of the generation.
        name: the host's.
    """

    def __init__(self, actor: pykka.ActorRef[Any], name: str, events: EventStream) -> None:
        self._actor = actor
        self._name = name
        self._events = events

    def on_stray(self, text: str, count: int) -> None:
        """Publish what was printed to stdout."""
        if self._events.wants("output_stray"):
            self._events.publish("output_stray", self._name, text=text, count=count)

    def on_dropped(self, reason: str, request_id: str, count: int, told: int) -> None:
        """A dead letter, but for what a newer host says that this version does not know."""
        if reason != "ignored":
            self._events.dead_letters.drop(reason, self._name, request_id, count=count, told=told)

    def on_ended(self, exit_: ProcessExit, report: CrashReport, *, breach: str | None) -> None:
        """Tell the actor; first, if our own thread was the reason, everybody."""
        if exit_.fault == THREAD_FAILED:
            self._events.thread_failed(self._name, report.cause)
        tell(self._actor, ProcessEnded(exit_, report, breach))

    def on_gone(self, leftovers: list[int]) -> None:
        """Tell the actor."""
        tell(self._actor, TreeGone(tuple(leftovers)))


class HostActor(BaseActor):
    """See the module.

    Args:
        program: what it is started from.
        settings: how it is run.
        services: the board's.
        reporter: told how this generation goes: the supervisor, or a standby.
        context: the plugins of the host, and the generations beside this one.
        loaded: of a standby: told its process and which plugins are loaded, once it could serve. It does when told to take over.
        waits: the process is started when that is told (`Begin`), and not before.

    Attributes:
        gate: keeps calls from it once it is to end.
    """

    def __init__(
        self,
        program: Program,
        settings: HostSettings,
        services: Services,
        *,
        reporter: Reporter,
        context: GenerationContext,
        loaded: Callable[[int, Handshake], None] | None = None,
        waits: bool = False,
    ) -> None:
        super().__init__(f"{program.name}#{reporter.generation}", services.events, services.clock)
        self.gate: CallGate = CallGate()
        self._generation = Generation(settings, standby=loaded is not None)
        self._program = program
        self._settings = settings
        self._reporter = reporter
        self._context = context
        self._loaded = loaded
        self._watchdog = services.watchdog
        self._start_slots = services.start_slots
        self._armed = Armed()
        self._host: Host | None = None
        self._timer: Timer | None = None
        self._looks = Looks()
        self._handshake_driver = HandshakeDriver(self.actor_ref, self._told)
        if not waits:  # not in on_start: an exception in there would end the actor and tell nobody
            self.actor_ref.tell(BEGIN)

    def on_stop(self) -> None:
        """A generation ends with its actor, however that was stopped; a process that has ended stays so."""
        self._start_slots.give_back(self.actor_urn)
        if self._host is not None:
            self._host.stop("its actor was stopped", KILL_NOW)

    def receive(self, message: Any) -> None:
        """Handle one message."""
        match message:
            case HandshakeAnswered() | HandshakeFailed():
                self._advance(functools.partial(self._handshake_driver.hear, message))
            case UnloadPlugin(loaded_plugin):
                self._advance(functools.partial(self._handshake_driver.unload, loaded_plugin))
            case StartOverdue(extended):
                driver = self._handshake_driver
                been_up = self._context.been_up
                self._happened(Overdue(extended, driver.preparing(), driver.is_loading, been_up))
            case LoadOverdue(loaded_plugin, extended):
                self._on_load_overdue(loaded_plugin, extended=extended)
            case LoadProbed(loaded_plugin, patience, answers):
                self._on_load_probed(loaded_plugin, patience, answers=answers)
            case TakeOver(reporter):
                self._reporter = reporter
                if self._host is not None:
                    self._host.generation = reporter.generation
                self._happened(message)
            case LookAtStart():
                self._looks.look(self._host, functools.partial(self._start_slots.give_back, self.actor_urn))
            case _ if type(message) in EVENTS:
                self._happened(message)
            case _:
                super().receive(message)

    def on_failed(self, message: Any, error: BaseException) -> None:
        """What it was about is half done, so the generation ends; what it has to be told of its end it was told."""
        if isinstance(error, UnknownMessage):
            return
        cause = f"its actor failed on {type(message).__name__}: {shown(error)}"
        if isinstance(message, ProcessEnded):
            self._happened(Lost(Exit(ExitKind.CODE, cause), message.report))
        else:
            self._happened(EndGeneration(cause, ExitKind.CODE))

    def _happened(self, event: Any) -> None:
        """Decide, and carry out what was decided. One effect that fails keeps no other from its turn."""
        before = self._generation.state
        self._generation, effects = step(self._generation, event, self._clock.now())
        if before in STARTS and self._generation.state not in STARTS:
            self._start_slots.give_back(self.actor_urn)
        failed: BaseException | None = None
        for effect in effects:
            try:
                if isinstance(effect, Do):
                    self._do(effect)
                else:
                    self._carry_out(effect)
            except BaseException as error:  # noqa: BLE001 - raised below, once nobody waits for the rest
                failed = failed or error
        if failed is not None:
            raise failed

    def _carry_out(self, effect: StartTimer | Load | Recycle | Stop | News) -> None:
        match effect:
            case StartTimer(seconds, message):
                self._cancel_timer()
                self._timer = self._after(seconds, message)
            case Load(loaded_plugin, patience):
                if patience is not None:
                    self._after(patience, LoadOverdue(loaded_plugin))
                self._advance(functools.partial(self._handshake_driver.load, loaded_plugin))
            case Recycle(exceeded):
                self._context.recycle(exceeded, self._reporter.generation)
            case Stop(reason, ladder):
                assert self._host is not None
                self._host.stop(reason, ladder)
            case _:
                self._tell(effect)

    def _tell(self, news: News) -> None:
        match news:
            case TellDown(ended, report):
                self._tell_down(report, ended=ended)
            case FindSuspect(cause, alone):
                if self._context.ruined(self._handshake_driver.unanswered, cause, alone=alone):
                    self._happened(NextDiffers())
            case Report(exit_):
                self._reporter.ended(exit_)
            case WarnOfLeftovers(pids):
                logger.warning("host %r has left processes that would not end: %s", self._program.name, pids)

    def _do(self, effect: Do) -> None:  # noqa: C901 - one case for each effect
        match effect:
            case Do.TAKE_SLOT:
                self._take_slot()
            case Do.SPAWN:
                self._happened(self._spawn())
            case Do.HANDSHAKE:
                assert self._host is not None
                host, plugins = self._host, self._context.plugins()
                self._advance(functools.partial(self._handshake_driver.open, host, plugins))
            case Do.CANCEL_TIMER:
                self._cancel_timer()
            case Do.TELL_LOADED:
                assert self._host is not None
                assert self._loaded is not None
                self._loaded(self._host.pid, self._handshake_driver.handshake)
            case Do.SERVE:
                assert self._host is not None
                self._context.came_up()
                self._armed = self._context.arm(self.actor_ref, self._host)
                self._handshake_driver.serve(self._armed.on_sent, self._reporter.ready)
            case Do.DRAIN:
                assert self._host is not None
                self._host.drain(functools.partial(tell, self.actor_ref, Drained()))
            case Do.ASK_COVERED:
                if self._context.covered():
                    self._happened(Covered())
            case Do.CLOSE:
                try:
                    self._context.gone()
                finally:
                    self.stop()

    def _take_slot(self) -> None:
        me, granted, longest = self.actor_ref, SlotGranted(), hold(self._settings.start_deadline)
        start = Start(self.actor_urn, longest, lambda: tell(me, granted), lambda: tell(me, LOOK_AT_START))
        if self._start_slots.take(start):
            self._happened(granted)

    def _command(self) -> Command:
        command, hidden = self._program.command(), self._settings.hidden
        return replace(command, secrets=(*command.secrets, *hidden)) if hidden else command

    def _told(self, problem: str) -> str:
        """A problem without what was filled into the plugin's entry, such as a part of the path of its program."""
        return Redactor(self._settings.hidden).text(problem)

    def _spawn(self) -> Spawned | SpawnFailed:
        try:
            self._host = start_host(
                self._program.name,
                self._command(),
                PumpListener(self.actor_ref, self._program.name, self.events),
                generation=self._reporter.generation,
                max_line=self._settings.max_line_bytes,
                max_stray=self._settings.max_stray_lines,
                flight_recorder=self._settings.flight_recorder,
                now=self._clock.now,
                watchdog=self._watchdog,
                carry=self._program.carry,
                dialect=self._program.dialect,
            )
            self.gate.lead_to(self._host)
            self._host.start()
        except HostStartError as error:
            self._host = None
            starved, problem = is_out_of_descriptors(error), self._told(str(error))
            exit_ = Exit(ExitKind.START_FAILED, problem, permanent=error.permanent, starved=starved)
            return SpawnFailed(exit_)
        except BaseException as error:  # noqa: BLE001 - what makes the command line is the embedder's
            contain(error, logger, "starting host %r failed", self._program.name)
            host, self._host = self._host, None  # and a start of which nobody hears is awaited for ever
            if host is not None:
                # If there is a process, it ends when it is read; else the watchdog knows it.
                with suppress(Exception):
                    host.stop("starting it failed", KILL_NOW)
            problem = self._told(f"starting it failed: {shown(error)}")
            return SpawnFailed(Exit(ExitKind.START_FAILED, problem, starved=is_out_of_descriptors(error)))
        return Spawned()

    def _advance(self, move: Callable[[], object]) -> None:
        """Take the handshake a step further, and see whether it is over."""
        try:
            advanced = move()
        except HostGone:
            # It has ended, or has closed its stdin and will have ended for that soon: which of them, and with what
            # status, is the pump's to tell. A verdict now would be the first, and hide that.
            return
        driver = self._handshake_driver
        if self._generation.state is not State.HANDSHAKE:
            return
        if driver.settled:
            self._happened(Settled(driver.failure()))
        elif advanced and driver.one_by_one:
            self._happened(Advanced())

    def _on_load_overdue(self, loaded_plugin: LoadedPlugin, *, extended: bool) -> None:
        preparing = self._handshake_driver.preparing(loaded_plugin)
        if preparing and not extended:
            self._after(self._settings.prepare_timeout, LoadOverdue(loaded_plugin, extended=True))
            return
        patience = self._settings.prepare_timeout if preparing else self._settings.start_deadline
        if self._host is not None and self._handshake_driver.awaits(loaded_plugin):
            probe(
                self._host,
                self._clock,
                lambda answers: tell(self.actor_ref, LoadProbed(loaded_plugin, patience, answers)),
            )

    def _on_load_probed(self, loaded_plugin: LoadedPlugin, patience: float, *, answers: bool) -> None:
        if self._generation.state not in UP or not self._handshake_driver.awaits(loaded_plugin):
            return
        if answers:
            self._advance(lambda: self._handshake_driver.reject(loaded_plugin, patience))
            return
        assert self._host is not None
        self._host.stalled = True
        cause = (
            f"plugin {loaded_plugin.name!r} was not ready within {patience:g} s, and the host answers nothing"
        )
        self._happened(EndGeneration(cause, ExitKind.HANG))

    def _tell_down(self, report: CrashReport | None, *, ended: bool) -> None:
        if ended:
            self._armed.disarm()
            self._handshake_driver.ended()
        self._handshake_driver.down(self._reporter.generation, report)

    def _after(self, seconds: float, message: Any) -> Timer:
        then = functools.partial(tell, self.actor_ref, message)
        return self._clock.call_at(self._clock.now() + seconds, then)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
