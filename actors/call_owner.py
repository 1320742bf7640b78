"""What a call and the tool that it has been given to know of each other: how far it has come, and how it ended."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from .call import Call

Result = dict[str, Any]


class Stage(Enum):
    """How far a call has come."""

    QUEUED = "queued"
    STARTED = "started"
    ENDED = "ended"


class CallOwner(Protocol):
    """The tool that a call has been given to. Both are called in any thread and must not block."""

    def on_ended_early(self, call: Call, stage: Stage) -> None:
        """It was ended by deadline or cancel while it was in ``stage``; take it off the work."""

    def on_ended(self, call: Call, result: Result) -> None:
        """It has its result, and nobody has seen that yet: what is counted, and told, comes first."""
