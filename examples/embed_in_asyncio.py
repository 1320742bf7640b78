"""The same board in an event loop, which goes on ticking whatever the tools do.

Submitting returns at once, and awaiting a call is awaiting like any other. The board is started and stopped without
blocking the loop; loading one more plugin waits for its host, so that is done in a thread.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from callboard import Callboard, ToolPlugin

JS_ECHO = Path(__file__).parent / "js-echo-tool"


class Fibonacci(ToolPlugin):
    """Busy in Python, part by part."""

    name = "fibonacci"

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"type": "function", "function": {"name": "fibonacci", "parameters": {"type": "object"}}}]

    def stream_tool(self, tool_name: str | None, payload: Any, state: dict[str, Any]) -> Any:
        a, b = 0, 1
        for number in range(payload["upto"]):
            a, b = b, a + b
            if number % 10_000 == 0:
                yield {"part": f"{number} done"}
        yield {"success": True, "result": f"a number of {a.bit_length()} bits"}


def asked_for(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    """A tool call as a model writes it."""
    return {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}


async def main() -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    async with Callboard() as board:
        board.register(Fibonacci)
        await asyncio.to_thread(board.load, f"node:{JS_ECHO}")
        ticking = asyncio.create_task(tick())

        call = board.submit(asked_for(0, "fibonacci", upto=60_000))
        async for part in call:
            print(f"part: {part}")
        result = await call
        print(f"result: {result['result']}; the loop ticked meanwhile: {ticks > 0}")

        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(board.execute_async(asked_for(n, "echo", value=str(n)))) for n in range(100)
            ]
        answers = [task.result()["result"]["value"] for task in tasks]
        print(f"100 calls to one Node tool, answered in order: {answers == [str(n) for n in range(100)]}")

        ticking.cancel()


if __name__ == "__main__":
    asyncio.run(main())
