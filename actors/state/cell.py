"""A tool's committed state: what the next call is given, and the next generation of its host.

State is committed with a valid final answer and not otherwise, so what a call that crashed,
hung or broke its answer did to its copy is gone with it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from ...base.errors import JsonValueError
from ...base.json import copy_json, dump_inner
from ...base.locks import Lock
from ...plugins.results.normalise import invalid_result

if TYPE_CHECKING:
    from ...plugins.results.call_result import CallResult

State = dict[str, Any]


LARGE: Final = 1024
"""Bytes of JSON from which on a state is large: to name it is less than to send it."""


def largest_state(max_line: int) -> int:
    """The largest state, in bytes of JSON, of a plugin whose host is sent lines of so many bytes: half of one.

    So there is as much for what a call says beside it; with less, a state could fit with one call and no other.
    """
    return max_line // 2


class StateCell:
    """The committed state with its version. Thread-safe.

    Calls that run at the same time each start from the state of their beginning; the one that
    ends last wins.

    Attributes:
        committed: the committed state and its version, replaced as one. Not a copy: for sending, never for changing.
        limit: the largest state that is committed, in bytes of JSON.
        recalled: the state it began with comes from a store, and not from the tool's ``init``.
        large: the committed state, or one that was, if it has `LARGE` bytes or more; ``None`` otherwise.
    """

    limit: int = sys.maxsize

    def __init__(self, state: State, version: int = 0) -> None:
        self._lock = Lock()
        self.large = _if_large(state)
        # One object: readers never wait for a commit under way.
        self.committed: tuple[State, int] = (state, version)
        self.recalled = False

    @property
    def version(self) -> int:
        """How often a state was committed."""
        return self.committed[1]

    def copy(self) -> State:
        """A copy of the committed state, to be worked on."""
        state = self.committed[0]
        return copy_json(state) if state else {}

    def weigh(
        self, result: CallResult, state: State, most: int = sys.maxsize
    ) -> tuple[CallResult, State | None, bytes | None]:
        """Whether a state can be committed, to be asked before it is certain how the call ends.

        It is held to the rule for what is sent to a host: what is committed goes with every call from then on, and one that
        cannot be sent would have each of them refused.

        Args:
            result: the call's.
            state: the one that came with it.
            most: as ``limit``, by the host.

        Returns:
            The call's result, the state and its text for `commit`; or the failure that the result has
            to be instead, and ``None`` twice.
        """
        try:
            text = dump_inner(state, what="$.state")
        except JsonValueError as error:
            why = f"the tool's state cannot be kept: {error}"
            return invalid_result(why, path=error.path).result, None, None
        limit = min(most, self.limit)
        if len(text) <= limit:
            return result, state, text
        why = f"the tool's state has {len(text)} bytes as JSON; at most {limit} are kept"
        facts = {"state_bytes": len(text), "max_state_bytes": limit}
        return invalid_result(why, path="$.state", **facts).result, None, None

    def begin_with(self, state: State) -> None:
        """Begin with another state than ``init``'s, unless there is a committed one. That is no commit."""
        with self._lock:
            if not self.recalled and self.committed[1] == 0:
                self.large = _if_large(state)
                self.committed = (state, 0)

    def commit(self, state: State, text: bytes | None = None, generation: int = 0) -> bool:
        """Make ``state`` the committed one; False if it could not be saved where it ought to be.

        Args:
            state: the cell's own from now on.
            text: what `weigh` returned; nothing is saved without.
            generation: the generation of the host that it comes from.
        """
        with self._lock:
            return self._commit(state, text, generation)

    def commit_same(self, state: State, generation: int = 0) -> bool:
        """As `commit`, of a state that was committed before, and that a call has left as it was."""
        with self._lock:
            known = state is self.committed[0] and self._is_saved()
            return self._commit(state, None if known else dump_inner(state, what="$.state"), generation)

    def _commit(self, state: State, text: bytes | None, generation: int) -> bool:
        version = self.committed[1]
        saved = text is None or self._save(text, version + 1, generation)
        if text is not None:
            self.large = state if len(text) >= LARGE else None
        elif state is not self.committed[0]:
            self.large = _if_large(state)
        self.committed = (state, version + 1)
        return saved

    def _is_saved(self) -> bool:
        """Whether the committed state is saved where it ought to be."""
        return True

    def _save(self, text: bytes, version: int, generation: int) -> bool:
        """Save what is being committed, under the lock. There is nowhere to, in this one."""
        return True


def _if_large(state: State) -> State | None:
    try:
        return state if state and len(dump_inner(state, what="$.state")) >= LARGE else None
    except JsonValueError:  # a tool's ``init`` may return one; `weigh` refuses it where that matters
        return None
