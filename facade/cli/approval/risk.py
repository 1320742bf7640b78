"""What a board knows of a call that a person is asked about: whose tool it is, what that says it does, and what is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.errors import CallboardError
from ...base.locks import Lock
from ...interop.schemas.constrained import check_of
from .question import Risk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...actors.catalog.catalog import ToolDescriptor
    from ...callboard import Callboard
    from ...plugins.hooks.approval import Question

_UNKNOWN = "the tool does not say what it changes"


class Risks:
    """Looks up what is said beside questions, and counts them. Thread-safe.

    Args:
        board: whose questions they are.
    """

    def __init__(self, board: Callboard) -> None:
        self._board = board
        self._lock = Lock()
        self._asked: dict[tuple[str | None, str | None], int] = {}

    def of(self, question: Question) -> Risk:
        """What there is to say of a question, which counts as asked now."""
        plugin, name = question.plugin, question.tool_name
        with self._lock:
            before = self._asked.get((plugin, name), 0)
            self._asked[plugin, name] = before + 1
        tools = (
            tool for tool in self._board.tools() if tool.plugin_name == plugin and tool.tool_name == name
        )
        tool = next(tools, None)
        return Risk(
            self._origin(plugin),
            "asked for the first time" if not before else f"asked about before: {before}",
            _UNKNOWN if tool is None else effects_of(tool.schema),
            self._fit(tool, question.tool_input),
        )

    def _origin(self, plugin: str | None) -> str:
        status = self._board.status()["plugins"].get(plugin)
        if status is None:
            return "of unknown origin"
        place = "in a host of its own process" if status["runs_in"] == "host" else "in this process"
        source = status.get("source")
        return f"{'put on the board by the program' if source is None else f'from {source}'}, runs {place}"

    def _fit(self, tool: ToolDescriptor | None, arguments: Any) -> str:
        """Whether the arguments fit, in words. The board looks again when the call goes on, and refuses it if not."""
        if tool is None:
            return "the plugin offers no tool of this name, so its input is not checked"
        try:
            check = check_of(self._board.registry.inspect_schema(tool.schema).parameters)
            if check is None or not isinstance(arguments, dict):
                return "the tool's schema asks nothing of this input"
            misfit = check.misfit(arguments)
        except CallboardError as error:
            return f"not checked: {error}"
        return "fits the tool's schema" if misfit is None else f"does not fit the tool's schema: {misfit}"


def effects_of(schema: Mapping[str, Any]) -> str:
    """What a declaration says that its tool does, by the annotations of MCP, which stand in it or in its ``function``."""
    body = schema.get("function")
    notes = schema.get("annotations") or (body.get("annotations") if isinstance(body, dict) else None)
    if not isinstance(notes, dict) or not notes:
        return _UNKNOWN
    said = [word for hint, by_value in _HINTS.items() for value, word in by_value if notes.get(hint) is value]
    return f"the tool says that it {', '.join(said)}" if said else _UNKNOWN


_HINTS = {
    "readOnlyHint": ((True, "changes nothing"), (False, "changes things")),
    "destructiveHint": ((True, "may destroy"), (False, "destroys nothing")),
    "idempotentHint": ((True, "does the same when it is repeated"),),
    "openWorldHint": ((True, "reaches the world outside"), (False, "reaches nothing outside")),
}
