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
    """Keep all that comes to `WAIT` waiting; at the end let it go on."""
    gate = ModuleType("callboard_test_gate")
    gate.opened = threading.Event()  # type: ignore[attr-defined]
    sys.modules[gate.__name__] = gate
    try:
        yield
    finally:
        gate.opened.set()  # type: ignore[attr-defined]
        del sys.modules[gate.__name__]
