"""What an MCP server has declared, in a file for each server: what was kept of it, and what it says since, until that is learnt.

The files are `tools/*.json` in `callboard` in the user's state folder. A server is known by its name and by what its entry says that it is: another command, folder or
address is another server. A file that is damaged or that others may have changed counts for nothing, which is logged: the next listing is believed then.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..base.errors import CallboardError, JsonValueError, PluginLoadError
from ..base.files.private_files import make_private_folder, open_private, who_may_change
from ..base.files.versions import NewerVersion, Versions
from ..base.foreign import Log
from ..base.json import dump_json, load_json
from ..config.errors import ConfigurationError
from ..hosts.mcp.pins import differences
from ..plugins.sources.entry import parse_entry
from ..plugins.sources.mcp import McpSource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..config.configuration import Configuration
    from ..hosts.mcp.pins import Declared

logger: Log = Log("callboard")

MOST_BYTES: Final = 64 * 1024 * 1024
MOST: Final = 1_000
"""Servers of which something is kept; the one that was written first is forgotten first."""


class ToolsNotKept(CallboardError):
    """What a server declares cannot be written down, or was written by a newer Callboard.

    Attributes:
        file: where it is, or was to be.
    """

    def __init__(self, file: Path, problem: str) -> None:
        super().__init__(f"what the server declares cannot be kept in {file}: {problem}")
        self.file = file


class ToolsNewer(ToolsNotKept, NewerVersion):
    """The file was written by a newer Callboard; see `NewerVersion`."""

    file: Path

    def __init__(self, message: str, *, file: Path, found: int, newest: int) -> None:
        NewerVersion.__init__(self, message, file=file, found=found, newest=newest)


VERSIONS: Final[Versions[dict[str, Any]]] = Versions("the record of tools", 1, newer=ToolsNewer)


class ToolRecord:
    """The file of one server, which need not exist.

    Args:
        name: the plugin's.
        file: its path.

    Attributes:
        name, file: as given.
    """

    def __init__(self, name: str, file: Path) -> None:
        self.name = name
        self.file = file
        self._shown: Declared | None = None

    def kept(self) -> Declared | None:
        """What is kept; ``None`` for nothing. Raises `ToolsNewer`."""
        read = self._read()
        return None if read is None else read[0]

    def pending(self) -> dict[str, tuple[str, ...]]:
        """What the server was last heard to declare otherwise, by tool. Raises `ToolsNewer`."""
        read = self._read()
        if read is None or read[1] is None:
            return {}
        self._shown = read[1]
        return differences(read[0], read[1])

    def learn(self) -> None:
        """Keep what `pending` has told of, and nothing that was heard since. Raises `ToolsNotKept`."""
        if self._shown is not None:
            self.write(self._shown, None)

    def write(self, kept: Declared, heard: Declared | None) -> None:
        """Write down what is kept, and what the server declares otherwise. Raises `ToolsNotKept`."""
        folder = self.file.parent
        content = {"version": VERSIONS.newest, "server": self.name, "tools": kept, "heard": heard}
        fresh = self.file.with_suffix(f".{secrets.token_hex(16)}.new")
        try:
            make_private_folder(folder)
            if (who := who_may_change(folder)) is not None:
                raise ToolsNotKept(self.file, f"its folder {who}; make it yours alone")
            self._read()  # a newer one stays as it is
            try:
                with open(fresh, "xb", opener=open_private) as file:
                    file.write(dump_json(content))
                fresh.replace(self.file)
            finally:
                fresh.unlink(missing_ok=True)
            _forget_oldest(folder)
        except OSError as error:
            raise ToolsNotKept(self.file, f"{error.strerror or error}; make it writable") from error

    def _read(self) -> tuple[Declared, Declared | None] | None:
        try:
            return self._content()
        except FileNotFoundError:
            return None
        except OSError as error:
            why = f"it cannot be read ({error.strerror})"
        except (JsonValueError, _Unfit) as error:
            why = str(error) if isinstance(error, _Unfit) else "it is damaged"
        logger.warning(
            "what was kept of the server %r in %s counts for nothing: %s; correct or remove it",
            self.name,
            self.file,
            why,
        )
        return None

    def _content(self) -> tuple[Declared, Declared | None]:
        """Raises `_Unfit`, `ToolsNewer`, `JsonValueError` and `OSError`."""
        for path in (self.file.parent, self.file):
            if (who := who_may_change(path)) is not None:
                raise _Unfit(f"{path} {who}")
        with self.file.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise _Unfit(f"it is larger than {MOST_BYTES >> 20} MB")
        match load_json(content):
            case {"version": version, **others}:
                try:
                    VERSIONS.require(version, self.file)
                except ValueError as error:
                    raise _Unfit(str(error)) from None
                kept, heard = _declared(others.get("tools")), _declared(others.get("heard"))
                if kept is not None:
                    return kept, heard
        raise _Unfit("it is damaged")


class _Unfit(ValueError):
    """A file that counts for nothing; says why."""


def record_of(source: McpSource, name: str, environment: Mapping[str, str] = os.environ) -> ToolRecord:
    """The usual file of a server: below ``XDG_STATE_HOME`` if that is absolute, else below ``~/.local/state``."""
    said = Path(environment.get("XDG_STATE_HOME", ""))
    states = said if said.is_absolute() else Path("~/.local/state").expanduser()
    what = [name, list(source.command), None if source.url else str(source.base / source.cwd), source.url]
    return ToolRecord(
        name, states / "callboard" / "tools" / f"{hashlib.sha256(dump_json(what)).hexdigest()}.json"
    )


def records_of(configuration: Configuration) -> list[ToolRecord]:
    """The files of all servers of a configuration, but for those of which nothing is kept. What is no entry at all is found out elsewhere."""
    found = []
    for entry in configuration.plugins:
        with suppress(PluginLoadError, ConfigurationError):
            parsed = parse_entry(entry, configuration.base)
            if isinstance(parsed.source, McpSource) and parsed.source.pin != "off":
                found.append(record_of(parsed.source, parsed.options.name or parsed.source.id))
    return found


def _declared(value: Any) -> Declared | None:
    """Tools as they are kept; ``None`` for nothing. Raises `_Unfit`: it is something else."""
    if value is None:
        return None
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise _Unfit("it is damaged")
    return value


def _forget_oldest(folder: Path) -> None:
    files = list(folder.glob("*.json"))
    if len(files) > MOST:
        with suppress(OSError):  # another program forgets it at the same time
            min(files, key=lambda file: file.stat().st_mtime).unlink(missing_ok=True)
