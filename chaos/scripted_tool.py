"""A plugin in a host that is no process: tools as Python functions, faults as a schedule says.

On a board it is like any other hosted plugin: a supervisor starts its lives, a host actor sees to
each, and real protocol lines go back and forth. Only what the lines go to is made of Python, lives in
a `VirtualClock`, and does what a `Schedule` wants at the moment it wants it.
"""

from __future__ import annotations

import threading
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from ..hosts.errors import HostGone, HostStartError, HostTimeout, ProtocolBreach, RemoteError
from ..hosts.hosted_tool import HostedToolPlugin
from ..hosts.methods import METHODS
from ..hosts.process import Command
from . import faults as f
from .cues import Cues
from .datum import ScheduleError
from .schedule import Schedule
from .scripted_life import ScriptedLife
from .spoiling import noise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..hosts.process import ProcessListener
    from ..hosts.report import CrashReport
    from ..hosts.watchdog import Watchdog
    from .scripted_call import Record, Tool
    from .virtual_clock import VirtualClock

Json = dict[str, Any]


class ScriptedToolPlugin(HostedToolPlugin):
    """See the module.

    Args:
        name: the plugin's, and its host's.
        tools: the functions by name; see `scripted_call`.
        clock: the time in which it lives.
        schedule: what goes wrong; entries for other hosts are left out.
        schemas: of the tools; one that accepts any object for each, by default.
        state: what ``init`` answers: a mapping, or a function that makes one of the configuration.
        latency: seconds that every answer takes.
        memory_limit: mebibytes that a life may take before the system kills it.
        record: told what happens.

    Attributes:
        cues: which faults came true.
        lives: every life so far, the last one being the present.
        start_faults: what the next starts will suffer.
        answer_faults: what the next answer will suffer.

    Raises:
        ScheduleError: a fault is for real processes only.
    """

    def __init__(
        self,
        name: str,
        tools: Mapping[str, Tool],
        clock: VirtualClock,
        schedule: Schedule | None = None,
        *,
        schemas: Sequence[Json] | None = None,
        state: Json | Callable[[Json], Json] | None = None,
        latency: float = 0.0,
        memory_limit: int = 512,
        record: Record = lambda _kind, _host, _facts: None,
    ) -> None:
        super().__init__(name, lambda: Command(("scripted", name), {}), carry=self._begin_life)
        own = (schedule or Schedule()).of(name)
        for number, entry in enumerate(own.entries):
            if entry.fault.needs_process:
                raise ScheduleError(f"entries[{number}].fault", f"{entry.fault.kind!r} needs a real process")
        self.clock = clock
        self.tools = dict(tools)
        self.schemas = list(schemas) if schemas is not None else [_schema(tool) for tool in tools]
        self.initial = state
        self.latency = latency
        self.memory_limit = memory_limit
        self.record = record
        self.cues = Cues(own)
        self.lives: list[ScriptedLife] = []
        self.start_faults: list[f.Fault] = []
        self.answer_faults: list[f.Fault] = []
        self.chance = Random(f"{own.seed} {name}")  # noqa: S311 - a game, no secret
        self.garbage = noise(self.chance.randrange)
        self._refusals = 0
        self._birth_faults: list[f.Fault] = []
        for seconds in self.cues.times():
            clock.call_at(clock.start + seconds, partial(self._at_time, seconds))

    @property
    def life(self) -> ScriptedLife | None:
        """The present life, or ``None`` if it has ended."""
        return self.lives[-1] if self.lives and not self.lives[-1].ended else None

    def heal(self) -> None:
        """Let nothing go wrong any more. What has gone wrong already stays so: a hung host hangs."""
        self.cues.healed = True
        self._refusals = 0
        self.start_faults.clear()
        self.answer_faults.clear()

    def enter(self, state: str) -> None:
        """The supervisor has put the host into this state."""
        faults = self.cues.at_state(state)
        if state == "starting":  # told before there is a life to suffer them
            self._birth_faults += [fault for fault in faults if fault.touches == f.LIFE]
            faults = [fault for fault in faults if fault.touches != f.LIFE]
        self.suffer(faults)

    def _at_time(self, seconds: float) -> None:
        self.suffer(self.cues.at_time(seconds))

    def suffer(self, faults: Iterable[f.Fault]) -> None:
        """Have faults at once, or keep them for the next answer or start."""
        for fault in faults:
            self.record("fault", self.name, fault.as_dict("do"))
            if isinstance(fault, f.RefuseStart):
                self._refusals += fault.times
            elif fault.touches == f.START:
                self.start_faults.append(fault)
            elif fault.touches == f.ANSWER:
                self.answer_faults.append(fault)
            elif self.life is not None:
                self.life.suffer(fault)

    def _begin_life(
        self,
        host: str,
        command: Command,  # noqa: ARG002 - there is nothing to start
        listener: ProcessListener,
        watchdog: Watchdog | None,  # noqa: ARG002 - nor to watch
    ) -> ScriptedLife:
        """See `hosts.carrier.Carry`."""
        faults = self.cues.at_spawn()
        at_once = self._birth_faults + [fault for fault in faults if fault.touches == f.LIFE]
        self._birth_faults = []
        self.suffer(fault for fault in faults if fault.touches != f.LIFE)
        if self._refusals > 0:
            self._refusals -= 1
            self.record("refused", host, {"start": self.cues.life})
            raise HostStartError(f"cannot start host {host!r}: refused", host=host, permanent=False)
        life = ScriptedLife(self, self.clock.serial(), listener, at_once)
        self.lives.append(life)
        return life

    def _ask(self, method: str, params: Json) -> tuple[Any, Json | None]:
        """Send a request and let time pass until it is answered. Raises as `Host.ask`."""
        host, timeout = self.host, METHODS[method].timeout
        if host is None:
            raise HostGone(f"the host of {self.name!r} is not running", host=self.name)
        owner = _Asked(method)
        request_id = host.send(method, params, owner)
        within = 3600.0 if timeout is None else timeout
        if not self.clock.advance_until(owner.ended.is_set, within) and host.abandon(request_id):
            raise HostTimeout(host=self.name, method=method, seconds=within)
        return owner.answer(self.name)


def _schema(tool: str) -> Json:
    return {"type": "function", "function": {"name": tool, "parameters": {"type": "object"}}}


class _Asked:
    """The owner of a request that somebody lets time pass for."""

    def __init__(self, method: str) -> None:
        self.call_id = method
        self.ended = threading.Event()
        self._value: tuple[Any, Json | None] = (None, None)
        self._error: Callable[[str], Exception] | None = None

    def answer(self, host: str) -> tuple[Any, Json | None]:
        if self._error is not None:
            raise self._error(host)
        return self._value

    def on_part(self, payload: Any) -> None:
        """Nobody asked for parts."""

    def on_answer(self, value: Any, state: Json | None) -> None:
        self._value = value, state
        self.ended.set()

    def on_refused(self, error: Json) -> None:
        self._error = lambda host: RemoteError(error, host=host)
        self.ended.set()

    def on_breach(self, reason: str, detail: str) -> None:
        self._error = lambda host: ProtocolBreach(host=host, reason=reason, detail=detail)
        self.ended.set()

    def on_lost(self, report: CrashReport) -> None:
        self._error = lambda host: HostGone(report.summary, host=host, report=report.as_dict())
        self.ended.set()

    def on_released(self) -> None:
        self.ended.set()
