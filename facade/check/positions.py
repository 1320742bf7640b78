"""Where the parts of a configuration stand in its text, as JSON or TOML has them. Pure.

A part has a path as errors name it: ``$.plugins[0].deadline``. A key stands where its name begins, an element of a list where
it begins itself.
"""

from __future__ import annotations

import re
import tomllib
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


_TOKEN = re.compile(
    r'''(?P<blank>[ \t\r]+|\#[^\n]*) | (?P<end>\n) | (?P<mark>[\[\]{},=.])
    | (?P<text>"""(?:[^\\]|\\.)*?"""(?!") | \'{3}.*?\'{3}(?!\') | "(?:[^"\\\n]|\\.)*" | '[^'\n]*') | (?P<word>[^\s\[\]{},=.\#"']+)''',
    re.VERBOSE | re.DOTALL,
)


def in_toml(text: str) -> dict[str, Position]:
    """The positions of tables, keys and elements of lists in a text that was read as TOML."""
    return _Toml(text).found


class _Toml:
    """Reads a text that is known to be TOML: of its values only those that others are in are looked at."""

    def __init__(self, text: str) -> None:
        self.found = {"$": START}
        self._lines = Lines(text)
        self._tokens = [each for each in _TOKEN.finditer(text) if each.lastgroup != "blank"]
        self._at = 0
        count: dict[str, int] = {}
        table = "$"
        while self._at < len(self._tokens):
            if self._is("\n"):
                self._at += 1
            elif self._is("["):
                table = self._header(count)
            else:
                self._member(table, {})

    def _is(self, part: str) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at][0] == part

    def _next(self) -> re.Match[str]:
        self._at += 1
        return self._tokens[self._at - 1]

    def _note(self, path: str, token: re.Match[str]) -> None:
        self.found.setdefault(path, Position(*self._lines.place(token.start())))

    def _header(self, count: dict[str, int]) -> str:
        """The table that begins here; of a list of tables, its next element."""
        begin = self._next()
        several = self._is("[")
        self._at += several
        table, _ = self._keys("$", count)
        self._at += 1 + several
        if several:
            count[table] = count.get(table, -1) + 1
            self._note(table, begin)
            table += f"[{count[table]}]"
        self._note(table, begin)
        return table

    def _keys(self, table: str, count: Mapping[str, int]) -> tuple[str, re.Match[str]]:
        """The path of dotted keys, and the first of them. Of a list of tables the last one is meant."""
        first = self._next()
        path = f"{table}.{_unquoted(first[0])}"
        while self._is("."):
            self._at += 1
            path = (f"{path}[{count[path]}]" if path in count else path) + f".{_unquoted(self._next()[0])}"
        return path, first

    def _member(self, table: str, count: Mapping[str, int]) -> None:
        path, key = self._keys(table, count)
        self._note(path, key)
        self._at += 1  # the sign of equality
        self._value(path)

    def _value(self, path: str) -> None:
        if self._is("["):
            self._several("]", path)
        elif self._is("{"):
            self._several("}", path)
        else:
            while self._at < len(self._tokens) and self._tokens[self._at][0] not in _ENDS:
                self._at += 1

    def _several(self, close: str, path: str) -> None:
        """The elements of a list, or the members of a table on one line."""
        self._at += 1
        index = 0
        while not self._is(close):
            if self._is("\n") or self._is(","):
                self._at += 1
            elif close == "}":
                self._member(path, {})
            else:
                self._note(f"{path}[{index}]", self._tokens[self._at])
                self._value(f"{path}[{index}]")
                index += 1
        self._at += 1


_ENDS = frozenset({"\n", ",", "]", "}"})


def _unquoted(key: str) -> str:
    """A key as it is meant."""
    if key.startswith('"'):
        return str(tomllib.loads(f"key = {key}")["key"])
    return key.strip("'")
