"""The shapes of values of MCP: whether one can be given to a client, or taken from it. Pure.

A shape takes all that the official types take of values as JSON has them, and says of any other what is wrong with it. Where those types make
a number of a text, a shape does not. What a shape does not know is left as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Shape = Callable[[Any], str | None]
    """Returns what is wrong with a value, behind the place if it is an inner one; ``None`` if it fits."""


def _of_type(kind: type, name: str) -> Shape:
    def check(value: Any) -> str | None:
        return None if type(value) is kind else f"has to be {name}"

    return check


TEXT: Final = _of_type(str, "a text")
TRUTH: Final = _of_type(bool, "true or false")
OBJECT: Final = _of_type(dict, "an object")


def anything(_: Any) -> None:
    """Fit any value."""


def _nothing(value: Any) -> str | None:
    return None if value is None else "has to be null"


def whole(value: Any) -> str | None:
    """Fit an integer, also one that is written as ``1.0``."""
    good = type(value) is int or (type(value) is float and value.is_integer())
    return None if good else "has to be a whole number"


def number(value: Any) -> str | None:
    """Fit a number."""
    return None if type(value) is int or type(value) is float else "has to be a number"


def token(value: Any) -> str | None:
    """Fit the id of a request."""
    return None if type(value) is int or type(value) is str else "has to be a text or a whole number"


def _priority(value: Any) -> str | None:
    return number(value) or (None if 0 <= value <= 1 else "has to be a number from 0 to 1")


def _time(value: Any) -> str | None:
    return whole(value) or (None if value >= 0 else "has to be at least 0")


def one_of(*texts: str) -> Shape:
    """Fit these texts."""
    known = frozenset(texts)

    def check(value: Any) -> str | None:
        return None if type(value) is str and value in known else f"has to be one of {', '.join(texts)}"

    return check


def many(shape: Shape) -> Shape:
    """Fit a list of such values."""

    def check(value: Any) -> str | None:
        if type(value) is not list:
            return "has to be a list"
        for index, each in enumerate(value):
            if (problem := shape(each)) is not None:
                return f"{index}: {problem}"
        return None

    return check


def mapping(shape: Shape) -> Shape:
    """Fit an object with such values."""

    def check(value: Any) -> str | None:
        if type(value) is not dict:
            return "has to be an object"
        for key, each in value.items():
            if (problem := shape(each)) is not None:
                return f"{key:.100}: {problem}"
        return None

    return check


def either(*shapes: Shape) -> Shape:
    """Fit what one of these fits; what is wrong is said by the first."""

    def check(value: Any) -> str | None:
        problems = [shape(value) for shape in shapes]
        return None if None in problems else problems[0]

    return check


def record(
    required: Mapping[str, Shape],
    optional: Mapping[str, Shape] | None = None,
    defaulted: Mapping[str, Shape] | None = None,
) -> Shape:
    """Fit an object with these members.

    Args:
        required: has to be there.
        optional: may be missing, or ``null``.
        defaulted: may be missing.
    """
    needed, others = tuple(required.items()), tuple((optional or {}).items())
    never_null = tuple((defaulted or {}).items())

    def check(value: Any) -> str | None:
        if type(value) is not dict:
            return "has to be an object"
        for key, shape in needed:
            if key not in value:
                return f"{key}: is missing"
            if (problem := shape(value[key])) is not None:
                return f"{key}: {problem}"
        for key, shape in others:
            each = value.get(key)
            if each is not None and (problem := shape(each)) is not None:
                return f"{key}: {problem}"
        for key, shape in never_null:
            if key in value and (problem := shape(value[key])) is not None:
                return f"{key}: {problem}"
        return None

    return check


def _kinds(shapes: Mapping[str, Shape]) -> Shape:
    """Fit an object by its ``type``."""

    def check(value: Any) -> str | None:
        kind = value.get("type") if type(value) is dict else None
        shape = shapes.get(kind) if type(kind) is str else None
        return f"has to be one of {', '.join(shapes)}" if shape is None else shape(value)

    return check


_ROLE: Final = one_of("user", "assistant")
_ANNOTATIONS: Final = record({}, {"audience": many(_ROLE), "priority": _priority, "lastModified": TEXT})
ICONS: Final = many(
    record({"src": TEXT}, {"mimeType": TEXT, "sizes": many(TEXT), "theme": one_of("light", "dark")})
)
_META: Final = {"_meta": OBJECT}
_TITLED: Final = {"title": TEXT, "description": TEXT, "icons": ICONS, **_META}
_FILE: Final = {**_TITLED, "mimeType": TEXT, "annotations": _ANNOTATIONS}
_BESIDE: Final = {"annotations": _ANNOTATIONS, **_META}

RESOURCE: Final = record({"name": TEXT, "uri": TEXT}, {**_FILE, "size": whole})
TEMPLATE: Final = record({"name": TEXT, "uriTemplate": TEXT}, _FILE)
PROMPT: Final = record(
    {"name": TEXT},
    {
        **_TITLED,
        "arguments": many(record({"name": TEXT}, {"title": TEXT, "description": TEXT, "required": TRUTH})),
    },
)
TOOL: Final = record(
    {"name": TEXT, "inputSchema": OBJECT},
    {
        **_TITLED,
        "outputSchema": OBJECT,
        "execution": record({}, {"taskSupport": one_of("forbidden", "optional", "required")}),
        "annotations": record(
            {},
            {
                "title": TEXT,
                **{f"{each}Hint": TRUTH for each in ("readOnly", "destructive", "idempotent", "openWorld")},
            },
        ),
    },
)

_CONTENTS: Final = either(
    record({"uri": TEXT, "text": TEXT}, {"mimeType": TEXT, **_META}),
    record({"uri": TEXT, "blob": TEXT}, {"mimeType": TEXT, **_META}),
)
_MEDIUM: Final = record({"data": TEXT, "mimeType": TEXT}, _BESIDE)
_SAID: Final = {"text": record({"text": TEXT}, _BESIDE), "image": _MEDIUM, "audio": _MEDIUM}
BLOCK: Final = _kinds(
    {**_SAID, "resource_link": RESOURCE, "resource": record({"resource": _CONTENTS}, _BESIDE)}
)

_TYPED: Final = {"resultType": TEXT}
CALL_RESULT: Final = record({"content": many(BLOCK)}, _META, {"isError": TRUTH, **_TYPED})
_CACHED: Final = {"ttlMs": _time, "cacheScope": one_of("public", "private")}
READ_RESULT: Final = record({"contents": many(_CONTENTS)}, _META, {**_CACHED, **_TYPED})
PROMPT_RESULT: Final = record(
    {"messages": many(record({"role": _ROLE, "content": BLOCK}))}, {**_META, "description": TEXT}, _TYPED
)

COMPLETED: Final = record(
    {"completion": record({"values": many(TEXT)}, {"total": whole, "hasMore": TRUTH})}, _META, _TYPED
)
ELICITED: Final = record(
    {"action": one_of("accept", "decline", "cancel")},
    {"content": mapping(either(TEXT, number, TRUTH, many(TEXT), _nothing)), **_META},
)
"""What a client answers to ``elicitation/create``."""

_OF_MODELS: Final = _kinds(
    {
        **_SAID,
        "tool_use": record({"id": TEXT, "name": TEXT, "input": OBJECT}, _META),
        "tool_result": record({"toolUseId": TEXT, "content": many(BLOCK)}, {"isError": TRUTH, **_META}),
    }
)
SAMPLED: Final = record(
    {"role": _ROLE, "content": either(_OF_MODELS, many(_OF_MODELS)), "model": TEXT},
    {"stopReason": TEXT, **_META},
)
"""What a client answers to ``sampling/createMessage``."""

WISHES: Final = record(
    {},
    {
        "stopSequences": many(TEXT),
        "includeContext": one_of("none", "thisServer", "allServers"),
        "metadata": OBJECT,
        "modelPreferences": record(
            {},
            {
                "hints": many(record({}, {"name": TEXT})),
                **{f"{each}Priority": _priority for each in ("cost", "speed", "intelligence")},
            },
        ),
    },
)
"""What a server asks of a client's model, as far as it has to have a shape."""

PROGRESS: Final = record({"progress": number}, {"total": number, "message": TEXT, **_META})

LEVELS: Final = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""Of logging, the least grave first."""

LOG: Final = record({"level": one_of(*LEVELS), "data": anything}, {"logger": TEXT, **_META})
