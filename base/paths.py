"""Where a path leads once its symbolic links are followed, also where they lead in a circle, or its ``..`` alone.

Nothing is opened, and what is found need not exist.
"""

from __future__ import annotations

from functools import reduce
from pathlib import Path

from .foreign import is_interrupt


def at_home(said: str | Path) -> Path:
    """Return a path whose ``~`` or ``~user`` is that home; where there is no such user it stays as it is, as in a shell."""
    path = Path(said)
    try:
        return path.expanduser()
    except RuntimeError as error:
        if is_interrupt(error):
            raise
        return path


def resolved(path: Path) -> Path:
    """Return a path without symbolic links; one that goes in a circle stays as it is, and leads to no file.

    `Path.resolve` alone raises RuntimeError there, before Python 3.13, which no reader of a package expects.
    """
    try:
        return path.resolve()
    except RuntimeError as error:
        if is_interrupt(error):
            raise
        return path.absolute()


def without_dots(path: Path) -> Path:
    """Return an absolute path without ``..``, as the system follows it: of a link, that is the folder above its target.

    All other links stay. Such a path leads to the same file where the folders before each ``..`` cannot be seen, as in a sandbox.
    """
    return reduce(_below, path.parts[1:], type(path)(path.anchor))


def _below(folder: Path, name: str) -> Path:
    if name != "..":
        return folder / name
    try:
        return resolved(folder).parent
    except ValueError:  # it has a NUL, and leads to no file
        return folder / name
