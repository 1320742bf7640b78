"""What an MCP server has declared, in a file for each server: what was kept of it, and what it says since, until that is learnt.

The files are `tools/*.json` in `callboard` in the user's state folder; see `private_record`. Where one counts for nothing the next listing is believed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from ..base.errors import PluginLoadError
from ..base.files.versions import Versions
from ..config.errors import ConfigurationError
from ..hosts.mcp.pins import differences
from ..plugins.sources.mcp import McpSource
from ..sources.entry import parse_entry
from .private_record import PrivateRecord, RecordNewer, Unfit, file_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ..config.configuration import Configuration
    from ..hosts.mcp.pins import Declared

VERSIONS: Final[Versions[dict[str, Any]]] = Versions("the record of tools", 1, newer=RecordNewer)


class ToolRecord:
    """What was kept of the tools of one server, for each set of capabilities of which it was told.

    Args:
        name: the plugin's.
        file: its path.

    Attributes:
        name: as given.
    """

    def __init__(self, name: str, file: Path) -> None:
        self.name = name
        self._file = PrivateRecord(name, file, VERSIONS)
        self._shown: dict[str, Declared] = {}

    def kept(self) -> dict[str, Declared]:
        """What is kept for each set. Raises `RecordNewer`."""
        return {able: kept for able, (kept, _) in self._sets().items()}

    def pending(self) -> dict[str, tuple[str, ...]]:
        """What the server was last heard to declare otherwise, by tool. Raises `RecordNewer`."""
        found: dict[str, tuple[str, ...]] = {}
        for able, (kept, heard) in self._sets().items():
            if heard is not None:
                self._shown[able] = heard
                found |= differences(kept, heard)
        return found

    def learn(self) -> None:
        """Keep what `pending` has told of, and nothing that was heard since. Raises `RecordNotKept`."""
        for able, heard in self._shown.items():
            self.write(able, heard, None)

    def write(self, able: str, kept: Declared, heard: Declared | None) -> None:
        """Write down for one set what is kept, and what the server declares otherwise. Raises `RecordNotKept`."""
        sets = {**self._sets(), able: (kept, heard)}
        written = {each: {"tools": tools, "heard": other} for each, (tools, other) in sets.items()}
        # An older version knows no sets, and reads the first two keys.
        self._file.write({"tools": kept, "heard": heard, "sets": written})

    def _sets(self) -> dict[str, tuple[Declared, Declared | None]]:
        return self._file.read(_all) or {}


def record_of(source: McpSource, name: str, environment: Mapping[str, str] = os.environ) -> ToolRecord:
    """The record of a server, in its usual place."""
    return ToolRecord(name, file_of("tools", source, name, environment))


def records_of(configuration: Configuration) -> list[ToolRecord]:
    """The files of all servers of a configuration, but for those of which nothing is kept. What is no entry at all is found out elsewhere."""
    found = []
    for entry in configuration.plugins:
        with suppress(PluginLoadError, ConfigurationError):
            parsed = parse_entry(entry, configuration.base)
            if isinstance(parsed.source, McpSource) and parsed.source.pin != "off":
                found.append(record_of(parsed.source, parsed.options.name or parsed.source.id))
    return found


_OF_ANY: Final = "any"
"""Stands for the set of capabilities in a file of an older version, which does not name it."""


def _all(content: dict[str, Any]) -> dict[str, tuple[Declared, Declared | None]]:
    sets = content.get("sets", {_OF_ANY: content})
    if not isinstance(sets, dict):
        raise Unfit("it is damaged")
    return {able: _both(each) for able, each in sets.items()}


def _both(content: Any) -> tuple[Declared, Declared | None]:
    if not isinstance(content, dict):
        raise Unfit("it is damaged")
    kept, heard = _declared(content.get("tools")), _declared(content.get("heard"))
    if kept is None:
        raise Unfit("it is damaged")
    return kept, heard


def _declared(value: Any) -> Declared | None:
    """Tools as they are kept; ``None`` for nothing. Raises `Unfit`: it is something else."""
    if value is None:
        return None
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise Unfit("it is damaged")
    return value
