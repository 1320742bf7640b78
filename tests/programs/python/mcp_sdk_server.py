"""An MCP server on the official SDK whose one tool asks for a name, a model's words, and the roots: over its pipes, or over HTTP.

    mcp_sdk_server.py [PORT]

With a port it serves HTTP, and says the port on stdout once it listens.
"""

import socket
import sys
from typing import Annotated

import uvicorn
from mcp.server.mcpserver import Elicit, ListRoots, MCPServer, Resolve, Sample
from mcp_types import CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel

server = MCPServer("sdk")


class Who(BaseModel):
    name: str


def who():
    return Elicit("Who?", Who)


def words(who: Annotated[Who, Resolve(who)]):
    said = TextContent(type="text", text=f"Greet {who.name}")
    return Sample([SamplingMessage(role="user", content=said)], max_tokens=20)


def where():
    return ListRoots()


@server.tool()
def greet(
    who: Annotated[Who, Resolve(who)],
    words: Annotated[CreateMessageResult, Resolve(words)],
    where: Annotated[ListRootsResult, Resolve(where)],
) -> str:
    return f"{who.name}: {words.content.text} ({len(where.roots)})"


if len(sys.argv) > 1:
    listening = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    print(listening.getsockname()[1], flush=True)
    app = server.streamable_http_app()
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listening])
else:
    server.run()
