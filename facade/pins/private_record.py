"""A file of what is known of one server, in the user's state folder: for its user alone, and bounded.

A file that is damaged or that others may have changed counts for nothing, which is logged. One of a newer Callboard is refused, and stays as it is.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ..base.errors import CallboardError, JsonValueError
from ..base.files.private_files import make_private_folder, open_private, who_may_change
from ..base.files.versions import NewerVersion
from ..base.foreign import Log
from ..base.json import dump_json, load_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..base.files.versions import Versions
    from ..plugins.sources.mcp import McpSource

logger: Log = Log("callboard")

Content = TypeVar("Content")

MOST_BYTES: Final = 64 * 1024 * 1024
MOST: Final = 1_000
"""Files of one kind; the one that was written first is forgotten first."""


class RecordNotKept(CallboardError):
    """What is known of a server cannot be written down, or was written by a newer Callboard.

    Attributes:
        file: where it is, or was to be.
    """

    def __init__(self, file: Path, problem: str) -> None:
        super().__init__(f"what the server declares cannot be kept in {file}: {problem}")
        self.file = file


class RecordNewer(RecordNotKept, NewerVersion):
    """The file was written by a newer Callboard; see `NewerVersion`."""

    file: Path

    def __init__(self, message: str, *, file: Path, found: int, newest: int) -> None:
        NewerVersion.__init__(self, message, file=file, found=found, newest=newest)


class Unfit(ValueError):
    """A file that counts for nothing; says why."""


class PrivateRecord:
    """The file of one server, which need not exist.

    Args:
        name: the plugin's.
        file: its path.
        versions: of its format; a newer one is a `RecordNewer`.

    Attributes:
        name, file: as given.
    """

    def __init__(self, name: str, file: Path, versions: Versions[dict[str, Any]]) -> None:
        self.name = name
        self.file = file
        self._versions = versions

    def read(self, parse: Callable[[dict[str, Any]], Content]) -> Content | None:
        """Return what ``parse`` makes of the content; ``None`` if there is none that counts.

        Args:
            parse: raises `Unfit` if it is damaged.

        Raises:
            RecordNewer: it was written by a newer Callboard.
        """
        try:
            return parse(self._content())
        except FileNotFoundError:
            return None
        except OSError as error:
            why = f"it cannot be read ({error.strerror})"
        except (JsonValueError, Unfit) as error:
            why = str(error) if isinstance(error, Unfit) else "it is damaged"
        logger.warning(
            "what was kept of the server %r in %s counts for nothing: %s; correct or remove it",
            self.name,
            self.file,
            why,
        )
        return None

    def write(self, content: Mapping[str, Any]) -> None:
        """Replace the content, but for a newer one and for keys that a newer version has added. Raises `RecordNotKept`."""
        folder = self.file.parent
        fresh = self.file.with_suffix(f".{secrets.token_hex(16)}.new")
        written = {"version": self._versions.newest, "server": self.name, **content}
        try:
            make_private_folder(folder)
            if (who := who_may_change(folder)) is not None:
                raise RecordNotKept(self.file, f"its folder {who}; make it yours alone")
            written = (self.read(lambda found: found) or {}) | written  # `read` raises of a newer version
            try:
                with open(fresh, "xb", opener=open_private) as file:
                    file.write(dump_json(written))
                fresh.replace(self.file)
            finally:
                fresh.unlink(missing_ok=True)
            _forget_oldest(folder)
        except OSError as error:
            raise RecordNotKept(self.file, f"{error.strerror or error}; make it writable") from error

    def _content(self) -> dict[str, Any]:
        """Raises `Unfit`, `RecordNewer`, `JsonValueError` and `OSError`."""
        for path in (self.file.parent, self.file):
            if (who := who_may_change(path)) is not None:
                raise Unfit(f"{path} {who}")
        if not stat.S_ISREG(self.file.stat().st_mode):  # to open a pipe would wait for its other end
            raise Unfit("it is no file")
        with self.file.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise Unfit(f"it is larger than {MOST_BYTES >> 20} MB")
        read = load_json(content)
        if not isinstance(read, dict):
            raise Unfit("it is damaged")
        try:
            self._versions.require(read.get("version"), self.file)
        except ValueError as error:
            raise Unfit(str(error)) from None
        return read


def file_of(kind: str, source: McpSource, name: str, environment: Mapping[str, str] = os.environ) -> Path:
    """The usual file of a server: below ``XDG_STATE_HOME`` if that is absolute, else below ``~/.local/state``.

    A server is known by its name and by what its entry says that it is: another command, folder or address is another server.
    """
    said = Path(environment.get("XDG_STATE_HOME", ""))
    states = said if said.is_absolute() else Path("~/.local/state").expanduser()
    what = [name, list(source.command), None if source.url else str(source.base / source.cwd), source.url]
    return states / "callboard" / kind / f"{hashlib.sha256(dump_json(what)).hexdigest()}.json"


def _forget_oldest(folder: Path) -> None:
    files = list(folder.glob("*.json"))
    if len(files) > MOST:
        with suppress(OSError):  # another program forgets it at the same time
            min(files, key=lambda file: file.stat().st_mtime).unlink(missing_ok=True)
