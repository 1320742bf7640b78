"""What was meant by an unknown word."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST = 20
"""Known words that are listed; the rest are counted."""


def meant(word: str, known: Iterable[str]) -> str:
    """Return ``did you mean 'config'?``, or a list of what is known if nothing is near. Case counts for nothing."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    words = sorted(known)
    folded = {each.casefold(): each for each in words}
    near = get_close_matches(word.casefold(), folded, n=1)
    if near:
        return f"did you mean {folded[near[0]]!r}?"
    if not words:
        return "there is none"
    rest = len(words) - _MOST
    return f"known are {', '.join(words[:_MOST])}{f' and {rest} more' if rest > 0 else ''}"
