"""Tools of a board in the shape of Amplifier's: `name`, `description`, `input_schema`, ``async execute(input)``.

Each answers with a `ToolResult`: with that of ``amplifier_core`` where the process has it loaded (its loops and
checks want their own class), else with the one of this file, in the newest form or in the seed's.

An orchestrator tells the hooks of its coordinator itself when it runs a tool. Where there is none, the tool tells
them, and heeds what they answer, so that each call has its ``tool:pre`` and one terminal event either way.
"""

from __future__ import annotations

import inspect
import itertools
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ...actors.board import Board
from ...base.errors import CallboardError
from ...interop.conversion import ToolInteropTarget
from ...interop.format_ids import AMPLIFIER
from ...plugins.adapter.async_bridge import call_in_thread
from ...plugins.adapter.formatting import as_text, default_text
from ...plugins.hooks.answers import UnreadableAnswer, read_answer
from ...plugins.hooks.payload import InputData, ResultData, error_of
from ...plugins.hooks.terms import ERROR, POST, PRE, Action
from ...plugins.results.codes import Code
from ...plugins.results.failures import describe, failure, reported, titled
from ...plugins.results.normalise import FORMATTED
from ..loop.tool_calls import ToolCalls
from ..sessions.tool_messages import text_of

if TYPE_CHECKING:
    from ...actors.calls.call import Call
    from ...plugins.hooks.payload import HookData
    from ...plugins.results.call_result import CallResult
    from .core import HoldsBoard

Json = dict[str, Any]
Form = Literal["newest", "seed"]

_KNOWN = frozenset({"success", "result", "output", "error", "content", FORMATTED})
_FORMAT_TIMEOUT = 5.0

_made_up = itertools.count(1)


@dataclass(slots=True)
class ToolResult:
    """What a tool of a board answers, where Amplifier's own class is not there.

    Attributes:
        success: whether it succeeded.
        output: for the model: text, or a JSON value in the newest form.
        error: why it failed: an object with ``message`` and ``type`` in the newest form, a text in the seed's.
        metadata: what else the result says, such as ``code`` and ``outcome``.
        tool_call_id: of the call.
    """

    success: bool
    output: Any = None
    error: Any = None
    metadata: Json | None = None
    tool_call_id: str = ""

    @property
    def is_error(self) -> bool:
        """Whether it failed."""
        return not self.success

    def __str__(self) -> str:
        return self.get_serialized_output()

    def get_serialized_output(self) -> str:
        """The output for the model, as text."""
        if self.output is not None:
            return as_text(self.output)
        if self.success:
            return "Success"
        message = self.error.get("message") if isinstance(self.error, dict) else self.error
        return titled("Error", as_text(message))

    def model_dump(self) -> Json:
        """The result as JSON, without what is null."""
        fields = {
            "success": self.success,
            "output": self.output,
            "error": self.error,
            "metadata": self.metadata,
        }
        return {name: value for name, value in fields.items() if value is not None}


