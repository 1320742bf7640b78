"""A module that is written for Amplifier, mounted on a board: its tools, its hooks and its end.

A module is taken off as a whole, or tool by tool: with its last one it is cleaned up. How it is mounted and cleaned up
is `plugins.amplifier.module`'s.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol

from ...plugins.adapter.adapter import PluginAdapter
from ...plugins.amplifier.module import Module
from ...plugins.time_limit import time_left

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...plugins.amplifier.coordinator import BoardCoordinator
    from ..catalog.catalog import ToolDescriptor
    from ..endpoint.endpoint import ToolSettings
    from ..hooks.hooks import Hooks

Json = dict[str, Any]


class Takes(Protocol):
    """The board, as far as a module is concerned."""

    @property
    def hooks(self) -> Hooks:
        """Its hooks."""

    def add(
        self, adapter: PluginAdapter, *, config: Json, settings: ToolSettings | None = None
    ) -> tuple[ToolDescriptor, ...]:
        """Run a plugin."""

    def discard(self, name: str) -> None:
        """Take one off."""

    def tools(self) -> list[ToolDescriptor]:
        """All tools."""


class MountedModule:
    """A module on a board; `close` takes it off. Made by `Board.mount`.

    Attributes:
        name: the module's.
        plugins: names of the plugins that it has on the board; ``tools`` are theirs.
        idle: its last plugin was taken off the board.
    """

    def __init__(
        self,
        name: str,
        board: Takes,
        config: Json,
        settings: ToolSettings | None,
        forget: Callable[[], None],
    ) -> None:
        self.name = name
        self.plugins: list[str] = []
        self.idle: bool = False
        self._board = board
        self._settings = settings
        self._forget = forget
        self._module = Module(name, config, take=self._take, let_go=self._let_go, put_on=board.hooks.add)

    @property
    def coordinator(self) -> BoardCoordinator:
        """What the module was given."""
        return self._module.coordinator

    @property
    def tools(self) -> list[ToolDescriptor]:
        """Its tools."""
        return [tool for tool in self._board.tools() if tool.plugin_name in self.plugins]

    def begin(self, mount: Callable[..., Any], timeout: float | None) -> None:
        """Call ``mount(coordinator, config)``. Raises as `Module.mount`."""
        self._module.mount(mount, timeout)

    def close(self) -> None:
        """Take its tools and hooks off, and clean it up. Calls of its tools end with ``cancelled``."""
        self._module.closing = True
        for plugin in list(self.plugins):
            self._board.discard(plugin)
        self.clean_up()

    def has_lost(self, plugin: str) -> None:
        """One of its plugins was taken off."""
        if plugin in self.plugins:
            self.plugins.remove(plugin)
            self.idle = not self.plugins

    def clean_up(self) -> None:
        """Clean it up, once, and end its loop. See `Module.clean_up`.

        Another thread does it where it is asked in that loop, or by a load that has no time left.
        """
        if self._module.runs_here or time_left(None) == 0.0:
            threading.Thread(target=self._end, name=f"callboard-cleanup-{self.name}", daemon=True).start()
        else:
            self._end()

    def _end(self) -> None:
        self._module.clean_up()
        self._forget()

    def _take(self, tool: Any, name: str) -> None:
        adapter = PluginAdapter(self._module.looped(tool), name=name)
        self._board.add(adapter, config=self.coordinator.config, settings=self._settings)
        self.plugins.append(adapter.name)

    def _let_go(self, plugin: str) -> None:
        """It takes one of its own off, and goes on, be it the last one."""
        if plugin in self.plugins:
            self.plugins.remove(plugin)
            self._board.discard(plugin)
