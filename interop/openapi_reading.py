"""Gemini's ``parameters``, a subset of OpenAPI 3.0, read as the JSON Schema that means the same.

Types are in upper case there, ``nullable`` stands beside a type, and whole numbers may come as text.
"""

from __future__ import annotations

from typing import Any, Final

_COUNTS: Final = frozenset(
    {"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"}
)
_RENAMED: Final = {"ref": "$ref", "defs": "$defs"}
_UNSAID: Final = frozenset({"nullable", "propertyOrdering", "example"})


def widen(schema: Any) -> Any:
    """Return the JSON Schema of a schema in Gemini's subset; what is no object stays as it is.

    ``propertyOrdering`` has no counterpart and is left out.
    """
    if not isinstance(schema, dict):
        return schema
    wide: dict[str, Any] = {}
    said: dict[str, Any] = schema
    for key, item in said.items():
        if key not in _UNSAID and item != "TYPE_UNSPECIFIED":
            wide[_RENAMED.get(key, key)] = _widen_item(key, item)
    if "example" in schema:
        wide["examples"] = [schema["example"]]
    if schema.get("nullable") is True:
        _allow_null(wide)
    return wide


def has_ordering(schema: Any) -> bool:
    """Say whether a schema orders its properties, anywhere."""
    items = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    ordered = isinstance(schema, dict) and "propertyOrdering" in schema
    return ordered or any(has_ordering(item) for item in items)


def _widen_item(key: str, item: Any) -> Any:
    if key == "type" and isinstance(item, str):
        return item.lower()
    if key in {"properties", "defs", "$defs"} and isinstance(item, dict):
        return {name: widen(inner) for name, inner in item.items()}
    if key == "anyOf" and isinstance(item, list):
        return [widen(inner) for inner in item]
    if key in {"items", "additionalProperties"}:
        return widen(item)
    if key in _COUNTS and isinstance(item, str) and item.isascii() and item.isdigit():
        return int(item)
    if key == "ref" and isinstance(item, str):
        return item.replace("#/defs/", "#/$defs/")
    return item


def _allow_null(wide: dict[str, Any]) -> None:
    if isinstance(wide.get("type"), str):
        wide["type"] = [wide["type"], "null"]
        if isinstance(wide.get("enum"), list):
            wide["enum"] = [*wide["enum"], None]
    elif isinstance(wide.get("anyOf"), list):
        wide["anyOf"] = [*wide["anyOf"], {"type": "null"}]
