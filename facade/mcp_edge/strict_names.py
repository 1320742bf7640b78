"""Names of tools that the APIs of models refuse, under names that all of them take. Pure.

MCP allows a name ``files.read`` or ``git/log``, and 128 characters; the APIs behind many clients refuse the whole request for it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ..interop.format_ids import ANTHROPIC_MESSAGES
from ..interop.names.provider_spellings import names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Json = dict[str, Any]

STRICT: Final = "strict"
"""As `Configuration.names` has it."""

META: Final = "callboard/name"
"""Where a tool that has another name says its own."""

_MOST: Final = 50_000
"""Names that are known; of more of them those are forgotten that are offered no more."""


class StrictNames:
    """Names of 1 to 64 letters, digits, ``_`` and ``-`` for others, by a hash: the same each time.

    A name that was said once stands for its tool for as long as this lives, whatever is offered later. A tool whose own name is one that is said
    for another gets a name by a hash, too.

    Args:
        kind: as `Configuration.names` has it; all but ``strict`` leaves each name as it is.
        offered: returns the names that are offered now: a client may call what it has listed before this began.
    """

    def __init__(self, kind: str = STRICT, offered: Callable[[], Iterable[str]] = tuple) -> None:
        self._is_strict = kind == STRICT
        self._offered = offered
        self._spelling = names_of(ANTHROPIC_MESSAGES)
        self._said: dict[str, str] = {}
        self._meant: dict[str, str] = {}

    def tools(self, declared: Sequence[Json]) -> list[Json]:
        """The tools under the names that are said for theirs."""
        if not self._is_strict:
            return list(declared)
        self._learn([tool["name"] for tool in declared])
        return [self._tool(tool) for tool in declared]

    def meant(self, name: str) -> str:
        """The tool's own name by the one that a client says; one that was never said stays as it is."""
        if self._is_strict and name not in self._meant:
            self._learn(self._offered())
        return self._meant.get(name, name)

    def spelled(self, text: str) -> str:
        """Return an error text of the board with the names that clients know in the place of its own."""
        if not self._is_strict:
            return text
        self._learn(self._offered())
        others = {name: said for name, said in self._said.items() if said != name}
        if not others:
            return text
        any_of = "|".join(map(re.escape, sorted(others, key=len, reverse=True)))
        named = rf"(?<=['\"])(?:{any_of})(?=['\"])|(?<=[:,] )(?:{any_of})(?=,| \(|$)"
        return re.sub(named, lambda found: others[found[0]], text)

    def _tool(self, tool: Json) -> Json:
        name = tool["name"]
        said = self._said[name]
        return (
            tool
            if said == name
            else {**tool, "name": said, "_meta": {**(tool.get("_meta") or {}), META: name}}
        )

    def _learn(self, names: Iterable[str]) -> None:
        offered = set(names)
        new = sorted(offered - self._said.keys())
        if len(self._said) + len(new) > _MOST:
            self._said = {name: said for name, said in self._said.items() if name in offered}
            self._meant = {said: name for name, said in self._said.items()}
        # Those that are refused first: else a tool could be called as another is said, and be run for it.
        for name in sorted(new, key=self._spelling.is_legal):
            said, attempt = name, 0
            while said in self._meant or not self._spelling.is_legal(said):
                said, attempt = self._spelling.alias(name, attempt), attempt + 1
            self._said[name] = said
            self._meant[said] = name
