"""Which hosts can be reloaded: where their plugins came from, and the files that are watched for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base.validation import is_text, require_seconds, require_several, require_text
from ..loading.origins import Origins, require_watchable
from .watch import ReloadWatches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..actors.board import Board
    from ..actors.reload.reload import Reloaded
    from ..config.configuration import Configuration
    from ..loading.loaded import Loaded

_LAST_RELOAD = 1.0
"""Seconds that a reload has to notice that the board was stopped; what npm still does is not waited for."""


class Reloads:
    """See the module. From any thread.

    Args:
        running: the board that runs; raises `NotStarted` if there is none.
        configuration: returns that by which plugins are loaded, as it is then.

    Attributes:
        origins: where the plugins came from.
    """

    def __init__(self, running: Callable[[], Board], configuration: Callable[[], Configuration]) -> None:
        self.origins: Origins = Origins()
        self._running = running
        self._configuration = configuration
        self._watches = ReloadWatches(self._reload_changed)

    def require(self, one: Loaded) -> None:
        """Check that a plugin can be watched if its options say so. Raises `ConfigurationError`."""
        require_watchable(one)

    def note(self, one: Loaded) -> None:
        """A plugin goes on the board: from now on it can be reloaded."""
        self.origins.note(one)
        if one.options.reload.watch:
            self._watches.begin(one.entry, self._configuration())

    def reload(
        self, name: str, *, timeout: float | None, refuse: Iterable[str] | None, reason: str
    ) -> Reloaded:
        """Reload the host of that name, or of that plugin. Arguments and errors as `Callboard.reload`."""
        from .rebuild import reload_host  # noqa: PLC0415 - most boards never reload

        require_text("the name of a host or a plugin", name)
        if timeout is not None:
            require_seconds("timeout", timeout)
        if refuse is not None and not isinstance(refuse, str):
            refuse = require_several("refuse", refuse, is_text, "a text")
        board, configuration = self._running(), self._configuration()
        return reload_host(
            self.origins, board, name, configuration, timeout=timeout, refuse=refuse, reason=reason
        )

    def end(self) -> None:
        """Watch no more; a reload that is under way is not waited for."""
        self._watches.end()

    def clear(self) -> None:
        """The board was stopped: nothing is watched, and nothing in the cache is claimed any more."""
        self._watches.join(_LAST_RELOAD)
        self.origins.clear()

    def _reload_changed(self, entry: Any, reason: str) -> bool:
        """The files of an entry have changed; False if none of its plugins is on the board."""
        host_registry = self._running().plugin_manager.host_registry
        hosts = {
            supervised_host.name
            for name in self.origins.of_entry(entry)
            if (supervised_host := host_registry.of(name)) is not None
        }
        for host in sorted(hosts):
            self.reload(host, timeout=None, refuse=None, reason=reason)
        return bool(hosts)
