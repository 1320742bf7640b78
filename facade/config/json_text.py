"""A JSON text as a person wrote it: change one member and not one byte of the rest, and find where its members stand. Pure.

A client's file is its user's: indents, order, comments and line ends are theirs. So it is not parsed and written again; a member is
cut out, put in or exchanged where it stands. Comments and commas before a closing bracket are read as VS Code reads them.
A reader of JSON takes the last of two equal keys, and loses the first without a word; `require_each_key_once` refuses them.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

from ..base.errors import JsonValueError
from ..base.frozen import frozen
from ..base.json import load_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TOKEN = re.compile(
    r"""(?P<blank>\s+|\ufeff) | (?P<comment>//[^\r\n]*|/\*.*?\*/) | (?P<text>"(?:[^"\\]|\\.)*") | [{}\[\],:] | [^\s{}\[\],:"/]+ | .""",
    re.VERBOSE | re.DOTALL,
)
_REST_OF_LINE = re.compile(r"(?:[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/))?")
_FIRST_INDENT = re.compile(r"[{\[]\s*\n([ \t]+)")


class JsonTextError(ValueError):
    """A text that cannot be changed; says what is wrong, as the rest of a sentence about its file."""


class Token(NamedTuple):
    """A bracket, a comma, a colon, a text with its quotes, or another word of JSON, and where it stands."""

    part: str
    start: int
    end: int


@frozen
class _Property:
    key: str
    start: int
    value: int
    end: int
    comma: int | None


@frozen
class _Object:
    begin: int
    end: int
    members: tuple[_Property, ...]

    def get(self, key: str) -> _Property | None:
        found = [member for member in self.members if member.key == key]
        if len(found) > 1:
            raise JsonTextError(f"has {key!r} twice; remove one of them")
        return found[0] if found else None


def read(text: str) -> Any:
    """The value of a text, which may have comments, and commas before a closing bracket.

    Raises:
        JsonTextError: it is not JSON; says in which line.
    """
    try:
        return json.loads(without_comments(text))
    except json.JSONDecodeError as error:
        raise JsonTextError(f"is not JSON: {error.msg} (line {error.lineno})") from None
    except RecursionError:
        raise JsonTextError("is not JSON that can be read: it is too deep") from None


def load_commented(text: bytes) -> Any:
    """Read a file of JSON, with comments or without.

    Raises:
        JsonValueError: it is not JSON, or a key of an object stands twice.
    """
    try:
        value = load_json(text)
    except JsonValueError as error:
        # With comments, as VS Code and Cursor take them. Tried second: a text without them is read ten times as fast.
        try:
            written = text.decode("utf-8")
        except UnicodeDecodeError as wrong:
            raise JsonValueError(
                f"it is no text in UTF-8: byte {wrong.start} is no part of one", path="$"
            ) from error
        value = load_json(without_comments(written))
    require_each_key_once(text.decode("utf-8"))
    return value


def without_comments(text: str) -> str:
    """The text with blanks in place of comments, and of commas before a closing bracket; all else stands where it stood."""
    plain: list[str] = []
    comma: int | None = None
    before = ""
    for found in _TOKEN.finditer(text):
        part = found[0]
        if found.lastgroup in {"blank", "comment"}:
            plain.append(re.sub(r"[^\r\n]", " ", part))
            continue
        if part in "}]" and comma is not None:
            plain[comma] = " "
        comma = len(plain) if part == "," and before not in {"[", "{"} else None
        before = part
        plain.append(part)
    return "".join(plain)


def tokens(text: str) -> list[Token]:
    """The tokens of a text, without blanks and comments."""
    return [
        Token(found[0], found.start(), found.end())
        for found in _TOKEN.finditer(text)
        if found.lastgroup not in {"blank", "comment"}
    ]


class Written(NamedTuple):
    """A member of an object, or an element of a list.

    Attributes:
        path: as ``$.plugins[0].deadline``.
        start: where the key begins, or the element; counted in characters.
        former: where the same key of the same object stood before, if it did.
    """

    path: str
    start: int
    former: int | None = None


