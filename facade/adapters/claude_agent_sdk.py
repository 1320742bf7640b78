"""The tools of a board for the Claude Agent SDK, as an MCP server in this process. Needs ``claude-agent-sdk``.

from callboard.adapters.claude_agent_sdk import server
options = ClaudeAgentOptions(mcp_servers={"callboard": server(board)})
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from claude_agent_sdk import SdkMcpTool, create_sdk_mcp_server

from ..version import __version__
from .common import Offered, offered, run

if TYPE_CHECKING:
    from claude_agent_sdk.types import McpSdkServerConfig

    from ..callboard import Callboard


def tools(board: Callboard) -> list[SdkMcpTool[Any]]:
    """The tools of a board that runs, as they are now. A failure is a result with ``is_error``."""
    return [_tool(board, each) for each in offered(board)]


def server(board: Callboard, name: str = "callboard") -> McpSdkServerConfig:
    """A server with these tools, which the SDK runs in this process."""
    return create_sdk_mcp_server(name, __version__, tools(board))


def _tool(board: Callboard, tool: Offered) -> SdkMcpTool[Any]:
    async def handle(arguments: dict[str, Any]) -> dict[str, Any]:
        ended = await run(board, tool.name, arguments)
        content = [{"type": "text", "text": ended.text}]
        return {"content": content} if ended.success else {"content": content, "is_error": True}

    return SdkMcpTool(tool.name, tool.description, tool.parameters, handle)
