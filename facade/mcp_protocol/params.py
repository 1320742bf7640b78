"""The shapes of what clients of MCP ask with. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .shapes import (
    ELICITED,
    ICONS,
    LEVELS,
    OBJECT,
    SAMPLED,
    TEXT,
    TRUTH,
    either,
    many,
    mapping,
    number,
    one_of,
    record,
    token,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .shapes import Shape

REVISION: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES: Final = "io.modelcontextprotocol/clientCapabilities"
INFO: Final = "io.modelcontextprotocol/clientInfo"
LOG_LEVEL: Final = "io.modelcontextprotocol/logLevel"
"""The least grave level of which the client is told meanwhile."""

IMPLEMENTATION: Final = record(
    {"name": TEXT, "version": TEXT},
    {"title": TEXT, "description": TEXT, "websiteUrl": TEXT, "icons": ICONS},
)

_ABLE: Final = {
    "elicitation": record({}, {"form": OBJECT, "url": OBJECT}),
    "sampling": record({}, {"context": OBJECT, "tools": OBJECT}),
    "experimental": mapping(OBJECT),
    "extensions": mapping(OBJECT),
}
_ROOTS: Final = record({}, {"listChanged": TRUTH})

_META: Final = record({}, {"progressToken": token})
_ENVELOPE: Final = record(
    {REVISION: TEXT, CAPABILITIES: record({}, {**_ABLE, "roots": OBJECT})},
    {INFO: IMPLEMENTATION, LOG_LEVEL: one_of(*LEVELS), "progressToken": token},
)

INITIALIZE: Final = record(
    {
        "protocolVersion": TEXT,
        "capabilities": record({}, {**_ABLE, "roots": _ROOTS, "tasks": OBJECT}),
        "clientInfo": IMPLEMENTATION,
    },
    {"_meta": _META},
)
"""Params of ``initialize``."""


LEVEL: Final = one_of(*LEVELS)
TASK: Final = record({}, {"ttl": number})
"""The member ``task``, by which a client up to 2025-11-25 has a call run as a task."""

RESPONSES: Final = mapping(
    either(ELICITED, SAMPLED, record({"roots": many(record({"uri": TEXT}, {"name": TEXT}))}))
)
"""What a client of the stateless era answers when it has been asked something, by the names of the questions."""

COMPLETED: Final = either(
    record({"type": one_of("ref/prompt"), "name": TEXT}, {"title": TEXT}),
    record({"type": one_of("ref/resource"), "uri": TEXT}),
)
"""Of what it wants an argument completed: a prompt, or a template."""

ARGUMENT: Final = record({"name": TEXT, "value": TEXT})
KNOWN_ARGUMENTS: Final = record({}, {"arguments": mapping(TEXT)})

LISTENS: Final = record(
    {},
    {
        **{f"{each}ListChanged": TRUTH for each in ("tools", "prompts", "resources")},
        "resourceSubscriptions": many(TEXT),
    },
)
"""What it wants to hear of."""


def bad_params(problem: str | None) -> str:
    """Return the message of an error about params, as the SDK words it; ``problem`` names the wrong one."""
    return "Invalid request parameters" if problem is None else f"Invalid request parameters: {problem}"


def params_problem(
    params: dict[str, Any], required: Mapping[str, Shape], optional: Mapping[str, Shape], *, stateless: bool
) -> str | None:
    """What is wrong with the params of a request; ``None`` if they have their shape."""
    for key, shape in required.items():
        if key not in params:
            return f"{key}: is missing"
        if (problem := shape(params[key])) is not None:
            return f"{key}: {problem}"
    for key, shape in optional.items():
        value = params.get(key)
        if value is not None and (problem := shape(value)) is not None:
            return f"{key}: {problem}"
    meta = params.get("_meta")
    if stateless:
        return _ENVELOPE(meta)
    return None if meta is None else _META(meta)
