"""Where schemas stand inside a JSON Schema, and to what part of a value each of them is applied.

A table of the keywords of all dialects at once. Where dialects differ, the answer is the wider one:
it may name a schema that a dialect would pass over, and never leaves one out. It reads one object and
follows nothing: what a reference leads to is for `schema_graph`.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

_HERE_ONE: Final = ("not", "if", "then", "else")
_HERE_LIST: Final = ("allOf", "anyOf", "oneOf")
_HERE_MAP: Final = ("dependentSchemas", "dependencies")
_MEMBERS_ONE: Final = ("additionalProperties", "unevaluatedProperties", "propertyNames")
_ITEMS_ONE: Final = ("items", "additionalItems", "contains", "unevaluatedItems")
_ITEMS_LIST: Final = ("prefixItems", "items")

_ASK_TWICE: Final = ("unevaluatedProperties", "unevaluatedItems")

Schema = dict[str, Any]


class Subschemas(NamedTuple):
    """The schemas in one schema. True and false are schemas too, and cost nothing: they are left out.

    Attributes:
        here: applied to the value itself.
        named: applied to the member of that name, or the item at that place.
        members: applied to any member.
        items: applied to any item.
        asked_again: those of ``here`` are applied more than once, to find out what they have looked at.
    """

    here: list[Schema]
    named: list[tuple[str | int, Schema]]
    members: list[Schema]
    items: list[Schema]
    asked_again: bool


def subschemas_of(schema: Schema) -> Subschemas:
    """Return the schemas that stand directly in ``schema``; what is none, though one belongs there, is passed over."""
    here = [found for key in _HERE_ONE if isinstance(found := schema.get(key), dict)]
    for key in _HERE_LIST:
        here += _schemas(schema.get(key))
    for key in _HERE_MAP:
        here += _schemas(_values(schema.get(key)))
    properties = schema.get("properties")
    named: list[tuple[str | int, Schema]] = []
    if isinstance(properties, dict):
        named += [(name, found) for name, found in properties.items() if isinstance(found, dict)]
    for key in _ITEMS_LIST:
        if isinstance(places := schema.get(key), list):
            named += [(place, found) for place, found in enumerate(places) if isinstance(found, dict)]
    members = [found for key in _MEMBERS_ONE if isinstance(found := schema.get(key), dict)]
    members += _schemas(_values(schema.get("patternProperties")))
    items = [found for key in _ITEMS_ONE if isinstance(found := schema.get(key), dict)]
    return Subschemas(here, named, members, items, any(key in schema for key in _ASK_TWICE))


def _schemas(found: Any) -> list[Schema]:
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _values(found: Any) -> list[Any]:
    return list(found.values()) if isinstance(found, dict) else []
