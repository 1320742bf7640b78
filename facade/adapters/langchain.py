"""The tools of a board for LangChain and LangGraph. Needs ``langchain-core``.

from callboard.adapters.langchain import tools
agent = create_agent(model, tools(board))
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import adispatch_custom_event
from langchain_core.tools import StructuredTool, ToolException

from .common import Ended, Offered, offered, run, run_here

if TYPE_CHECKING:
    from ..callboard import Callboard

PART = "callboard_part"
"""The name of the custom event that a part of an answer is."""


def tools(board: Callboard) -> list[StructuredTool]:
    """The tools of a board that runs, as they are now.

    A failure is a `ToolMessage` with the status ``error``, whose text begins with the code if Callboard reports it. Parts are custom events
    (`PART`) of a run that is awaited. The artifact is the board's result.
    """
    return [_tool(board, each) for each in offered(board)]


def _tool(board: Callboard, tool: Offered) -> StructuredTool:
    def call(**arguments: Any) -> tuple[str, Any]:
        return _answer(run_here(board, tool.name, arguments))

    async def acall(**arguments: Any) -> tuple[str, Any]:
        return _answer(await run(board, tool.name, arguments, on_part=partial(_tell, tool.name)))

    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.parameters,
        func=call,
        coroutine=acall,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


async def _tell(tool: str, part: Any) -> None:
    with suppress(RuntimeError):  # the tool is called outside of a run, so there is no listener
        await adispatch_custom_event(PART, {"tool": tool, "part": part})


def _answer(ended: Ended) -> tuple[str, Any]:
    if ended.success:
        return ended.text, ended.result
    # An exception is all that becomes a failure there, and its text all that is kept of it.
    code = ended.result.get("code")
    raise ToolException(f"{code}: {ended.text}" if code else ended.text)
