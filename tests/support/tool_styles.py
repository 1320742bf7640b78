"""Plugins in every style that a tool can be written in, by name, so that a host can run them too.

Each offers one tool that goes by the plugin's name, and takes a ``case``: what it is to do, of the tables below.
"""

from __future__ import annotations

import asyncio
import dataclasses
import math
import types
from collections import UserDict
from decimal import Decimal
from enum import Enum
from uuid import UUID

from callboard.plugins import make_provider_native_tool_result


@dataclasses.dataclass
class ToolResult:
    success: bool
    output: object = None
    error: object = None
    metadata: dict | None = None


class Unreadable:
    @property
    def success(self):
        raise OSError("gone")


class Colour(Enum):
    RED = "red"


class CustomError(Exception):
    """Of a kind that the other process knows nothing of."""


def _raising(error):
    def raises():
        raise error

    return raises


def _raising_in_a_chain():
    try:
        _raising(KeyError("inner"))()
    except KeyError as error:
        raise CustomError("outer", 2) from error


CIRCLE: list = []
CIRCLE.append(CIRCLE)

ANSWERS = {
    "result": lambda: {"success": True, "result": {"deep": [1, 2.5, None, "ä😀"]}},
    "nothing said": lambda: {"success": True},
    "own keys": lambda: {"success": True, "path": "a", "bytes": 3},
    "no verdict": lambda: {"content": "b"},
    "error without verdict": lambda: {"error": "no"},
    "failure": lambda: {"success": False, "error": "no", "code": "E7"},
    "failure as object": lambda: {"success": False, "error": {"message": "no", "kind": 3}},
    "failure unsaid": lambda: {"success": False},
    "tuple": lambda: {"success": True, "result": (1, (2,))},
    "mapping": lambda: UserDict(success=True, result=1),
    "object": lambda: ToolResult(True, output={"lines": 3}, metadata={"m": 1}),
    "failed object": lambda: ToolResult(False, error={"message": "no"}),
    "namespace": lambda: types.SimpleNamespace(success=True, result="x"),
    "enumeration": lambda: {"success": True, "result": [Colour.RED, UUID(int=7)]},
    "half a character": lambda: {"success": True, "result": "cut \ud83d"},
    "unreadable": Unreadable,
    "none": lambda: None,
    "text": lambda: "done",
    "list": lambda: [1],
    "perhaps": lambda: {"success": "perhaps"},
    "not a number": lambda: {"success": True, "result": [math.nan]},
    "decimal": lambda: {"success": True, "result": {"price": Decimal("1.5")}},
    "key": lambda: {"success": True, "result": {1: 2}},
    "circle": lambda: {"success": True, "result": CIRCLE},
    "bytes": lambda: {"success": True, "result": b"raw"},
    "raises": _raising(ValueError("of the wrong kind")),
    "raises without words": _raising(KeyError()),
    "raises its own": _raising_in_a_chain,
    "exits": _raising(SystemExit(3)),
    "interrupts": _raising(KeyboardInterrupt()),
    "stops": _raising(StopIteration(1)),
}
"""What a tool may answer or raise, by case."""

CHUNKS = {
    "parts": lambda: [{"part": "a"}, {"part": {"n": 1}}, {"success": True, "result": "done"}],
    "bare parts": lambda: ["a", 2, None, [3], {"progress": 0.5}, {"success": True}],
    "no end": lambda: [{"part": "a"}],
    "nothing": list,
    "part that is no json": lambda: [{"part": {1}}, math.inf, {"success": True}],
    "failure": lambda: [{"part": "a"}, {"success": False, "error": "no"}, {"part": "late"}],
    "end that is no json": lambda: [{"part": "a"}, {"success": True, "result": math.nan}],
    "raises": lambda: [{"part": "a"}, ValueError("in the middle"), {"success": True}],
}
"""What a tool may yield, by case; an exception is raised."""


def _chunks(case):
    for chunk in CHUNKS[case]():
        if isinstance(chunk, Exception):
            raise chunk
        yield chunk


class _Style:
    def init(self, config):
        return {"calls": 0, "config": config}

    def get_tool_schemas(self, state):
        return [
            {"type": "function", "function": {"name": type(self).__name__, "parameters": {"type": "object"}}}
        ]


class Plain(_Style):
    def execute_tool(self, tool_name, payload, state):
        state["calls"] += 1
        if payload.get("spoil"):
            state["spoilt"] = object()
        return ANSWERS[payload["case"]]()

    def format_tool_result(self, result, state):
        return f"{result.get('result')} after {state['calls']}"


class Legacy(_Style):
    def execute_tool(self, tool_name, arguments, state):
        state["calls"] += 1
        return ANSWERS[arguments["case"]]()


class Curious(_Style):
    def execute_tool(self, tool_name, payload, state, *, payload_kind=None, prepared=None, **more):
        return {"success": True, "result": [tool_name, payload, payload_kind, prepared]}


class Awaited(_Style):
    async def execute_tool_async(self, tool_name, payload, state):
        await asyncio.sleep(0)
        state["calls"] += 1
        return ANSWERS[payload["case"]]()


class AwaitedUnderTheOldName(_Style):
    async def execute_tool(self, tool_name, payload, state):
        await asyncio.sleep(0)
        return ANSWERS[payload["case"]]()


class Streamed(_Style):
    def stream_tool(self, tool_name, payload, state):
        state["calls"] += 1
        yield from _chunks(payload["case"])


class StreamedUnderTheOldName(_Style):
    def execute_tool(self, tool_name, payload, state):
        yield from _chunks(payload["case"])


class StreamedAwaited(_Style):
    async def stream_tool_async(self, tool_name, payload, state):
        for chunk in _chunks(payload["case"]):
            await asyncio.sleep(0)
            yield chunk


class Both(_Style):
    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": "as a whole"}

    async def stream_tool_async(self, tool_name, payload, state):
        yield "in"
        yield {"success": True, "result": "parts"}


class Prepared(_Style):
    """Shows the model an envelope of what was prepared, and people something else."""

    def prepare(self, config, state):
        return {"made ready with": config}

    def execute_tool(self, tool_name, payload, state, *, prepared=None):
        return {"success": True, "result": prepared}

    def format_tool_result(self, result, state):
        text = {"type": "text", "text": str(result["result"])}
        return make_provider_native_tool_result(format="openai.chat_completions", content=[text])

    def to_display_format(self, text, result, state):
        return {"type": "text", "content": text, "single_line": "for people"}


class Amplified:
    """In the style of Amplifier; made with its configuration."""

    name = "Amplified"
    description = "Answers as it is told."

    def __init__(self, config):
        self.config = config

    async def execute(self, input):  # noqa: A002 - its contract
        return ToolResult(True, output=[input, self.config])


STYLES = {
    Plain: ANSWERS,
    Legacy: ANSWERS,
    Curious: {"any": None},
    Awaited: ANSWERS,
    AwaitedUnderTheOldName: {"result": None, "raises": None},
    Streamed: CHUNKS,
    StreamedUnderTheOldName: {"parts": None, "raises": None},
    StreamedAwaited: CHUNKS,
    Both: {"any": None},
    Prepared: {"any": None},
    Amplified: {"any": None},
}
"""Every style, with the cases it takes."""
