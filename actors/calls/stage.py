"""How far a call has come, and what it has come to in the end."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Literal

from ...plugins.results.codes import Code

if TYPE_CHECKING:
    from ...plugins.results.call_result import CallResult

    Result = CallResult

EarlyCode = Literal[Code.DEADLINE_EXCEEDED, Code.CANCELLED]


class Stage(Enum):
    """How far a call has come."""

    QUEUED = "queued"
    STARTED = "started"
    ENDED = "ended"
