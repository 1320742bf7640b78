"""Plugins that need nothing but a host: each is what its source makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..hosts.hosted_source import HostedSource
from ..plugins.adapter.adapter import PluginAdapter
from .loaded import Loaded
from .source_loader import Loader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..config.configuration import Configuration
    from ..config.plugin_options import Options


class HostedLoader(Loader[HostedSource]):
    """See the module."""

    def load(self, source: HostedSource, options: Options, _: Configuration) -> Iterator[Loaded]:
        tool = source.tool(options.name or source.name(), options.env, options.confinement)
        yield Loaded(PluginAdapter(tool), tool, options)

    def takes_long(self, _: HostedSource, __: bool | None, ___: Configuration) -> bool:
        return False

    def host(self, source: HostedSource, _: bool | None, __: Configuration) -> str:
        return source.host()

    def argv(self, source: HostedSource, _: Options, __: Configuration) -> tuple[str, ...]:
        return source.argv()

    def variables(self, _: HostedSource, __: Configuration) -> frozenset[str]:
        return frozenset()


LOADER = HostedLoader()
