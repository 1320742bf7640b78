"""A copy of a file beside it, before something is done to the file that cannot be undone."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from .private_files import open_private

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def keep_copy(file: Path, version: int, write: Callable[[Path], None] | None = None) -> Path:
    """Keep a file of an older version beside it, as ``FILE.version-1``; returns the copy's path.

    A copy that is there is never replaced: a further one has a number more, as ``FILE.version-1-2``. The copy has its name
    only when it is whole and on the disk, so whatever interrupts this leaves no half of one by that name.

    Args:
        file: what is copied.
        version: of its format.
        write: writes the copy to the path that it is given, an empty private file; copies the bytes if ``None``.

    Raises:
        OSError: it cannot be written.
    """
    making = file.with_name(f"{file.name}.copying")
    making.unlink(missing_ok=True)  # left by a program that died while it wrote the copy
    try:
        with open(making, "xb", opener=open_private) as copy:
            if write is None:
                copy.write(file.read_bytes())
            else:
                write(making)
            copy.flush()
            os.fsync(copy.fileno())
        return _named(making, f"{file.name}.version-{version}")
    except BaseException:  # an interrupt too may leave no half of one behind
        with suppress(OSError):  # the first error is the one to report
            making.unlink(missing_ok=True)
        raise


def _named(making: Path, name: str) -> Path:
    kept, number = making.with_name(name), 1
    while kept.exists():
        number += 1
        kept = making.with_name(f"{name}-{number}")
    making.rename(kept)
    return kept
