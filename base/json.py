"""JSON at the borders: text in, text out, copies, and where a value stops being JSON.

orjson does the work. It refuses a few values that are JSON all the same (integers beyond 64 bits,
lone surrogates); for those the standard library takes over, so that whether a call can be sent does
not depend on which digits are in it. An `enum.Enum` counts as its value and a `uuid.UUID` as its text.

What orjson would get wrong without a word is NaN: it writes ``null``. A number that silently became
nothing is a wrong answer, so NaN and the infinities are refused here. The check is paid for only by
values that hold a ``null``: such a value is read back and compared, and NaN differs from ``None``.
"""

from __future__ import annotations

import json
import math
from enum import Enum
from typing import TYPE_CHECKING, Any
from uuid import UUID

import orjson

from .errors import JsonValueError

if TYPE_CHECKING:
    from collections.abc import Callable

JsonValue = Any

_AS_IS = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
"""A dataclass or a date is refused rather than written in a spelling that its owner did not choose."""

AS_LINE = _AS_IS | orjson.OPT_APPEND_NEWLINE
"""How orjson writes a line."""

MAX_DEPTH = 250
"""Levels of nesting; orjson refuses at 254, and a limit of our own has our own error."""

_INNER = 2
"""Levels of a message above a state, or a result, in it."""

_COUNTED = 8 * 1024
"""Bytes beyond which brackets are not counted: orjson writes a long text faster than anybody counts in it."""

_HALF_A_PAIR = "\\ud"

_MAX_INT_BITS = 14_000
"""About 4,200 digits; Python itself refuses to write integers of more than 4,300."""


def dump_json(value: JsonValue, *, what: str = "$") -> bytes:
    """Write ``value`` as compact UTF-8 JSON.

    Raises:
        JsonValueError: the value is not JSON; names the path, which starts with ``what``.
    """
    try:
        text = orjson.dumps(value, option=_AS_IS)
    except TypeError:
        return _dump_slowly(value, what)
    require_kept(text, value, what=what)
    return text


def dump_line(value: JsonValue, *, what: str = "$") -> bytes:
    """As `dump_json`, with a newline at the end; of a large value that spares a copy."""
    try:
        text = orjson.dumps(value, option=AS_LINE)
    except TypeError:
        return _dump_slowly(value, what) + b"\n"
    require_kept(text, value, what=what)
    return text


def require_kept(text: bytes, value: JsonValue, *, what: str = "$") -> None:
    """Raise `JsonValueError` if ``text``, as orjson has written it, says ``null`` for a number of ``value`` that is none."""
    if (b"null" in text if len(text) <= _LONG else _may_hide(text, value)) and orjson.loads(text) != value:
        require_json(value, what=what)


def dump_inner(value: JsonValue, *, what: str) -> bytes:
    """Write a value that stands in a message, as a state or a result does.

    Raises:
        JsonValueError: it is not JSON, or some message with it would be nested more than `MAX_DEPTH` levels deep.
    """
    text = dump_json(value, what=what)
    if may_be_deep(text):
        require_shallow(value, what=what)
    return text


def may_be_deep(text: bytes) -> bool:
    """Whether a JSON text has to be read to know how deep it is nested; where counting takes longer, it has."""
    size = len(text)
    if size <= 2 * MAX_DEPTH:  # each level takes two brackets
        return False
    return size > _COUNTED or text.count(b"[") + text.count(b"{") > MAX_DEPTH - _INNER


def require_shallow(value: JsonValue, *, what: str) -> None:
    """Raise `JsonValueError` where some message with this value, which is JSON, would be nested too deep."""
    try:
        orjson.dumps([[[[[[value]]]]]])  # `_INNER` levels, and the four that orjson allows beyond `MAX_DEPTH`
    except TypeError:  # or it is one that orjson does not write
        require_inner(value, what=what)


def require_inner(value: JsonValue, *, what: str) -> None:
    """As `require_json`, of a value that stands in a message."""
    require_json(value, what=what, _depth=_INNER)