class BoardTool:
    """One tool of a board, for an Amplifier-style coordinator.

    Args:
        board: the board, or who holds it.
        tool_name: the tool's.
        coordinator: whose hooks are told; ``None`` for none.
        form: of the results: ``newest``, or ``seed`` with texts for ``output`` and ``error``.
        events: tell the coordinator's hooks; ``None`` for: unless it has an orchestrator, which does.

    Attributes:
        name: the tool's name.

    Raises:
        KeyError: there is no such tool.
    """

    def __init__(
        self,
        board: Board | HoldsBoard,
        tool_name: str,
        *,
        coordinator: Any = None,
        form: Form = "newest",
        events: bool | None = None,
    ) -> None:
        self.name = tool_name
        self._board = board if isinstance(board, Board) else board.board
        self._coordinator = coordinator
        self._form = form
        self._events = events
        self._calls = ToolCalls(self._board, format_timeout=_FORMAT_TIMEOUT, preview_timeout=_FORMAT_TIMEOUT)
        self._schema()

    def _schema(self) -> Json:
        """The tool's declaration in Amplifier's format, as it is now. Raises `KeyError`."""
        for tool in self._board.tools():
            if tool.tool_name == self.name:
                target = ToolInteropTarget(AMPLIFIER)
                written = self._board.catalog.registry.convert_schema(tool.schema, target, [AMPLIFIER])
                declared: Json = written.value
                return declared
        raise KeyError(self.name)

    @property
    def description(self) -> str:
        """What the tool says of itself; never empty."""
        return self._schema().get("description") or f"The tool {self.name}."

    @property
    def input_schema(self) -> Json:
        """JSON Schema of its input; a freeform tool takes its text as the one property."""
        parameters = self._schema().get("parameters")
        return parameters or {"type": "object", "properties": {}}

    async def execute(self, input: Json) -> Any:  # noqa: A002 - the contract's name
        """Run the tool; never raises for what goes wrong in it. A ``_tool_call_id`` in the input is the call's id.

        Cancelling this cancels the call.
        """
        arguments = dict(input)
        call_id = arguments.pop("_tool_call_id", None) or f"board_{next(_made_up)}"
        facts = {"tool_name": self.name, "tool_call_id": call_id, **self._session()}
        tells = self._tells()
        if tells:
            data = InputData(arguments, facts)
            refused = await self._gate(PRE, data)
            if refused is not None:
                denied = failure(Code.DENIED, f"the call was denied: {refused}", reason=refused)
                await self._emit(ERROR, {**facts, **_both("input", data.value), **_failed(denied)})
                return self._result(call_id, denied, default_text(denied))
            arguments = data.value
        call = self._board.submit(self._tool_call(call_id, arguments), context=self._session())
        try:
            result = await call
        finally:
            call.cancel()
        if tells:
            result = await self._told(result, {**facts, **_both("input", arguments), **_run(call)})
        text = await call_in_thread(self._text, call, result)
        return self._result(call_id, result, text)

    def _tool_call(self, call_id: str, arguments: Json) -> Json:
        text = self._freeform_key()
        if text is not None and isinstance(arguments.get(text), str):
            return {
                "type": "custom_tool_call",
                "call_id": call_id,
                "name": self.name,
                "input": arguments[text],
            }
        return {"id": call_id, "type": "function", "function": {"name": self.name, "arguments": arguments}}

    def _freeform_key(self) -> str | None:
        registry = self._board.catalog.registry
        for tool in self._board.tools():
            if tool.tool_name == self.name and registry.inspect_schema(tool.schema).kind == "text":
                return registry.wrapper.key
        return None

    def _session(self) -> Json:
        known = {name: getattr(self._coordinator, name, None) for name in ("session_id", "parent_id")}
        return {name: value for name, value in known.items() if isinstance(value, str)}

    # The coordinator's hooks

    def _tells(self) -> bool:
        if getattr(self._coordinator, "hooks", None) is None:
            return False
        if self._events is not None:
            return self._events
        return self._coordinator.get("orchestrator") is None

    async def _told(self, result: CallResult, facts: Json) -> CallResult:
        """The result after its one terminal event."""
        if reported(result) is not None:
            await self._emit(ERROR, facts | _failed(result))
            return result
        data = ResultData(result, facts | {"success": result["success"]})
        refused = await self._gate(POST, data)
        if refused is None:
            reviewed: CallResult = data.value
            return reviewed
        return failure(Code.INVALID_RESULT, f"the tool has run, but its result was withheld: {refused}")

    async def _gate(self, event: str, data: HookData) -> str | None:
        """Why the hooks refuse it; ``None`` if they let it pass. They fail closed."""
        try:
            answered = await self._emit(event, data.fresh())
            answer = read_answer(answered)
            if answer.action is Action.ASK:
                answer = read_answer(
                    await self._coordinator.process_hook_result(answered, event, "callboard")
                )
            if answer.data is not None:
                data.take(answer.data)
            elif answer.action is Action.CONTINUE:
                # So answers a registry, with what its hooks have made of the data.
                _take_over(data, answered)
        except UnreadableAnswer as error:
            return str(error)
        except Exception as error:  # noqa: BLE001 - the coordinator's code: a gate that fails stays shut
            return f"telling the hooks raised {describe(error)}"
        if answer.action in {Action.DENY, Action.ASK}:
            return answer.reason or "a hook gave no reason"
        return None

    async def _emit(self, event: str, data: Json) -> Any:
        answer = self._coordinator.hooks.emit(event, data)
        return await answer if inspect.isawaitable(answer) else answer

    # The result

    def _text(self, call: Call, result: CallResult) -> str:
        """What the model sees of it, in the words of the tool's plugin if it has any."""
        message = self._calls.message(call, result)
        native = message["toolResult"]
        return message["content"] if native.get("type") == "tool_result" else text_of(native)

    def _result(self, call_id: str, result: CallResult, text: str) -> Any:
        success = bool(result["success"])
        metadata = {name: value for name, value in result.items() if name not in _KNOWN} or None
        plain = text == default_text(result)
        if self._form == "seed":
            said = as_text(result.get("error"))
            output = text if success else as_text(result.get("output")) or None
            return ToolResult(success, output, None if success else said, metadata, call_id)
        output = result.get("result") if plain and success and "result" in result else text
        error = None if success else {**error_of(result), **(metadata or {})}
        theirs = getattr(sys.modules.get("amplifier_core"), "ToolResult", None)
        if theirs is not None:
            return theirs(success=success, output=output, error=error)
        return ToolResult(success, output, error, metadata, call_id)


class BoardToolsError(CallboardError):
    """The tools of a board cannot be mounted as it is asked."""


def _take_over(data: HookData, answered: Any) -> None:
    given = answered.get("data") if isinstance(answered, dict) else getattr(answered, "data", None)
    changed = read_answer({"action": Action.MODIFY, "data": given}).data if given else None
    if changed is not None:
        data.take(changed)


def _both(name: str, value: Any) -> Json:
    return {name: value, f"tool_{name}": value}


def _failed(result: CallResult) -> Json:
    facts = {"error": error_of(result), "success": False, **_both("result", result)}
    return facts | {"code": result.get("code"), "outcome": result.get("outcome")}


def _run(call: Call) -> Json:
    return {"plugin": call.plugin_name, "attempt": call.attempt}
