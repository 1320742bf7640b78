"""The tools of a board for an Amplifier-style system: a module that it can mount, and the tool one by one.

::

    from callboard.amplifier import mount
    cleanup = await mount(coordinator, {"config": "agent.json"})
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from .agent.core.board_tools import BoardTool, BoardToolsError, ToolResult
from .callboard import Callboard
from .interop.errors import HostedError
from .plugins.adapter.async_bridge import call_in_thread

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .actors.board import Board

__all__ = ["BoardTool", "BoardToolsError", "ToolResult", "mount"]

__amplifier_module_type__ = "tool"

_KEYS = frozenset({"board", "config", "tools", "form", "events"})

Cleanup = Callable[[], Awaitable[None]]


async def mount(coordinator: Any, config: Mapping[str, Any] | None = None) -> Cleanup:
    """Mount the tools of a board into a coordinator; returns what takes them off again.

    Args:
        coordinator: has ``await mount("tools", tool, name=…)``.
        config: ``board``: a board that runs, or ``config``: the configuration of one that is started for this, a path
            or a mapping, and stopped by the cleanup. ``tools``: names or patterns of those to mount, all by default.
            ``form`` and ``events``: see `BoardTool`.

    Raises:
        BoardToolsError: the configuration has neither, or something unknown, or the patterns fit no tool.
        ConfigurationError, PluginError: the board cannot be started.
    """
    given = dict(config or {})
    if unknown := sorted(given.keys() - _KEYS):
        raise BoardToolsError(f"unknown key {unknown[0]!r}; there are: {', '.join(sorted(_KEYS))}")
    if ("board" in given) == ("config" in given):
        raise BoardToolsError("give either 'board', which runs, or 'config', of a board to be started")
    own = None if "board" in given else Callboard(given["config"])
    if own is not None:
        await call_in_thread(own.start)
    board: Board = own.board if own is not None else getattr(given["board"], "board", given["board"])
    mounted: list[str] = []

    async def cleanup() -> None:
        while mounted:
            await coordinator.unmount("tools", name=mounted.pop())
        if own is not None:
            await call_in_thread(own.stop)

    try:
        for name in _chosen(board, given.get("tools")):
            try:
                tool = BoardTool(
                    board,
                    name,
                    coordinator=coordinator,
                    form=given.get("form", "newest"),
                    events=given.get("events"),
                )
            except HostedError:
                # Only one provider has such a tool, and a coordinator's models do not know it.
                continue
            await coordinator.mount("tools", tool, name=name)
            mounted.append(name)
    except BaseException:  # a cancel too may leave nothing mounted
        await cleanup()
        raise
    return cleanup


def _chosen(board: Board, patterns: Any) -> list[str]:
    names = list(dict.fromkeys(tool.tool_name for tool in board.tools() if tool.tool_name))
    if patterns is None:
        return names
    chosen = [name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)]
    if not chosen:
        raise BoardToolsError(f"no tool fits {list(patterns)}; there are: {', '.join(names) or 'none'}")
    return chosen
