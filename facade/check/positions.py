"""Where the parts of a configuration stand in its text, as JSON or TOML has them. Pure.

A part has a path as errors name it: ``$.plugins[0].deadline``. A key stands where its name begins, an element of a list where
it begins itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ..config.json_text import Lines, members

if TYPE_CHECKING:
    from collections.abc import Mapping


class Position(NamedTuple):
    """A place in a text; both numbers begin with 1, and a column is a number of characters."""

    line: int
    column: int


START = Position(1, 1)


def nearest(positions: Mapping[str, Position], path: str) -> Position:
    """Where a path stands, or the innermost of what it is in that has a position."""
    while path not in positions:
        shorter = path[: max(path.rfind("."), path.rfind("["))]
        if len(shorter) >= len(path) or not shorter:
            return START
        path = shorter
    return positions[path]


def in_json(text: str) -> dict[str, Position]:
    """The positions in a text that was read as JSON, with comments or without."""
    lines = Lines(text)
    found: dict[str, Position] = {}
    for member in members(text):
        found.setdefault(member.path, Position(*lines.place(member.start)))
    return found


_KEY = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_KEYS = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_TABLE = re.compile(rf"\s*(?P<brackets>\[\[?)\s*(?P<keys>{_KEYS})\s*\]\]?\s*(?:\#.*)?")
_MEMBER = re.compile(rf"\s*(?P<keys>{_KEYS})\s*=")
_LONG_TEXT = re.compile(r'"""|' + "'''")


def in_toml(text: str) -> dict[str, Position]:
    """The positions of tables and of keys in a text that was read as TOML; those in a value on one line are the value's."""
    found = {"$": START}
    count: dict[str, int] = {}
    table = "$"
    inside: str | None = None
    for number, line in enumerate(text.split("\n"), 1):
        begins_inside, inside = inside, _long_text(line, inside)
        if begins_inside is not None:
            continue
        if begun := _TABLE.fullmatch(line):
            table = _joined("$", begun["keys"], count)
            if begun["brackets"] == "[[":
                count[table] = count.get(table, -1) + 1
                table += f"[{count[table]}]"
            found.setdefault(table, Position(number, begun.start("brackets") + 1))
        elif begun := _MEMBER.match(line):
            found.setdefault(_joined(table, begun["keys"], {}), Position(number, begun.start("keys") + 1))
    return found


def _long_text(line: str, inside: str | None) -> str | None:
    """The quotes of a text over several lines that goes on behind this line, if one does."""
    for quotes in _LONG_TEXT.findall(line):
        inside = quotes if inside is None else None if inside == quotes else inside
    return inside


def _joined(table: str, keys: str, count: Mapping[str, int]) -> str:
    """A path of keys below a table; of a list of tables the last one is meant."""
    *outer, last = (each.strip("\"'") for each in re.findall(_KEY, keys))
    for key in outer:
        table += f".{key}"
        if table in count:
            table += f"[{count[table]}]"
    return f"{table}.{last}"
