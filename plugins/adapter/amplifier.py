"""Amplifier-style tools as tool plugins.

Such a tool has ``name``, ``description``, commonly ``input_schema``, and ``execute(input)``, asynchronous as
a rule. What tells it from a plugin is shape alone: it has ``execute`` and none of the hooks that run a tool.

Its declaration looks exactly like an Anthropic one, so it is not handed on as it is: the schema is built in
the Chat Completions function format, which can be mistaken for nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.errors import ContractError
from ..contract.call_modes import is_async
from ..contract.hook_table import RUNNING_HOOKS, offered

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]


class AmplifierTool:
    """The plugin that an Amplifier-style tool makes: one tool, which takes an object.

    Attributes:
        tool: the tool itself.
        name: its name; the plugin's and the tool's.
        version: its version, if it has one.
    """

    def __init__(self, tool: Any, name: str, execute: Callable[[Json], Any]) -> None:
        self.tool = tool
        self.name = name
        self.version = getattr(tool, "version", "0")
        self._execute = execute
        # Offered under one name only, so that it is run the way it is written.
        setattr(self, "execute_tool_async" if is_async(execute) else "execute_tool", self._run)

    def get_tool_schemas(self) -> list[Json]:
        """Return the tool's one schema, from what the tool says of itself now."""
        function: Json = {"name": self.name}
        description = getattr(self.tool, "description", None)
        if description:
            function["description"] = description
        function["parameters"] = getattr(self.tool, "input_schema", None) or {
            "type": "object",
            "properties": {},
        }
        return [{"type": "function", "function": function}]

    def _run(self, tool_name: str | None, arguments: Json, state: Json) -> Any:
        return self._execute(arguments)


def as_tool_plugin(tool: Any) -> Any:
    """Return a tool plugin: the object itself if it is one, or one made of an Amplifier-style tool.

    Raises:
        ContractError: it is neither, or an Amplifier-style tool without a name.
    """
    kind = type(tool).__name__
    if any(offered(tool, hook, name=kind) for hook in RUNNING_HOOKS):
        return tool
    execute = getattr(tool, "execute", None)
    if not callable(execute):
        raise ContractError(
            f"{kind} is no tool plugin: it has none of {', '.join(RUNNING_HOOKS)}, "
            "and no execute(input) as an Amplifier-style tool has",
            plugin=kind,
        )
    name = getattr(tool, "name", None)
    if not isinstance(name, str) or not name:
        raise ContractError(
            f"{kind} has execute(input), but its name is {name!r}; name the tool", plugin=kind
        )
    return AmplifierTool(tool, name, execute)
