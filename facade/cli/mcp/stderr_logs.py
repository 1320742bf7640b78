"""What the servers behind a board say on stderr, in a file for each: private, bounded, and without their secrets."""

from __future__ import annotations

import hashlib
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.files.private_files import make_private_folder, open_private
from ...base.foreign import Log
from ...base.locks import Lock
from ...hosts.report.crash_report import redactor_of
from ..ui.text import clean_lines

if TYPE_CHECKING:
    from collections.abc import Mapping
    from io import FileIO

    from ...hosts.process.process import Command, ProcessExit
    from ...hosts.report.redaction import Redactor

logger: Log = Log("callboard.mcp")

MOST = 1024 * 1024
"""Bytes of a file; then it becomes the one before, and the one before that is gone."""

LONGEST = 8 * 1024
"""Bytes of a line; a longer one is several."""

_NEVER_A_LINK = getattr(os, "O_NOFOLLOW", 0)
_MAX_NAME = 80


def log_folder(config: Path, environment: Mapping[str, str] = os.environ) -> Path:
    """The usual folder of a configuration: below ``XDG_STATE_HOME`` if that is absolute, else below ``~/.local/state``."""
    said = Path(environment.get("XDG_STATE_HOME", ""))
    states = said if said.is_absolute() else Path("~/.local/state").expanduser()
    return states / "callboard" / "logs" / file_name(config.stem, str(config.absolute()))


class StderrLogs:
    """The files of a folder, which is made if it is not there. From any thread.

    Several processes may write into one folder; a line is whole in any case.

    Args:
        folder: for nothing else.

    Raises:
        OSError: it cannot be made, or nothing can be written there.
    """

    def __init__(self, folder: Path) -> None:
        make_private_folder(folder)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(13, os.strerror(13), str(folder))
        self.folder = folder
        self._files: dict[str, _BoundedFile] = {}
        self._lock = Lock()

    def listen(self, host: str, generation: int, command: Command) -> _GenerationLog:
        """Hear one generation of a host, as `callboard.hosts.tap.overhearing` wants it."""
        with self._lock:
            file = self._files.get(host)
            if file is None:
                file = self._files[host] = _BoundedFile(self.folder / f"{file_name(host, host)}.log")
        return _GenerationLog(file, redactor_of(command), generation)


class _GenerationLog:
    """What one generation says, line by line; of a line that is too long, the beginning."""

    def __init__(self, file: _BoundedFile, redactor: Redactor, generation: int) -> None:
        self._file: _BoundedFile | None = file
        self._redactor = redactor
        self._generation = generation
        self._rest = b""
        self._cut = False

    def said(self, data: bytes) -> None:
        *lines, rest = data.split(b"\n")
        written = []
        for line in lines:
            self._take(line)
            written.append(self._line())
        self._take(rest)
        self._write(written)

    def ended(self, exit_: ProcessExit) -> None:
        last = [self._line()] if self._rest else []
        self._write([*last, f"--- {exit_.text}"])

    def _take(self, data: bytes) -> None:
        room = LONGEST - len(self._rest)
        self._rest += data[:room]
        self._cut = self._cut or len(data) > room

    def _line(self) -> str:
        text = self._rest.rstrip(b"\r").decode("utf-8", "replace")
        # A secret may be where the line is cut: what goes on after that is not written.
        line = clean_lines(self._redactor.text(text, cut=self._cut)) + (" …" if self._cut else "")
        self._rest, self._cut = b"", False
        return line

    def _write(self, lines: list[str]) -> None:
        if not lines or self._file is None:
            return
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        text = "".join(f"{now} [{self._generation}] {line}\n" for line in lines)
        try:
            self._file.append(text.encode("utf-8", "replace"))
        except (
            OSError
        ) as error:  # such as a full disk: the server goes on, and its next generation tries again
            logger.warning("the log of a server is not written any more: %s", error)
            self._file = None


class _BoundedFile:
    """Lines are added to it until it has no room; then it is begun anew, beside the one before it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._before = path.with_name(f"{path.name}.1")
        self._lock = Lock()

    def append(self, text: bytes) -> None:
        """Raises `OSError`."""
        # Opened anew each time: another process may have begun it anew, and no descriptor is held for a server that says nothing.
        with self._lock:  # across the files: two generations of a host may write, and one begins it anew
            with open_log(self._path) as file:
                facts = os.fstat(file.fileno())
                full = facts.st_size + len(text) > MOST
                if not full:
                    file.write(text)
            if full:
                if self._path.stat().st_ino == facts.st_ino:  # else another process has begun it anew
                    self._path.replace(self._before)
                with open_log(self._path) as file:
                    file.write(text if len(text) <= MOST else text[-MOST:].partition(b"\n")[2])


def open_log(path: Path) -> FileIO:
    """For adding to it; a link is refused."""
    return open(path, "ab", buffering=0, opener=_open_here)


def _open_here(path: str, flags: int) -> int:
    return open_private(path, flags | _NEVER_A_LINK)


def file_name(name: str, whole: str) -> str:
    """A name that can be a file's, and is another one for another ``whole`` where it is not just that."""
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name).lstrip(".")[:_MAX_NAME]
    return plain if plain and plain == whole else f"{plain}-{hashlib.sha256(whole.encode()).hexdigest()[:8]}"
