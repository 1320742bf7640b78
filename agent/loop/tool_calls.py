"""Calls of an agent: submitted to the board, previewed before, and made into tool messages after.

Tool code that only shows something (previews, formatting) runs on threads of the board's and has a deadline;
one that hangs or raises costs its call nothing but its words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...actors.hooks.handles import HookedCall
from ...actors.routing.table import invocation_of, registry_for
from ...actors.threads.hook_pool import HookFailed
from ...base.json import copy_json
from ...interop.errors import InteropError
from ...plugins.adapter.formatting import default_text, formatted_words
from ...plugins.results.failures import reported
from ...plugins.results.normalise import FORMATTED, as_answered
from ..sessions.tool_messages import tool_message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...actors.board import Board
    from ...actors.calls.call import Call
    from ...plugins.adapter.adapter import PluginAdapter
    from ...plugins.results.call_result import CallResult

Json = dict[str, Any]


class ToolCalls:
    """See the module.

    Args:
        board: runs the calls.
        format_timeout: seconds that the formatting of a result may take; past that the default holds.
        preview_timeout: seconds that a preview may take, by which a call begins later; past that there is none.
    """

    def __init__(self, board: Board, *, format_timeout: float, preview_timeout: float) -> None:
        self._board = board
        self._format_timeout = format_timeout
        self._preview_timeout = preview_timeout

    def submit(self, tool_call: Any, context: Json, *, streaming: bool) -> Call:
        """Run a call; returns its handle at once."""
        return self._board.submit(tool_call, context=context, streaming=streaming)

    def answers(self, call: Call) -> Iterator[Json]:
        """Parts as they come, each with the call that it is of, and last the message."""
        for chunk in call.chunks():
            yield {**chunk, "tool_call_id": call.id, "tool_name": call.tool_name}
        yield self.message(call, call.result())

    def message(self, call: Call, result: CallResult) -> Json:
        """The tool message of a call that has ended."""
        formatted, display = self._format(call, result)
        return tool_message(
            call_id=call.id,
            tool_name=call.tool_name,
            plugin_name=call.plugin_name,
            formatted=formatted,
            display=display,
            result=result,
            notes=call.notes if isinstance(call, HookedCall) else (),
        )

    def preview(self, tool_call: Json, plugin: str | None, context: Json) -> str:
        """One line about a call that is yet to run; empty if its plugin has nothing to say, or not in time."""
        if plugin is None:
            return ""
        try:
            inspected = registry_for(self._board.catalog, context).inspect_call(tool_call)
            if inspected.payload_kind == "malformed":
                return ""
            prepared = self._board.plugin_manager.handle(plugin).endpoint.prepared
            invocation = invocation_of(inspected, tool_call, context, prepared)
            return self._board.queries.run_hook(
                plugin, lambda adapter, state: adapter.preview(invocation, state), self._preview_timeout
            )
        except (HookFailed, KeyError, InteropError):  # it hangs, or was taken off the board, or is no call
            return ""

    def _format(self, call: Call, result: CallResult) -> tuple[str | Json, Json]:
        """A failure of Callboard's own is not the tool's to format: the tool never made it."""
        if call.plugin_name is not None and reported(result) is None:
            try:
                return self._board.queries.run_hook(
                    call.plugin_name,
                    lambda adapter, present: _formatted(adapter, result, _state_of(call, present)),
                    self._format_timeout,
                )
            except (HookFailed, KeyError):  # it hangs, or was taken off the board meanwhile
                pass
        text = default_text(result)
        return text, {"type": "text", "content": text}


def _state_of(call: Call, present: Json) -> Json:
    """The state that the call left; calls that ran since may have left another one."""
    return present if call.final_state is None else copy_json(call.final_state)


def _formatted(adapter: PluginAdapter, result: CallResult, state: Json) -> tuple[str | Json, Json]:
    said = formatted_words(result) if FORMATTED in result else None
    answered = as_answered(result)
    formatted = adapter.format_result(answered, state) if said is None else said
    return formatted, adapter.display(formatted, answered, state)
