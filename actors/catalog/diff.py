"""How the tools of a plugin differ from those it offered before. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .catalog import ToolDescriptor


class ToolChanges(NamedTuple):
    """Names of tools, in the order in which they are offered, or were."""

    added: list[str]
    removed: list[str]
    changed: list[str]


def tool_changes(before: Iterable[ToolDescriptor], now: Iterable[ToolDescriptor]) -> ToolChanges:
    """Compare; a tool has changed if its schema has, in whatever way."""
    old = {tool.tool_name: tool.schema for tool in before}
    new = {tool.tool_name: tool.schema for tool in now}
    return ToolChanges(
        added=[name for name in new if name not in old],
        removed=[name for name in old if name not in new],
        changed=[name for name in new if name in old and new[name] != old[name]],
    )
