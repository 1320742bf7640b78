"""Print what the main thread imports as it loads a plugin of a kind and calls it in every way; a line each, with the way.

imports_of_the_main_thread.py (thread | isolated | node | mcp) FOLDER
"""

import asyncio
import os
import signal
import sys
import threading
from pathlib import Path

from callboard import Callboard, ToolFailed

ways = ["import"]


def heard(event, arguments):
    """Imports of modules that are there already are no events."""
    of_ours = threading.current_thread() is threading.main_thread() and ways[-1] != "import"
    if event == "import" and of_ours and not sys.is_finalizing():
        print(f"{ways[-1]}: {arguments[0]}", flush=True)


class Moody:
    name = "moody"

    def get_tool_schemas(self, state):
        parameters = {"type": "object", "properties": {"mood": {"enum": ["raise", "well"]}}}
        return [{"type": "function", "function": {"name": "moody", "parameters": parameters}}]

    def execute_tool(self, tool_name, arguments, state):
        if arguments.get("mood") == "raise":
            raise ValueError("as it was asked to")
        return {"success": True, "result": arguments}


def load(board, kind, programs):
    match kind:
        case "thread":
            board.register(Moody())
        case "isolated":
            board.register(Moody, isolate=True)
        case "node":
            board.load({"node_tool": {"file": str(programs / "contained" / "tool.mjs")}})
        case "mcp":
            server = str(programs / "python" / "mcp_server.py")
            board.load({"mcp": {"command": [sys.executable, server], "id": "server"}})
    return board.tools()[0].tool_name


def call(name, **arguments):
    return {"type": "function_call", "call_id": "1", "name": name, "arguments": arguments}


async def awaited(board, name):
    try:
        await board.acall(name, mood="well")
    except ToolFailed as failed:
        print(failed, file=sys.stderr)
    await board.execute_async(call(name, mood="raise"))
    async for _ in board.stream_async(call(name, mood="well")):
        pass


def main():
    sys.addaudithook(heard)
    board = Callboard().start()
    ways.append("load")
    tool = load(board, sys.argv[1], Path(sys.argv[2]))
    ways.append("submit")
    board.submit(call(tool, mood="well")).result(60)
    ways.append("an enumeration that is not kept")
    board.execute(call(tool, mood="wel"))
    ways.append("other formats")
    board.execute({"name": tool, "args": {}})
    board.execute({"type": "tool_use", "id": "1", "name": tool, "input": {}})
    ways.append("no call")
    board.execute({"nothing": 1})
    ways.append("unknown")
    board.execute(call(tool + "y"))
    ways.append("stream")
    list(board.stream(call(tool, mood="raise")))
    ways.append("cancel")
    board.submit(call(tool)).cancel()
    ways.append("deadline")
    board.execute(call(tool), deadline=0.0)
    ways.append("future")
    board.submit(call(tool)).future.result(60)
    ways.append("await")
    loop = asyncio.Runner()
    loop.run(awaited(board, tool))
    loop.close()
    ways.append("crash")
    for status in board.status()["plugins"].values():
        if "host" in status:
            os.kill(status["host"]["pid"], signal.SIGKILL)
    board.execute(call(tool))
    ways.append("stop")
    board.stop()
    ways.append("import")
    print("done")


if __name__ == "__main__":
    main()
