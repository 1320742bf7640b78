"""Readers of the values of options: each returns the value, or raises `ValueError` with what it has to be.

The reader of the options says in its own error which option it was, of what, and what was given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def text(value: Any) -> str:
    """A text."""
    if not isinstance(value, str) or not value:
        raise ValueError("a text that is not empty")
    return value


def flag(value: Any) -> bool:
    """True or false, and nothing that stands for it."""
    if not isinstance(value, bool):
        raise ValueError("true or false")  # noqa: TRY004 - one error of all readers
    return value


def whole(least: int) -> Callable[[Any], int]:
    """A reader of whole numbers from ``least`` on."""

    def read(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ValueError(f"a whole number of at least {least}")
        return value

    return read


def seconds(value: Any) -> float:
    """A time that ends, and takes some."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < float("inf"):
        raise ValueError("a number of seconds above 0")
    return float(value)


def mapping(value: Any) -> dict[str, Any]:
    """A copy of a mapping with texts as keys."""
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise ValueError("a mapping")
    return dict(value)
