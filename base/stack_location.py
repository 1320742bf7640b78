"""Where a thread is, read from its frames: what is said of one that hangs, and who must not wait for another.

A snapshot: of a thread that runs on, it was true when it was taken.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

_IMPORT = "<frozen importlib._bootstrap>"
_LIBRARY = Path(logging.__file__).parent.parent
_HOUSE = __name__.partition(".")[0]


def imports_something(frame: FrameType | None) -> bool:
    """Whether a module is being imported in this frame or one that it was called from.

    The thread then holds the lock of that module: another thread that imports it waits until this one is done.
    """
    while frame is not None:
        if frame.f_code.co_filename == _IMPORT:
            return True
        frame = frame.f_back
    return False


def tell_where(frame: FrameType | None) -> str:
    """Say where a thread hangs, as the end of a sentence; nothing if its frames do not tell.

    That is the innermost line that is neither Python's own nor the house's: who calls ``sleep`` for ever is told, and
    not ``sleep``. A thread that waits until a module is imported by another one hangs because of that one.
    """
    while frame is not None:
        code = frame.f_code
        if code.co_filename == _IMPORT and code.co_name == "acquire":
            module = getattr(frame.f_locals.get("self"), "name", "a module")
            return f"; it waits for the import of {module!r}, which has begun elsewhere and not ended"
        if not _is_passing(frame):
            return f"; it is at {code.co_filename}, line {frame.f_lineno}"
        frame = frame.f_back
    return ""


def _is_passing(frame: FrameType) -> bool:
    """Whether it is code that others call: Python's own, or the house's."""
    file = frame.f_code.co_filename
    if file.startswith("<frozen ") or str(frame.f_globals.get("__name__")).partition(".")[0] == _HOUSE:
        return True
    return Path(file).is_relative_to(_LIBRARY) and "site-packages" not in file
