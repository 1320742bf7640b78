"""The tools of a board for smolagents. Needs ``smolagents``.

from callboard.adapters.smolagents import tools
agent = CodeAgent(tools=tools(board), model=model)
"""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING, Any

from smolagents import Tool

from .common import Offered, offered, run_here

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..callboard import Callboard

_SIMPLE = ("string", "boolean", "integer", "number", "array", "object", "null")


class ToolFailed(RuntimeError):
    """A tool has failed; the text is for the model.

    Attributes:
        result: the board's result, with ``code`` and ``outcome`` if Callboard reports the failure.
    """

    def __init__(self, text: str, result: Mapping[str, Any]) -> None:
        super().__init__(text)
        self.result: dict[str, Any] = dict(result)


def tools(board: Callboard) -> list[Tool]:
    """The tools of a board that runs, as they are now. A failure is raised as `ToolFailed`.

    A name that is none in Python gets ``_`` for what cannot stand there. The framework takes flat tables of parameters only: what a schema
    says beyond the type of each is not told to the model, but is checked all the same.
    """
    return [_Tool(board, each) for each in offered(board)]


class _Tool(Tool):
    skip_forward_signature_validation = True

    def __init__(self, board: Callboard, tool: Offered) -> None:
        self.name = python_name(tool.name)
        self.description = tool.description
        self.inputs = inputs_of(tool.parameters)
        self.output_type = "any"
        self._board = board
        self._called = tool.name
        super().__init__()

    def forward(self, **arguments: Any) -> Any:
        ended = run_here(self._board, self._called, arguments)
        if not ended.success:
            raise ToolFailed(ended.text, ended.result)
        return ended.value


def python_name(name: str) -> str:
    """A tool's name as one of Python's."""
    said = re.sub(r"\W", "_", name, flags=re.ASCII)
    said = f"_{said}" if not said or said[0].isdigit() else said
    return f"{said}_" if keyword.iskeyword(said) else said


def inputs_of(parameters: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The table of parameters: those that need not be given are nullable, and what has no simple type is ``any``."""
    properties, required = parameters.get("properties"), parameters.get("required")
    table = {}
    for name, schema in (properties if isinstance(properties, dict) else {}).items():
        said = schema if isinstance(schema, dict) else {}
        known = said.get("type") in _SIMPLE
        entry = {
            "type": said["type"] if known else "any",
            "description": str(said.get("description") or name),
        }
        needed = isinstance(required, list) and name in required
        table[name] = entry if needed else {**entry, "nullable": True}
    return table
