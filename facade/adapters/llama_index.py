"""The tools of a board for LlamaIndex. Needs ``llama-index-core``.

from callboard.adapters.llama_index import tools
agent = FunctionAgent(tools=tools(board), llm=llm)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llama_index.core.tools.types import AsyncBaseTool, ToolMetadata, ToolOutput

from .common import Ended, Offered, offered, run, run_here

if TYPE_CHECKING:
    from ..callboard import Callboard

_NOTHING = object()


def tools(board: Callboard) -> list[AsyncBaseTool]:
    """The tools of a board that runs, as they are now. A failure is an output with ``is_error``."""
    return [_Tool(board, each) for each in offered(board)]


class _Metadata(ToolMetadata):
    """The schema as the plugin wrote it: the class it comes from would have it as a model of Pydantic."""

    def __init__(self, tool: Offered) -> None:
        super().__init__(description=tool.description, name=tool.name, fn_schema=None)
        self._parameters = {"properties": {}, **tool.parameters}  # the framework looks there without asking

    def get_parameters_dict(self) -> dict[str, Any]:
        return self._parameters


class _Tool(AsyncBaseTool):
    def __init__(self, board: Callboard, tool: Offered) -> None:
        self._board = board
        self._metadata = _Metadata(tool)

    @property
    def metadata(self) -> ToolMetadata:
        return self._metadata

    def call(self, input: Any = _NOTHING, **arguments: Any) -> ToolOutput:  # noqa: A002 - the framework's name for it
        given = self._given(input, arguments)
        return self._output(given, run_here(self._board, self.metadata.get_name(), given))

    async def acall(self, input: Any = _NOTHING, **arguments: Any) -> ToolOutput:  # noqa: A002 - as above
        given = self._given(input, arguments)
        return self._output(given, await run(self._board, self.metadata.get_name(), given))

    def _given(self, alone: Any, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments by name: the framework gives the only one of a tool by its place."""
        if alone is _NOTHING:
            return arguments
        names = list(self.metadata.get_parameters_dict()["properties"])
        return {names[0] if len(names) == 1 else "input": alone, **arguments}

    def _output(self, given: dict[str, Any], ended: Ended) -> ToolOutput:
        return ToolOutput(
            tool_name=self.metadata.get_name(),
            content=ended.text,
            raw_input=given,
            raw_output=ended.value if ended.success else ended.result,
            is_error=not ended.success,
        )
