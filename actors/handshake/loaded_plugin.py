"""A plugin as the generations of its host know it, and all that it is to load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.frozen import frozen
from .handshake import LoadingPlugin

if TYPE_CHECKING:
    from collections.abc import Callable

    import pykka

    from ...hosts.hosted_tool import HostedToolPlugin


@frozen(eq=False)
class LoadedPlugin:
    """A plugin as the generations of its host know it.

    Attributes:
        name: the plugin's, on the board.
        plugin: told which generation is the present one.
        config: what its ``init`` is given.
        tool: the actor that sends its calls.
        load: what the host is told to load for it; ``None`` of one that has its host for itself.
        on_loaded: told each time that its tools are those of a new generation; in its actor's thread.
        on_rejected: told why a generation cannot have it.
    """

    name: str
    plugin: HostedToolPlugin
    config: dict[str, Any]
    tool: pykka.ActorRef[Any]
    load: dict[str, Any] | None
    on_loaded: Callable[[], None]
    on_rejected: Callable[[str], None]

    def loading_plugin(self) -> LoadingPlugin:
        """What a generation has to know to load it."""
        return LoadingPlugin(self.name, self.config, self.load)

    def address(self, params: dict[str, Any]) -> dict[str, Any]:
        """Parameters of a request that is for this plugin; in a host of its own nobody has to say so."""
        return params if self.load is None else params | {"plugin": self.name}


class PluginsToLoad(NamedTuple):
    """What a generation is to load.

    Attributes:
        wanted: those.
        left_out: those that it has to do without, and why.
        one_by_one: the next one when the one before it is loaded or rejected.
    """

    wanted: tuple[LoadedPlugin, ...]
    left_out: tuple[tuple[LoadedPlugin, str], ...] = ()
    one_by_one: bool = False
