"""What a loader of plugins is. Each kind of source has one, in a module that is imported with the first source of the kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..config.configuration import Configuration
    from ..config.plugin_options import Options
    from .loaded import Made, NotLoaded

S = TypeVar("S")


class Loader(ABC, Generic[S]):
    """Makes plugins of sources of some kinds, and knows beforehand what it will do."""

    @abstractmethod
    def load(self, source: S, options: Options, configuration: Configuration) -> Iterator[Made | NotLoaded]:
        """Find and read the plugins of a source; nothing is started yet.

        Raises:
            PluginLoadError: the source cannot be found or read.
            ContractError: what was found is no plugin.
            ConfigurationError: an option cannot hold for it.
        """

    @abstractmethod
    def takes_long(self, source: S, isolate: bool | None, configuration: Configuration) -> bool:
        """Whether something may have to be made for a source. Raises `PluginLoadError` as `load`."""

    @abstractmethod
    def host(self, source: S, isolate: bool | None, configuration: Configuration) -> str | None:
        """Return the kind of host that its plugins will run in, in one word; ``None`` in this process or elsewhere.

        Raises:
            PluginLoadError: as `load`.
        """

    @abstractmethod
    def argv(self, source: S, options: Options, configuration: Configuration) -> tuple[str, ...]:
        """Return the host's command line as `callboard plan` shows it; empty without a host. Raises `PluginLoadError` as `load`."""

    @abstractmethod
    def variables(self, source: S, configuration: Configuration) -> frozenset[str]:
        """Return the names of the variables that its host gets from the source itself, beside those of its options."""
