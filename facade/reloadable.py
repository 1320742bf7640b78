"""The part of the front door that reloads hosts, by hand or because files have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .base.validation import is_text, require_seconds, require_several, require_text
from .loading.origins import Origins, require_watchable
from .reload.watch import ReloadWatches

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .actors.board import Board
    from .actors.reload.reload import Reloaded
    from .config.configuration import Configuration
    from .loading.loaded import Loaded

_LAST_RELOAD = 1.0
"""Seconds that a reload has to notice that the board was stopped; what npm still does is not waited for."""


class Reloadable:
    """See the module. Whoever is one says which board runs, and has the configuration by which it was loaded."""

    configuration: Configuration

    def __init__(self) -> None:
        self._origins = Origins()
        self._watches = ReloadWatches(self._reload_changed)

    @property
    def _running(self) -> Board:
        raise NotImplementedError

    def reload(
        self,
        name: str,
        *,
        timeout: float | None = None,
        refuse: Iterable[str] | None = None,
        reason: str = "by hand",
    ) -> Reloaded:
        """Load what a plugin's host runs anew, from what is on the disk now, and have it take over between two calls.

        The sources are made ready again and a further host loads them while the present one serves on. Calls under way end
        there, the next ones go to the new one, with the state that there is. If it cannot be loaded, breaks the contract, takes
        other plugins' names or changes its tools in a way that is refused, nothing has changed. All plugins of the host
        are loaded together. Waits until the new one serves, or will not.

        Args:
            name: the plugin's, or the host's.
            timeout: seconds that it may take beyond the making of its sources; no limit if ``None``.
            refuse: changes of tools that are not taken over, ``added``, ``removed``, ``changed``, instead of what the
                option ``reload`` says.
            reason: for the events.

        Raises:
            ReloadRefused: there is no such host, the plugin runs in this process, its source has other plugins now, or two
                lives of its host must not be.
            NotStarted: the board does not run.
        """
        from .reload.rebuild import reload_host  # noqa: PLC0415 - most boards never reload

        require_text("the name of a host or a plugin", name)
        if timeout is not None:
            require_seconds("timeout", timeout)
        if refuse is not None and not isinstance(refuse, str):
            refuse = require_several("refuse", refuse, is_text, "a text")
        return reload_host(
            self._origins,
            self._running,
            name,
            self.configuration,
            timeout=timeout,
            refuse=refuse,
            reason=reason,
        )

    def _require(self, one: Loaded) -> None:
        """See that what a plugin wants can be done, before it goes on the board."""
        require_watchable(one)

    def _noted(self, one: Loaded) -> None:
        """A plugin goes on the board: from now on it can be reloaded."""
        self._origins.note(one)
        if one.options.reload.watch:
            self._watches.begin(one.entry, self.configuration)

    def _forget_origins(self) -> None:
        """The board was stopped: nothing is watched, and nothing in the cache is claimed any more."""
        self._watches.join(_LAST_RELOAD)
        self._origins.clear()

    def _reload_changed(self, entry: Any, reason: str) -> bool:
        """The files of an entry have changed; False if none of its plugins is on the board."""
        host_registry = self._running.plugin_manager.host_registry
        hosts = {
            supervised_host.name
            for name in self._origins.of_entry(entry)
            if (supervised_host := host_registry.of(name)) is not None
        }
        for host in sorted(hosts):
            self.reload(host, reason=reason)
        return bool(hosts)
