"""A candidate: a further generation of a host, started from another version of its program, that may become the next one.

It is a standby on trial: loaded, sent no calls, without a number, and spending nothing of the
host's budget. What it does until it is taken is its own affair. If it crashes while it loads, no plugin of
the host is blamed for that: the present generation, which has the same plugins, is well.
"""

from __future__ import annotations

import threading
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen
from ...base.locks import Lock
from ...supervision.runtime.telling import tell
from .messages import EndGeneration, TakeOver

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pykka

    from ...hosts.host import Host
    from ...hosts.limits.limits import Exceeded
    from ...hosts.sharing import Program
    from ...supervision.restart.exits import Exit
    from ..handshake.handshake import Handshake, LoadedPlugin, PluginsToLoad
    from .contracts import Armed, GenerationContext, Reporter


@frozen
class ProgramVersion:
    """What generations of a host are started from, at one time: a program, and what of each plugin it loads.

    Attributes:
        program: starts a generation.
        loads: what a shared host is told to load, by plugin; those that it does not name are loaded as before.
        holds: what is to be kept as long as this may be run, such as claims on what lies in the cache.
    """

    program: Program
    loads: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    holds: object = None

    def plugins(self, present: PluginsToLoad) -> PluginsToLoad:
        """The same plugins, loaded from this."""
        wanted = tuple(self._loaded(loaded_plugin) for loaded_plugin in present.wanted)
        return present._replace(wanted=wanted)

    def _loaded(self, loaded_plugin: LoadedPlugin) -> LoadedPlugin:
        load = self.loads.get(loaded_plugin.name)
        return (
            loaded_plugin if load is None or loaded_plugin.load is None else replace(loaded_plugin, load=load)
        )


class Candidate:
    """See the module. It is a `Reporter`, until it is taken, and the `GenerationContext` of its generation.

    Args:
        program_version: what it is started from.
        context: the plugins of the host, and the generations beside it.

    Attributes:
        actor: the generation.
        known: set once it is loaded, or has ended.
        handshake: which plugins are loaded and which are not, once that is known.
        exit: how it has ended, if it has before it was taken.
        host: the process, once it serves.
    """

    def __init__(self, program_version: ProgramVersion, context: GenerationContext) -> None:
        self.program_version = program_version
        self.actor: pykka.ActorRef[Any] | None = None
        self.known: threading.Event = threading.Event()
        self.handshake: Handshake | None = None
        self.exit: Exit | None = None
        self.host: Host | None = None
        self._context = context
        self._plugins = program_version.plugins(context.plugins())
        self._lock = Lock()
        self._successor: Reporter | None = None

    @property
    def loaded_plugins(self) -> dict[str, LoadedPlugin]:
        """The plugins as its generation knows them, by name."""
        return {loaded_plugin.name: loaded_plugin for loaded_plugin in self._plugins.wanted}

    def take(self, reporter: Reporter) -> pykka.ActorRef[Any] | None:
        """Make it the generation that ``reporter`` reports on; ``None`` if it has ended already.

        One that ends at this very moment is reported to ``reporter`` all the same.
        """
        with self._lock:
            if self.exit is not None or self.actor is None:
                return None
            self._successor = reporter
        tell(self.actor, TakeOver(reporter))
        return self.actor

    def dismiss(self, reason: str) -> None:
        """End it."""
        if self.actor is not None:
            tell(self.actor, EndGeneration(reason))

    # What its generation reports

    @property
    def generation(self) -> int:
        return 0

    def ready(self) -> None:
        """Nobody sends it calls."""

    def loaded(self, pid: int, handshake: Handshake) -> None:
        """It could take over now."""
        self.handshake = handshake
        self.known.set()

    def ended(self, exit_: Exit) -> None:
        with self._lock:
            successor = self._successor
            if successor is None:
                self.exit = exit_
        self.known.set()
        if successor is not None:
            successor.ended(exit_)

    # What its generation asks; see `GenerationContext`

    def plugins(self) -> PluginsToLoad:
        return self._plugins

    @property
    def been_up(self) -> bool:
        return self._context.been_up

    def came_up(self) -> None:
        self._context.came_up()

    def ruined(self, coming: Sequence[str], cause: str, *, alone: bool) -> bool:
        return self._successor is not None and self._context.ruined(coming, cause, alone=alone)

    def covered(self) -> bool:
        return self._successor is not None and self._context.covered()

    def arm(self, actor: pykka.ActorRef[Any], host: Host) -> Armed:
        self.host = host
        return self._context.arm(actor, host)

    def recycle(self, exceeded: Exceeded, generation: int) -> None:
        self._context.recycle(exceeded, generation)

    def gone(self) -> None:
        self._context.gone()
