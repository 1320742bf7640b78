"""Calls by a tool's name and its arguments, whose answer is the result itself; a failure is raised."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from .actors.calls.waiting import in_thread, until_done
from .base.errors import CallboardError
from .plugins.functions.function_tool import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .actors.calls.call import Call

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
        submit: runs a tool call, as `Callboard.submit`.
        first: starts the board if it never was.
        options: of each call.
    """

    def __init__(
        self,
        submit: Callable[..., Call],
        first: FirstStart,
        options: Mapping[str, Any],
    ) -> None:
        self._submit = submit
        self._first = first
        self._options = dict(options)

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        """Call a tool and wait for its result. As `Callboard.call`."""
        self._first.ready()
        return _result_of(tool, own_result(self._begin(tool, arguments, named)))

    async def acall(self, tool: str, arguments: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        """Call a tool and await its result; a task that is cancelled meanwhile cancels the call. As `Callboard.call`."""
        await self._first.ready_async()
        return _result_of(tool, await self._begin(tool, arguments, named))

    def _begin(self, tool: str, arguments: Mapping[str, Any] | None, named: Mapping[str, Any]) -> Call:
        function = {"name": tool, "arguments": plain({**(arguments or {}), **named})}
        return self._submit({"type": "function", "function": function}, streaming=False, **self._options)


def own_result(call: Call) -> Json:
    """Wait for the result of a call that nobody else holds: what interrupts the wait ends the call."""
    try:
        return call.result()
    finally:
        call.cancel()  # no effect on a call that has ended


def _result_of(tool: str, result: Mapping[str, Any]) -> Any:
    if result["success"] is not True:
        raise ToolFailed(tool, result)
    return result.get("result")
