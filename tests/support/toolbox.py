"""Tools for the tests of the agent's loop, and what these tests say again and again."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from tools import schema

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Iterable, Iterator

    from callboard import AgentCore
    from callboard.agent.sessions.session import Session

Json = dict[str, Any]


class Toolbox:
    """Three tools: one adds, one streams, one waits until it may go on.

    Attributes:
        begun: the one that waits is at work.
        go_on: it may end.
        order: the names and payloads of the calls, as they began.
    """

    name = "toolbox"

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self.order: list[tuple[str, Json]] = []

    def get_tool_schemas(self, state: Json) -> list[Json]:
        """The three."""
        return [schema("add"), schema("count"), schema("hold")]

    def format_tool_call_preview(self, tool_name: str, payload: Json, state: Json) -> str:
        """A preview of the first."""
        return f"{tool_name} {payload}" if tool_name == "add" else ""

    def stream_tool(self, tool_name: str, payload: Json, state: Json) -> Iterator[Json]:
        """Run one."""
        self.order.append((tool_name, payload))
        match tool_name:
            case "add":
                yield {"success": True, "result": payload["a"] + payload["b"]}
            case "count":
                for number in range(payload["to"]):
                    yield {"part": number}
                yield {"success": True, "result": "counted"}
            case "hold":
                self.begun.set()
                self.go_on.wait()
                yield {"success": True, "result": "went on"}


class Meeting:
    """Another plugin, whose tool ends only if the one that waits runs at the same time."""

    name = "meeting"

    def __init__(self, toolbox: Toolbox) -> None:
        self.toolbox = toolbox

    def get_tool_schemas(self, state: Json) -> list[Json]:
        """One."""
        return [schema("meet")]

    def execute_tool(self, tool_name: str, payload: Json, state: Json) -> Json:
        """Meet the other."""
        met = self.toolbox.begun.wait(10)
        self.toolbox.go_on.set()
        return {"success": met, "result": "met"}


async def collected(events: AsyncIterable[Any]) -> list[Any]:
    """All that comes."""
    return [event async for event in events]


def asked(core: AgentCore, text: str = "go") -> Session:
    """A session that waits for the model."""
    return core.add_message(core.create_session(), "user", text)


def of(kind: str, events: Iterable[Json]) -> list[Json]:
    """The events of a kind."""
    return [event for event in events if event["type"] == kind]
