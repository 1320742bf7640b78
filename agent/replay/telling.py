"""What is the same in the three APIs when a step is told: pieces, ids, and how a call is put. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...interop.exact_json import json_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .script import Heard, Step

Json = dict[str, Any]

CREATED: Final = 1_700_000_000
"""When everything was said: an answer is the same each time."""

PIECE: Final = 9
"""Characters of a piece of arguments: they come in fragments, cut wherever it falls."""


class ToldCall(NamedTuple):
    """A call as it is told.

    Attributes:
        number: its place among the calls of its step, and the turn of that: no other call has both.
        name: the tool.
        text: its arguments as JSON text, or its raw input.
        raw: it is raw input.
        arguments: its arguments; for raw input those of a function that wraps it.
    """

    number: str
    name: str
    text: str
    raw: bool
    arguments: Json


def told_calls(step: Step, heard: Heard) -> list[ToldCall]:
    """Return the calls of a step; raw input is wrapped where the tool was offered as a function."""
    told = []
    for index, call in enumerate(step.calls):
        number = f"{heard.turn}_{index}"
        name = _as_offered(call.name, heard.tools)
        if isinstance(call.payload, dict):
            text = json_text(call.payload)
            told.append(ToldCall(number, name, text, raw=False, arguments=call.payload))
            continue
        wrapped = {"input": call.payload}
        raw = heard.tools.get(name, False)
        text = call.payload if raw else json_text(wrapped)
        told.append(ToldCall(number, name, text, raw=raw, arguments=wrapped))
    return told


def _as_offered(name: str, tools: Mapping[str, bool]) -> str:
    """Return the name by which a tool was offered: a model knows no other, and a provider may refuse the own one."""
    spelt = re.sub(r"[^a-zA-Z0-9_-]", "_", name)
    alike = (each for each in tools if spelt != name and each.startswith(f"{spelt}_"))
    return name if name in tools else next(alike, name)


def words(text: str) -> Iterator[str]:
    """Yield a text word by word."""
    rest = text
    while rest:
        end = rest.find(" ", 1)
        piece, rest = (rest, "") if end < 0 else (rest[:end], rest[end:])
        yield piece


def fragments(text: str) -> Iterator[str]:
    """Yield a text in pieces that respect nothing."""
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]


def tokens(step: Step) -> int:
    """Return what a step costs, more or less."""
    calls = sum(len(str(call.payload)) for call in step.calls)
    return 1 + (len(step.text) + len(step.reasoning) + calls) // 4
