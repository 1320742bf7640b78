"""A program that has work of its own, and runs the tools that a model asks for.

What it shows: a Python tool and a Node tool on one board; the answers of one turn, in the order of its
calls; a tool that raises, a call that no tool takes, and one whose deadline passes, each with an answer
that says what happened and whether the call may be sent again.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from callboard import AgentCore, Callboard, ToolPlugin

JS_TOOLS = Path(__file__).parent / "js-multi-tools"


class Warehouse(ToolPlugin):
    """Knows how much there is of what; its counting machine never answers."""

    name = "warehouse"

    def init(self, config: dict[str, Any]) -> dict[str, Any]:
        return {"stock": config["stock"]}

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        item = {"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]}
        return [
            {"type": "function", "function": {"name": name, "parameters": item}}
            for name in ("take", "recount")
        ]

    def execute_tool(self, tool_name: str | None, payload: Any, state: dict[str, Any]) -> dict[str, Any]:
        if tool_name == "recount":
            threading.Event().wait()
        left = state["stock"][payload["item"]] - 1
        if left < 0:
            return {"success": False, "error": f"no {payload['item']} left"}
        state["stock"][payload["item"]] = left
        return {"success": True, "result": {"item": payload["item"], "left": left}}


def asked_for(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    """A tool call as a model writes it."""
    return {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}


def main() -> None:
    with Callboard() as board:
        board.register(Warehouse, config={"stock": {"lamp": 1, "desk": 7}}, concurrency=2)
        board.load(f"node:{JS_TOOLS}")

        print("one turn of a model, answered in its order:")
        turn = [
            asked_for(1, "take", item="lamp"),
            asked_for(2, "reverse", text="drawer"),
            asked_for(3, "take", item="sofa"),
            asked_for(4, "teleport", item="desk"),
        ]
        with AgentCore(board=board) as core:
            for message in core.execute_tool_calls(turn, config={}):
                facts = message["metadata"]
                print(f"  {facts['tool_call_id']} {facts['tool_name']}: {message['content']}")

        print("a call with a deadline, while the program goes on:")
        call = board.submit(asked_for(5, "recount", item="desk"), deadline=0.5)
        print(f"  done: {call.done()}")
        result = call.result()
        print(f"  {result['error']} ({result['code']}, {result['outcome']})")

        print("and the next call works:")
        print(f"  {board.call('take', item='desk')}")


if __name__ == "__main__":
    main()
