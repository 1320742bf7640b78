"""A plugin in a host that is no process: tools as Python functions, faults as a schedule says.

On a board it is like any other hosted plugin: a supervisor starts its generations, a host actor sees to
each, and real protocol lines go back and forth. Only what the lines go to is made of Python, lives in
a `VirtualClock`, and does what a `Schedule` wants at the moment it wants it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...hosts.errors import HostGone, HostTimeout
from ...hosts.hosted_tool import HostedToolPlugin
from ...hosts.protocol.blocking_request import Asked
from ...hosts.protocol.methods import METHODS
from ...hosts.sharing import Sharing
from ..schedule import Schedule
from .script import Script
from .scripted_host import ScriptedHost

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..virtual.clock import VirtualClock
    from .scripted_call import Record, Tool
    from .scripted_generation import ScriptedGeneration

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
        memory_limit: mebibytes that a generation may take before the system kills it.
        record: told what happens.
        founds: makes a host of that name for plugins that share one; ``None``: this one cannot.

    Attributes:
        script: what all its generations play by.

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
        founds: Callable[[str], ScriptedHost] | None = None,
    ) -> None:
        self.script: Script = Script(
            name, tools, clock, schedule or Schedule(),
            schemas=schemas, state=state, latency=latency, memory_limit=memory_limit, record=record,
        )  # fmt: skip
        self._home = ScriptedHost(self.script)
        self._founds = founds
        super().__init__(name, self._home.command, carry=self._home.carry)

    @property
    def generation(self) -> ScriptedGeneration | None:
        """The present generation, or ``None`` if it has ended."""
        return self._home.generation

    @property
    def generations(self) -> list[ScriptedGeneration]:
        """Every generation so far, the last one being the present."""
        return self._home.generations

    def sharing(self) -> Sharing | None:
        if self._founds is None:
            return None
        return Sharing({}, {"scripted": self.name}, self._founds)

    def heal(self) -> None:
        self.script.heal()

    def enter(self, state: str) -> None:
        self.script.enter(state)

    def _ask(self, method: str, params: Json) -> tuple[Any, Json | None]:
        """Send a request and let time pass until it is answered. Raises as `ask`."""
        host, timeout = self.host, METHODS[method].timeout
        if host is None:
            raise HostGone(f"the host of {self.name!r} is not running", host=self.name)
        owner = Asked(method)
        request_id = host.send(method, params, owner)
        within = 3600.0 if timeout is None else timeout
        if not self.script.clock.advance_until(owner.ended.is_set, within) and host.abandon(request_id):
            raise HostTimeout(host=self.name, method=method, seconds=within)
        return owner.outcome(self.name)
