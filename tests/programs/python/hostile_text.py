"""A tool whose every word gives a terminal orders: name, descriptions, output, results, errors and last words."""

import os
import sys

WORDS = (
    "\x1b]0;owned\x07\x1b[2J\x1b[8;66H\x1bP+q\x1b\\\x9b31m\x90q\x9c\x7f\x08\rover\u2028"
    "\u202e\u202d\u2066\u2069\u200e\u200f\u061c\u200b\u200d\u2060\ufeff\U000e0041\U000e007f\u3164"
)


class Hostile:
    name = f"hostile{WORDS}"

    def get_tool_schemas(self, state):
        properties = {"how": {"type": "string", "description": WORDS}, f"x{WORDS}": {"type": "string"}}
        said = {"description": WORDS, "parameters": {"type": "object", "properties": properties}}
        return [{"type": "function", "function": {"name": name, **said}} for name in ("say", f"say{WORDS}")]

    def execute_tool(self, tool_name, arguments, state):
        print(WORDS)
        print(WORDS, file=sys.stderr)
        sys.stderr.buffer.write(WORDS.encode() + b"\xff\n")
        sys.stderr.flush()
        match arguments.get("how"):
            case "raise":
                raise ValueError(f"{WORDS}\ud800")
            case "die":
                os._exit(3)
            case "fail":
                return {"success": False, "error": WORDS, "output": WORDS, "traceback": WORDS}
            case "object":
                return {"success": True, "result": {WORDS: [WORDS]}}
        return {"success": True, "result": WORDS, "state": {WORDS: WORDS}}


class Broken:
    name = f"broken{WORDS}"

    def __init__(self):
        raise RuntimeError(WORDS)
