"""Two tools whose names differ from those of their classes; their states are in the files beside this one."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


class Counting:
    """Counts its calls; in a host, when the files were made."""

    name = "counter"

    def init(self, config: Json) -> Json:
        """Begin with none."""
        return {"calls": 0}

    def get_tool_schemas(self, state: Json) -> list[Json]:
        """One tool."""
        return [{"type": "function", "function": {"name": "count", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name: str, payload: Any, state: Json) -> Json:
        """Return how often it was called."""
        state["calls"] += 1
        return {"success": True, "result": state["calls"]}


class Noting(Counting):
    """Counts its calls in a thread of the program."""

    name = "notes"

    def get_tool_schemas(self, state: Json) -> list[Json]:
        """One tool."""
        return [{"type": "function", "function": {"name": "note", "parameters": {"type": "object"}}}]
