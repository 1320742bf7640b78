"""A call as the function of a scripted tool sees it.

A tool is a Python function of one argument, this. What it returns is the result; what it does to
``state`` is sent back with that. If it takes time it is a generator: each ``yield`` of a number lets
so many seconds pass, and a host that dies meanwhile takes it along, right there::

    def book(call):
        call.note(call.arguments["amount"])  # done, whether or not an answer will tell of it
        yield 0.2
        call.point("booked")
        call.state["balance"] = call.state.get("balance", 0) + call.arguments["amount"]
        return {"success": True, "result": call.state["balance"]}
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

Record = Callable[[str, str, Json], None]
"""Told what happens: its kind, the host it happens to, and the facts."""

Tool = Callable[["ScriptedCall"], Any | Generator[float, None, Any]]


class GenerationOver(BaseException):
    """The host has ended under the tool, so its code does not go on; never caught by tools."""


@dataclass(slots=True)
class ScriptedCall:
    """See the module.

    Attributes:
        id: the request's, unique over all generations of the host.
        tool: the tool's name.
        arguments: as sent.
        state: the plugin's, the tool's to change.
    """

    id: str
    tool: str
    arguments: Json
    state: Json
    _emit: Callable[[ScriptedCall, Any], None] = field(repr=False)
    _pass_by: Callable[[ScriptedCall, str], None] = field(repr=False)
    _note: Callable[[ScriptedCall, Any], None] = field(repr=False)

    @property
    def generation(self) -> int:
        """The generation of the host that runs it."""
        return int(self.id.partition("-")[0])

    def part(self, payload: Any) -> None:
        """Send a part of the result."""
        self._emit(self, payload)

    def point(self, name: str) -> None:
        """Come by a point at which a fault may lie in wait; see `triggers.AtPoint`."""
        self._pass_by(self, name)

    def note(self, effect: Any) -> None:
        """Have an effect on the world: one that outlives the host, and that no crash takes back."""
        self._note(self, effect)
