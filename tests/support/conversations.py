"""Core messages for the tests of the agent, and the law that every history of them keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callboard.agent.loop.answer_steps import AskedCall, Step
from callboard.agent.requests.partial_answer import assistant_message
from callboard.agent.sessions.session import call_id, calls_of, tool_call_id

if TYPE_CHECKING:
    from collections.abc import Sequence

Json = dict[str, Any]


def chat_call(name: str, _id: str | None, /, arguments: str = "{}") -> Json:
    """A call as core messages spell it."""
    call: Json = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return {"id": _id, **call} if _id is not None else call


def says(content: str, *calls: Json) -> Json:
    """What the assistant says, and asks for."""
    return assistant_message(content, calls)


def answers(call: str, content: str = "done") -> Json:
    """A tool message, as short as one can be."""
    return {"role": "tool", "content": content, "metadata": {"tool_call_id": call}}


def step(*ids: str, lanes: str | None = None) -> Step:
    """An answer of the model with calls; ``lanes`` has a letter for the lane of each."""
    calls = [chat_call(f"tool_{lane}", each) for each, lane in zip(ids, lanes or ids, strict=True)]
    asked = tuple(
        AskedCall(each, f"tool_{lane}", call, lane)
        for each, lane, call in zip(ids, lanes or ids, calls, strict=True)
    )
    return Step(says("", *calls), asked)


def breaches(messages: Sequence[Json], *, ended: bool = True) -> list[str]:
    """Where a history has a call that is not answered once, directly behind its message, in the order of the calls.

    Args:
        messages: the history.
        ended: whether nothing is under way any more; until then calls at the end may be open.
    """
    found = []
    waiting: list[str | None] = []
    for place, message in enumerate(messages):
        if message["role"] == "tool":
            wanted = waiting.pop(0) if waiting else None
            if tool_call_id(message) != wanted or wanted is None:
                found.append(f"{place}: answers {tool_call_id(message)!r} where {wanted!r} is next")
            continue
        found += [f"{place}: {each!r} has no answer" for each in waiting]
        waiting = [call_id(call) for call in calls_of(message)]
        if len(set(waiting)) < len(waiting) or None in waiting:
            found.append(f"{place}: ids are {waiting}")
    return found + ([f"end: {each!r} has no answer" for each in waiting] if ended else [])
