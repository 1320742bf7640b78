"""`AgentCore`: tool calls in, tool messages out, as the specification has it.

Every call gets its message, in the order of the calls, whatever happened to it: a history with
an unanswered call is refused by every provider. Calls to different tools run at the same time,
calls to one tool in their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Self

from ..actors.board import Board
from ..actors.hook_threads import HookFailed
from ..plugins.adapter import PluginAdapter
from ..plugins.context import core_context
from ..plugins.formatting import default_text
from .messages import tool_message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..actors.call import Call
    from ..actors.desk import ToolSettings

Json = dict[str, Any]


class HoldsBoard(Protocol):
    """What stands before a board, such as a running `Callboard`."""

    @property
    def board(self) -> Board:
        """The board."""


class AgentCore:
    """Runs the tool calls of an agent.

    Args:
        board: the board to run them on, or who holds it; one of its own when ``None``, which `close` stops.
        format_timeout: seconds a plugin's formatting hooks may take; past that its default holds.
    """

    def __init__(self, board: Board | HoldsBoard | None = None, *, format_timeout: float = 5.0) -> None:
        self._own = board is None
        if board is None:
            self.board = Board()
        else:
            self.board = board if isinstance(board, Board) else board.board
        self._format_timeout = format_timeout

    def close(self) -> None:
        """Stop the board, if it is this core's own."""
        if self._own:
            self.board.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def register_tool(
        self,
        tool: Any,
        *,
        config: Json | None = None,
        name: str | None = None,
        settings: ToolSettings | None = None,
    ) -> None:
        """Register a tool plugin, an instance or a class.

        Raises:
            PluginError: it breaks the contract, or its name or a tool's name is taken.
        """
        self.board.add(PluginAdapter(tool, name=name, config=config), config=config or {}, settings=settings)

    def execute_tool_calls(
        self, tool_calls: Iterable[Any], config: Json, *, context: Mapping[str, Any] | None = None
    ) -> list[Json]:
        """Run the calls; returns a ``role: "tool"`` message for each, in their order.

        Args:
            tool_calls: in any wire format that the board reads.
            config: the request's configuration; tools see it in their context.
            context: added to the tools' context.
        """
        calls = self._submit(tool_calls, config, context, streaming=False)
        return [self._message(call, call.result()) for call in calls]

    def iter_tool_messages(
        self, tool_calls: Iterable[Any], config: Json, *, context: Mapping[str, Any] | None = None
    ) -> Iterator[Json]:
        """Run the calls; yields, for each in order, ``{"part": …}`` as they come and then its message.

        A part carries ``tool_call_id`` and ``tool_name`` beside what the tool gave.
        """
        for call in self._submit(tool_calls, config, context, streaming=True):
            yield from self.answers(call)

    def submit(
        self,
        tool_call: Any,
        config: Json,
        *,
        context: Mapping[str, Any] | None = None,
        streaming: bool = True,
    ) -> Call:
        """Run one call; returns its handle at once. `answers` makes its messages.

        Args:
            tool_call: in any wire format that the board reads.
            config: the request's configuration; tools see it in their context.
            context: added to the tools' context.
            streaming: have a tool that can stream do so.
        """
        layer = core_context(core=self, config=config, extra=context)
        return self.board.submit(tool_call, context=layer, streaming=streaming)

    def answers(self, call: Call) -> Iterator[Json]:
        """What one call of `submit` answers: its parts as they come, and last its message.

        In the shapes of `iter_tool_messages`. Whether the call succeeded is for its result to say.
        """
        for chunk in call.chunks():
            yield {**chunk, "tool_call_id": call.id, "tool_name": call.tool_name}
        yield self._message(call, call.result())

    def _submit(
        self, tool_calls: Iterable[Any], config: Json, context: Mapping[str, Any] | None, *, streaming: bool
    ) -> list[Call]:
        return [self.submit(call, config, context=context, streaming=streaming) for call in tool_calls]

    def _message(self, call: Call, result: Json) -> Json:
        formatted, display = self._format(call, result)
        return tool_message(
            call_id=call.id,
            tool_name=call.tool_name,
            plugin_name=call.plugin_name,
            formatted=formatted,
            display=display,
            result=result,
        )

    def _format(self, call: Call, result: Json) -> tuple[str | Json, Json]:
        """A failure of Callboard's own is not the tool's to format: the tool never made it."""
        if call.plugin_name is not None and "code" not in result:
            try:
                return self.board.run_hook(
                    call.plugin_name,
                    lambda adapter, state: _formatted(adapter, result, state),
                    self._format_timeout,
                )
            except (HookFailed, KeyError):  # it hangs, or was taken off the board meanwhile
                pass
        text = default_text(result)
        return text, {"type": "text", "content": text}


def _formatted(adapter: PluginAdapter, result: Json, state: Json) -> tuple[str | Json, Json]:
    formatted = adapter.format_result(result, state)
    return formatted, adapter.display(formatted, result, state)
