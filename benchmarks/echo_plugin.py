"""The Python tool that a board runs in its own process in the benchmarks."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


class Echo:
    """A tool plugin by the contract, with one tool of the plugin's name."""

    def __init__(self, name: str = "echo") -> None:
        self.name = name

    def init(self, _config: Json) -> Json:
        """It keeps no state."""
        return {}

    def get_tool_schemas(self, _state: Json) -> list[Json]:
        """One tool."""
        return [{"type": "function", "function": {"name": self.name, "parameters": {"type": "object"}}}]

    def execute_tool(self, _tool_name: str, arguments: Json, _state: Json) -> Json:
        """Echo the arguments."""
        return {"success": True, "result": arguments}
