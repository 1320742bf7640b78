"""Calls of which nobody else has the handle, and those among them that go by a tool's name: their answer is the result itself.

Whatever interrupts the one that runs such a call ends it. The handle is there before the call is begun: an interrupt between the
two cannot lose it. A generator or coroutine that is closed leaves its call as it is, for that may be the garbage collector's doing,
at a moment when a lock of the call's is held.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

from .actors.calls.part_reader import PartReader
from .actors.calls.waiting import in_thread, until_done
from .base.errors import CallboardError
from .base.locks import RLock
from .base.validation import require_mapping
from .plugins.functions.function_tool import plain
from .plugins.results.failures import reported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from .actors.board import Board
    from .actors.calls.call import Call
    from .plugins.results.call_result import CallResult, CodeLiteral, OutcomeLiteral

Json = dict[str, Any]


class ToolFailed(CallboardError):
    """A call ended without a result.

    Attributes:
        tool: its name.
        code: the text of a `Code`, and equal to it, if Callboard reports the failure; ``None`` where the tool itself has failed.
        outcome: the text of an `Outcome` beside a code: whether the tool may have run.
        report: the crash report, where a host has ended; else ``None``.
        result: the whole result mapping.
    """

    def __init__(self, tool: str, result: Mapping[str, Any]) -> None:
        super().__init__(f"{tool}: {result.get('error')}")
        self.tool = tool
        self.result: CallResult = cast("CallResult", dict(result))
        ours = reported(result) is not None
        self.code: CodeLiteral | None = result["code"] if ours else None
        self.outcome: OutcomeLiteral | None = result.get("outcome") if ours else None
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
        self.lock: RLock = RLock()
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
        self.lock = RLock()


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


def own_result(board: Board, tool_call: Any, *, deadline: float | None = None, **options: Any) -> CallResult:
    """Run a call and wait for its result; options as `Board.submit`."""
    call = board.read(tool_call, **options)
    try:
        board.begin(call, deadline)
        return call.result()
    except BaseException:  # an interrupt: raised again
        call.cancel()
        raise


async def own_result_async(
    board: Board, tool_call: Any, *, deadline: float | None = None, **options: Any
) -> CallResult:
    """As `own_result`, awaiting."""
    call = board.read(tool_call, **options)
    try:
        board.begin(call, deadline)
        return await call
    except GeneratorExit:
        raise
    except BaseException:  # an interrupt, or a cancelled task: raised again
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
        yield cast("Json", call.result())
    except GeneratorExit:
        raise
    except BaseException:  # an interrupt: raised again
        call.cancel()
        raise


class CallStream:
    """What `Callboard.stream_async` returns: ``{"part": …}`` as they come, and last the result mapping.

    Args:
        board: runs the call, once the first is asked for.
        tool_call: in any wire format that the registry reads.
        deadline, options: as `Board.submit`.
    """

    def __init__(
        self, board: Board, tool_call: Any, *, deadline: float | None = None, **options: Any
    ) -> None:
        self._board = board
        self._tool_call = tool_call
        self._deadline = deadline
        self._options = options
        self._call: Call | None = None
        self._parts: PartReader | None = None
        self._over = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Json:
        if self._over:
            raise StopAsyncIteration
        try:
            return await self._next()
        except GeneratorExit:
            raise
        except BaseException:  # an interrupt, or a cancelled task: raised again
            self._over = True
            if self._call is not None:
                self._call.cancel()
            raise

    async def _next(self) -> Json:
        if self._call is None or self._parts is None:
            call = self._call = self._board.read(self._tool_call, **self._options)
            self._board.begin(call, self._deadline)
            self._parts = PartReader(call)
        async for part in self._parts:
            return {"part": part}
        self._over = True
        return cast("Json", self._call.result())

    async def aclose(self) -> None:
        """Have done with it: a call that has not ended is cancelled."""
        self._over = True
        if self._call is not None and self._parts is not None:
            self._parts.close()
            self._call.cancel()


def _request(tool: object, arguments: Mapping[str, Any] | None, named: Mapping[str, Any]) -> Json:
    if not isinstance(tool, str):
        name = getattr(tool, "__name__", None)
        remedy = f"give its name: {name!r}" if isinstance(name, str) else "give the name of a tool"
        raise TypeError(f"the tool is {tool!r}; {remedy}")
    require_mapping("arguments", arguments)
    return {
        "type": "function",
        "function": {"name": tool, "arguments": plain({**(arguments or {}), **named})},
    }


def _result_of(tool: str, result: Mapping[str, Any]) -> Any:
    if result["success"] is not True:
        raise ToolFailed(tool, result)
    return result.get("result")
