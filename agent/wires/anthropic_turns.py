"""What of an Anthropic history is for a turn that goes on alone: its container, and work of the server that is not finished. Pure.

A turn goes on until the user speaks again: results of calls do not end it, nor does a pause. While it goes on, the server
finishes what its own tools have begun, and answers calls that code has made in the container of that code. Afterwards
a call of the server's without a result is refused, and so may be a container, which is not there for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Json = dict[str, Any]

CONTAINER: Final = "callboard_container"
"""Key in kept items and in an unsent native message: the id of the container in which its code ran."""

_CALLS_OF_SERVER: Final = frozenset({"server_tool_use", "mcp_tool_use"})
_THOUGHTS: Final = frozenset({"thinking", "redacted_thinking"})


def added(messages: list[Json], role: str, blocks: Iterable[Json]) -> None:
    """Add blocks to messages, in which roles take turns; a container among them goes to the message."""
    blocks = list(blocks)
    content = [block for block in blocks if CONTAINER not in block]
    if not content:
        return
    containers = [block[CONTAINER] for block in blocks if CONTAINER in block]
    about = {CONTAINER: containers[-1]} if containers else {}
    if messages and messages[-1]["role"] == role:
        messages[-1] = {**messages[-1], "content": [*messages[-1]["content"], *content], **about}
    else:
        messages.append({"role": role, "content": content, **about})


def container_of(messages: Sequence[Json]) -> str | None:
    """Return the id of the container in which the turn goes on; ``None`` if it has none."""
    present = messages[_present(messages) :]
    return next((message[CONTAINER] for message in reversed(present) if CONTAINER in message), None)


def finished(messages: Sequence[Json]) -> list[Json]:
    """Return the messages without what the server began in earlier turns and has not finished.

    A call that code has made is then the model's own, if that code is left out.
    """
    present = _present(messages)
    blocks = [block for message in messages for block in _blocks(message)]
    done = {block.get("tool_use_id") for block in blocks}
    left_out = {
        block.get("id")
        for message in messages[:present]
        for block in _blocks(message)
        if block.get("type") in _CALLS_OF_SERVER and block.get("id") not in done
    }
    if not left_out:
        return list(messages)
    written: list[Json] = []
    for message in messages:
        if message["role"] == "assistant":
            about = [{CONTAINER: message[CONTAINER]}] if CONTAINER in message else []
            added(written, "assistant", [*_without(_blocks(message), left_out), *about])
        elif message["role"] == "user":
            added(written, "user", message["content"])
        else:
            written.append(message)
    return written


def _present(messages: Sequence[Json]) -> int:
    """The number of the last message in which the user spoke, and answered no call."""
    for number in range(len(messages) - 1, -1, -1):
        answers = any(block.get("type") == "tool_result" for block in _blocks(messages[number]))
        if messages[number]["role"] == "user" and not answers:
            return number
    return 0


def _blocks(message: Json) -> list[Json]:
    content = message["content"]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _without(blocks: list[Json], left_out: set[Any]) -> list[Json]:
    kept = [_own(block, left_out) for block in blocks if block.get("id") not in left_out]
    if len(kept) < len(blocks):
        while kept and kept[-1].get("type") in _THOUGHTS:  # no message may end with one
            kept.pop()
    return kept


def _own(block: Json, left_out: set[Any]) -> Json:
    caller = block.get("caller")
    if not isinstance(caller, dict) or caller.get("tool_id") not in left_out:
        return block
    return {key: value for key, value in block.items() if key != "caller"}
