"""A tool's committed state: what the next call is given, and the next life of its host.

State is committed with a valid final answer and not otherwise, so what a call that crashed,
hung or broke its answer did to its copy is gone with it.
"""

from __future__ import annotations

import threading
from typing import Any

from ..plugins.json_values import copy_json

State = dict[str, Any]
Result = dict[str, Any]


class StateCell:
    """The committed state with its version. Thread-safe.

    Calls that run at the same time each start from the state of their beginning; the one that
    ends last wins.

    Attributes:
        kept: commits go to a store too: a state has to be weighed before its call ends.
        recalled: the state it began with comes from a store, and not from the tool's ``init``.
    """

    kept = False

    def __init__(self, state: State, version: int = 0) -> None:
        self._lock = threading.Lock()
        self._committed = (state, version)  # one object: readers never wait for a commit under way
        self.recalled = False

    @property
    def version(self) -> int:
        """How often a state was committed."""
        return self._committed[1]

    def read(self) -> tuple[State, int]:
        """The committed state and its version. Not a copy: for sending, never for changing."""
        return self._committed

    def copy(self) -> State:
        """A copy of the committed state, to be worked on."""
        state: State = copy_json(self._committed[0])
        return state

    def weigh(self, result: Result, state: State) -> tuple[Result, State | None, bytes | None]:
        """Whether a state can be kept, to be asked before it is certain how the call ends.

        Returns:
            The call's result, the state and its text for `commit`; or the failure that the result has
            to be instead, and ``None`` twice.
        """
        return result, state, None

    def commit(self, state: State, text: bytes | None = None, generation: int = 0) -> bool:
        """Make ``state`` the committed one; False if it could not be saved where it ought to be.

        Args:
            state: nobody else's from now on.
            text: what `weigh` returned; nothing is saved without.
            generation: the life of the host that it comes from.
        """
        with self._lock:
            version = self._committed[1]
            saved = text is None or self._save(text, version + 1, generation)
            self._committed = (state, version + 1)
            return saved

    def _save(self, text: bytes, version: int, generation: int) -> bool:  # noqa: ARG002 - for those who do save
        """Save what is being committed, under the lock. There is nowhere to, in this one."""
        return True
