"""MCP servers for a load: what they are asked, what is done to them from outside, and what their ledgers say."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...hosts.mcp.tool import McpToolPlugin
from .. import faults as f
from ..inject.tamper import Tamper
from ..schedule import Entry
from ..schedules.corruption import noise
from ..triggers import NthCall
from .requests import Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from random import Random

Json = dict[str, Any]

_PROGRAM = Path(__file__).parents[1] / "campaign" / "ledger_server.py"
"""It has two names for one tool, which keeps a ledger."""

_FAULTS: tuple[Callable[[Random], f.Fault], ...] = (
    *(lambda _: f.Signal(9),) * 4,
    lambda chance: f.Signal(chance.choice((6, 11, 15))),
    lambda chance: f.Pause(chance.choice((0.05, 0.2))),
    lambda chance: f.Garbage(chance.randint(1, 200)),
    lambda chance: f.DuplicateReply(chance.randint(1, 3)),
    lambda chance: f.PartialLine(chance.randint(1, 40)),
    lambda chance: f.Truncate(chance.randint(1, 40)),
)


def mcp_server(name: str, chance: Random | None = None) -> McpToolPlugin:
    """A server of this name; with ``chance`` there is a `Tamper` on its line, which draws its garbage from that."""
    plugin = McpToolPlugin(name, [sys.executable, str(_PROGRAM), name])
    if chance is not None:
        plugin.carry = Tamper(noise(chance.randrange))
    return plugin


def mcp_wire(plugin: str, call: str, ledger: Path, *, also: bool = False, parts: int = 0) -> Json:
    """A call by the first of its names, or the second, which takes no time."""
    given = {"ledger": str(ledger), "plugin": plugin, "call": call}
    return {
        "type": "function_call",
        "call_id": call,
        "name": f"{plugin}_{'also' if also else 'work'}",
        "arguments": {**given, "mood": "well", "seconds": 0.0, "parts": parts},
    }


def mcp_request(plugin: str, call: str, ledger: Path, chance: Random) -> Request:
    """A call for a `LoadTest`, which knows what the answer has to be."""

    def judge(result: Mapping[str, Any]) -> Json:
        told = result.get("result")
        right = isinstance(told, dict) and told.get("call") == call
        return {} if right else {"wrong": f"it is {told!r:.80}, not of {call}"}

    wire = mcp_wire(plugin, call, ledger, also=chance.random() < 1 / 2, parts=chance.randint(0, 2))
    return Request(wire, judge, call)


def mcp_faults(plugin: str, count: int, calls: int, chance: Random) -> Iterator[Entry]:
    """Draw faults for a server that gets so many calls."""
    for _ in range(count):
        yield Entry(NthCall(chance.randint(1, calls)), chance.choice(_FAULTS)(chance), plugin)


def mcp_runs(ledger: Path) -> list[str]:
    """The calls that were begun, in their order, by a ledger of one server."""
    marks = [json.loads(line) for line in ledger.read_text(encoding="utf-8").splitlines()]
    return [mark["call"] for mark in marks if mark["mark"] == "begin"]
