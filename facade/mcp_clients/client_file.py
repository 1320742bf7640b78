"""A client's file as it is on the disk: read whole, kept, and exchanged in one step."""

from __future__ import annotations

import os
import re
import secrets
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from ..base.errors import CallboardError
from ..base.files.private_files import open_private

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 4 * 1024 * 1024
"""Of a file that is read."""

_RANDOM_BYTES = 8

_ABANDONED = 60.0
"""Seconds after which a file that is half written belongs to no process any more."""


class ClientFileError(CallboardError):
    """A client's file cannot be read or written; says which, and why.

    Attributes:
        file: which.
    """

    def __init__(self, file: Path, problem: str) -> None:
        super().__init__(f"{file} {problem}")
        self.file = file


def read_file(file: Path) -> str | None:
    """What stands in it; ``None`` if it is not there.

    Raises:
        ClientFileError: it cannot be read, is too large, or is not UTF-8.
    """
    try:
        with file.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ClientFileError(file, f"cannot be read: {error.strerror}") from error
    if len(data) > MAX_BYTES:
        raise ClientFileError(file, f"has more than {MAX_BYTES >> 20} MB")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ClientFileError(file, f"is not UTF-8 (byte {error.start})") from None


def exchange(
    file: Path, before: str | None, after: str, backup: Path | None = None, *, follow: bool = True
) -> None:
    """Put a text in place of another; a reader sees the one or the other. The mode stays.

    No other file is written to but the one that is named. A folder may have come from anybody, with links where we make files.

    Args:
        file: which.
        before: what stood in it when it was read; ``None`` if it was not there.
        after: what is to stand in it.
        backup: where what stood in it is kept, for its owner alone, in place of what was kept there before.
        follow: of a link, what it leads to is exchanged; else it is refused.

    Raises:
        ClientFileError: it holds something else by now, is a link that is not to be followed, or cannot be written; then it is as it was.
    """
    if not follow and file.is_symlink():
        raise ClientFileError(
            file, "is a link, and Callboard makes none there; nothing was written. Remove it"
        )
    if read_file(file) != before:
        raise ClientFileError(file, "has changed since it was read; nothing was written, try again")
    file = file.resolve()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if backup is not None and before is not None:
            _replace(backup, before)
        _replace(file, after, None if before is None else stat.S_IMODE(file.stat().st_mode))
    except OSError as error:
        raise ClientFileError(file, f"cannot be written: {error.strerror}") from error


def remove(file: Path) -> None:
    """Remove a file of ours, if it is there.

    Raises:
        ClientFileError: it cannot be removed.
    """
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise ClientFileError(file, f"cannot be removed: {error.strerror}") from error


def _replace(file: Path, text: str, mode: int | None = None) -> None:
    """Replace a file as a whole. A link is replaced itself, and its target does not change. Raises `OSError`."""
    beside = file.with_name(f".{file.name}.{secrets.token_hex(_RANDOM_BYTES)}")
    try:
        with open(beside, "xb", opener=open_private) as opened:
            opened.write(text.encode("utf-8"))
            opened.flush()
            os.fsync(opened.fileno())
        _remove_abandoned(file, beside.stat().st_mtime - _ABANDONED)
        if mode is not None:
            beside.chmod(mode)
        beside.replace(file)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def _remove_abandoned(file: Path, until: float) -> None:
    """Remove what killed processes have left half written beside a file. Raises `OSError`."""
    name = re.compile(rf"\.{re.escape(file.name)}\.[0-9a-f]{{{2 * _RANDOM_BYTES}}}")
    for other in file.parent.iterdir():
        if name.fullmatch(other.name) is None:
            continue
        with suppress(FileNotFoundError):  # another process removes it at the same time
            found = other.lstat()
            if stat.S_ISREG(found.st_mode) and found.st_mtime < until:
                other.unlink()
