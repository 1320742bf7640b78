"""Plugins as their authors write them: each derives from `ToolPlugin`, and offers no more than it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callboard import Callboard, ToolPlugin

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

Json = dict[str, Any]


def declared(*names: str) -> list[Json]:
    return [{"type": "function", "function": {"name": name}} for name in names]


class Counter(ToolPlugin):
    """Every hook that a plugin with a state has."""

    name = "counter"
    version = "2"

    def init(self, config: Json) -> Json:
        return {"count": config.get("from", 0)}

    def get_tool_schemas(self, state: Json) -> list[Json]:
        return declared("count")

    def execute_tool(
        self, tool_name: str, payload: Json, state: Json, *, context: Json | None = None
    ) -> Json:
        state["count"] += 1
        return {"success": True, "result": state["count"]}

    def format_tool_result(self, result: Json, state: Json) -> str:
        return f"{result['result']} of {state['count']}"


class Awaits(ToolPlugin):
    name = "awaits"

    def get_tool_schemas(self, state: Json) -> list[Json]:
        return declared("wait")

    async def execute_tool_async(self, tool_name: str, payload: Json, state: Json) -> Json:
        return {"success": True, "result": "awaited"}


class Yields(ToolPlugin):
    name = "yields"

    def get_tool_schemas(self, state: Json) -> list[Json]:
        return declared("yield")

    def stream_tool(self, tool_name: str, payload: Json, state: Json) -> Iterator[Json]:
        yield {"part": 1}
        yield {"success": True, "result": "yielded"}


class AwaitsAndYields(ToolPlugin):
    """It goes by the name of its class."""

    def get_tool_schemas(self, state: Json) -> list[Json]:
        return declared("flow")

    async def stream_tool_async(self, tool_name: str, payload: Json, state: Json) -> AsyncIterator[Json]:
        yield {"part": 1}
        yield {"success": True, "result": "flowed"}


class Apart:
    """It derives from nothing."""

    name = "apart"

    def get_tool_schemas(self, state: Json) -> list[Json]:
        return declared("stand")

    def execute_tool(self, tool_name: str, payload: Json, state: Json) -> Json:
        return {"success": True, "result": "stood"}


class Silent(ToolPlugin):
    """It offers no tools, which a type checker refuses."""

    def execute_tool(self, tool_name: str, payload: Json, state: Json) -> Json:
        return {"success": True}


if __name__ == "__main__":
    plugins: list[object] = [Counter(), Awaits(), Yields(), AwaitsAndYields(), Apart()]
    with Callboard() as board:
        for plugin in plugins:
            board.register(plugin)
        print([board.call(tool) for tool in ("count", "wait", "yield", "flow", "stand")])
        print([tool.plugin_name for tool in board.tools()])
    Silent()  # type: ignore[abstract]
