"""What loading makes: a plugin that is ready to be put on a board."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .actors.lodgings import Share
from .plugins.frozen import frozen

if TYPE_CHECKING:
    from .hosts.hosted_tool import HostedToolPlugin
    from .options import Options
    from .plugins.adapter import PluginAdapter

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
        entry: what it was loaded from, to be loaded again; ``None`` of one that somebody had at hand.
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
