"""The same board in an event loop, which goes on ticking whatever the tools do.

Submitting returns at once, and awaiting a call is awaiting like any other. The board is started and stopped without
blocking the loop; loading one more plugin waits for its host, so that is done in a thread.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from callboard import Callboard

if TYPE_CHECKING:
    from collections.abc import Generator

JS_ECHO = Path(__file__).parent / "js-echo-tool"


def fibonacci(upto: int) -> Generator[str, None, str]:
    """Busy in Python, part by part."""
    a, b = 0, 1
    for number in range(upto):
        a, b = b, a + b
        if number % 10_000 == 0:
            yield f"{number} done"
    return f"a number of {a.bit_length()} bits"


async def main() -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    async with Callboard() as board:
        board.tool(fibonacci)
        await asyncio.to_thread(board.load, f"node:{JS_ECHO}")
        ticking = asyncio.create_task(tick())

        # As a model writes it, which brings the parts as well.
        function = {"name": "fibonacci", "arguments": {"upto": 60_000}}
        call = board.submit({"id": "call_0", "type": "function", "function": function})
        async for part in call:
            print(f"part: {part}")
        result = await call
        print(f"result: {result['result']}; the loop ticked meanwhile: {ticks > 0}")

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(board.acall("echo", value=str(n))) for n in range(100)]
        answers = [task.result()["value"] for task in tasks]
        print(f"100 calls to one Node tool, answered in order: {answers == [str(n) for n in range(100)]}")

        ticking.cancel()


if __name__ == "__main__":
    asyncio.run(main())
