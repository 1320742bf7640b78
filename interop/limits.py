"""How much of a stranger's JSON we are willing to hold: one place for every bound of this room.

A schema may come from a server nobody knows, and arguments from a model that was talked into something.
Beyond these bounds a value is refused by name; below them nothing here takes noticeably long. What is
bounded elsewhere: nothing is ever fetched, whatever a ``$ref`` says.
"""

from __future__ import annotations

from typing import Any, Final

MAX_DEPTH: Final = 100
"""Levels of nesting in a value we read; deeper ones are an attack or a mistake."""

MAX_ARGUMENT_CHARS: Final = 64 * 2**20
"""Argument text longer than this is not read."""

MAX_STREAMED_CHARS: Final = 16 * 2**20
"""Characters of arguments that the calls of one stream hold while they are under way."""

MAX_STREAMED_CALLS: Final = 1000
"""Calls in one stream."""

MAX_EVENT_BYTES: Final = 16 * 2**20
"""The longest event of a stream, in bytes."""

MAX_ATTACHMENT_BYTES: Final = 32 * 2**20
"""Bytes of one attachment: 32 MiB. Larger requests are refused by the APIs, and larger files are not read."""

MAX_SCHEMA_NODES: Final = 100_000
"""Values in one schema as it is read, and schemas in one once its references are written out."""

MAX_SCHEMA_CHARS: Final = 4 * 2**20
"""Characters in the keys and texts of one schema."""

MAX_NAME_CHARS: Final = 1_000
"""Characters of a tool's name; it is part of messages, labels and tables."""

MAX_REF_HOPS: Final = 50
"""References that lead to references: more than this is a circle, or made to tire us."""


def too_large(schema: dict[str, Any]) -> str | None:
    """Say what is too large about a schema, whose depth is bounded already; ``None`` if nothing is."""
    nodes = chars = 0
    waiting: list[Any] = [schema]
    while waiting:
        value = waiting.pop()
        nodes += 1
        if isinstance(value, str):
            chars += len(value)
        elif isinstance(value, dict):
            chars += sum(map(len, value))
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        if nodes > MAX_SCHEMA_NODES:
            return f"has more than {MAX_SCHEMA_NODES} values"
        if chars > MAX_SCHEMA_CHARS:
            return f"has more than {MAX_SCHEMA_CHARS} characters"
    return None


def width(schema: dict[str, Any]) -> int:
    """Return how much there is to merge in a schema: its keywords, and what the long ones list."""
    listed = (schema.get(key) for key in ("properties", "required", "enum"))
    return len(schema) + sum(len(found) for found in listed if isinstance(found, dict | list))
