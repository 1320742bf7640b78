"""How large a JSON value is, level by level, with an end to the counting. Pure.

The value may be anything a program made: circles come out as too deep, and shared pieces are counted
each time that they are met.
"""

from __future__ import annotations

from typing import Any, Final

from ..limits import MAX_DEPTH

MAX_VALUES: Final = 10_000_000
"""Values in one value; more are not counted."""

SCALARS: Final = frozenset({str, int, float, bool, type(None)})
"""The types of JSON values that hold no others."""


def level_sizes(value: Any) -> list[int] | None:
    """Return how many values there are at depth 0, 1, 2, …; ``None`` if they are too many, or too deep."""
    sizes = [1]
    level = [value] if isinstance(value, dict | list | tuple) else []
    total = 1
    while level:
        inside = [each.values() if isinstance(each, dict) else each for each in level]
        size = sum(map(len, inside))
        total += size
        if total > MAX_VALUES or len(sizes) > MAX_DEPTH + 1:
            return None
        if not size:
            break
        sizes.append(size)
        level = [
            each
            for group in inside
            for each in group
            if each.__class__ not in SCALARS and isinstance(each, dict | list | tuple)
        ]
    return sizes


def text_size(value: Any) -> int:
    """Return how many characters all texts have together, names of members too; one more for each value.

    Only for values that `level_sizes` has found to be of a size.
    """
    total = 0
    waiting = [value]
    while waiting:
        each = waiting.pop()
        total += 1
        if isinstance(each, str):
            total += len(each)
        elif isinstance(each, dict):
            total += sum(map(len, each))
            waiting += each.values()
        elif isinstance(each, list | tuple):
            waiting += each
    return total
