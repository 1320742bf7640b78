"""Calls by a tool's name and its arguments, whose answer is the result itself; a failure is raised."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from .actors.calls.waiting import in_thread, until_done
from .base.errors import CallboardError
from .plugins.functions.function_tool import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from .actors.board import Board

Json = dict[str, Any]


class ToolFailed(CallboardError):
    """A call ended without a result.

    Attributes:
        tool: its name.
        code: a `Code` where Callboard says what happened, ``None`` where the tool itself has failed.
        outcome: ``not_sent`` or ``outcome_unknown``, beside a code: whether the tool may have run.
        report: the crash report, where a host has ended; else ``None``.
        result: the whole result mapping.
    """

    def __init__(self, tool: str, result: Mapping[str, Any]) -> None:
        super().__init__(f"{tool}: {result.get('error')}")
        self.tool = tool
        self.result = dict(result)
        self.code: str | None = result.get("code")
        self.outcome: str | None = result.get("outcome")
        self.report: Json | None = result.get("crash_report")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tool, self.result)


class FirstStart:
    """The start of a board by its first call; once it was started by anyone, calls leave that alone.

    Args:
        start: starts it.

    Attributes:
        over: it was started, or stopped.
        lock: held while it is being started, by a first call or otherwise, so that other first calls wait until all is there.
    """

    def __init__(self, start: Callable[[], object]) -> None:
        self.over = False
        self.lock = threading.RLock()
        self._start = start

    def ready(self) -> None:
        """Start it if it never was; raises as `Callboard.start`."""
        if not self.over:
            with self.lock:
                if not self.over:
                    self._start()

    async def ready_async(self) -> None:
        """As `ready`, and never block the event loop."""
        if not self.over:
            await until_done(in_thread(self.ready, "callboard-start"))

    def forked(self) -> None:
        """In a child that was forked off: another thread may have been starting it."""
        self.lock = threading.RLock()


class Caller:
    """Calls tools of a board, each call with the same options. Made by `Callboard.with_options`; usable from any thread.

    Args:
        board: returns the board that runs.
        first: starts it if it never was.
        options: of each call.
    """

    def __init__(
        self,
        board: Callable[[], Board],
        first: FirstStart,
        options: Mapping[str, Any],
    ) -> None:
        self._board = board
        self._first = first
        self._options = dict(options)

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        """Call a tool and wait for its result. As `Callboard.call`."""
        self._first.ready()
        request = _request(tool, arguments, named)
        return _result_of(tool, own_result(self._board(), request, streaming=False, **self._options))

    async def acall(self, tool: str, arguments: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        """Call a tool and await its result; a task that is cancelled meanwhile cancels the call. As `Callboard.call`."""
        await self._first.ready_async()
        request = _request(tool, arguments, named)
        result = await own_result_async(self._board(), request, streaming=False, **self._options)
        return _result_of(tool, result)


# Calls that nobody else holds: an interrupt, wherever it comes, ends them. Their handle is there before they are begun.


def own_result(board: Board, tool_call: Any, *, deadline: float | None = None, **options: Any) -> Json:
    """Run a call that nobody else holds, and wait for its result; options as `Board.submit`."""
    call = board.read(tool_call, **options)
    try:
        board.begin(call, deadline)
        return call.result()
    except BaseException:  # an interrupt: raised again
        call.cancel()
        raise


async def own_result_async(
    board: Board, tool_call: Any, *, deadline: float | None = None, **options: Any
) -> Json:
    """As `own_result`, awaiting."""
    call = board.read(tool_call, **options)
    try:
        board.begin(call, deadline)
        return await call
    except (
        GeneratorExit
    ):  # perhaps the garbage collector's, which may have come while a lock of the call's is held
        raise
    except BaseException:  # as above
        call.cancel()
        raise


def own_stream(
    board: Board, tool_call: Any, *, deadline: float | None = None, **options: Any
) -> Iterator[Json]:
    """As `own_result`: yields ``{"part": …}`` as they come, and last the result mapping."""
    call = board.read(tool_call, **options)
    try:
        board.begin(call, deadline)
        yield from call.chunks()
        yield call.result()
    except GeneratorExit:  # as above
        raise
    except BaseException:  # as above
        call.cancel()
        raise


def _request(tool: str, arguments: Mapping[str, Any] | None, named: Mapping[str, Any]) -> Json:
    return {
        "type": "function",
        "function": {"name": tool, "arguments": plain({**(arguments or {}), **named})},
    }


def _result_of(tool: str, result: Mapping[str, Any]) -> Any:
    if result["success"] is not True:
        raise ToolFailed(tool, result)
    return result.get("result")
