"""A plugin that is asked about every call of its board, and claims none.

It takes its time over some calls and none over others. A board that gives calls on as it has answered, and not as they were
submitted, breaks the rules on order.
"""

from __future__ import annotations

import itertools
import threading
from typing import Any

Json = dict[str, Any]

_SLOW = 0.005
"""Seconds that it takes over a slow call."""

_EVERY = 8
"""How many calls there are to a slow one."""


class ClaimingNeighbour:
    """Looks at calls, and claims none."""

    name = "claiming_neighbour"

    def __init__(self) -> None:
        self._asked = itertools.count()

    def get_tool_schemas(self, state: Json) -> list[Json]:
        """A tool that nobody calls."""
        return [{"type": "function", "function": {"name": self.name, "parameters": {"type": "object"}}}]

    def can_handle_tool_call(self, tool_name: str | None, payload: Any, state: Json) -> bool | None:
        """No opinion; the first call is a slow one."""
        if next(self._asked) % _EVERY == 0:
            threading.Event().wait(_SLOW)
        return None

    def execute_tool(self, tool_name: str | None, payload: Any, state: Json) -> Json:
        """Do nothing."""
        return {"success": True}
