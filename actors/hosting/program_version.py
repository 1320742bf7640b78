"""What the lives of a host are started from, at one time: a program, and what of each plugin it loads."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...hosts.sharing import Program
    from ..handshake.loaded_plugin import LoadedPlugin, PluginsToLoad


@frozen
class ProgramVersion:
    """See the module.

    Attributes:
        program: starts a life.
        loads: what a shared host is told to load, by plugin; those that it does not name are loaded as before.
        holds: what is to live as long as this may be run, such as claims on what lies in the cache.
    """

    program: Program
    loads: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    holds: object = None

    def residents(self, present: PluginsToLoad) -> PluginsToLoad:
        """The same residents, loaded from this."""
        wanted = tuple(self._loaded(loaded_plugin) for loaded_plugin in present.wanted)
        return present._replace(wanted=wanted)

    def _loaded(self, loaded_plugin: LoadedPlugin) -> LoadedPlugin:
        load = self.loads.get(loaded_plugin.name)
        return (
            loaded_plugin if load is None or loaded_plugin.load is None else replace(loaded_plugin, load=load)
        )
