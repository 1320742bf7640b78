"""The keywords of each type of value, as Gemini's ``parameters`` know them.

Each function writes what it can into ``narrowed``, tells ``lose`` what says less, and returns the
keywords it has dealt with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..errors import ConversionError

if TYPE_CHECKING:
    from collections.abc import Callable

    Lose = Callable[[str], None]
    Write = Callable[[Any], dict[str, Any]]

_TEXT_FORMATS: Final = frozenset({"date-time", "enum"})
_NUMBER_FORMATS: Final = {"integer": ("int32", "int64"), "number": ("float", "double")}
_LOOKAROUND: Final = ("(?=", "(?!", "(?<")


def write_object(flat: dict[str, Any], narrowed: dict[str, Any], lose: Lose, write: Write) -> tuple[str, ...]:
    """Write the keywords of objects; what ``properties`` do not name cannot be required or forbidden."""
    properties = flat.get("properties", {})
    if not isinstance(properties, dict):
        raise ConversionError("'properties' of its schema must be an object")
    narrowed["properties"] = {name: write(inner) for name, inner in properties.items()}
    required = flat.get("required")
    if isinstance(required, list):
        named = [name for name in required if isinstance(name, str) and name in properties]
        if len(named) < len(required):
            lose("required")
        if named:
            narrowed["required"] = named
    if flat.get("additionalProperties", True) not in (True, {}):
        lose("additionalProperties")
    _copy_counts(flat, narrowed, lose, "minProperties", "maxProperties")
    return ("properties", "required", "additionalProperties", "minProperties", "maxProperties")


def write_array(flat: dict[str, Any], narrowed: dict[str, Any], lose: Lose, write: Write) -> tuple[str, ...]:
    """Write the keywords of arrays; items by position become any items."""
    items = flat.get("items", True)
    if "prefixItems" in flat or isinstance(items, list):
        lose("prefixItems" if "prefixItems" in flat else "items")
        items = True
    narrowed["items"] = write(items)
    _copy_counts(flat, narrowed, lose, "minItems", "maxItems")
    return ("items", "prefixItems", "minItems", "maxItems")


def write_text(flat: dict[str, Any], narrowed: dict[str, Any], lose: Lose) -> tuple[str, ...]:
    """Write the keywords of strings; a choice must be among texts that are not empty."""
    values = _choice(flat, lose)
    if values is not None:
        texts = [value for value in values if isinstance(value, str)]
        if texts and "" not in texts:
            narrowed["enum"] = texts
        else:
            lose("enum")
    pattern = flat.get("pattern")
    if isinstance(pattern, str) and not any(mark in pattern for mark in _LOOKAROUND):
        narrowed["pattern"] = pattern
    elif "pattern" in flat:
        lose("pattern")
    _copy_format(flat, narrowed, lose, _TEXT_FORMATS)
    _copy_counts(flat, narrowed, lose, "minLength", "maxLength")
    return ("enum", "const", "pattern", "format", "minLength", "maxLength")


def write_number(flat: dict[str, Any], narrowed: dict[str, Any], lose: Lose) -> tuple[str, ...]:
    """Write the keywords of numbers; a choice among numbers becomes the span they lie in."""
    whole = narrowed["type"] == "INTEGER"
    lowest = [_bound(flat, "minimum", lose), _beyond(flat, "exclusiveMinimum", lose, step=1 if whole else 0)]
    highest = [
        _bound(flat, "maximum", lose),
        _beyond(flat, "exclusiveMaximum", lose, step=-1 if whole else 0),
    ]
    values = _choice(flat, lose)
    if values is not None:
        numbers = [value for value in values if _number(value) is not None]
        lowest += [min(numbers, default=None)]
        highest += [max(numbers, default=None)]
        if len(numbers) != 1:
            lose("enum")
    if _there(lowest):
        narrowed["minimum"] = max(_there(lowest))
    if _there(highest):
        narrowed["maximum"] = min(_there(highest))
    _copy_format(flat, narrowed, lose, _NUMBER_FORMATS["integer" if whole else "number"])
    return ("enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "format")


def _bound(flat: dict[str, Any], keyword: str, lose: Lose) -> Any:
    bound = _number(flat.get(keyword))
    if keyword in flat and bound is None:
        lose(keyword)
    return bound


def _beyond(flat: dict[str, Any], keyword: str, lose: Lose, *, step: int) -> Any:
    """Return the bound that stands in for an exclusive one: exact between whole numbers, else wider."""
    bound = _number(flat.get(keyword))
    if keyword in flat and not (step and isinstance(bound, int)):
        lose(keyword)
    return bound + step if isinstance(bound, int) else bound


def _there(bounds: list[Any]) -> list[Any]:
    return [bound for bound in bounds if bound is not None]


def _choice(flat: dict[str, Any], lose: Lose) -> list[Any] | None:
    values = flat.get("enum")
    if "const" in flat:
        if "enum" in flat:
            lose("enum")
        return [flat["const"]]
    return values if isinstance(values, list) else None


def _copy_counts(flat: dict[str, Any], narrowed: dict[str, Any], lose: Lose, *keywords: str) -> None:
    for keyword in keywords:
        if keyword in flat:
            count = flat[keyword]
            if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
                narrowed[keyword] = count
            else:
                lose(keyword)


def _copy_format(flat: dict[str, Any], narrowed: dict[str, Any], lose: Lose, known: Any) -> None:
    if "format" in flat:
        if flat["format"] in known:
            narrowed["format"] = flat["format"]
        else:
            lose("format")


def _number(value: Any) -> Any:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
