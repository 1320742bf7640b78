"""An MCP server on the official SDK over its older transport, HTTP+SSE.

    mcp_sdk_sse_server.py PORT

It says the port on stdout once it listens.
"""

import asyncio
import os
import signal
import socket
import sys

import uvicorn
from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("older")


@server.tool()
def echo(text: str) -> str:
    return text


@server.tool()
async def count_to(last: int, ctx: Context) -> str:
    for step in range(last):
        await ctx.report_progress(step, last)
    return "done"


@server.tool()
async def sleep(seconds: float) -> str:
    await asyncio.sleep(seconds)
    return "slept"


@server.tool()
def die() -> str:
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


listening = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print(listening.getsockname()[1], flush=True)
app = server.sse_app(sse_path="/mcp", message_path="/messages/")
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listening])
