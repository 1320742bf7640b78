"""The part of a board that takes plugins and modules written for Amplifier, tells their tools, and takes them off again."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .board_hooks import TakesHooks
from .catalog.catalog import ToolDescriptor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..plugins.adapter.adapter import PluginAdapter
    from .amplifier.mount import MountedModule, Mounts
    from .catalog.catalog import Catalog
    from .endpoint.endpoint import ToolSettings
    from .plugins.manager import PluginManager

Json = dict[str, Any]


class TakesModules(TakesHooks):
    """See the module. Whoever is one has a plugin_manager and a catalog, and sets ``_mounts``."""

    plugin_manager: PluginManager
    catalog: Catalog
    _mounts: Mounts

    def add(
        self,
        adapter: PluginAdapter,
        *,
        config: Json,
        settings: ToolSettings | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> tuple[ToolDescriptor, ...]:
        """Run a plugin in this process; returns its tools. ``context`` is for its set-up. See `PluginManager.add`."""
        return self.plugin_manager.add(adapter, config=config, settings=settings, context=context)

    def tools(self) -> list[ToolDescriptor]:
        """All tools, in the order in which their plugins were registered, whichever host was up first."""
        return [
            ToolDescriptor(tool.plugin_name, tool.tool_name, tool.schema, member.available)
            for name, member in self.plugin_manager.members().items()
            for tool in self.catalog.offers.get(name, ())
        ]

    def mount(
        self,
        module: Any,
        config: Json | None = None,
        *,
        settings: ToolSettings | None = None,
        timeout: float = 60.0,
    ) -> MountedModule:
        """Mount a module that is written for Amplifier: its tools become the board's, its handlers hooks.

        It is cleaned up when its last tool is taken off, and when the board stops, after its calls have ended.

        Args:
            module: has ``mount(coordinator, config)``, or is that function.
            config: given to it.
            settings: how the calls of its tools are run.
            timeout: seconds that mounting may take.

        Raises:
            MountError: its ``mount`` raised, took too long or mounted nothing that a board has; all is taken off again.
            PluginError: what it mounts is no tool, or a name is taken.
        """
        return self._mounts.mount(self, module, dict(config or {}), settings=settings, timeout=timeout)

    def remove(self, name: str, *, forget_state: bool = False) -> None:
        """Take a plugin off the board. See `PluginManager.remove`."""
        try:
            self.plugin_manager.remove(name, forget_state=forget_state)
        finally:
            self._mounts.removed(name)

    def discard(self, name: str, only: PluginAdapter | None = None) -> None:
        """As `remove`, of a plugin that may have been taken off already; ``only`` if it still is this one."""
        with suppress(KeyError):
            self.plugin_manager.remove(name, only=only)
            self._mounts.removed(name)
