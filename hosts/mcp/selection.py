"""Which tools of an MCP server are offered, and under which names. Pure.

A server's own names are kept, unless its entry says otherwise or another server has them too: models know tools by their names.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Final

from ...base.frozen import frozen
from ...plugins.hooks.approval_rules import fits

if TYPE_CHECKING:
    from collections.abc import Iterable

SEPARATOR: Final = "__"

MAX_NAME: Final = 64
"""Characters of a name that was put together here: models of most providers take no more."""

_HASH = 8
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]+")


@frozen
class Selection:
    """What an entry says of a server's tools. Patterns are as of `fnmatch`, and upper case is not lower case.

    Attributes:
        allow: patterns of names, one of which has to fit; ``None`` allows every name.
        deny: patterns of names that are not offered, whatever ``allow`` says.
        rename: new names by old ones.
        prefix: stands before each name that was not renamed; empty for none.
        apart: a prefix is used if another server offers a name that this one has.
        own: stands before a name that looks like a tool of another server; empty for none, and then such a tool is not offered.
        others: prefixes of the other servers, whether they are in use or not.
    """

    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    rename: tuple[tuple[str, str], ...] = ()
    prefix: str = ""
    apart: bool = True
    own: str = ""
    others: frozenset[str] = frozenset()

    def refusal(self, name: str) -> str | None:
        """Why a tool is not offered; ``None`` if it is."""
        if self.allow is not None and not any(fits(name, pattern) for pattern in self.allow):
            return "'allow' of its entry does not name it"
        found = next((pattern for pattern in self.deny if fits(name, pattern)), None)
        if found is not None:
            return f"{found!r:.60} in 'deny' of its entry names it"
        if all(old != name for old, _ in self.rename) and (other := self._other(self.offered_as(name))):
            return f"its name is that of a tool of the server {other!r:.60}; give it another by 'rename' in its entry"
        return None

    def offered_as(self, name: str) -> str:
        """The name under which a tool is offered."""
        for old, new in self.rename:
            if old == name:
                return new
        prefix = self.prefix or (self.own if self._other(name) else "")
        return shortened(f"{prefix}{SEPARATOR}{name}", MAX_NAME) if prefix else name

    def _other(self, name: str) -> str | None:
        """The prefix of another server that a name begins with."""
        own = self.prefix or self.own
        found = prefix_in(name, self.others | {own} if own else self.others)
        return None if found == own else found

    def idle(self, names: Iterable[str]) -> list[str]:
        """The rules that fit none of a server's names, as ``deny 'write_fil'``: misspelt, most likely."""
        names = list(names)
        rules = [
            (verb, rule)
            for verb, given in (("allow", self.allow or ()), ("deny", self.deny))
            for rule in given
        ]
        idle = [
            f"{verb} {rule!r:.100}" for verb, rule in rules if not any(fits(name, rule) for name in names)
        ]
        return [*idle, *(f"rename {old!r:.100}" for old, _ in self.rename if old not in names)]


ALL: Final = Selection()
"""Every tool, under its own name."""


def prefix_of(name: str) -> str:
    """A plugin's name as a prefix: with the characters that providers take in names of tools."""
    return _FOREIGN.sub("_", name).strip("_") or "mcp"


def prefix_in(name: str, prefixes: Iterable[str]) -> str | None:
    """The longest of the prefixes that a name begins with, also where it was shortened; ``None`` if it begins with none."""
    found = [each for each in prefixes if name.startswith(f"{each}{SEPARATOR}"[: MAX_NAME - _HASH - 1])]
    return max(found, key=len, default=None)


def shortened(name: str, limit: int) -> str:
    """A name of at most so many characters: the end of a longer one is a hash of all of it, the same each time.

    Args:
        name: of any length.
        limit: at least 16.
    """
    if len(name) <= limit:
        return name
    return f"{name[: limit - _HASH - 1]}_{zlib.crc32(name.encode('utf-8', 'surrogatepass')):0{_HASH}x}"
