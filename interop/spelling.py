"""How a provider spells names and ids, and what is said to it for those that it refuses.

A name that is legal stays as it is. Of any other the bad characters become ``_``, the text is cut, and
eight hexadecimal digits of its hash are added: ``a.b`` and ``a/b`` stay two names, in this process and the next.
Which of the two comes first makes no difference.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import field
from typing import Final

from ..base.frozen import frozen

_DIGITS: Final = 8
_ALPHABET: Final = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@frozen
class Spelling:
    """What is legal: so many characters, each of certain ones.

    Attributes:
        characters: those that are legal, as they stand in a regular expression's brackets.
        most: how many there may be.
        first: those that may come first, if not all may.
        least: how many there must be. Where it is `most`, a text that is not legal becomes a hash, and
            nothing of it can be recognised.
    """

    characters: str
    most: int
    first: str | None = None
    least: int = 1
    _legal: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _bad: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        first = f"(?=[{self.first}])" if self.first else ""
        legal = f"{first}[{self.characters}]{{{self.least},{self.most}}}"
        object.__setattr__(self, "_legal", re.compile(legal))
        object.__setattr__(self, "_bad", re.compile(f"[^{self.characters}]"))

    def is_legal(self, text: str) -> bool:
        """Say whether the provider takes the text as it is."""
        return self._legal.fullmatch(text) is not None

    def alias(self, text: str, attempt: int = 0) -> str:
        """Return a legal text to be said for another; with each ``attempt`` a different one."""
        seed = text if not attempt else f"{text}\0{attempt}"
        digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()
        if self.least == self.most:
            number = int.from_bytes(digest)
            return "".join(_ALPHABET[number // 62**place % 62] for place in range(self.most))
        stem = self._bad.sub("_", text)[: self.most - _DIGITS - 1]
        if self.first and not re.match(f"[{self.first}]", stem):
            stem = f"_{stem}"[: self.most - _DIGITS - 1]
        return f"{stem}_{digest.hex()[:_DIGITS]}"


ANYTHING: Final = Spelling(r"\s\S", 2**31, least=0)
"""Nothing is refused, or nothing is known to be."""

STRICT: Final = Spelling("a-zA-Z0-9_-", 64, first="a-zA-Z_")
"""Legal for every provider that is known."""
