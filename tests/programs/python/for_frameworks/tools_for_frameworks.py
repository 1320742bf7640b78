"""Tools that do what their names say, for tests of other frameworks."""

import os
import time

from callboard.types import ToolPlugin

SHAPED = {
    "type": "object",
    "$defs": {"point": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}},
    "properties": {
        "at": {"$ref": "#/$defs/point"},
        "either": {"anyOf": [{"type": "string"}, {"const": 7}]},
    },
    "required": ["at"],
}
WORDS = {
    "type": "object",
    "properties": {"text": {"type": "string", "description": "What to count."}},
    "required": ["text"],
}
NOTHING = {"type": "object", "properties": {}}
TOOLS = {
    "count_words": WORDS,
    "shaped": SHAPED,
    "fail": NOTHING,
    "die": NOTHING,
    "wait": NOTHING,
    "steps": NOTHING,
}


class ForFrameworks(ToolPlugin):
    name = "for_frameworks"

    def get_tool_schemas(self, state):
        return [
            {
                "type": "function",
                "function": {"name": name, "description": f"It does: {name}.", "parameters": schema},
            }
            for name, schema in TOOLS.items()
        ]

    def stream_tool(self, tool_name, payload, state):
        for step in range(5):
            yield {"part": step}
        yield self.execute_tool(tool_name, payload, state)

    def execute_tool(self, tool_name, payload, state):
        match tool_name:
            case "count_words":
                return {"success": True, "result": {"words": len(payload["text"].split())}}
            case "fail":
                return {"success": False, "error": "it failed, as it should"}
            case "die":
                os.kill(os.getpid(), 9)
            case "wait":
                time.sleep(600)
        return {"success": True, "result": payload}
