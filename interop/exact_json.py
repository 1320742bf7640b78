"""Exact copies of JSON values that share nothing with the original, and JSON text of them.

``true`` stays apart from ``1`` and ``1.0``, integers keep all their digits, and lone surrogates (which models do emit)
survive, two of them in a row too. `base.json.copy_json` promises something else: the value as a reader of its text gets it,
where two halves of a pair are one character and an `enum.Enum` is its value. Here what is not JSON already is refused.
"""

from __future__ import annotations

import json
import math
from typing import Any

import orjson

from ..base.errors import JsonValueError
from .limits import MAX_DEPTH

_SCALARS = frozenset({str, int, bool, type(None)})

_Trail = tuple["_Trail", str | int] | None
"""The way from the root to a value, linked backwards: it is only written out for an error."""


def exact_json(value: Any, *, what: str = "$") -> Any:
    """Return an exact copy of a JSON value; tuples become lists.

    Raises:
        JsonValueError: the value is not JSON, or nested deeper than `MAX_DEPTH`; names the path,
            which starts with ``what``.
    """
    return value if type(value) in _SCALARS else _copy(value, what, None, 0)


def _copy(value: Any, what: str, trail: _Trail, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise _not_json(what, trail, f"is nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, dict):
        copy = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise _not_json(what, trail, f"has a key of type {type(key).__name__}; JSON keys are strings")
            copy[key] = item if type(item) in _SCALARS else _copy(item, what, (trail, key), depth + 1)
        return copy
    if isinstance(value, (list, tuple)):
        return [
            item if type(item) in _SCALARS else _copy(item, what, (trail, index), depth + 1)
            for index, item in enumerate(value)
        ]
    if isinstance(value, float) and not math.isfinite(value):
        raise _not_json(what, trail, f"is {value}, which JSON cannot say")
    if isinstance(value, (str, int, float)):
        return value
    raise _not_json(what, trail, f"is of type {type(value).__name__}, which is not JSON")


_MOST_KEY_CHARS = 40


def _not_json(what: str, trail: _Trail, problem: str) -> JsonValueError:
    steps: list[str] = []
    while trail is not None:
        trail, step = trail
        steps.append(f"[{step}]" if isinstance(step, int) else f".{step[:_MOST_KEY_CHARS]}")
    path = what + "".join(reversed(steps))
    return JsonValueError(f"{path} {problem}", path=path)


def json_text(value: Any) -> str:
    """Write a JSON value compactly; what UTF-8 cannot carry (lone surrogates) is escaped.

    The value is trusted to be JSON, as from `exact_json` or a parser.
    """
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)


def as_utf8(value: Any) -> Any:
    """Return a JSON value whose texts UTF-8 can carry: U+FFFD stands for half of a surrogate pair. Such a value itself if it is one."""
    try:
        orjson.dumps(value)
    except TypeError:  # or for a long integer
        return _as_utf8(value)
    return value


def _as_utf8(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_as_utf8(key): _as_utf8(each) for key, each in value.items()}
    return [_as_utf8(each) for each in value] if isinstance(value, list) else value
