"""The tools of a board for the OpenAI Agents SDK. Needs ``openai-agents``.

from callboard.adapters.openai_agents import tools
agent = Agent(name="assistant", tools=tools(board))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agents import FunctionTool

from .common import Offered, offered, run

if TYPE_CHECKING:
    from agents.tool_context import ToolContext

    from ..callboard import Callboard


def tools(board: Callboard) -> list[FunctionTool]:
    """The tools of a board that runs, as they are now. A failure is the text that the model gets."""
    return [_tool(board, each) for each in offered(board)]


def _tool(board: Callboard, tool: Offered) -> FunctionTool:
    async def invoke(context: ToolContext[Any], arguments: str) -> str:
        return (await run(board, tool.name, arguments, call_id=context.tool_call_id)).text

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=tool.parameters,
        on_invoke_tool=invoke,
        strict_json_schema=False,  # it would rewrite the schema
    )
