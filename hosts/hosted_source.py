"""Sources whose plugins are programs of one kind: all that is known of such a kind, its tool too, stands beside its host.

A new language is a folder of this room with such a source in it.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from ..plugins.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .hosted_tool import HostedToolPlugin
    from .sandbox.confinement import Confinement


class HostedSource(Source):
    """A source of one plugin that runs in a host of its own, for which nothing has to be made before."""

    __slots__ = ()

    @abstractmethod
    def name(self) -> str:
        """Return the plugin's name, where its entry says no other."""

    @abstractmethod
    def host(self) -> str:
        """Return the kind of its host in one word, for people."""

    @abstractmethod
    def argv(self) -> tuple[str, ...]:
        """Return the host's command line as `callboard plan` shows it. Nothing is looked up."""

    @abstractmethod
    def tool(self, name: str, env: Mapping[str, str], confinement: Confinement) -> HostedToolPlugin:
        """Make the plugin; its host is not started.

        Args:
            name: that it goes by.
            env: variables that its host gets beside the allowed ones.
            confinement: its sandbox and its secrets.

        Raises:
            PluginLoadError: there is nothing to run, or what is there leads out of its folder.
        """
