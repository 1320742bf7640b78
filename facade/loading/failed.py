"""What of a configuration could not be loaded, or whose hosts did not come up, and which is not required: plugins and formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

from ..base.errors import CallboardError
from ..base.foreign import Log
from ..base.frozen import frozen
from ..sources.kinds import spelled

logger: Log = Log("callboard")


@frozen
class FailedPlugin:
    """A plugin of the configuration that could not be loaded, or not be started, or a contribution; the others run without it.

    Attributes:
        source: as the configuration spells it, without its options.
        error: what went wrong, and what to do.
        plugin: its name, if it is on the board and may come up yet: its host is parked, and can be revived. ``None``
            if it is not there.
    """

    source: str
    error: str
    plugin: str | None = None


class Noting:
    """Notes the failure of a plugin that is not required; nothing once the board is being stopped, which ends each start.

    Args:
        failed: where it is noted.
        entry: the plugin's.
        stopped: returns whether the board has been stopped.
    """

    def __init__(self, failed: list[FailedPlugin], entry: Any, stopped: Callable[[], bool]) -> None:
        self._failed = failed
        self._entry = entry
        self._stopped = stopped

    def __enter__(self) -> Self:
        return self

    def note(self, error: object, plugin: str | None = None) -> None:
        """It is not there for this reason; ``plugin`` as of `FailedPlugin`."""
        if self._stopped():
            return
        source = spelled(self._entry)
        self._failed.append(FailedPlugin(source, str(error), plugin))
        what = "is left out" if plugin is None else f"did not come up as {plugin!r}"
        logger.warning("plugin %s %s: %s", source, what, error)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> bool:
        required = isinstance(self._entry, Mapping) and bool(self._entry.get("required"))
        if not isinstance(error, CallboardError):
            return False
        if required:
            error.add_note(f"{spelled(self._entry)} is 'required': without it the board does not start")
            return False
        self.note(error)
        return True
