"""How far a call has come, and what it has come to in the end."""

from __future__ import annotations

from enum import Enum
from typing import Literal

from ...plugins.results.call_result import CallResult
from ...plugins.results.codes import Code

Result = CallResult
EarlyCode = Literal[Code.DEADLINE_EXCEEDED, Code.CANCELLED]


class Stage(Enum):
    """How far a call has come."""

    QUEUED = "queued"
    STARTED = "started"
    ENDED = "ended"
