"""Hosts that are reloaded when a file of their plugins' source has changed.

One thread looks at the folder of each entry that says so. The outcome of a reload is published as events. After a source
was saved half written the present generation goes on serving, and the next change is another chance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base.errors import CallboardError
from ..base.foreign import Log
from ..base.locks import Lock
from ..config.errors import ConfigurationError
from ..sources.entry import parse_entry

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ..config.configuration import Configuration
    from .file_watcher import SourceWatch

    Watched = tuple[Any, SourceWatch]

logger: Log = Log("callboard.reload")

_EXTRA = "'watch' in the option 'reload' needs the package 'watchfiles'; run: pip install watchfiles"


class ReloadWatches:
    """See the module. From any thread.

    Args:
        reload: reloads the hosts of the plugins that came from an entry, and gives a reason; ``False`` once there are none.
    """

    def __init__(self, reload: Callable[[Any, str], bool]) -> None:
        self._reload = reload
        self._lock = Lock()
        self._watches: list[Watched] = []

    def _is_watched(self, entry: Any) -> bool:
        return any(entry is watched for watched, _ in self._watches)

    def begin(self, entry: Any, configuration: Configuration) -> None:
        """Look at the source of an entry from now on.

        Raises:
            ConfigurationError: there is nothing to look at, nothing to do it with, or the system refuses.
        """
        with self._lock:  # across the start: `end` finds every watch begun, or none yet
            if self._is_watched(entry):
                return
            folder = _watchable(entry, configuration)
            try:
                from .file_watcher import SourceWatch  # noqa: PLC0415 - an extra, which most boards do without
            except ImportError as error:
                raise ConfigurationError(_EXTRA, path="$.reload.watch") from error
            watch = SourceWatch(
                [folder],
                lambda changed: self._changed(entry, changed),
                apart=[configuration.plugin_cache_dir],
            )
            watch.__enter__()
            self._watches.append((entry, watch))

    def end(self) -> None:
        """Look no more; a reload that is under way is not waited for."""
        with self._lock:
            for _, watch in self._watches:
                watch.end()

    def join(self, timeout: float) -> None:
        """Wait for what is under way, and be as new."""
        with self._lock:
            watches, self._watches = self._watches, []
        for _, watch in watches:
            watch.join(timeout)

    def _changed(self, entry: Any, changed: list[str]) -> None:
        told = changed[0] if len(changed) == 1 else f"{changed[0]} and {len(changed) - 1} more"
        try:
            wanted = self._reload(entry, f"{told} changed")
        except CallboardError as error:
            logger.warning("%s", error)
            return
        if not wanted:
            with self._lock:
                gone, self._watches = _parted(self._watches, entry)
            for _, watch in gone:
                watch.end()


def _parted(watches: list[Watched], entry: Any) -> tuple[list[Watched], list[Watched]]:
    """Those of an entry, and the others."""
    gone = [each for each in watches if each[0] is entry]
    return gone, [each for each in watches if each[0] is not entry]


def _watchable(entry: Any, configuration: Configuration) -> Path:
    folder = parse_entry(entry, configuration.base).source.folder()
    if folder is None or not folder.is_dir():
        raise ConfigurationError(
            "'watch' in the option 'reload' is for plugins with a folder that somebody works in; this one has none. "
            "Leave it out, and call reload()",
            path="$.reload.watch",
        )
    return folder
