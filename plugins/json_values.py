"""JSON at the borders: text in, text out, copies, and where a value stops being JSON.

orjson does the work. It refuses a few values that are JSON all the same (integers beyond
64 bits, lone surrogates); for those the standard library takes over, so that whether a
call can be sent does not depend on which digits are in it.
"""

from __future__ import annotations

import json
import math
from typing import Any

import orjson

from .errors import JsonValueError

JsonValue = Any
JsonObject = dict[str, Any]

_MAX_DEPTH = 250
"""Levels of nesting; orjson refuses at 254, and a limit of our own has our own error."""


def dump_json(value: JsonValue, *, what: str = "$") -> bytes:
    """Write ``value`` as compact UTF-8 JSON.

    Raises:
        JsonValueError: the value is not JSON; names the path, which starts with ``what``.
    """
    try:
        return orjson.dumps(value, option=_AS_IS)
    except TypeError:
        require_json(value, what=what)
        return json.dumps(value, separators=(",", ":")).encode("ascii")


_AS_IS = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME


def load_json(text: bytes | str) -> JsonValue:
    """Read one JSON value.

    Raises:
        JsonValueError: the text is not JSON.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise JsonValueError(f"not JSON: {error}", path="$") from error


def copy_json(value: JsonValue, *, what: str = "$") -> JsonValue:
    """Return a copy of ``value`` that shares nothing with it; tuples become lists.

    Raises:
        JsonValueError: the value is not JSON; names the path, which starts with ``what``.
    """
    try:
        return orjson.loads(orjson.dumps(value, option=_AS_IS))
    except TypeError:
        require_json(value, what=what)
        return json.loads(json.dumps(value))


def require_json(value: JsonValue, *, what: str = "$", _depth: int = 0) -> None:
    """Raise `JsonValueError` at the first place where ``value`` is not JSON."""
    if _depth > _MAX_DEPTH:
        raise JsonValueError(f"{what} is nested more than {_MAX_DEPTH} levels deep", path=what)
    match value:
        case None | bool() | int() | str():
            return
        case float():
            if not math.isfinite(value):
                raise JsonValueError(f"{what} is {value}, which JSON cannot say", path=what)
        case dict():
            for key, item in value.items():
                if not isinstance(key, str):
                    raise JsonValueError(f"{what} has the key {key!r}; JSON keys are strings", path=what)
                require_json(item, what=f"{what}.{key}", _depth=_depth + 1)
        case list() | tuple():
            for index, item in enumerate(value):
                require_json(item, what=f"{what}[{index}]", _depth=_depth + 1)
        case _:
            raise JsonValueError(f"{what} is a {type(value).__name__}, which is not JSON", path=what)
