"""Modules that are written for Amplifier, mounted on a board: their tools, their hooks and their end.

A module has one event loop, in which it is mounted, its tools run and it is cleaned up. It is taken off as a whole,
or tool by tool: with its last one it is cleaned up.
"""

from __future__ import annotations

import inspect
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from ...base.errors import CallboardError
from ...base.foreign import Log
from ...plugins.adapter.adapter import PluginAdapter
from ...plugins.results.failures import describe
from ..threads.event_loop import LoopThread
from .coordinator import BoardCoordinator, BoardHooks, MountError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..catalog.catalog import ToolDescriptor
    from ..endpoint.endpoint import ToolSettings
    from ..hooks.hooks import Hooks

logger = Log("callboard.actors")

Json = dict[str, Any]

CLEANUP_TIMEOUT = 5.0
"""Seconds that the cleaning up of a module may take; past that it is left to itself."""


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


class LoopedTool:
    """An Amplifier-style tool that runs in its module's loop, whichever thread its call is in."""

    def __init__(self, tool: Any, loop: LoopThread) -> None:
        self._tool = tool
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tool, name)

    async def execute(self, input: Json) -> Any:  # noqa: A002 - the contract's name
        """Run the tool."""
        return await self._loop.relay(self._tool.execute, input)


class MountedModule:
    """A module on a board; `close` takes it off. Made by `Board.mount`.

    Attributes:
        name: the module's.
        plugins: names of the plugins that it has on the board; ``tools`` are theirs.
        coordinator: what the module was given.
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
        self._board = board
        self._settings = settings
        self._forget = forget
        self._lock = threading.Lock()
        self._over = False
        self._loop = LoopThread(f"callboard-module-{name}")
        self._hooks = BoardHooks(name, board.hooks.add)
        self.coordinator = BoardCoordinator(
            name, config, take=self._take, let_go=self._let_go, hooks=self._hooks
        )

    @property
    def tools(self) -> list[ToolDescriptor]:
        """Its tools."""
        return [tool for tool in self._board.tools() if tool.plugin_name in self.plugins]

    def begin(self, mount: Callable[..., Any], timeout: float) -> None:
        """Call ``mount(coordinator, config)``.

        Raises:
            MountError: it raised, did not return in time, or has mounted nothing.
            CallboardError: what the board raised within it.
        """
        coordinator = self.coordinator
        try:
            returned = self._loop.call(mount, coordinator, dict(coordinator.config), timeout=timeout)
        except CallboardError:
            raise
        except TimeoutError as error:
            raise self._failed(f"mount did not return within {timeout:g} s") from error
        except BaseException as error:  # the module's code
            raise self._failed(f"mount raised {describe(error)}") from error
        if hasattr(returned, "execute"):  # the contract lets it return the tool, mounted or not
            if returned not in coordinator.mount_points["tools"].values():
                name = str(getattr(returned, "name", None) or self.name)
                self._take(returned, name)
                coordinator.mount_points["tools"][name] = returned
        elif callable(returned):
            coordinator.cleanups.append(returned)
        if not self.plugins and not self._hooks.list_handlers():
            raise self._failed("mount has mounted neither a tool nor a hook")

    def close(self) -> None:
        """Take its tools and hooks off, and clean it up. Calls of its tools end with ``cancelled``."""
        for plugin in list(self.plugins):
            self._board.discard(plugin)
        self.clean_up()

    def has_lost(self, plugin: str) -> None:
        """One of its plugins was taken off; with the last one the module goes."""
        if plugin in self.plugins:
            self.plugins.remove(plugin)
            if not self.plugins:
                self.clean_up()

    def clean_up(self) -> None:
        """Clean it up, once, and end its loop."""
        with self._lock:
            over, self._over = self._over, True
        if over:
            return
        self._forget()
        self._hooks.close()
        for cleanup in reversed(self.coordinator.cleanups):
            try:
                self._loop.call(cleanup, timeout=CLEANUP_TIMEOUT)
            except TimeoutError:
                logger.warning("cleaning up %s took more than %g s, and was left", self.name, CLEANUP_TIMEOUT)
            except BaseException as error:  # noqa: BLE001 - its code; the others are cleaned up all the same
                logger.warning("cleaning up %s raised %s", self.name, describe(error))
        self._loop.close()

    def _take(self, tool: Any, name: str) -> None:
        execute = getattr(tool, "execute", None)
        plain = inspect.isroutine(execute) and not inspect.iscoroutinefunction(execute)
        given = tool if plain or not callable(execute) else LoopedTool(tool, self._loop)
        adapter = PluginAdapter(given, name=name)
        self._board.add(adapter, config=self.coordinator.config, settings=self._settings)
        self.plugins.append(adapter.name)

    def _let_go(self, plugin: str) -> None:
        """It takes one of its own off, and goes on, be it the last one."""
        if plugin in self.plugins:
            self.plugins.remove(plugin)
            self._board.discard(plugin)

    def _failed(self, why: str) -> MountError:
        return MountError(f"cannot mount {self.name}: {why}", plugin=self.name)


class Mounts:
    """The modules of one board. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._modules: list[MountedModule] = []

    def mount(
        self, board: Takes, module: Any, config: Json, *, settings: ToolSettings | None, timeout: float
    ) -> MountedModule:
        function = getattr(module, "mount", module)
        name = str(getattr(module, "__name__", None) or type(module).__name__)
        if not callable(function):
            raise MountError(f"{name} has no mount(coordinator, config)", plugin=name)
        mounted: MountedModule

        def forget() -> None:
            with self._lock, suppress(ValueError):
                self._modules.remove(mounted)

        mounted = MountedModule(name, board, config, settings, forget)
        with self._lock:
            self._modules.append(mounted)
        try:
            mounted.begin(function, timeout)
        except BaseException:  # an interrupt too may leave nothing mounted
            mounted.close()
            raise
        return mounted

    def removed(self, plugin: str) -> None:
        """A plugin was taken off the board."""
        with self._lock:
            modules = list(self._modules)
        for module in modules:
            module.has_lost(plugin)

    def close(self) -> None:
        """Clean all of them up, now that their calls have ended."""
        with self._lock:
            modules = list(self._modules)
        for module in reversed(modules):
            module.clean_up()
