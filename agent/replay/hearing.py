"""What a request of each of the three APIs tells. Pure.

Only what a script needs is read; whether a provider would take the request is for others to judge.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ..wires.wire import SHOWN_BY
from .script import Heard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Json = dict[str, Any]


class _Said(NamedTuple):
    """One thing in a history: ``who`` is ``user``, ``assistant`` or ``tool``."""

    who: str
    text: str = ""


def hear(path: str, body: Json) -> Heard | None:
    """Return what a request tells; ``None`` if no API has that path."""
    for ending, read in _PATHS.items():
        if path.rstrip("/").endswith(ending):
            return _heard(body, list(read(body)))
    return None


def _heard(body: Json, history: list[_Said]) -> Heard:
    user = max((n for n, said in enumerate(history) if said.who == "user"), default=-1)
    since = history[user + 1 :]
    return Heard(
        user=history[user].text if user >= 0 else "",
        turn=_turns(history),
        step=_turns(since),
        results=tuple(said.text for said in since if said.who == "tool"),
        tools=dict(_tools(body.get("tools") or ())),
        model=str(body.get("model") or "replay"),
        stream=body.get("stream") is True,
    )


def _turns(history: list[_Said]) -> int:
    """Assistant's messages: what stands together of it is one."""
    speakers = ["user", *(said.who for said in history)]
    return sum(one != other == "assistant" for one, other in pairwise(speakers))


def _chat(body: Json) -> Iterator[_Said]:
    last = ""
    for message in _objects(body.get("messages")):
        role = str(message.get("role"))
        shown = role == "user" and last == "tool" and isinstance(message.get("content"), list)
        last = role
        # What is shown behind results was not said by the user.
        if role in {"user", "assistant", "tool"} and not shown:
            yield _Said(role, _text(message.get("content")))


def _responses(body: Json) -> Iterator[_Said]:
    given = body.get("input")
    if isinstance(given, str):
        yield _Said("user", given)
    last = ""
    for item in _objects(given):
        shown = item.get("role") == "user" and last.endswith("_output") and _is_shown(item.get("content"))
        last = str(item.get("type"))
        if shown:
            continue
        if item.get("role") in {"user", "assistant"}:
            yield _Said(item["role"], _text(item.get("content")))
        elif str(item.get("type")).endswith("_output"):
            yield _Said("tool", _text(item.get("output")))
        elif "role" not in item:
            yield _Said("assistant")


def _messages(body: Json) -> Iterator[_Said]:
    for message in _objects(body.get("messages")):
        content = message.get("content")
        for block in _objects(content):
            if block.get("type") == "tool_result":
                yield _Said("tool", _text(block.get("content")))
        behind = [block for block in _objects(content) if block.get("type") != "tool_result"]
        shown = len(behind) < len(content) and _is_shown(behind) if isinstance(content, list) else False
        text = "" if shown else _text(content)
        if message.get("role") == "assistant" or text:
            yield _Said(str(message.get("role")), text)


def _is_shown(content: Any) -> bool:
    """Whether this is what stands behind results, and not what the user says."""
    return isinstance(content, list) and _text(content[:1]).startswith(SHOWN_BY)


_PATHS: dict[str, Callable[[Json], Iterator[_Said]]] = {
    "/chat/completions": _chat,
    "/responses": _responses,
    "/messages": _messages,
}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in _objects(content) if isinstance(block.get("text"), str))


def _tools(tools: Iterable[Any]) -> Iterator[tuple[str, bool]]:
    for tool in _objects(tools):
        raw = tool.get("type") == "custom" and "input_schema" not in tool
        named = tool.get("custom") or tool.get("function") or tool
        yield str(named.get("name")), raw


def _objects(values: Any) -> Iterator[Json]:
    for value in values if isinstance(values, list | tuple) else ():
        if isinstance(value, dict):
            yield value
