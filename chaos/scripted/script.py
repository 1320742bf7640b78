"""What a scripted host plays by, through all its generations: its tools, its schedule, and the faults that wait for their turn."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Protocol

from .. import faults as f
from ..record import ScheduleError
from ..schedules.corruption import noise
from ..schedules.cues import Cues

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..schedule import Schedule
    from ..virtual.clock import VirtualClock
    from .scripted_call import Record, Tool

Json = dict[str, Any]


class Sufferer(Protocol):
    """The generation that faults are done to."""

    @property
    def ended(self) -> bool:
        """Whether it is no more."""

    def suffer(self, fault: f.Fault) -> None:
        """Have a fault at once."""


class Script:
    """See the module; the arguments are those of `ScriptedToolPlugin`.

    Attributes:
        cues: which faults came true.
        guests: of a host that is shared: the plugins that may live in it.
        generation: the last generation so far.
        start_faults: what the next starts will suffer.
        answer_faults: what the next answer will suffer.
        chance: what is left to chance, the same for the same schedule.
        garbage: noise to put into what is said.

    Raises:
        ScheduleError: a fault is for real processes only.
    """

    def __init__(
        self,
        name: str,
        tools: Mapping[str, Tool],
        clock: VirtualClock,
        schedule: Schedule,
        *,
        schemas: Sequence[Json] | None = None,
        state: Json | Callable[[Json], Json] | None = None,
        latency: float = 0.0,
        memory_limit: int = 512,
        record: Record,
    ) -> None:
        own = schedule.of(name)
        for number, entry in enumerate(own.entries):
            if entry.fault.needs_process:
                raise ScheduleError(f"entries[{number}].fault", f"{entry.fault.kind!r} needs a real process")
        self.name = name
        self.clock = clock
        self.tools: dict[str, Tool] = dict(tools)
        self.schemas: list[Json] = list(schemas) if schemas is not None else [_schema(tool) for tool in tools]
        self.initial = state
        self.latency = latency
        self.memory_limit = memory_limit
        self.record = record
        self.cues: Cues = Cues(own)
        self.guests: Mapping[str, Script] = {}
        self.generation: Sufferer | None = None
        self.start_faults: list[f.Fault] = []
        self.answer_faults: list[f.Fault] = []
        self.chance: Random = Random(f"{own.seed} {name}")  # noqa: S311 - a game, no secret
        self.garbage: Callable[[int], bytes] = noise(self.chance.randrange)
        self._refusals = 0
        self._birth_faults: list[f.Fault] = []

    def guest(self, plugin: str | None) -> Script:
        """By which that plugin plays, of those that live in the host; by which all do that do not say who they are."""
        return self if plugin is None else self.guests[plugin]

    def fresh(self, config: Json) -> Json:
        """The state that ``init`` answers."""
        return self.initial(config) if callable(self.initial) else dict(self.initial or {})

    def heal(self) -> None:
        """Let nothing go wrong any more. What has gone wrong already stays so: a hung host hangs."""
        self.cues.healed = True
        self._refusals = 0
        self.start_faults.clear()
        self.answer_faults.clear()

    def enter(self, state: str) -> None:
        """The supervisor has put the host into this state."""
        faults = self.cues.at_state(state)
        if state == "starting":  # told before there is a generation to suffer them
            self._birth_faults += [fault for fault in faults if fault.touches == f.GENERATION]
            faults = [fault for fault in faults if fault.touches != f.GENERATION]
        self.suffer(faults)

    def at_birth(self) -> list[f.Fault] | None:
        """A generation begins: what it suffers at once, or ``None`` if its start is refused."""
        faults = self.cues.at_spawn()
        at_once = self._birth_faults + [fault for fault in faults if fault.touches == f.GENERATION]
        self._birth_faults = []
        self.suffer(fault for fault in faults if fault.touches != f.GENERATION)
        if self._refusals > 0:
            self._refusals -= 1
            return None
        return at_once

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
            elif self.generation is not None and not self.generation.ended:
                self.generation.suffer(fault)


def _schema(tool: str) -> Json:
    return {"type": "function", "function": {"name": tool, "parameters": {"type": "object"}}}
