"""The plugins whose callers a soak interrupts: a tool of this process, a host and an MCP server. Nothing else is done to them but kills."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from ...plugins.adapter.adapter import PluginAdapter
from ..inject.evil_tool import EvilToolPlugin
from ..inject.signals import send
from .interrupts import Target
from .mcp_servers import mcp_server, mcp_wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ...actors.board import Board
    from ...actors.endpoint.endpoint import ToolSettings
    from ...hosts.hosted_tool import HostedToolPlugin

Json = dict[str, Any]

_PARTS = 2


class InterruptedTool:
    """Emits some parts, and then says how many."""

    name = "interrupted_tool"

    def get_tool_schemas(self, state: Json) -> list[Json]:
        """Its one tool."""
        return [{"type": "function", "function": {"name": self.name, "parameters": {"type": "object"}}}]

    def stream_tool(self, tool_name: str | None, payload: Json, state: Json) -> Iterator[Any]:
        """Run it."""
        yield from range(1, payload["parts"] + 1)
        yield {"success": True, "result": payload["parts"]}


def add_targets(
    board: Board,
    folder: Path,
    language: Literal["node", "python"],
    begin_hosted: Callable[[Board, HostedToolPlugin], object],
    settings: ToolSettings,
) -> list[Target]:
    """Add the plugins to a board.

    Args:
        board: that is running.
        folder: for the host's files and the server's ledger.
        language: of the host.
        begin_hosted: adds a plugin that runs in a host.
        settings: of the tool in this process.
    """
    tool = InterruptedTool()
    board.add(PluginAdapter(tool), config={}, settings=settings)
    host = EvilToolPlugin("interrupted_host", folder=folder, language=language)
    server = mcp_server("interrupted_server")
    for plugin in (host, server):
        begin_hosted(board, plugin)
        board.settle_hosted(plugin.name, required=True)
    ledger = folder / f"{server.name}.ledger"
    return [
        Target(tool.name, partial(_wire, tool.name)),
        Target(host.name, partial(_wire, host.tool("stream")), partial(_kill, host)),
        Target(
            server.name,
            lambda call: mcp_wire(server.name, call, ledger, parts=_PARTS),
            partial(_kill, server),
        ),
    ]


def _wire(tool: str, call: str) -> Json:
    return {"type": "function_call", "call_id": call, "name": tool, "arguments": {"parts": _PARTS}}


def _kill(plugin: HostedToolPlugin) -> None:
    if plugin.host is not None:
        send(plugin.host.pid, 9)
