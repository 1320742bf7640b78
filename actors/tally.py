"""What has become of a tool's calls, counted."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .call import Result


class Tally:
    """Calls submitted and ended, by how they ended. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.submitted = 0
        self._ended: Counter[str] = Counter()

    def submit(self) -> None:
        """A call has been submitted."""
        with self._lock:
            self.submitted += 1

    def end(self, result: Result) -> None:
        """A call has ended: ``success``, ``failure`` (the tool's own) or one of our codes."""
        how = "success" if result.get("success") else str(result.get("code") or "failure")
        with self._lock:
            self._ended[how] += 1

    def as_dict(self) -> dict[str, Any]:
        """The counts as JSON."""
        with self._lock:
            ended = dict(self._ended)
            return {"submitted": self.submitted, "ended": sum(ended.values()), "by_result": ended}
