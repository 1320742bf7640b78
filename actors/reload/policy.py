"""What another version of a program offers in place of the present one, and whether it may. Pure.

A tool is known by its name, and a schema by its fingerprint: the same for the same JSON, in whatever order its
members were written. A person who approved a tool approved that schema.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

Schemas = dict[str, dict[str, Any]]
"""Schemas of a plugin by the names of its tools."""


class Change(StrEnum):
    """What has become of a tool."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class ToolChange(NamedTuple):
    """One tool that is not what it was.

    Attributes:
        plugin: whose it is.
        tool: its name.
        change: what has become of it.
        before: the fingerprint of its schema; ``None`` of one that is new.
        now: the same, ``None`` of one that is gone.
    """

    plugin: str
    tool: str
    change: Change
    before: str | None
    now: str | None


@frozen
class ReloadPolicy:
    """What a reload may do.

    Attributes:
        watch: do it whenever a file of the source has changed.
        refuse: changes of tools that are not taken over: ``added``, ``removed``, ``changed``.
        probation: seconds within which a crash of the new generation brings the former program back, unless it has
            answered a call before.
    """

    watch: bool = False
    refuse: tuple[str, ...] = ()
    probation: float = 10.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "refuse", check_refused(self.refuse))
        if not self.probation >= 0:
            raise ValueError(f"'probation' is {self.probation}; it must be 0 or more seconds")


def check_refused(refuse: Any) -> tuple[str, ...]:
    """The changes that are to be refused. Raises `ValueError` for anything else."""
    known = [change.value for change in Change]
    if not isinstance(refuse, list | tuple | set | frozenset) or not set(refuse) <= set(known):
        raise ValueError(f"'refuse' is {refuse!r:.80}; it has to be a list of {', '.join(known)}")
    return tuple(change for change in known if change in refuse)


def fingerprint(schema: Mapping[str, Any]) -> str:
    """Sixteen hexadecimal digits that are the same for the same JSON."""
    import hashlib  # noqa: PLC0415 - brings OpenSSL

    return hashlib.sha256(json.dumps(schema, sort_keys=True).encode()).hexdigest()[:16]


def compare(plugin: str, before: Schemas, now: Schemas) -> list[ToolChange]:
    """The tools of a plugin that differ: those that are new, then those that are gone, then those that changed."""
    old = {tool: fingerprint(schema) for tool, schema in before.items()}
    new = {tool: fingerprint(schema) for tool, schema in now.items()}
    return [
        *(ToolChange(plugin, tool, Change.ADDED, None, new[tool]) for tool in new if tool not in old),
        *(ToolChange(plugin, tool, Change.REMOVED, old[tool], None) for tool in old if tool not in new),
        *(
            ToolChange(plugin, tool, Change.CHANGED, old[tool], new[tool])
            for tool in new
            if tool in old and old[tool] != new[tool]
        ),
    ]


def objection(changes: Iterable[ToolChange], refuse: Collection[str]) -> str | None:
    """Why these changes are not to be taken over, as a sentence; ``None`` if they may be."""
    refused = [each for each in changes if each.change.value in refuse]
    if not refused:
        return None
    told = ", ".join(f"{each.tool!r} {_WORDS[each.change]}" for each in refused)
    return f"{told}, which 'refuse' rules out; reload with refuse=() to have it all the same"


_WORDS = {Change.ADDED: "is new", Change.REMOVED: "is gone", Change.CHANGED: "has another schema"}
