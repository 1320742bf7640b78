"""Options of plugins, functions and calls, each in the ways that a board takes it."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from typing import Any

from callboard import Callboard, ToolPlugin

ROOT = Path(__file__).parents[3]


class Echo(ToolPlugin):
    name = "echo"

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"type": "function", "function": {"name": "echo"}}]

    def execute_tool(self, tool_name: str, payload: Any, state: dict[str, Any]) -> dict[str, Any]:
        return {"success": True, "result": payload}


class Module:
    """Is written for Amplifier."""

    async def mount(self, coordinator: Any, config: dict[str, Any]) -> None:
        """Mounts nothing."""


def while_down(call: dict[str, Any]) -> dict[str, Any]:
    return {"success": True, "result": "later"}


def refused(board: Callboard) -> None:
    """Each call is wrong."""
    board.load("x", restrat={"restart": "temporary"})  # type: ignore[call-arg]
    board.load("x", restart="never")  # type: ignore[arg-type]
    board.load("x", env={"A": 1})  # type: ignore[dict-item]
    board.load("x", sandbox="docker")  # type: ignore[arg-type]
    board.register(Echo, required=True)  # type: ignore[call-arg]
    board.register(Echo, idempotent="by_kye")  # type: ignore[arg-type]
    board.register(Echo, standby=2)  # type: ignore[arg-type]
    board.mount(Module(), isolate=True)  # type: ignore[call-arg]
    board.mount(Module(), claims="mine")  # type: ignore[arg-type]
    board.tool(concurency=3)  # type: ignore[call-overload]
    board.tool(deadline="soon")  # type: ignore[call-overload]
    board.tool(required=False)  # type: ignore[call-overload]
    board.execute({}, deadlin=1)  # type: ignore[call-arg]
    board.execute({}, deadline="soon")  # type: ignore[arg-type]
    board.stream({}, context=["x"])  # type: ignore[arg-type]
    board.stream_async({}, key=7)  # type: ignore[arg-type]


async def refused_async(board: Callboard) -> None:
    await board.execute_async({}, steaming=False)  # type: ignore[call-arg]


if __name__ == "__main__":
    with Callboard() as board:

        @board.tool(concurrency=2, deadline=5, name="add", description="Add two numbers.", breaker=True)
        def plus(a: int, b: int) -> int:
            return a + b

        @board.tool(validate={"twice": True}, repeats=0, while_down=while_down, hold=None)
        def twice(text: str) -> str:
            return text * 2

        board.register(Echo, name="first", idempotent="by_key", mailbox_size=9, validate=False, claims="own")
        board.remove("first")
        board.register(Echo(), name="second", idempotent=["echo"], quarantine=False, state_from=None)
        board.remove("second")
        tools = board.load(
            f"path:{ROOT / 'examples' / 'python-echo-tool'}",
            name="third",
            required=False,
            isolate=True,
            restart={"restart": "temporary"},
            env={"A": "b"},
            limits={"memory": 500_000_000},
            standby=0,
            share=False,
            start_deadline=60,
            reload=False,
            while_down="refuse",
        )
        print([tool.tool_name for tool in board.tools()], [tool.plugin_name for tool in tools])
        request = {"id": "1", "name": "add", "arguments": {"a": 1, "b": 2}}
        print(board.execute(request, deadline=math.inf, context={"user": "me"}, streaming=False, key="k"))
        print(list(board.stream(request, deadline=5)))
        print(asyncio.run(board.execute_async(request, key=None)))
