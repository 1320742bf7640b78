"""References inside a JSON Schema: local ones are followed, and no other ever is.

A reference to an address on the net is never fetched: who wrote the schema would choose what this
process, or the provider's, connects to. It leads nowhere here.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from ..limits import MAX_REF_HOPS


def pointed_at(root: dict[str, Any], reference: Any) -> Any:
    """Return what a local reference (``#``, ``#/$defs/X``, ``#/properties/a/items``) points at, or ``None``.

    What is returned is a piece of ``root`` and no copy.
    """
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    found: Any = root
    for step in reference[1:].split("/")[1:]:
        key = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and key in found:
            found = found[key]
        elif isinstance(found, list) and key.isascii() and key.isdigit() and int(key) < len(found):
            found = found[int(key)]
        else:
            return None
    return found if reference == "#" or reference.startswith("#/") else None


def resolve(root: dict[str, Any], schema: Any) -> dict[str, Any]:
    """Return the object that a schema is, or that its reference leads to; empty if it leads nowhere."""
    for _ in range(MAX_REF_HOPS):
        if not isinstance(schema, dict):
            return {}
        if "$ref" not in schema:
            return schema
        schema = pointed_at(root, schema["$ref"])
    return {}
