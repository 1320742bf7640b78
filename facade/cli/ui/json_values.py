"""JSON values in a text, each with its line, and what is broken between them. Pure.

Values stand one after the other, with any blanks between them: one a line, or each over many lines. A list
at the top stands for its items. What is broken is told, and costs nothing but itself as far as anybody
can know where it ends: reading goes on at the next line that begins a value as far in as the broken one.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator


class Found(NamedTuple):
    """A value, and the line that it begins in."""

    line: int
    value: Any


class Broken(NamedTuple):
    """What is no JSON value, and the line that it begins in."""

    line: int
    why: str


def values_in(data: bytes) -> Iterator[Found | Broken]:
    """Yield the values, and what is broken, in their order."""
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    line, counted, position, listed = 1, 0, 0, False
    while True:
        position = _after((_BLANKS_AND_COMMAS if listed else _BLANKS), text, position)
        line, counted = line + text.count("\n", counted, position), position
        if position == len(text):
            if listed:
                yield Broken(line, "the list has no end")
            return
        if text[position] == "[" and not listed:
            listed, position = True, position + 1
        elif text[position] == "]" and listed:
            listed, position = False, position + 1
        else:
            try:
                value, end = _DECODER.raw_decode(text, position)
            except (ValueError, RecursionError) as error:
                yield Broken(line, _why(error))
                listed, position = _where_to_go_on(text, position, listed=listed)
                continue
            yield (
                Broken(line, "it is not UTF-8")
                if _FOREIGN.search(text, position, end)
                else Found(line, value)
            )
            position = end


_BLANKS: Final = re.compile(r"[ \t\r\n]*")
_BLANKS_AND_COMMAS: Final = re.compile(r"[ \t\r\n,]*")
_FOREIGN: Final = re.compile("[\udc80-\udcff]")
"""How bytes are kept that are not UTF-8."""


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_no_number)


def _after(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _why(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"it is not JSON: {error.msg} (line {error.lineno}, column {error.colno})"
    return "it is nested too deep" if isinstance(error, RecursionError) else f"it is not JSON: {error}"


def _where_to_go_on(text: str, position: int, *, listed: bool) -> tuple[bool, int]:
    """Whether that is in the list, and where."""
    begin = text.rfind("\n", 0, position) + 1
    indent = text[begin:position]
    # It stands behind something else in its line, so nobody knows where it ends.
    if not listed or indent.strip():
        found = re.compile(r"\n(?=[\[{])").search(text, position)
        return False, found.end() if found else len(text)
    found = re.compile(rf"\n(?:{indent}(?=[\[{{])|[ \t]*(?=\]))").search(text, position)
    return True, found.end() if found else len(text)
