"""Two schemas that must both hold, as one: what ``allOf``, and a ``$ref`` with siblings, amount to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..exact_json import json_text

if TYPE_CHECKING:
    from collections.abc import Callable

_ANNOTATIONS: Final = frozenset({"description", "title", "default", "examples", "$comment", "$schema", "$id"})
_LOWER: Final = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_UPPER: Final = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})


def both(one: dict[str, Any], other: dict[str, Any], lose: Callable[[str], None]) -> dict[str, Any]:
    """Return one schema that accepts at least what both accept; neither is changed.

    ``lose`` is told each keyword of which only the first schema's word could be kept.
    """
    merged = dict(one)
    for key, said in other.items():
        if key not in merged:
            merged[key] = said
        elif key not in _ANNOTATIONS and _differ(merged[key], said):
            kept = _reconciled(key, merged[key], said)
            if kept is None:
                lose(key)
            else:
                merged[key] = kept
    return merged


def _reconciled(key: str, one: Any, other: Any) -> Any:
    """Return what says both, or ``None``."""
    numbers = _is_number(one) and _is_number(other)
    if key in _LOWER and numbers:
        return max(one, other)
    if key in _UPPER and numbers:
        return min(one, other)
    if key == "properties" and isinstance(one, dict) and isinstance(other, dict):
        return {**one, **{name: _both_ways(one, name, said) for name, said in other.items()}}
    if key == "required" and isinstance(one, list) and isinstance(other, list):
        return list({json_text(name): name for name in (*one, *other)}.values())
    if key == "type":
        return _common_types(_listed(one), _listed(other))
    if key == "enum" and isinstance(one, list) and isinstance(other, list):
        common = {json_text(item) for item in other}
        return [item for item in one if json_text(item) in common] or None
    return None


def _differ(one: Any, other: Any) -> bool:
    """Say whether two values are not the same JSON; to Python ``1`` and ``true`` are equal."""
    return one is not other and (one != other or json_text(one) != json_text(other))


def _both_ways(one: dict[str, Any], name: str, said: Any) -> Any:
    return {"allOf": [one[name], said]} if name in one and _differ(one[name], said) else said


def _common_types(one: list[Any], other: list[Any]) -> Any:
    common = [kind for kind in one if kind in other]
    if "integer" in other and "number" in one and "integer" not in common:
        common.append("integer")
    if "integer" in one and "number" in other and "integer" not in common:
        common.append("integer")
    return None if not common else common[0] if len(common) == 1 else common


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
