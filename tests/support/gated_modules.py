"""Modules whose import ends when the test allows it: for what never ends by itself, and must not outlive the test."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

WAIT = "import callboard_test_gate; callboard_test_gate.opened.wait(60)"
"""A line that never ends as far as anybody can see who does not open the gate."""


@contextmanager
def closed_gate() -> Iterator[None]:
    """Keep all that comes to `WAIT` waiting; at the end let it go on, and wait for its threads."""
    gate = ModuleType("callboard_test_gate")
    gate.opened = threading.Event()  # type: ignore[attr-defined]
    before = set(threading.enumerate())
    sys.modules[gate.__name__] = gate
    try:
        yield
    finally:
        gate.opened.set()  # type: ignore[attr-defined]
        for thread in set(threading.enumerate()) - before:
            if thread.name.startswith("callboard-load-"):
                thread.join(10)
        del sys.modules[gate.__name__]
