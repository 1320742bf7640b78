"""What to write so that a plugin whose name is taken can come on the board too."""

from __future__ import annotations

import json
import re
from itertools import count
from pathlib import PurePath
from typing import TYPE_CHECKING

from ..actors.registration_errors import PluginNameTaken
from ..sources.kinds import spelled

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from ..actors.board import Board
    from .loaded import Loaded

_NO_NAME = re.compile(r"[^\w-]+")


def with_remedy(
    error: PluginNameTaken, refused: Loaded, loaded: Mapping[str, Loaded], board: Board
) -> PluginNameTaken:
    """The same error, which says what to write.

    Args:
        error: why a plugin was refused.
        refused: that plugin.
        loaded: the plugins that were loaded, by name.
        board: the names of its plugins and hosts are taken.
    """
    name = refused.adapter.name
    there = loaded.get(name)
    taken = {*board.plugin_manager.handles(), *board.plugin_manager.host_registry.status()}
    whose = f", from {spelled(there.entry)}" if there is not None and there.entry is not None else ""
    what = "plugin" if error.by == "plugin" else "host that plugins share,"
    return PluginNameTaken(
        f"there is a {what} {name!r} already{whose}; {_remedy(refused, taken)}", plugin=name, by=error.by
    )


def _remedy(refused: Loaded, taken: Container[str]) -> str:
    options, name = refused.options, refused.adapter.name
    if refused.entry is None:
        return f"register this one by another, such as name={_free(name, '{}', taken)!r}"
    own = name.removeprefix(f"{options.name}.") if options.several and options.name else name
    pattern = f"{{}}.{own}" if options.several else "{}"
    source = spelled(refused.entry)
    free = _free(options.name or _called(source), pattern, taken)
    match refused.entry:
        case str() | {"plugin": str()}:
            written = json.dumps({"plugin": source, "name": free}, ensure_ascii=False)
        case _:
            written = f'"name": {json.dumps(free, ensure_ascii=False)} in the entry {source}'
    return f"write {written}, and this one is {pattern.format(free)!r}"


def _called(source: str) -> str:
    """What to call a source: the last part of its address or path."""
    path = source.partition("#")[0].rstrip("/")
    return _NO_NAME.sub("-", PurePath(path.rpartition(":")[2]).stem).strip("-") or "other"


def _free(name: str, pattern: str, taken: Container[str]) -> str:
    """The name, with a number behind it if there is a plugin or a host of that name."""
    names = (name if number == 1 else f"{name}-{number}" for number in count(1))
    return next(each for each in names if each not in taken and pattern.format(each) not in taken)
