"""Gemini's ``parameters``, a subset of OpenAPI 3.0, read as the JSON Schema that means the same.

Types are in upper case there, ``nullable`` stands beside a type, and whole numbers may come as text. The Python SDKs
spell some words otherwise, and the proto of Vertex AI gives its types numbers.
"""

from __future__ import annotations

from typing import Any, Final

from ..errors import InvalidShapeError
from ..format_ids import GEMINI_OPENAPI

_COUNTS: Final = frozenset(
    {"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"}
)
_RENAMED: Final = {"ref": "$ref", "defs": "$defs"}
_UNSAID: Final = frozenset({"nullable", "propertyOrdering", "example"})
_NULLABLE: Final = frozenset({"default", "example"})
"""Keys whose value may be null, which elsewhere stands for what is unsaid."""

_WIRE: Final = {
    "type_": "type",
    "format_": "format",
    "any_of": "anyOf",
    "property_ordering": "propertyOrdering",
    "additional_properties": "additionalProperties",
    "min_items": "minItems",
    "max_items": "maxItems",
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_properties": "minProperties",
    "max_properties": "maxProperties",
}
"""What the Python SDKs call a key -> what the wire does."""

_NUMBERED: Final = ("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")
"""The types by the number that they have in the proto, from 1 on."""


def widen(schema: Any) -> Any:
    """Return the JSON Schema of a schema in Gemini's subset; what is no object stays as it is.

    ``propertyOrdering`` has no counterpart and is left out.

    Raises:
        InvalidShapeError: a type is a number that stands for none.
    """
    if not isinstance(schema, dict):
        return schema
    wide: dict[str, Any] = {}
    said = _said(schema)
    for key, item in said.items():
        if key not in _UNSAID and item != "TYPE_UNSPECIFIED":
            wide[_RENAMED.get(key, key)] = _widen_item(key, item)
    if "example" in said:
        wide["examples"] = [said["example"]]
    if said.get("nullable") is True:
        _allow_null(wide)
    return wide


def has_ordering(schema: Any) -> bool:
    """Say whether a schema orders its properties, anywhere."""
    items = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    ordered = isinstance(schema, dict) and _said(schema).get("propertyOrdering") is not None
    return ordered or any(has_ordering(item) for item in items)


def _said(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what a schema says, in the wire's words.

    The SDK dumps a null for each word that is unsaid; in the proto that is an empty text, a zero or an empty list.
    """
    said = {_WIRE.get(key, key): item for key, item in schema.items()}
    if "type_" in schema or type(schema.get("type")) is int:
        said = {key: item for key, item in said.items() if item and not (key in _COUNTS and item == "0")}
    elif any(item is None and key not in _NULLABLE for key, item in said.items()):
        said = {key: item for key, item in said.items() if item is not None}
    stated = said.get("type")
    if type(stated) is int:
        if not 1 <= stated <= len(_NUMBERED):
            raise InvalidShapeError(GEMINI_OPENAPI, f"{stated} is the number of no type")
        said["type"] = _NUMBERED[stated - 1]
    return said


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
