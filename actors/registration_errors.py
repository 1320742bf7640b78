"""Why a plugin cannot come on a board just now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.errors import CallboardError, PluginLoadError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .endpoint.plugin import PluginHandle


class BoardStopped(CallboardError):
    """The board has been stopped, so it takes no more plugins."""


class StillEnding(PluginLoadError):
    """A plugin's host would have the name of one that was taken off the board and has not ended yet.

    Attributes:
        members: the plugins that have to have ended first.
    """

    def __init__(self, host: str, members: list[PluginHandle], *, plugin: str) -> None:
        super().__init__(
            f"plugin {plugin!r} cannot be run: a host {host!r} was taken off the board and is still ending; try again "
            "when it has, or choose another name",
            plugin=plugin,
        )
        self.members = members


class PluginNameTaken(PluginLoadError):
    """Another plugin, or a host that others share, has the name already; ``plugin`` says which name.

    Attributes:
        by: ``plugin`` or ``host``.
    """

    def __init__(self, message: str, *, plugin: str, by: str) -> None:
        super().__init__(message, plugin=plugin)
        self.by = by


def taken_off(plugin: str) -> PluginLoadError:
    """It was removed while the thread that had added it still waited for it."""
    return PluginLoadError(f"plugin {plugin!r} was taken off the board before it was ready", plugin=plugin)


def require_place(plugin: str, handles: Mapping[str, PluginHandle], *, closed: bool) -> None:
    """Refuse a plugin that cannot come on a board with these plugins.

    Raises:
        BoardStopped: it takes none any more.
        PluginNameTaken: the name is taken.
    """
    if closed:
        raise BoardStopped("the board has been stopped; make a new one")
    if plugin in handles:
        raise PluginNameTaken(
            f"there is a plugin {plugin!r} already; register this one by another name, such as name={plugin + '-2'!r}",
            plugin=plugin,
            by="plugin",
        )
