"""Where the threads of this process are."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType


def current_frames() -> dict[int, FrameType]:
    """The frame that each thread is in, by the thread's ``ident``.

    It keeps garbage collection off meanwhile. CPython before 3.12 may collect while it holds the lock of its list of threads,
    and a `threading.local` that is freed takes the same lock: the whole process would hang.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        return sys._current_frames()  # noqa: SLF001 - the one way to see another thread
    finally:
        if collects:
            gc.enable()
