"""Folders and files that are their owner's alone, and whether one that is there is so."""

from __future__ import annotations

import errno
import os
import stat
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def make_private_folder(folder: Path) -> None:
    """Make a folder and those above it that are not there, each for its owner alone; what is there stays as it is.

    Raises:
        OSError: it cannot be made, or is no folder.
    """
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_private_folder(folder.parent)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)  # another thread or program may make it at the same time
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder)) from error


def open_private(path: str, flags: int) -> int:
    """An ``opener`` for `open`: a file that is made is its owner's alone, whatever the umask says."""
    return os.open(path, flags, 0o600)


def make_private_file(file: Path) -> None:
    """Make an empty file for its owner alone, if there is none. Opening it later says what goes wrong."""
    try:
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError:  # it is there, or cannot be made
        return


def who_may_change(path: Path) -> str | None:
    """Who beside this user and the system's may change what is at a path, as a clause; ``None`` if no one else may, or if it is not there."""
    if sys.platform != "win32":  # modes say nothing of others there; folders of a user are that user's
        try:
            facts = path.stat()
        except OSError:  # its user says what is wrong
            return None
        if facts.st_uid not in {0, os.geteuid()}:
            return f"belongs to the user {facts.st_uid}"
        if facts.st_mode & _BY_OTHERS:
            return f"can be written by others (mode {stat.S_IMODE(facts.st_mode):o})"
    return None
