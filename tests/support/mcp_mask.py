"""What others wrote, made unreadable in the text of a message of MCP: all else of the text stays, byte for byte. Pure.

In the sentences of a server each letter becomes a letter of the same kind and as many bytes; which one is decided by its place alone, so that nothing of
what stood there is left. Keys, names, types, addresses, numbers, escapes, spaces and signs stay.
"""

from __future__ import annotations

import json
import re
from typing import Final

_SAID: Final = frozenset(
    {"description", "title", "text", "message", "instructions", "data", "blob", "detail", "error"}
)
"""Keys whose texts are sentences or media, wherever they stand."""

_MEDIA: Final = frozenset({"data", "blob"})

_OF_TOOLS: Final = frozenset({"structuredContent", "data"})
"""Keys in whose values every text is one of the server's."""

_TOKEN: Final = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[{}\[\],]|[^"{}\[\],]+')
_UNIT: Final = re.compile(r"(\\u[0-9A-Fa-f]{4})|(\\.)|(.)", re.DOTALL)
_LOWER: Final = "abcdefghijklmnopqrstuvwxyz"
_WIDE: Final = {
    (False, 2): "é",
    (True, 2): "É",
    (False, 3): "字",
    (True, 3): "Ḁ",
    (False, 4): "𠀀",
    (True, 4): "𐐀",
}
"""Letters that are not of ASCII, by whether they are capitals and how many bytes they have."""

_SCHEMAS: Final = frozenset({"properties", "$defs", "definitions", "patternProperties"})
"""Keys below which the keys are names."""

_REVISIONS: Final = r"(?!2024-11-05|2025-03-26|2025-06-18|2025-11-25|2026-07-28)"
_CLOCK: Final = r"\d{1,2}:\d\d:\d\d(?:\.\d+)?"
_DAYS: Final = "(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)"
TIMES: Final = {
    rf"{_REVISIONS}\b\d{{4}}-\d\d-\d\d[T ]{_CLOCK}(?:Z|[+-]\d\d:?\d\d)?": "2000-01-01T00:00:00Z",
    rf"{_REVISIONS}\b\d{{4}}-\d\d-\d\d": "2000-01-01",
    rf"\b{_DAYS},? \w{{2,3}} \w{{1,3}}(?: \d{{4}})? {_CLOCK}(?: \d{{4}})?": "Sat Jan 1 2000 00:00:00",
    rf"\b{_DAYS}day\b": "Saturday",
    rf"\b{_CLOCK}(?: [AP]M)?": "00:00:00",
    r"\b1[6-9]\d{11}\b": "1000000000000",
}
"""How servers write a time, and what stands in its place."""


def masked(text: str) -> str:
    """The text of a message, with the sentences in it masked."""
    written: list[str] = []
    ways: list[
        str | None
    ] = []  # the key of each open container, outermost first; `None` for an item of a list
    key: str | None = None
    is_list: list[bool] = []
    for token in _TOKEN.finditer(text):
        said = token[0]
        if token[2] is not None:
            key = json.loads(f'"{token[1]}"')
        elif said in "{[" and said:
            ways.append(key)
            is_list.append(said == "[")
            key = None
        elif said in "}]" and said:
            ways.pop()
            is_list.pop()
            key = None
        elif said == ",":
            key = None
        elif said.startswith('"') and _is_said(ways, key):
            said = f'"{_masked_media(token[1]) if key in _MEDIA else _masked(token[1])}"'
        written.append(said)
    return "".join(written)


def timeless(text: str) -> str:
    """The same with each time in it as one that never was."""
    for pattern, stands_for_it in TIMES.items():
        text = re.sub(pattern, stands_for_it, text)
    return text


def _is_said(ways: list[str | None], key: str | None) -> bool:
    if any(way in _OF_TOOLS for way in ways):
        return True
    inner = [way for way in ways if way is not None]
    if inner and inner[-1] in _SCHEMAS and key is not None and ways[-1] is not None:
        return False
    return key in _SAID


def _masked_media(raw: str) -> str:
    """Base64 stays base64 of as many bytes."""
    if len(raw) % 4 or re.fullmatch("[A-Za-z0-9+/]*={0,2}", raw) is None:
        return _masked(raw)
    media = raw.rstrip("=")
    return "".join(_LOWER[place % len(_LOWER)].upper() for place in range(len(media))) + raw[len(media) :]


def _masked(raw: str) -> str:
    place = 0
    written = []
    for unit in _UNIT.finditer(raw):
        escape, plain = unit[1], unit[3]
        letter = (
            plain if plain is not None else chr(int(escape[len("\\u") :], 16)) if escape is not None else ""
        )
        if not letter.isalpha():
            written.append(unit[0])
            continue
        other = _other(letter, place)
        place += 1
        written.append(other if escape is None else f"\\u{ord(other):04x}")
    return "".join(written)


def _other(letter: str, place: int) -> str:
    if letter.isascii():
        other = _LOWER[place % len(_LOWER)]
        return other.upper() if letter.isupper() else other
    return _WIDE[letter.isupper(), len(letter.encode())]
