"""A tool that crashes in native code: in a host of its own it costs its call, and nothing else.

The class below is this program's own. The host loads this file again to find it, under another name, so
that nothing behind `if __name__ == "__main__"` is run there.
"""

import ctypes
import os

from callboard import Callboard

WAYS = {
    "work": lambda: "done",
    "read the address 0": lambda: ctypes.string_at(0),
    "call os.abort()": os.abort,
    "call os._exit(0)": lambda: os._exit(0),
}


class Fragile:
    name = "fragile"

    def init(self, config):
        return {"worked": 0}

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "fragile", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name, payload, state):
        result = WAYS[payload["way"]]()
        state["worked"] += 1
        return {"success": True, "result": f"{result}, {state['worked']} times now"}


def main() -> None:
    with Callboard() as board:
        board.register(Fragile, isolate=True, restart={"intensity": 10})
        for way in WAYS:
            for each in (way, "work"):
                call = {
                    "type": "function_call",
                    "call_id": "1",
                    "name": "fragile",
                    "arguments": {"way": each},
                }
                result = board.execute(call)
                if result["success"]:
                    print(f"{each}: {result['result']}")
                else:
                    print(f"{each}: {result['code']}: {result['crash_report']['cause']}")
        host = board.status()["plugins"]["fragile"]["host"]
        print(f"this program goes on; the host is in its {host['generation']}th generation")


if __name__ == "__main__":
    main()
