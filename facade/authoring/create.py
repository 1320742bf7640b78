"""A new plugin, written into a folder: all of it, or nothing."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ..base.errors import CallboardError
from .names import names_of
from .template import files_of

if TYPE_CHECKING:
    from pathlib import Path

_MAY_BE_THERE = frozenset({".git"})
"""Who begins with a repository has these in an empty folder."""

_NAMED = 3


class NotCreated(CallboardError):
    """A new plugin cannot be written where it was asked for; nothing was.

    Attributes:
        folder: where.
    """

    def __init__(self, folder: Path, problem: str) -> None:
        super().__init__(f"{folder} {problem}")
        self.folder = folder


def create(kind: str, folder: Path) -> list[str]:
    """Write a new plugin of a kind; its name is the folder's.

    Args:
        kind: one of `TEMPLATES`.
        folder: made if it is not there; a folder that has anything in it but ``.git`` is refused.

    Returns:
        The paths of its files in the folder, with slashes.

    Raises:
        BadName: a plugin cannot be called as the folder is.
        NotCreated: the folder is not empty, or cannot be written to. It is as it was.
    """
    files = files_of(kind, names_of(_name_of(folder)))
    undo: list[Path] = []
    try:
        _require_empty(folder)
        for name, text in files.items():
            _make_folders((folder / name).parent, undo)
            _write(folder / name, text, undo)
    except OSError as error:
        for made in reversed(undo):
            with suppress(OSError):  # another program has put something into it meanwhile
                made.rmdir() if made.is_dir() else made.unlink()
        raise NotCreated(folder, f"cannot be written: {error.strerror}: {error.filename}") from error
    return list(files)


def _name_of(folder: Path) -> str:
    try:
        return folder.resolve().name
    except FileNotFoundError as error:
        raise NotCreated(
            folder,
            "cannot be written: the working directory has been deleted; "
            "give an absolute path, or start in a folder that is there",
        ) from error


def _require_empty(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise NotCreated(folder, "is there already, and is no folder; name a new one")
    there = sorted(path.name for path in folder.iterdir() if path.name not in _MAY_BE_THERE)
    if there:
        rest = len(there) - _NAMED
        more = f" and {rest} more" if rest > 0 else ""
        raise NotCreated(
            folder, f"is not empty: there is {', '.join(there[:_NAMED])}{more}; name a new folder"
        )


def _make_folders(folder: Path, undo: list[Path]) -> None:
    if not folder.is_dir():
        _make_folders(folder.parent, undo)
        folder.mkdir()
        undo.append(folder)


def _write(file: Path, text: str, undo: list[Path]) -> None:
    # "x": what came there since we looked belongs to another program.
    with file.open("x", encoding="utf-8", newline="\n") as writer:
        undo.append(file)
        writer.write(text)
    if text.startswith("#!"):
        mode = file.stat().st_mode
        file.chmod(mode | (mode & 0o444) >> 2)  # for all who may read it
