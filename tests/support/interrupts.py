"""Programs that a test interrupts, and those that are not to be interrupted."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def interruptible() -> Iterator[None]:
    """Programs that are started in here can be interrupted, also where these tests themselves are not to be.

    Whoever is started with SIGINT ignored, as by ``nohup make test &``, hands that on to all that it starts. A program that
    takes another's place has the default for each signal that had a handler there.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def uninterruptible(words: list[str]) -> list[str]:
    """The command, started with SIGINT ignored: as by a shell in the background."""
    return ["/bin/sh", "-c", 'trap "" INT; exec "$@"', "sh", *words]


def ignores_interrupts(pid: int) -> bool:
    """Whether a process ignores SIGINT just now."""
    (line,) = (
        line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("SigIgn")
    )
    return bool(int(line.split()[1], 16) >> (signal.SIGINT - 1) & 1)
