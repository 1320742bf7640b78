"""What was meant by a word that nobody knows."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def meant(word: str, known: Iterable[str]) -> str:
    """Return ``did you mean 'config'?``, or the list of what is known if nothing is near."""
    words = sorted(known)
    near = get_close_matches(word, words, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known are {', '.join(words)}" if words else "there is none"