class Lines:
    """The lines of a text."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of a character; both begin with 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


class _Open:
    """An object or a list that is being read."""

    def __init__(self, path: str, *, is_list: bool) -> None:
        self.path = path
        self.is_list = is_list
        self.index = 0
        self.key: str | None = None
        self.keys: dict[str, int] = {}

    @property
    def next_path(self) -> str:
        """Of the value that begins now."""
        return f"{self.path}[{self.index}]" if self.is_list else f"{self.path}.{self.key}"


def members(text: str) -> Iterator[Written]:
    """Yield the value itself and all that is in it, as it stands in a text that was read as JSON, with comments or without."""
    inside: list[_Open] = []
    for part, start, _ in tokens(text):
        here = inside[-1] if inside else None
        if part == ",":
            if here is not None:
                here.index += 1
                here.key = None
        elif part in ("}", "]"):
            inside.pop()
        elif part != ":":
            if here is not None and not here.is_list and here.key is None:
                key = here.key = json.loads(part, strict=False)
                yield Written(here.next_path, start, here.keys.get(key))
                here.keys[key] = start
                continue
            path = "$" if here is None else here.next_path
            if here is None or here.is_list:
                yield Written(path, start)
            if part in ("{", "["):
                inside.append(_Open(path, is_list=part == "["))


def require_each_key_once(text: str) -> None:
    """Hold a text that was read as JSON, with comments or without, to have each key of an object once.

    Raises:
        JsonValueError: one stands twice; names both places.
    """
    twice = False

    def note(pairs: list[tuple[str, Any]]) -> None:
        nonlocal twice
        twice = twice or len({key for key, _ in pairs}) < len(pairs)

    try:  # reads ten times as fast as the places are found
        json.loads(text, object_pairs_hook=note)
    except ValueError:
        json.loads(without_comments(text), object_pairs_hook=note)
    if not twice:
        return
    lines = Lines(text)
    for member in members(text):
        if member.former is not None:
            line, column = lines.place(member.start)
            former_line, former_column = lines.place(member.former)
            raise JsonValueError(
                f"{member.path} stands twice, in line {former_line} column {former_column} and in line {line} column {column}; "
                "the first would be lost: remove one of them",
                path=member.path,
            )


def raw(text: str, path: Sequence[str]) -> str | None:
    """The value at a path of keys, as it is written; ``None`` if there is none.

    Raises:
        JsonTextError: as `read`; or it is no object, or what stands on the way is none, or a key on the way is there twice.
    """
    found = _found(text, path)
    return None if found is None else text[found.value : found.end]


def with_raw(text: str, path: Sequence[str], value: str) -> str:
    """The text with a value at a path of keys, as it is written; as it is, if there is nothing at the path.

    Raises:
        JsonTextError: as `raw`.
    """
    found = _found(text, path)
    return text if found is None else text[: found.value] + value + text[found.end :]


def with_member(text: str, path: Sequence[str], value: str) -> str:
    """The text with this value at a path of keys, in place of what is there; objects that are missing on the way are made.

    Args:
        text: JSON; an empty one is an empty object.
        path: the keys, from the outermost.
        value: JSON whose lines begin at column 0, with two spaces a level.

    Raises:
        JsonTextError: as `raw`.
    """
    if not text.strip("\ufeff \t\r\n"):
        text += "{}\n"
    way = _way(text, path)
    innermost, key = way[-1], path[len(way) - 1]
    for missing in reversed(path[len(way) :]):
        value = "{\n  " + _member(missing, value.replace("\n", "\n  ")) + "\n}"
    found = innermost.get(key)
    if found is None:
        return _inserted(text, innermost, key, value)
    return text[: found.value] + _placed(value, text, _indent(text, found.start)) + text[found.end :]


def without_member(text: str, path: Sequence[str]) -> str:
    """The text without the member at a path of keys; as it is, if there is none. It takes out what `with_member` has put in.

    Raises:
        JsonTextError: as `raw`.
    """
    way = _way(text, path)
    found = way[-1].get(path[-1]) if len(way) == len(path) else None
    if found is None:
        return text
    members = way[-1].members
    place = members.index(found)
    if place < len(members) - 1:
        return text[: found.start] + text[members[place + 1].start :]
    after = found.end if found.comma is None else found.comma + 1
    if place == 0:
        return text[: found.start].rstrip() + text[after:].lstrip()
    comma = members[place - 1].comma
    assert comma is not None
    kept = "" if found.comma is None else ","
    return text[:comma] + kept + text[comma + 1 : found.start].rstrip() + text[after:]


def _inserted(text: str, within: _Object, key: str, value: str) -> str:
    if not within.members:
        outer = _indent(text, within.begin)
        inner = outer + _unit(text)
        line = _newline(text)
        member = line + inner + _member(key, _placed(value, text, inner)) + line + outer
        return text[: within.end].rstrip() + member + text[within.end :]
    last = within.members[-1]
    if "\n" not in text[within.begin : last.start]:
        at = last.end
        before, member = ", ", _member(key, json.dumps(read(value), ensure_ascii=False))
    else:
        # Behind a comment that is about the last one: it goes on to the end of its line.
        rest = _REST_OF_LINE.match(text, last.end if last.comma is None else last.comma + 1)
        assert rest is not None
        at = rest.end()
        indent = _indent(text, last.start)
        before, member = _newline(text) + indent, _member(key, _placed(value, text, indent))
    if last.comma is None:
        between = text[last.end : at]
        return text[: last.end] + "," + between + before.removeprefix(",") + member + text[at:]
    at = max(at, last.comma + 1)
    return text[:at] + before.removeprefix(",") + member + "," + text[at:]


def _member(key: str, value: str) -> str:
    return f"{json.dumps(key, ensure_ascii=False)}: {value}"


def _placed(value: str, text: str, indent: str) -> str:
    """A value as the text has its own: its levels, its line ends, and the indent of its place."""
    lines = []
    for line in value.split("\n"):
        word = line.lstrip(" ")
        lines.append(_unit(text) * ((len(line) - len(word)) // 2) + word)
    return (_newline(text) + indent).join(lines)


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str) -> str:
    """The blanks of one level; two spaces if the text does not tell."""
    found = _FIRST_INDENT.search(text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _found(text: str, path: Sequence[str]) -> _Property | None:
    way = _way(text, path)
    return way[-1].get(path[-1]) if len(way) == len(path) else None


def _way(text: str, path: Sequence[str]) -> list[_Object]:
    """The objects on the way to the last key of a path, as far as they are there; the outermost is."""
    if not isinstance(read(text), dict):
        raise JsonTextError("is JSON, but no object")
    found_tokens = tokens(text)
    starts = {token.start: number for number, token in enumerate(found_tokens)}
    way = [_object(found_tokens, 0)]
    for key in path[:-1]:
        found = way[-1].get(key)
        if found is None:
            break
        if text[found.value] != "{":
            raise JsonTextError(f"has {key!r}, but that is no object")
        way.append(_object(found_tokens, starts[found.value]))
    return way


def _object(parts: Sequence[Token], number: int) -> _Object:
    """The object whose bracket is this token. The text has been read, so it is well formed."""
    begin = parts[number].start
    number += 1
    members = []
    while parts[number].part != "}":
        key, value = parts[number], number + 2
        number = _after(parts, value)
        comma = parts[number].start if parts[number].part == "," else None
        end = parts[number - 1].end
        members.append(_Property(json.loads(key.part), key.start, parts[value].start, end, comma))
        number += comma is not None
    return _Object(begin, parts[number].start, tuple(members))


def _after(parts: Sequence[Token], number: int) -> int:
    """The token that follows a value."""
    depth = 0
    while True:
        depth += (parts[number].part in "{[") - (parts[number].part in "}]")
        number += 1
        if not depth:
            return number
