"""What all adapters do: say which tools there are, run one, and say to a model what became of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from ..interop.exact_json import json_text
from ..mcp_protocol.content import failure_text

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..callboard import Callboard
    from ..plugins.results.call_result import CallResult

Json = dict[str, Any]


class Offered(NamedTuple):
    """A tool of a board.

    Attributes:
        name: its name, on the board and for the model.
        description: for the model; the name if the plugin has none.
        parameters: the JSON Schema of its arguments, as the plugin wrote it.
    """

    name: str
    description: str
    parameters: Json


class Ended(NamedTuple):
    """How a call has ended.

    Attributes:
        success: whether the tool has done what it should.
        value: what it returned, if it has.
        text: what a model is told: the value, or what went wrong.
        result: the board's result, with ``code`` and ``outcome`` of a failure.
    """

    success: bool
    value: Any
    text: str
    result: CallResult


def offered(board: Callboard) -> list[Offered]:
    """The tools of a board that runs, as they are at this moment.

    Raises:
        NotStarted: the board does not run.
        ConversionError: a tool takes no arguments that an object could hold.
    """
    functions = [schema["function"] for schema in board.schemas(["openai.chat.function"])]
    return [
        Offered(
            each["name"],
            each.get("description") or each["name"],
            each.get("parameters") or {"type": "object", "properties": {}},
        )
        for each in functions
    ]


def tool_call(name: str, arguments: Json | str, call_id: str | None) -> Json:
    """A call as `Callboard.submit` takes it. Text goes on as it is: what is wrong with it is the result of the call."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, default=str)
    return {"type": "function_call", "call_id": call_id or name, "name": name, "arguments": text or "{}"}


async def run(
    board: Callboard,
    name: str,
    arguments: Json | str,
    *,
    call_id: str | None = None,
    on_part: Callable[[Any], Awaitable[object]] | None = None,
) -> Ended:
    """Run a tool in the caller's event loop; a task that is cancelled cancels the call.

    Args:
        board: runs already.
        name: of the tool.
        arguments: an object, or the text of one.
        call_id: the model's.
        on_part: awaited with each part of the answer; without it none is asked for.
    """
    call = board.submit(tool_call(name, arguments, call_id), streaming=on_part is not None)
    try:
        if on_part is not None:
            async for part in call:
                await on_part(part)
        return ended(await call, call.plugin_name)
    finally:
        call.cancel()  # of a call that has ended it does nothing


def run_here(board: Callboard, name: str, arguments: Json | str, *, call_id: str | None = None) -> Ended:
    """As `run`, waiting in this thread."""
    call = board.submit(tool_call(name, arguments, call_id), streaming=False)
    try:
        return ended(call.result(), call.plugin_name)
    finally:
        call.cancel()  # as above: the thread may have been interrupted


def ended(result: CallResult, plugin: str | None) -> Ended:
    """How a call has ended, from its result."""
    if not result.get("success"):
        return Ended(False, None, failure_text(result, plugin), result)
    value = result.get("result")
    return Ended(True, value, value if isinstance(value, str) else json_text(value), result)
