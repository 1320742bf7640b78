"""Whether orjson has kept all of a text: it drops all but the last of equal keys, and makes floats of integers beyond 64 bits, both in silence."""

from __future__ import annotations

import re
from typing import Any

import orjson

from ..limits import MAX_DEPTH

_COLON_AFTER_STRING = re.compile(r'"[ \t\n\r]*:')
_SAFE = 2.0**63  # no integer that orjson reads as an integer is a float of this size


def lost_nothing(text: str, payload: dict[str, Any]) -> bool:
    """Say whether orjson certainly kept every key and every digit of ``text``.

    Each key has a colon, so if there are no more colons than keys in the result, none was dropped.
    """
    # Nearly every payload is flat and plain: an integer that was read as one has all its digits.
    if _PLAIN.issuperset(map(type, payload.values())) and text.count(":") == len(payload):
        return True
    keys = _count_keys(payload, 0)
    if keys < 0:
        return False
    # A long text is written again in a tenth of the time in which its colons are counted. What is written is never longer
    # than what was read, but for floats, and shorter by each key that was dropped.
    if (
        len(text) > _LONG
        and text.isascii()
        and not _has_float(payload)
        and len(orjson.dumps(payload)) == len(text)
    ):
        return True
    return text.count(":") == keys or len(_COLON_AFTER_STRING.findall(text)) == keys


_LONG = 4096
_PLAIN = frozenset({str, int, bool, type(None)})


def _has_float(value: Any) -> bool:
    items = value.values() if type(value) is dict else value
    return any(
        type(item) is float or ((type(item) is dict or type(item) is list) and _has_float(item))
        for item in items
    )


def _count_keys(value: dict[str, Any] | list[Any], depth: int) -> int:
    """Count the keys of all objects; -1 if a number may have lost digits or the nesting is too deep."""
    if depth > MAX_DEPTH:
        return -1
    items: Any = value
    keys = 0
    if type(value) is dict:
        keys = len(value)
        items = value.values()
    for item in items:
        kind = type(item)
        if kind is str:
            continue
        if kind is dict or kind is list:
            below = _count_keys(item, depth + 1)
            if below < 0:
                return -1
            keys += below
        elif kind is float and not -_SAFE < item < _SAFE:
            return -1
    return keys
