"""`ToolCore`: the half of `AgentCore` that needs no model. Tool calls in, tool messages out.

Every call gets its message, in the order of the calls, whatever happened to it: a history with an unanswered
call is refused by every provider. Calls to different tools run at the same time, calls to one tool in their
order. Whoever stops waiting ends the calls that are left.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Self

from ...actors.board import Board
from ...actors.calls.call import Call
from ...actors.endpoint.endpoint import ToolSettings
from ...actors.hosting.settings import HostSettings
from ...base.validation import require, require_mapping, require_seconds, shown
from ...hosts.hosted_tool import HostedToolPlugin
from ...plugins.adapter.adapter import PluginAdapter
from ...plugins.adapter.async_bridge import call_in_thread
from ...plugins.contract.context import core_context
from ..loop.inbox import Inbox
from ..loop.tool_calls import ToolCalls
from ..threads import Helpers
from .arguments import require_calls, require_config

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator, Mapping

    from ...actors.hooks.listeners import HookHandle

Json = dict[str, Any]


class HoldsBoard(Protocol):
    """What stands before a board, such as a running `Callboard`."""

    @property
    def board(self) -> Board:
        """The board."""


class ToolCore:
    """See the module. It is a context manager; `close` ends what is its own.

    Args:
        board: the board to run tools on, or who holds it; one of its own when ``None``, which `close` stops.
        format_timeout: seconds a plugin's formatting hooks may take; past that its default holds.
        preview_timeout: seconds a plugin may take for the preview of a call; past that there is none.

    Attributes:
        board: the board.
    """

    def __init__(
        self,
        board: Board | HoldsBoard | None = None,
        *,
        format_timeout: float = 5.0,
        preview_timeout: float = 1.0,
    ) -> None:
        require_seconds("format_timeout", format_timeout)
        require_seconds("preview_timeout", preview_timeout)
        self._own = board is None
        if board is None:
            self.board = Board()
        else:
            self.board = board if isinstance(board, Board) else _held(board)
        self._calls = ToolCalls(self.board, format_timeout=format_timeout, preview_timeout=preview_timeout)

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
        """Register a tool plugin, an instance or a class; a `HostedToolPlugin` has its host started and waited for.

        A plugin's `prepare` finds this core in its context, and the configuration of a request that says nothing itself.

        Raises:
            PluginError: it breaks the contract, its name or a tool's name is taken, or its host does not come up.
            TypeError: the configuration or the settings are none.
        """
        self._putting(tool, config, name, settings)()

    def _putting(
        self, tool: Any, config: Json | None, name: str | None, settings: ToolSettings | None
    ) -> Callable[[], object]:
        """What puts a tool plugin on the board; it may be called again after it has failed. Raises as `register_tool`."""
        require_mapping("config", config)
        is_settings = settings is None or isinstance(settings, ToolSettings)
        require(is_settings, "settings", settings, "ToolSettings")
        if isinstance(tool, HostedToolPlugin):
            host = HostSettings(config or {})
            adapter = PluginAdapter(tool, name=name)
            return partial(self.board.add_hosted, adapter, tool, host=host, settings=settings)
        adapter = PluginAdapter(tool, name=name, config=config)
        around = core_context(core=self, config=self._config_of_no_request())
        return partial(self.board.add, adapter, config=config or {}, settings=settings, context=around)

    def _config_of_no_request(self) -> Json:
        """What the configuration of a request is that says nothing itself; the set-up of tools sees it."""
        return {}

    def hook(self, event: str, hook: Callable[[str, Json], Any], **options: Any) -> HookHandle:
        """Have a callable asked about each call of the board from now on. See `Board.hook`."""
        return self.board.hook(event, hook, **options)

    def execute_tool_calls(
        self, tool_calls: Iterable[Any], config: Json, *, context: Mapping[str, Any] | None = None
    ) -> list[Json]:
        """Run the calls; returns a ``role: "tool"`` message for each, in their order.

        Args:
            tool_calls: in any wire format that the board reads.
            config: the request's configuration; tools see it in their context.
            context: added to the tools' context.

        Raises:
            TypeError: it is no list of calls.
        """
        with self._submitted(tool_calls, config, context, streaming=False) as calls:
            return [self._calls.message(call, call.result()) for call in calls]

    async def aexecute_tool_calls(
        self, tool_calls: Iterable[Any], config: Json, *, context: Mapping[str, Any] | None = None
    ) -> list[Json]:
        """Do as `execute_tool_calls`, awaiting."""
        with self._submitted(tool_calls, config, context, streaming=False) as calls:
            return [await call_in_thread(self._calls.message, call, await call) for call in calls]

    def iter_tool_messages(
        self, tool_calls: Iterable[Any], config: Json, *, context: Mapping[str, Any] | None = None
    ) -> Generator[Json, None, None]:
        """Run the calls; yields, for each in order, ``{"part": …}`` as they come and then its message.

        A part carries ``tool_call_id`` and ``tool_name`` beside what the tool gave.
        """
        with self._submitted(tool_calls, config, context, streaming=True) as calls:
            for call in calls:
                yield from self.answers(call)

    async def aiter_tool_messages(
        self, tool_calls: Iterable[Any], config: Json, *, context: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[Json, None]:
        """Do as `iter_tool_messages`, awaiting."""
        answers: Inbox[Json | None] = Inbox()
        helpers = Helpers("callboard-tool-messages", most=1)
        with self._submitted(tool_calls, config, context, streaming=True) as calls:
            for call in calls:
                helpers.do(partial(self._read, call, answers))
            waiting = len(calls)
            while waiting:
                answer = await answers.get_async()
                if answer is None:
                    waiting -= 1
                else:
                    yield answer

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

        Raises:
            TypeError: the configuration or the context is none.
        """
        require_config(config)
        require_mapping("context", context)
        layer = core_context(core=self, config=config, extra=context)
        return self._calls.submit(tool_call, layer, streaming=streaming)

    def answers(self, call: Call) -> Iterator[Json]:
        """What one call of `submit` answers: its parts as they come, and last its message.

        In the shapes of `iter_tool_messages`. Whether the call succeeded is for its result to say.
        """
        require(isinstance(call, Call), "a call", call, "what submit returned")
        return self._calls.answers(call)

    @contextmanager
    def _submitted(
        self, tool_calls: Iterable[Any], config: Json, context: Mapping[str, Any] | None, *, streaming: bool
    ) -> Iterator[list[Call]]:
        """Run the calls; those that have not ended when this is left are cancelled. Raises `TypeError`."""
        require_calls(tool_calls)
        calls: list[Call] = []
        try:
            calls.extend(
                self.submit(tool_call, config, context=context, streaming=streaming)
                for tool_call in tool_calls
            )
            yield calls
        finally:
            for call in calls:
                call.cancel()

    def _read(self, call: Call, answers: Inbox[Json | None]) -> None:
        try:
            for answer in self.answers(call):
                answers.put(answer)
        finally:
            answers.put(None)


def _held(holder: Any) -> Board:
    """The board that somebody holds. Raises `TypeError`: there is none, and nobody who has one."""
    board = None if isinstance(holder, type) else getattr(holder, "board", None)
    if not isinstance(board, Board):
        raise TypeError(
            f"the board of a core is {shown(holder)}; it has to be a Board, or a Callboard that was started"
        )
    return board
