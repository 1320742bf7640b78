"""When the turns do not come to an end: who is stuck, and where."""

from __future__ import annotations

import threading
import traceback
from typing import TYPE_CHECKING, Any

from ...base.errors import CallboardError
from ...base.threads import current_frames

if TYPE_CHECKING:
    from collections.abc import Iterable


class Stuck(CallboardError):
    """A turn does not end: an actor blocks, or waits for something that no turn brings.

    Attributes:
        threads: what every thread was doing, as text.
    """

    def __init__(self, problem: str, threads: str) -> None:
        super().__init__(f"{problem}\n\n{threads}")
        self.threads = threads


class NeverQuiet(CallboardError):
    """There is always one more turn: an actor sends itself messages for ever.

    Attributes:
        steps: how many turns there were.
        line: what stood in the line then, as text, at most ten.
    """

    def __init__(self, steps: int, line: Iterable[Any]) -> None:
        self.steps = steps
        self.line: list[str] = [f"{item!r:.200}" for item, _ in zip(line, range(10), strict=False)]
        super().__init__(f"not quiet after {steps:,} turns; in the line: {'; '.join(self.line)}")


def stacks() -> str:
    """What every thread of the process is doing."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    told = []
    for ident, frame in current_frames().items():
        lines = "".join(traceback.format_stack(frame))
        told.append(f"thread {ident} ({names.get(ident, 'unknown')}):\n{lines}")
    return "\n".join(told)
