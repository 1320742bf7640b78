"""What loading makes: a plugin that is ready to be put on a board, or a provider, for who asks models."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..actors.hosting.host_registry import Share
from ..base.errors import PluginError, PluginLoadError
from ..base.foreign import Log
from ..base.frozen import frozen
from ..sources.kinds import spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..agent.requests.provider_adapter import ProviderAdapter
    from ..config.plugin_options import Options
    from ..hosts.hosted_tool import HostedToolPlugin
    from ..plugins.adapter.adapter import PluginAdapter

logger: Log = Log("callboard")

EVERYBODY = "shared"
"""The host of all plugins whose ``share`` is just true."""


@frozen
class Loaded:
    """One plugin, ready to be put on a board.

    Attributes:
        adapter: the plugin, with all defaults.
        hosted: the proxy of its host, or ``None`` if it runs in this process.
        options: how it is run.
        share: the host that it shares with others, or ``None``.
        entry: what it was loaded from, to be loaded again; ``None`` of one that was registered as an object.
        lasting: what it runs lies in the cache, and stays as it is whatever becomes of its source.
    """

    adapter: PluginAdapter
    hosted: HostedToolPlugin | None
    options: Options
    share: Share | None = None
    entry: Any = None
    lasting: bool = False

    def placed(self) -> Loaded:
        """The same plugin, to be put into the host that its options say."""
        word = self.options.share
        return replace(self, share=Share(EVERYBODY if word is True else word)) if word else self


@frozen
class LoadedModule:
    """A module that is written for Amplifier, ready to be mounted on a board, by its ``mount`` function.

    Attributes:
        mount: the function.
        options: how its tools are run.
        entry: what it was loaded from, or ``None``.
        hosted: nothing; it runs in this process.
    """

    mount: Callable[..., Any]
    options: Options
    entry: Any = None
    hosted: None = None


@frozen
class LoadedProvider:
    """A provider of models, or an extension of one. A board runs none; an `AgentCore` that is given the board has it.

    Attributes:
        adapter: the provider, with all defaults.
        entry: what it was loaded from.
    """

    adapter: ProviderAdapter
    entry: Any = None

    @property
    def extension(self) -> bool:
        """It changes how a provider is asked, and asks no model itself."""
        return self.adapter.extension

    @property
    def name(self) -> str:
        """The provider's."""
        return self.adapter.name

    @property
    def kind(self) -> str:
        """``provider`` or ``provider_extension``."""
        return "provider_extension" if self.extension else "provider"

    def status(self) -> dict[str, Any]:
        """What it is, as JSON."""
        return {"name": self.name, "kind": self.kind, "source": spelled(self.entry)}


@frozen
class NotLoaded:
    """A plugin of a package that cannot be loaded; the others of its package can be.

    Attributes:
        error: what went wrong, and what to do.
    """

    error: PluginError


def apart(load: Callable[[], Made]) -> Made | NotLoaded:
    """Load one plugin of a package, which keeps the package's others from nothing."""
    try:
        return load()
    except PluginError as error:
        return NotLoaded(error)


class LoadedProviders:
    """The providers of a board's configuration, in their order. From any thread."""

    def __init__(self) -> None:
        self._all: tuple[LoadedProvider, ...] = ()

    def __iter__(self) -> Iterator[LoadedProvider]:
        return iter(self._all)

    def add(self, one: LoadedProvider) -> None:
        """Take one. Raises `PluginLoadError`: there is a provider of that name."""
        there = next((each for each in self._all if each.name == one.name and not each.extension), None)
        if there is not None and not one.extension:
            one.adapter.close()
            raise PluginLoadError(
                f"there is a provider {one.name!r} already, from {spelled(there.entry)}; "
                f'write "name": "{one.name}-2" in the entry {spelled(one.entry)}',
                plugin=one.name,
            )
        self._all = (*self._all, one)
        logger.info(
            "%s is the %s %r: a board asks no models, an agent does", spelled(one.entry), one.kind, one.name
        )

    def discard(self, one: LoadedProvider) -> None:
        """Close one, which is not wanted after all, and forget it."""
        self._all = tuple(each for each in self._all if each is not one)
        if (interrupt := one.adapter.close()) is not None:
            raise interrupt

    def close(self) -> None:
        """Close those that can be closed, and forget all. Raises an interrupt that comes out of one, at last."""
        gone, self._all = self._all, ()
        interrupts = [found for each in gone if (found := each.adapter.close()) is not None]
        if interrupts:
            raise interrupts[0]


Runs = Loaded | LoadedModule
"""What a board runs."""

Made = Runs | LoadedProvider
"""What an entry comes to."""
