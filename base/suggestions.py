"""What was meant by an unknown word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .threads import import_apart

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST = 20
"""Known words that are listed; the rest are counted."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is nearest; ``None`` if none is near. Case counts for nothing."""
    import_apart("difflib")
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    folded = {each.casefold(): each for each in sorted(known)}
    near = get_close_matches(word.casefold(), folded, n=1)
    return folded[near[0]] if near else None


def meant(word: str, known: Iterable[str]) -> str:
    """Return ``did you mean 'config'?``, or a list of what is known if nothing is near. Case counts for nothing."""
    words = sorted(known)
    near = nearest(word, words)
    if near is not None:
        return f"did you mean {near!r}?"
    if not words:
        return "there is none"
    rest = len(words) - _MOST
    return f"known are {', '.join(words[:_MOST])}{f' and {rest} more' if rest > 0 else ''}"