def load_json(text: bytes | memoryview | str) -> JsonValue:
    """Read one JSON value. Of two equal keys the last counts; an integer beyond 64 bits becomes a float.

    Raises:
        JsonValueError: the text is not JSON.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        value = _load_slowly(text)
        if value is not None:
            return value
        raise JsonValueError(f"not JSON: {error}", path="$") from error


def load_exact_json(text: bytes, parse_float: Callable[[str], Any] | None = None) -> JsonValue:
    """Read one JSON value as `load_json` does, but with every integer exact; takes three times as long.

    Args:
        text: the JSON.
        parse_float: returns the value of a number that is no integer; a float if it is not given.

    Raises:
        JsonValueError: the text is not JSON, or holds a number that no JSON text of ours can say.
    """
    try:
        value = json.loads(text.decode("utf-8"), parse_float=parse_float)
        require_json(value)  # NaN, a number beyond all range, or far too deep
    except (ValueError, RecursionError) as error:
        if isinstance(error, JsonValueError):
            raise
        raise JsonValueError(f"not JSON: {error}", path="$") from error
    return value


def may_be_inexact(text: bytes, value: JsonValue) -> bool:
    """Whether an integer of a text may have more than 64 bits, and so be a float in the value that `load_json` has read."""
    if len(text) > _LONG and (few := _has_huge(value)) is not None:
        return few
    # A long integer has four digits in a row in each fourth byte too. Most texts have not, and this cheap look ends the search.
    return b"0000" in text[::4].translate(_ZEROS) and _LONG_INT in text.translate(_ZEROS)


_ZEROS = bytes.maketrans(b"123456789", b"0" * 9)
_LONG_INT = b"0" * 19
"""An integer with so many digits may have more than 64 bits."""

_HUGE = 2.0**63


def _has_huge(value: JsonValue) -> bool | None:
    """Whether there is a float that an integer may have become; ``None`` if there are too many values to look at."""
    left, seen = [value], 0
    while left:
        inner = left.pop()
        if isinstance(inner, list | dict):
            seen += len(inner)
            if seen > _FEW:
                return None
            left += inner if isinstance(inner, list) else inner.values()
        elif type(inner) is float and abs(inner) >= _HUGE:
            return True
    return False


def _load_slowly(text: bytes | memoryview | str) -> JsonValue:
    """Read half a surrogate pair, which `dump_json` writes and orjson does not read; ``None`` if it is no JSON."""
    try:
        said = text if isinstance(text, str) else str(text, "utf-8")
        if _HALF_A_PAIR not in said.lower():
            return None
        value = json.loads(said, parse_int=_as_orjson_reads)
        require_json(value)  # NaN, a number beyond all range, or far too deep
    except (ValueError, RecursionError, JsonValueError):
        return None
    return value


def _as_orjson_reads(digits: str) -> int | float:
    """An integer of 64 bits, with a sign or without; a longer one as a float."""
    if len(digits) <= _LONGEST_INT and -(1 << 63) <= int(digits) < 1 << 64:
        return int(digits)
    return float(digits)


_LONGEST_INT = 20
"""Characters, a sign included."""


def copy_json(value: JsonValue, *, what: str = "$") -> JsonValue:
    """Return ``value`` as a reader of its text gets it; the copy shares nothing with it, and tuples become lists.

    Raises:
        JsonValueError: the value is not JSON; names the path, which starts with ``what``.
    """
    return copied_json(value, what=what)[0]


def copied_json(value: JsonValue, *, what: str = "$") -> tuple[JsonValue, bytes]:
    """As `copy_json`; with the copy, the text that it was made from."""
    try:
        text = orjson.dumps(value, option=_AS_IS)
    except TypeError:
        text = _dump_slowly(value, what)
        return json.loads(text), text
    copy = orjson.loads(text)
    if _may_hide(text, value) and copy != value:  # tuples differ too, hence the closer look
        require_json(value, what=what)
    return copy, text


def _may_hide(text: bytes, value: JsonValue) -> bool:
    """Whether a long text may say ``null`` for a number that is none.

    It takes longer to search for that than to write it. Most hold few values, and a long string.
    """
    return _has_few_and_plain(value, _FEW) <= 0 and b"null" in text


def _has_few_and_plain(value: Any, left: int) -> int:
    """How many more values there may be once these are counted; 0 if there are more, or one that is not plainly JSON."""
    kind = type(value)
    if kind is dict:
        value = value.values()
    elif kind is not list:
        plain = kind is str or kind is int or value is None or kind is bool
        return left - 1 if plain or (kind is float and math.isfinite(value)) else 0
    for item in value:
        if left <= 1:
            return 0
        left = _has_few_and_plain(item, left)
    return max(left - 1, 0)


_LONG = 4096
"""Bytes of a text from which on it is worth a look at the value that it was made from."""

_FEW = 256
"""Values that are looked at in less time than a text of `_LONG` bytes is searched."""


def require_json(value: JsonValue, *, what: str = "$", _depth: int = 0) -> None:
    """Raise `JsonValueError` at the first place where ``value`` is not JSON; its path starts with ``what``."""
    if _depth > MAX_DEPTH:
        raise JsonValueError(f"{what} is nested more than {MAX_DEPTH} levels deep", path=what)
    match plain := value.value if isinstance(value, Enum) else value:
        case None | bool() | str() | UUID():
            return
        case int() | float():
            _require_writable(plain, what)
        case dict():
            for key, item in plain.items():
                if not isinstance(key, str):
                    raise JsonValueError(f"{what} has the key {key!r}; JSON keys are strings", path=what)
                require_json(item, what=f"{what}.{key}", _depth=_depth + 1)
        case list() | tuple():
            for index, item in enumerate(plain):
                require_json(item, what=f"{what}[{index}]", _depth=_depth + 1)
        case _:
            raise JsonValueError(f"{what} is of type {type(plain).__name__}, which is not JSON", path=what)


def _require_writable(number: float, what: str) -> None:
    if isinstance(number, int):
        if number.bit_length() > _MAX_INT_BITS:
            raise JsonValueError(f"{what} is an integer of more than 4,200 digits", path=what)
    elif not math.isfinite(number):
        raise JsonValueError(f"{what} is {number}, which JSON cannot say", path=what)


def _dump_slowly(value: JsonValue, what: str) -> bytes:
    require_json(value, what=what)
    return json.dumps(value, separators=(",", ":"), default=_plain).encode("ascii")


def _plain(value: Enum | UUID) -> JsonValue:
    return value.value if isinstance(value, Enum) else str(value)
