"""A call that hooks stand around: the handle that its caller has, and the one that its tool is given.

::

    caller ◀── HookedCall ◀── parts, stages ── ToolRun ◀── tool
                    └── gates before ──▶ … ──▶ review after ──▶ result

Two, because a tool that has answered is done (its state is committed, its place in the mailbox is free), while the
caller has to wait until the result has been reviewed. What the tool's side notes of the run is noted here too,
so the caller sees one call, and cannot be told "not sent" of one that a tool was just given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.call import Call
from ..calls.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...plugins.contract.invocation import Invocation
    from ...supervision.runtime.clock import Clock
    from ..calls.call import CallOwner
    from ..calls.stage import Result

Json = dict[str, Any]


class HookedCall(Call):
    """What the caller holds.

    Attributes:
        unreadable: its result, if what was submitted cannot be read; else ``None``.
    """

    __slots__ = ("notes", "unreadable")

    def __init__(self, read: Call) -> None:
        super().__init__(read.id, read.invocation, submitted=read.submitted, streaming=read.streaming)
        self.notes: tuple[Json, ...] = ()
        self.unreadable: Result | None = read.result() if read.done() else None

    @property
    def owner(self) -> CallOwner | None:
        """Sees to it, and hears of its end."""
        return self._owner

    def belongs_to(self, owner: CallOwner) -> None:
        """Note who does."""
        self._owner = owner


class ToolRun(Call):
    """What the tool is given.

    Args:
        caller: the handle that the caller has.
        invocation: as the hooks have left it.
    """

    __slots__ = ("_caller",)

    def __init__(self, caller: HookedCall, invocation: Invocation) -> None:
        super().__init__(caller.id, invocation, submitted=caller.submitted, streaming=caller.streaming)
        self._caller = caller

    def adopt(self, owner: CallOwner, plugin_name: str, tell: Callable[[Call], None] | None = None) -> bool:
        self._caller.plugin_name = plugin_name
        return super().adopt(owner, plugin_name, tell)

    def limit(self, clock: Clock, seconds: float | None) -> None:
        """See `Call`. There is one timer, the caller's, which ends both."""
        self._caller.limit(clock, seconds)
        self.seconds: float | None = self._caller.seconds
        self.deadline: float | None = self._caller.deadline

    def begin(self, now: float = 0.0, tell: Callable[[Call], None] | None = None) -> bool:
        """See `Call`. The caller's first: once it has ended as not sent, no tool may be given it."""
        if self.stage is not Stage.QUEUED or not self._caller.begin(now):
            return False
        return super().begin(now, tell)

    def put_back(self, lost: Result | None = None, tell: Callable[[Call], None] | None = None) -> bool:
        back = super().put_back(lost, tell)
        if back:
            self._caller.put_back(lost)
        return back

    def add_chunk(self, chunk: Json, size: int) -> bool:
        """See `Call`. The caller reads it at once; what has been read cannot be reviewed any more."""
        if self.decided:
            return False
        taken = self._caller.add_chunk(chunk, size)
        self.parts_dropped: int = self._caller.parts_dropped
        return taken
