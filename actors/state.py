"""A tool's committed state: what the next call is given, and the next life of its host.

State is committed with a valid final answer and not otherwise, so what a call that crashed,
hung or broke its answer did to its copy is gone with it.
"""

from __future__ import annotations

import threading
from typing import Any

from ..plugins.json_values import copy_json

State = dict[str, Any]


class StateCell:
    """The committed state with its version. Thread-safe.

    Calls that run at the same time each start from the state of their beginning; the one that
    ends last wins, and `conflicts` counts how often that set aside another's change.
    """

    def __init__(self, state: State) -> None:
        self._lock = threading.Lock()
        self._state = state
        self.version = 0
        self.conflicts = 0

    def read(self) -> tuple[State, int]:
        """The committed state and its version. Not a copy: for sending, never for changing."""
        with self._lock:
            return self._state, self.version

    def copy(self) -> tuple[State, int]:
        """A copy of the committed state, to be worked on, and its version."""
        state, version = self.read()
        return copy_json(state), version

    def commit(self, state: State, base: int) -> None:
        """Make ``state`` the committed one; ``base`` is the version it was made from."""
        with self._lock:
            if base != self.version:
                self.conflicts += 1
            self._state = state
            self.version += 1
