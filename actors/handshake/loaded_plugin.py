"""A plugin as the lives of its host know it, and all of those who live there."""

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
    """A plugin as the lives of its host know it.

    Attributes:
        name: the plugin's, on the board.
        plugin: told which life is the present one.
        config: what its ``init`` is given.
        tool: the actor that sends its calls.
        load: what the host is told to load for it; ``None`` of one that has its host for itself.
        came_in: told each time that its tools are those of a new life; in its actor's thread.
        shut_out: told why a life cannot have it.
    """

    name: str
    plugin: HostedToolPlugin
    config: dict[str, Any]
    tool: pykka.ActorRef[Any]
    load: dict[str, Any] | None
    came_in: Callable[[], None]
    shut_out: Callable[[str], None]

    def loading_plugin(self) -> LoadingPlugin:
        """What a life has to know to take it in."""
        return LoadingPlugin(self.name, self.config, self.load)

    def address(self, params: dict[str, Any]) -> dict[str, Any]:
        """Parameters of a request that is for this plugin; in a host of its own nobody has to say so."""
        return params if self.load is None else params | {"plugin": self.name}


class PluginsToLoad(NamedTuple):
    """Who a life is to take in.

    Attributes:
        wanted: those.
        left_out: those that it has to do without, and why.
        one_by_one: the next one when the one before it is in or out.
    """

    wanted: tuple[LoadedPlugin, ...]
    left_out: tuple[tuple[LoadedPlugin, str], ...] = ()
    one_by_one: bool = False
