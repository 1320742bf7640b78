"""Instances for a JSON Schema: most of them valid, some nearly so, and none that had to be.

The way into a schema is followed as far as it is understood; what is not (``not``, ``if``, patterns) is
left to chance, and a validator says afterwards what is valid.
"""

from __future__ import annotations

from typing import Any

from callboard.interop.schemas.references import pointed_at
from hypothesis import strategies as st
from json_schemas import constants, words

_DEEPEST = 25
_anything = st.dictionaries(words, constants, max_size=3)
_beside = st.just({}) | st.dictionaries(words, constants, max_size=1)
_TYPES = ("string", "integer", "number", "boolean", "null", "array", "object")


@st.composite
def instances(draw: st.DrawFn, schema: dict[str, Any]) -> dict[str, Any]:
    """Arguments for the tool that declares ``schema``: an object, in whatever way it comes about."""
    value = _value(draw, schema, schema, 0)
    value = value if isinstance(value, dict) else draw(_anything)
    return value | draw(_beside)


def _value(draw: st.DrawFn, schema: Any, root: dict[str, Any], depth: int) -> Any:
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return draw(constants)
    if "$ref" in schema:
        return _value(draw, pointed_at(root, schema["$ref"]), root, depth + 1)
    if "const" in schema:
        return schema["const"]
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return draw(st.sampled_from(schema["enum"]))
    for key in ("anyOf", "oneOf", "allOf"):
        if isinstance(schema.get(key), list) and schema[key]:
            rest = {word: said for word, said in schema.items() if word != key}
            taken = schema[key] if key == "allOf" else [draw(st.sampled_from(schema[key]))]
            return _value(draw, _together(rest, taken, root), root, depth + 1)
    stated = schema.get("type")
    known = [kind for kind in (stated if isinstance(stated, list) else [stated]) if kind in _TYPES]
    if not known:
        known = ["object"] if "properties" in schema else list(_TYPES[:5])
    return _of_type(draw, draw(st.sampled_from(known)), schema, root, depth)


def _together(rest: dict[str, Any], branches: list[Any], root: dict[str, Any]) -> dict[str, Any]:
    whole = dict(rest)
    for branch in branches:
        found = pointed_at(root, branch["$ref"]) if isinstance(branch, dict) and "$ref" in branch else branch
        if isinstance(found, dict):
            properties = {**whole.get("properties", {}), **found.get("properties", {})}
            whole |= found | ({"properties": properties} if properties else {})
    return whole


def _of_type(draw: st.DrawFn, kind: str, schema: dict[str, Any], root: dict[str, Any], depth: int) -> Any:
    match kind:
        case "object":
            return _object(draw, schema, root, depth)
        case "array":
            before = schema.get("prefixItems", [])
            count = draw(st.integers(schema.get("minItems", 0), max(schema.get("minItems", 0), 2)))
            said = [*before, *[schema.get("items", {})] * count][: max(count, len(before))]
            return [_value(draw, item, root, depth + 1) for item in said]
        case "string":
            low = schema.get("minLength", 0)
            return draw(words.filter(lambda word: len(word) >= low) | st.just("x" * max(low, 1)))
        case "integer" | "number":
            low = schema.get("minimum", -2)
            whole = st.integers(min_value=int(low), max_value=int(low) + 4)
            return draw(whole if kind == "integer" else whole | st.floats(low, low + 2, width=64))
        case "boolean":
            return draw(st.booleans())
    return None


def _object(draw: st.DrawFn, schema: dict[str, Any], root: dict[str, Any], depth: int) -> dict[str, Any]:
    said = schema.get("properties")
    said = said if isinstance(said, dict) else {}
    asked = [name for name in schema.get("required", []) if isinstance(name, str)]
    wanted = [name for name in said if name in asked or (depth < 4 and draw(st.booleans()))]
    chosen = dict.fromkeys([*asked, *wanted])
    other = schema.get("additionalProperties", {})
    return {name: _value(draw, said.get(name, other), root, depth + 1) for name in chosen}
