"""What a module that is written for Amplifier is mounted into: a board, in the shape of a coordinator.

Tools that it mounts become tools of the board, handlers that it registers become hooks. All that belongs to other
parts of such a system (providers, contexts, orchestrators) a board does not have, and says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ...base.errors import PluginError
from ...base.foreign import Log
from ..adapter.async_bridge import call_in_thread
from ..hooks.terms import EVENTS

if TYPE_CHECKING:
    from collections.abc import Callable

logger: Log = Log("callboard.actors")

Json = dict[str, Any]


class MountError(PluginError):
    """A module cannot be mounted, or mounts what a board does not take."""


class Registered(Protocol):
    """A hook that was registered."""

    @property
    def name(self) -> str:
        """What it is called."""

    def close(self) -> None:
        """Take it off."""


class BoardHooks:
    """The hooks of a coordinator: `register` puts a handler on the board.

    Args:
        module: the module's name.
        put_on: registers a hook; as `Hooks.add`.
    """

    def __init__(self, module: str, put_on: Callable[..., Registered]) -> None:
        self._module = module
        self._put_on = put_on
        self._handlers: list[tuple[str, str, Registered]] = []
        self._closed = False

    def register(
        self, event: str, handler: Callable[[str, Json], Any], priority: int = 0, name: str | None = None
    ) -> Callable[[], None]:
        """Register a handler; returns what takes it off.

        A board has the events of tools and no others; a handler for another one is never called.
        """
        if event not in EVENTS:
            logger.warning("%s: a board has no event %r; that handler is never called", self._module, event)
            return _nothing
        handle = self._put_on(event, handler, priority=priority, name=name)
        entry = (event, handle.name, handle)
        self._handlers.append(entry)
        if self._closed:  # by another thread, meanwhile
            handle.close()

        def unregister() -> None:
            handle.close()
            if entry in self._handlers:
                self._handlers.remove(entry)

        return unregister

    on = register

    def unregister(self, name: str) -> None:
        """Take the handlers of a name off."""
        for entry in [entry for entry in self._handlers if entry[1] == name]:
            entry[2].close()
            self._handlers.remove(entry)

    def list_handlers(self, event: str | None = None) -> dict[str, list[str]]:
        """The names of the handlers, by event."""
        found: dict[str, list[str]] = {}
        for each, name, _ in self._handlers:
            if event in {None, each}:
                found.setdefault(each, []).append(name)
        return found

    def close(self) -> None:
        """Take all of them off, and each that is registered from now on."""
        self._closed = True
        for _, _, handle in self._handlers:
            handle.close()
        self._handlers.clear()


class BoardCoordinator:
    """See the module.

    Args:
        module: the module's name.
        config: what it is mounted with.
        take: makes a tool, by the name it is mounted under, one of the board's.
        let_go: takes it off.
        hooks: where handlers are registered.

    Attributes:
        hooks: the same.
        config: the same.
        mount_points: what has been mounted, by mount point and name.
        session, session_id, parent_id: none; a board runs calls of many sessions.
    """

    session: Any = None
    session_id: str | None = None
    parent_id: str | None = None

    def __init__(
        self,
        module: str,
        config: Json,
        *,
        take: Callable[[Any, str], None],
        let_go: Callable[[str], None],
        hooks: BoardHooks,
    ) -> None:
        self.hooks = hooks
        self.config = config
        self.mount_points: dict[str, dict[str, Any]] = {"tools": {}}
        self.cleanups: list[Callable[[], Any]] = []
        self._module = module
        self._take = take
        self._let_go = let_go
        self._capabilities: Json = {}
        self._contributors: dict[str, list[tuple[str, Callable[[], Any]]]] = {}

    async def mount(self, mount_point: str, module: Any, name: str | None = None) -> None:
        """Make a tool one of the board's.

        Raises:
            MountError: it is for another mount point than ``tools``.
            PluginError: it is no tool, or its name is taken.
        """
        if mount_point != "tools":
            raise MountError(
                f"{self._module} mounts {mount_point!r}; a board takes 'tools' and hooks, no more",
                plugin=self._module,
            )
        known = name or getattr(module, "name", None) or type(module).__name__
        await call_in_thread(self._take, module, known)
        self.mount_points["tools"][known] = module

    async def unmount(self, mount_point: str, name: str | None = None) -> None:
        """Take a tool off; one that is not there is no error."""
        tools = self.mount_points["tools"] if mount_point == "tools" else {}
        for each in [name] if name is not None else list(tools):
            if tools.pop(each, None) is not None:
                await call_in_thread(self._let_go, each)

    def get(self, mount_point: str, name: str | None = None) -> Any:
        """What this module has mounted: one thing, or all of a mount point by their names."""
        point = self.mount_points.get(mount_point, {})
        return dict(point) if name is None else point.get(name)

    def register_cleanup(self, cleanup_fn: Callable[[], Any]) -> None:
        """Have something called, and awaited if it can be, when the module is taken off."""
        self.cleanups.append(cleanup_fn)

    def register_capability(self, name: str, value: Any) -> None:
        """Keep a value for `get_capability`."""
        self._capabilities[name] = value

    def get_capability(self, name: str) -> Any:
        """That value, or ``None``."""
        return self._capabilities.get(name)

    def register_contributor(self, channel: str, name: str, callback: Callable[[], Any]) -> None:
        """Keep a callback for `collect_contributions`."""
        self._contributors.setdefault(channel, []).append((name, callback))

    async def collect_contributions(self, channel: str) -> list[Any]:
        """What the callbacks of a channel contribute, without those that have nothing."""
        found = [callback() for _, callback in self._contributors.get(channel, ())]
        return [each for each in found if each is not None]


def _nothing() -> None:
    """There is nothing to take off."""
