"""The tools of a board for Pydantic AI. Needs ``pydantic-ai-slim``.

from callboard.adapters.pydantic_ai import BoardToolset
agent = Agent(model, toolsets=[BoardToolset(board)])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_ai import ModelRetry
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from .common import offered, run

if TYPE_CHECKING:
    from pydantic_ai import RunContext

    from ..callboard import Callboard

_ANYTHING = SchemaValidator(core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema()))
"""The board checks arguments, and says what is wrong with them in words for a model."""


class BoardToolset(AbstractToolset[Any]):
    """The tools of a board that runs, asked for anew at each step of an agent.

    Arguments that do not fit are told to the model, which may try again; another failure is the text of the answer.

    Args:
        board: runs already.
        max_retries: how often a model may try again with arguments that do not fit.
    """

    def __init__(self, board: Callboard, *, max_retries: int = 1) -> None:
        self._board = board
        self._max_retries = max_retries

    @property
    def id(self) -> str:
        """Its name, for durable execution."""
        return "callboard"

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        """The tools, by name."""
        return {
            each.name: ToolsetTool(
                toolset=self,
                tool_def=ToolDefinition(
                    name=each.name, description=each.description, parameters_json_schema=each.parameters
                ),
                max_retries=self._max_retries,
                args_validator=_ANYTHING,
            )
            for each in offered(self._board)
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """Run one; returns its value, or the text of its failure.

        Raises:
            ModelRetry: the arguments do not fit.
        """
        ended = await run(self._board, name, tool_args, call_id=ctx.tool_call_id)
        if ended.result.get("code") == "invalid_call":
            raise ModelRetry(ended.text)
        return ended.value if ended.success else ended.text
