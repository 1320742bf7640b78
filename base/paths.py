"""Where a path leads once its symbolic links are followed, also where they lead in a circle.

Nothing is opened, and what is found need not exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def resolved(path: Path) -> Path:
    """Return a path without symbolic links; one that goes in a circle stays as it is, and leads to no file.

    `Path.resolve` alone raises RuntimeError there, before Python 3.13, which no reader of a package expects.
    """
    try:
        return path.resolve()
    except RuntimeError:
        return path.absolute()
