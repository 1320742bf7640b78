"""Why a plugin cannot come on a board just now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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


class HostNotRunning(PluginLoadError):
    """A plugin would join a host that was parked or stopped before the plugin came.

    Attributes:
        host: the host's name.
        state: ``parked`` or ``stopped``.
        seconds: for how long, when the plugin came.
        why: why it is parked or stopped.
        report: its last crash report as JSON, or ``None`` if it never crashed.
        next_start_in: seconds until the supervisor tries to start it; ``None`` if only an order starts it.
        neighbours: the plugins that ran there before.
    """

    def __init__(
        self,
        *,
        plugin: str,
        host: str,
        state: str,
        seconds: float,
        why: str,
        report: dict[str, Any] | None,
        next_start_in: float | None,
        neighbours: tuple[str, ...],
    ) -> None:
        # The report of a start that failed before there was a process says no exit.
        crash = (
            f"; its last crash: {report['exit']}, {report['cause']}" if report and "exit" in report else ""
        )
        again = "" if next_start_in is None else f" (the next try is in {next_start_in:.1f} s)"
        super().__init__(
            f"plugin {plugin!r} cannot join the host {host!r}, which runs {' and '.join(map(repr, neighbours))}: it was {state} "
            f"{seconds:.1f} s before: {why}{crash}. Correct that, start the host with `board.revive({host!r})`{again}, "
            "and load the plugin again; or give it another 'share'",
            plugin=plugin,
        )
        self.host = host
        self.state = state
        self.seconds = seconds
        self.why = why
        self.report = report
        self.next_start_in = next_start_in
        self.neighbours = neighbours


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
