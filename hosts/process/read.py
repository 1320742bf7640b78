"""A thread's way with a pipe that blocks: read to the end, and close what nobody else may close meanwhile."""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

BITE = 64 * 1024
"""The most bytes that are taken, or given, at a time."""


def read_on(stream: IO[bytes], hear: Callable[[bytes], bool]) -> None:
    """Hand over all that comes, and empty bytes at the end, as long as anybody takes it; close the stream."""
    descriptor = stream.fileno()
    data = None
    while data != b"":
        try:
            data = os.read(descriptor, BITE)
        except OSError:  # how some systems say that nobody can write there any more
            data = b""
        if not hear(data):
            break
    stream.close()
