"""Hooks with their options, and what they leave in the notes of a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callboard import Callboard

if TYPE_CHECKING:
    from callboard import AgentCore
    from callboard.hooks import HookEvent


def tell(event: str, data: dict[str, Any]) -> dict[str, Any]:
    return {"action": "inject_context", "context_injection": f"before {data['tool_name']}"}


EVENTS: tuple[HookEvent, ...] = ("tool:pre", "tool:post", "tool:error")


async def watch(event: str, data: dict[str, Any]) -> None:
    """It decides nothing."""


def add(a: int, b: int) -> int:
    return a + b


def refused(board: Callboard, core: AgentCore) -> None:
    """Each line is wrong."""
    board.hook("tool:per", tell)  # type: ignore[arg-type]
    board.hook("tool:pre", tell, priorty=1)  # type: ignore[call-arg]
    board.hook("tool:pre", tell, deadline="5")  # type: ignore[arg-type]
    board.board.hooks.add("tool:pre", tell, observes=1)  # type: ignore[arg-type]
    core.hook("tool:post", tell, nam="x")  # type: ignore[call-arg]


if __name__ == "__main__":
    with Callboard() as board:
        board.tool(add)
        request = {"id": "1", "name": "add", "arguments": {"a": 1, "b": 2}}
        print(board.submit(request).notes)
        board.hook("tool:pre", tell, priority=3, deadline=5, name="teller")
        board.board.hooks.add("tool:post", watch, observes=True, deadline=2.5)
        for event in EVENTS:
            board.hook(event, watch, observes=True).close()
        call = board.submit(request)
        print(call.result().get("result"), [note["context_injection"] for note in call.notes])
