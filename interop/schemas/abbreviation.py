"""JSON values, their types and their places in a few words, however large and hostile they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..exact_json import json_text

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_NAMES: Final = 12
"""Names, or other things, that a list of them shows; the others are counted."""

_MOST_CHARS: Final = 60
_MOST_NAME_CHARS: Final = 40
_MOST_BITS: Final = 200

KINDS: Final = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "a boolean",
    "object": "an object",
    "array": "an array",
    "null": "null",
}
"""The types of JSON Schema, by its own names."""


def cut(text: str, most: int) -> str:
    """Return a text of at most ``most`` characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def value_in_short(value: Any) -> str:
    """Return a JSON value as text; of an object its names, of an array its length."""
    if isinstance(value, str):
        return json_text(cut(value, _MOST_CHARS))
    if isinstance(value, dict):
        return f"an object with {names_in_short(list(value))}" if value else "an empty object"
    if isinstance(value, list | tuple):
        return f"an array of {len(value)}" if value else "an empty array"
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return "a number with very many digits"  # which Python may refuse to write
    return cut(json_text(value), _MOST_CHARS)


def names_in_short(names: Sequence[object]) -> str:
    """Return names in a row, each in quotes."""
    shown = ", ".join(f"'{cut(str(name), _MOST_NAME_CHARS)}'" for name in names[:MOST_NAMES])
    return f"{shown} and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else shown


def types_in_short(types: Sequence[str]) -> str:
    """Return types as ``a string, an array or null``; those that JSON Schema does not know are left out."""
    said = [KINDS[each] for each in KINDS if each in types]
    if not said:
        return "something else"
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} or {said[-1]}"


def path_in_short(steps: Sequence[str | int]) -> str:
    """Return a JSON path, such as ``$.edits[3].line``."""
    said = [f"[{step}]" if isinstance(step, int) else f".{cut(step, _MOST_NAME_CHARS)}" for step in steps]
    return "$" + "".join(said)
