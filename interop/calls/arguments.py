"""The one reader of a call's arguments, and of a function call with them. Writing is `writing_calls`'s.

Every accessor of every format reads through this file, so that "blank means no arguments" and every
other policy is decided once. It repairs nothing and guesses nothing: text that is not strict JSON is
``malformed``, and the caller decides what to tell the model.

Reading is fast in two steps. orjson reads the text; if what came out shows that nothing can have
been lost on the way, it stands. orjson keeps the last of two equal keys and makes floats of integers
beyond 64 bits, both in silence; where either is possible, and where orjson refuses, the strict and
slower reader of the standard library decides.

The names of the keys around the arguments are each format's own business; what a missing id, a name that is no
string, or broken arguments mean is decided here.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import orjson

from ...base.errors import JsonValueError
from ..exact_json import exact_json, json_text
from ..hub import InspectedCall
from ..limits import MAX_ARGUMENT_CHARS, MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..hub import PayloadKind

FaultCode = Literal[
    "not_json",  # the text is no JSON value
    "not_an_object",  # the arguments are JSON, but no object
    "not_json_value",  # a Python value stands where JSON should
    "concatenated",  # several JSON objects follow each other; ``parts`` holds the text of each
    "duplicate_key",  # an object says the same key twice, and which one counts is anybody's guess
    "not_finite",  # NaN, Infinity, or a number beyond the range of a double
    "too_deep",
    "too_large",
    "no_arguments",  # arguments are missing where the form requires them, or stand under another key: ``found``
    "bad_call",  # the call around the arguments is broken: an id or a name is no string
    "cut_off",  # the stream that brought the call broke off, or the message reached its limit
    "contradicted",  # the stream that brought the call said two things of it
    "sanitized",  # what the model wrote could not be read, and was taken out, so that history can be replayed
    "not_approved",  # the user was asked, and has not said yes
    "hosted",  # the provider runs the call itself
    "not_wrapped_text",  # the arguments of a wrapped freeform tool are not what the wrapper asks for
]


MARKS: Final = frozenset({"cut_off", "contradicted", "sanitized"})
"""The faults that a call says itself: see `marks`."""


class Arguments(NamedTuple):
    """What arguments mean.

    ``payload`` is fresh: it shares nothing with what was read. ``raw`` is the text, when it was text.
    ``fault`` is set if, and only if, the kind is ``malformed``; it is JSON: ``code``, ``message``,
    and ``parts`` for concatenated objects.
    """

    kind: PayloadKind
    payload: Any
    raw: str | None
    fault: dict[str, Any] | None


def parse_arguments(value: Any, *, decode_twice: bool = False, what: str = "the arguments are") -> Arguments:
    """Read a call's arguments, in whatever way they are carried.

    | found | kind |
    |---|---|
    | nothing (``None``), or blank text | ``object``, empty |
    | an object, or the JSON text of one | ``object`` |
    | any other JSON value, or the text of one | ``json`` |
    | anything else | ``malformed`` |

    Args:
        value: what stands where the arguments belong.
        decode_twice: read the text of an object that was encoded twice, one layer, as that object;
            without it a twice encoded object is a string, of kind ``json``.
        what: how the message of a fault begins, for a text that is no call's arguments.
    """
    if isinstance(value, str):
        read = _read_text(value, what)
        return _once_more(read) if decode_twice and read.kind == "json" else read
    if value is None:
        return Arguments("object", {}, None, None)
    try:
        copy = exact_json(value, what="arguments")
    except JsonValueError as error:
        return malformed(None, "not_json_value", str(error))
    return Arguments("object" if isinstance(copy, dict) else "json", copy, None, None)


def fault(code: FaultCode, message: str, **facts: Any) -> dict[str, Any]:
    """Return the record of what is wrong with a call, as it stands in ``payload_metadata["error"]``."""
    return {"code": code, "message": message, **facts}


def _read_text(text: str, what: str) -> Arguments:
    if len(text) > MAX_ARGUMENT_CHARS:
        return malformed(text, "too_large", f"{what} {len(text)} characters long")
    try:
        payload = orjson.loads(text)
    except orjson.JSONDecodeError:
        return _read_strictly(text, what)
    if type(payload) is dict and _lost_nothing(text, payload):
        return Arguments("object", payload, text, None)
    return _read_strictly(text, what)


_COLON_AFTER_STRING = re.compile(r'"[ \t\n\r]*:')
_SAFE = 2.0**63  # no integer that orjson reads as an integer is a float of this size
_LONG = 4096
_PLAIN = frozenset({str, int, bool, type(None)})


def _lost_nothing(text: str, payload: dict[str, Any]) -> bool:
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


def _once_more(read: Arguments) -> Arguments:
    if not isinstance(read.payload, str) or not read.payload.strip(_BLANKS):
        return read
    inner = _read_text(read.payload, "the arguments are")
    return inner._replace(raw=read.raw) if inner.kind == "object" else read


_BLANKS = " \t\n\r"


class _RefusedError(ValueError):
    """The strict reader met something that is JSON to some readers and not to others."""

    def __init__(self, code: FaultCode, message: str) -> None:
        super().__init__(message)
        self.code: FaultCode = code


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice, _ = counts.most_common(1)[0]
        raise _RefusedError("duplicate_key", f"the key {twice[:60]!a} stands twice in one object")
    return read


def _no_constant(name: str) -> Any:
    raise _RefusedError("not_finite", f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isfinite(number):
        return number
    raise _RefusedError("not_finite", f"{digits[:60]} is beyond the range of a number")


_STRICT = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)


def _read_strictly(text: str, what: str) -> Arguments:
    if not text.strip(_BLANKS):
        return Arguments("object", {}, text, None)
    try:
        payload = _STRICT.decode(text)
    except _RefusedError as refused:
        return malformed(text, refused.code, str(refused))
    except RecursionError:
        return malformed(text, "too_deep", f"{what} nested more than {MAX_DEPTH} levels deep")
    except json.JSONDecodeError as error:
        parts = _concatenated_objects(text)
        if parts:
            message = f"{len(parts)} JSON objects follow each other where one belongs"
            return malformed(text, "concatenated", message, parts=parts)
        return malformed(text, "not_json", f"{what} not JSON: {error}")
    except ValueError as error:  # an integer with more digits than Python is willing to convert
        return malformed(text, "not_finite", f"a number cannot be read: {error}")
    if isinstance(payload, (dict, list)) and _too_deep(payload, 0):
        return malformed(text, "too_deep", f"{what} nested more than {MAX_DEPTH} levels deep")
    return Arguments("object" if type(payload) is dict else "json", payload, text, None)


def _too_deep(value: dict[str, Any] | list[Any], depth: int) -> bool:
    if depth > MAX_DEPTH:
        return True
    items = value.values() if isinstance(value, dict) else value
    return any(isinstance(item, (dict, list)) and _too_deep(item, depth + 1) for item in items)


_BLANK_RUN = re.compile(r"[ \t\n\r]*")
_MOST_PARTS = 1000


def _concatenated_objects(text: str) -> list[str]:
    """Return the text of each object if the text is two objects or more, one after the other."""
    parts: list[str] = []
    position = _after_blanks(text, 0)
    while position < len(text):
        try:
            value, end = _STRICT.raw_decode(text, position)
        except (ValueError, RecursionError):
            return []
        if not isinstance(value, dict) or len(parts) == _MOST_PARTS:
            return []
        parts.append(text[position:end])
        position = _after_blanks(text, end)
    return parts if len(parts) > 1 else []


def _after_blanks(text: str, position: int) -> int:
    run = _BLANK_RUN.match(text, position)
    return run.end() if run else position


def malformed(raw: str | None, code: FaultCode, message: str, **facts: Any) -> Arguments:
    """Return arguments of which nobody can tell what they are."""
    return Arguments("malformed", None, raw, fault(code, message, **facts))


ITEM_KEYS = ("item_id", "status", "caller")


def read_function_call(
    format_id: str,
    call_id: Any,
    name: Any,
    arguments: Arguments,
    *,
    metadata: dict[str, Any],
    namespace: Any = None,
) -> InspectedCall:
    """Return the meaning of a function call from its pieces, as they stood on the wire.

    An id, name or namespace that is missing, ``None`` or empty is none. One that is no string makes
    the call malformed: to guess at it could run the wrong tool, or answer the wrong call. So do arguments that
    are JSON and no object, for a function takes nothing else.
    """
    kind, payload, raw, problem = arguments
    named = type(name) is str and name and (call_id is None or (type(call_id) is str and call_id))
    if not named or namespace is not None:
        broken = _not_text(id=call_id, name=name, namespace=namespace)
        call_id, name, namespace = _text(call_id), _text(name), _text(namespace)
        if broken:
            kind, payload, problem = "malformed", None, fault("bad_call", broken)
    if kind == "json":
        said = "the arguments are JSON, but no object"
        kind, raw, problem = (
            "malformed",
            json_text(payload) if raw is None else raw,
            fault("not_an_object", said),
        )
    if problem is not None:
        metadata["error"] = problem
        return InspectedCall(format_id, call_id, name, namespace, None, "malformed", None, metadata, raw)
    return InspectedCall(format_id, call_id, name, namespace, payload, kind, "json", metadata, raw)


def read_text_call(
    format_id: str, call_id: Any, name: Any, text: Any, *, metadata: dict[str, Any], namespace: Any = None
) -> InspectedCall:
    """Return the meaning of a call with raw input; the input is whatever text stands there."""
    broken = _not_text(id=call_id, name=name, namespace=namespace)
    if not broken and not isinstance(text, str):
        broken = (
            "it has no input" if text is None else f"its input is of type {type(text).__name__}, not a string"
        )
    if broken:
        metadata["error"] = fault("bad_call", broken)
    raw = text if isinstance(text, str) else None
    return InspectedCall(
        format=format_id,
        call_id=_text(call_id),
        tool_name=_text(name),
        namespace=_text(namespace),
        payload=None if broken else raw,
        payload_kind="malformed" if broken else "text",
        payload_format=None,
        payload_metadata=metadata,
        raw=raw,
    )


def leftovers(value: Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """Return copies of the keys of ``value`` that are not ``known``."""
    return {key: exact_json(item, what=f"$.{key}") for key, item in value.items() if key not in known}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _not_text(**pieces: Any) -> str:
    """Name the pieces that are there and no string."""
    wrong = [
        f"its {name} is of type {type(piece).__name__}"
        for name, piece in pieces.items()
        if piece is not None and not isinstance(piece, str)
    ]
    return ", ".join(wrong)
