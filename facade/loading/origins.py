"""Where the plugins of a board came from, so that they can be loaded again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..config.errors import ConfigurationError
from ..sources.kinds import spelled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .loaded import Loaded


class Origins:
    """Remembers how each plugin was loaded, by name. From any thread."""

    def __init__(self) -> None:
        self._loaded: dict[str, Loaded] = {}

    def note(self, *loaded: Loaded) -> None:
        """Plugins go on the board, or are on it as they are now."""
        self._loaded.update((one.adapter.name, one) for one in loaded)

    def clear(self) -> None:
        """Forget all, and with it what they hold."""
        self._loaded.clear()

    @property
    def loaded(self) -> Mapping[str, Loaded]:
        """All of them, by the plugins' names."""
        return self._loaded

    def source_of(self, name: str) -> str | None:
        """The source of a plugin as its entry has it; ``None`` of one that was loaded from no entry."""
        one = self._loaded.get(name)
        return None if one is None or one.entry is None else spelled(one.entry)

    def of_entry(self, entry: Any) -> list[str]:
        """The plugins that came from just this entry."""
        return [name for name, one in tuple(self._loaded.items()) if one.entry is entry]


def require_watchable(one: Loaded) -> None:
    """See that a plugin that is to be reloaded when its files change can be.

    Raises:
        ConfigurationError: it runs from no entry.
    """
    if one.options.reload.watch and one.entry is None:
        raise ConfigurationError(
            "'watch' in the option 'reload' is for plugins that are loaded from a source; call reload()",
            path="$.reload.watch",
        )
