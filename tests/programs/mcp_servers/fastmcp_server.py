"""A server on fastmcp, with what its users write: typed results, media, progress, logs, errors, resources and prompts."""

from __future__ import annotations

from typing import Any

import mcp_types
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.utilities.types import Image
from pydantic import BaseModel, Field

server: FastMCP[Any] = FastMCP(
    "shop", instructions="Ask for prices first.\n\nThen order — “one” at a time. 🛒", list_page_size=3
)


class Price(BaseModel):
    """What one thing costs."""

    name: str
    cents: int = Field(description="In cents; may be more than 2^53.")
    rate: float = 1.0
    tags: list[str] = []


@server.tool(
    annotations={"readOnlyHint": True, "title": "Price"}, tags={"shop"}, meta={"of": {"b": 1, "a": 2}}
)
def price(name: str, cents: int = 3) -> Price:
    """What something costs."""
    return Price(name=name, cents=cents, tags=["a\tb", "é\u2028字🛒"])


@server.tool
def prices(names: list[str]) -> list[Price]:
    """What several things cost."""
    return [Price(name=name, cents=2**64 + index) for index, name in enumerate(names)]


@server.tool
def large() -> dict[str, Any]:
    """Numbers that no double holds."""
    return {"z": 2**53 + 1, "a": 2**64, "m": -(2**63) - 1, "f": 1e-7, "g": 1e22, "zero": -0.0}


@server.tool
def picture() -> list[Any]:
    """A picture with words."""
    return ["look", Image(data=b"\x89PNG\r\n", format="png")]


@server.tool
async def steps(count: int, context: Context) -> str:
    """Says how far it is, and logs."""
    for step in range(count):
        await context.report_progress(step + 0.5, count, f"step {step}")
        await context.info(f"done {step}", extra={"step": step, "big": 2**64})
    return "all done"


@server.tool
def refuse() -> str:
    """Fails in words of its own."""
    raise ToolError("There is none left — ask again tomorrow.")


@server.tool
def fail() -> str:
    """Fails by a mistake."""
    raise ValueError("a secret of the server")


@server.tool
def echo(text: str) -> str:
    """Says it again; a name that other servers have too."""
    return text


@server.tool
def nothing() -> None:
    """Returns nothing."""


@server.tool
def blocks() -> mcp_types.CallToolResult:
    """Blocks with annotations, and keys of its own."""
    note = mcp_types.Annotations(audience=["user"], priority=0.5)
    text = mcp_types.TextContent(
        type="text", text="for you", annotations=note, _meta={"own": {"b": 1, "a": 2}}
    )
    return mcp_types.CallToolResult(content=[text], is_error=True, _meta={"trace": 2**64})


@server.resource("shop://list", mime_type="application/json", annotations={"audience": ["assistant"]})
def stock() -> str:
    """What there is."""
    return '{"apples": 3}'


@server.resource("shop://items/{name}", title="Item")
def item(name: str) -> bytes:
    """One thing."""
    return name.encode()


@server.prompt(title="Order")
def order(name: str, count: int = 1) -> str:
    """Words for an order."""
    return f"Order {count} of {name}."


if __name__ == "__main__":
    server.run(show_banner=False)
