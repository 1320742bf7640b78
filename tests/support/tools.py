"""Small tools for the tests of the actors, and the calls that ask for them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from callboard.plugins.adapter.adapter import PluginAdapter

if TYPE_CHECKING:
    from collections.abc import Callable

_ids = itertools.count(1)


def tool_call(name: str | None, _id: str | None = None, /, **arguments: Any) -> dict[str, Any]:
    """A chat-completions call."""
    return {
        "id": _id or f"call-{next(_ids)}",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def schema(name: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
    """A chat-completions function schema; without parameters of its own it takes any object."""
    return {"type": "function", "function": {"name": name, "parameters": parameters or {"type": "object"}}}


class Tool:
    """A plugin of one tool made of a function ``(arguments, state) -> result``."""

    def __init__(
        self,
        function: Callable[[dict[str, Any], dict[str, Any]], Any],
        name: str = "tool",
        plugin: str | None = None,
    ) -> None:
        self.name = plugin or name
        self.tool_name = name
        self.function = function

    def init(self, config: dict[str, Any]) -> dict[str, Any]:
        """State: the configuration and a count."""
        return {"config": config, "count": 0}

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        """One schema."""
        return [schema(self.tool_name)]

    def execute_tool(self, tool_name: str, arguments: dict[str, Any], state: dict[str, Any]) -> Any:
        """Call the function."""
        return self.function(arguments, state)


def a_tool(
    function: Callable[[dict[str, Any], dict[str, Any]], Any], name: str = "tool", plugin: str | None = None
) -> PluginAdapter:
    """An adapter of a `Tool`."""
    return PluginAdapter(Tool(function, name, plugin))


def count(arguments: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    """Count calls in the state."""
    state["count"] += 1
    return {"success": True, "result": state["count"]}
