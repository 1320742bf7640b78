"""What the generations of a scripted host are started from, whatever plugins it has."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...hosts.errors import HostStartError
from ...hosts.process.process import Command
from .scripted_generation import ScriptedGeneration

if TYPE_CHECKING:
    from ...hosts.process.process import ProcessListener
    from ...hosts.process.transport import Carry
    from ...hosts.process_tree.watchdog import Watchdog
    from .script import Script


class ScriptedHost:
    """See the module. It is a `Program`.

    Attributes:
        script: what all its generations play by.
        generations: every generation so far, the last one being the present.
    """

    kind = "program"
    dialect: None = None

    def __init__(self, script: Script) -> None:
        self.name: str = script.name
        self.script = script
        self.generations: list[ScriptedGeneration] = []
        self.carry: Carry = self._begin_generation
        for seconds in script.cues.times():
            script.clock.call_at(script.clock.start + seconds, partial(self._at_time, seconds))

    @property
    def generation(self) -> ScriptedGeneration | None:
        """The present generation, or ``None`` if it has ended."""
        return self.generations[-1] if self.generations and not self.generations[-1].ended else None

    def command(self) -> Command:
        """Nothing is started by it."""
        return Command(("scripted", self.name), {})

    def limit_memory(self, resident: int) -> None:
        """A scripted host takes as much as its schedule says."""

    def _at_time(self, seconds: float) -> None:
        self.script.suffer(self.script.cues.at_time(seconds))

    def _begin_generation(
        self,
        host: str,
        command: Command,
        listener: ProcessListener,
        watchdog: Watchdog | None,
    ) -> ScriptedGeneration:
        script = self.script
        at_once = script.at_birth()
        if at_once is None:
            script.record("refused", host, {"start": script.cues.generation})
            raise HostStartError(f"cannot start host {host!r}: refused", host=host, permanent=False)
        generation = ScriptedGeneration(script, script.clock.serial(), listener, at_once)
        script.generation = generation
        self.generations.append(generation)
        return generation
