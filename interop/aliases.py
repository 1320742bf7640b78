"""What stands for what, for the names or the ids of one request.

The map is made from all that the request has, and kept nowhere: made again from the same, after a restart or
in another process, it is the same, whatever the order. There is none that two requests share.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .spelling import Spelling


class Aliases:
    """Names or ids, and what is said for those that a provider refuses; immutable.

    No two of the originals become the same. Legal ones stay what they are; if an alias happens to be
    one of them, or another's, it gives way.

    Attributes:
        said: original -> what is said for it, those included that stay as they are.
    """

    __slots__ = ("_meant", "_spelling", "said")

    def __init__(self, originals: Iterable[str], spelling: Spelling) -> None:
        distinct = set(originals)
        legal = {text for text in distinct if spelling.is_legal(text)}
        said = {text: text for text in legal}
        meant: dict[str, str] = {}
        # In order, so that of two that want the same alias it is always the same one that gives way.
        for text in sorted(distinct - legal):
            attempt = 0
            while (alias := spelling.alias(text, attempt)) in meant or alias in legal:
                attempt += 1
            said[text] = alias
            meant[alias] = text
        self.said: Mapping[str, str] = MappingProxyType(said)
        self._meant = meant
        self._spelling = spelling

    @property
    def changes(self) -> bool:
        """Whether any of the originals is said differently."""
        return bool(self._meant)

    def forward(self, text: str) -> str:
        """Return what is said for a text.

        One that is not among the originals, such as the name of a tool that is gone, is treated as if
        it were, but cannot be turned back. An alias stands for itself.
        """
        said = self.said.get(text)
        if said is not None:
            return said
        if text in self._meant or self._spelling.is_legal(text):
            return text
        attempt = 0
        while (alias := self._spelling.alias(text, attempt)) in self._meant or alias in self.said:
            attempt += 1
        return alias

    def reverse(self, text: str) -> str:
        """Return what is meant by a text that came back; one that was never said stays as it is."""
        return self._meant.get(text, text)
