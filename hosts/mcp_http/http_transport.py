"""One session with an MCP server over HTTP, in the place of a process.

All of it is one event loop in one thread, which is to the listener what the pump of a process is: a write hands its lines over and
returns, and all that is told comes from that thread.
"""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from ...base.foreign import Log, contain, shown
from ...base.validation import a_type
from ..errors import THREAD_FAILED, HostGone, HostStartError
from ..process.process import ProcessExit
from .http_session import HttpSession
from .sse_session import SseSession

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any

    from ..process.process import ProcessListener
    from ..process.stop_ladder import StopLadder
    from .connection import Connection, Open
    from .exchange import Outgoing

_numbers = itertools.count(1 << 30)
"""Of sessions: beyond what any system has as a process id, so that a signal to one of them reaches nobody."""

logger: Log = Log("callboard.hosts")


class HttpTransport:
    """See the module. It is a `Transport`.

    Args:
        host: its name.
        listener: told of it, in its thread.
        open_connection: makes what requests go through; called in its thread.
        max_answer: the most bytes of one message.
        remedy: as `HttpSession`.
        older: the server speaks the older transport; else that is tried if the server refuses the newer one.

    Attributes:
        unmet: it has ended before anything that speaks MCP was met, which says nothing of the server there.
    """

    stderr_tail = ""

    def __init__(
        self,
        host: str,
        listener: ProcessListener,
        open_connection: Open,
        max_answer: int,
        remedy: str,
        *,
        older: bool = False,
    ) -> None:
        self.pid: int = next(_numbers)
        self.took: bytes | None = None
        self._host = host
        self._listener = listener
        self._open_connection = open_connection
        self._max = max_answer
        self._remedy = remedy
        self._older = older
        self.unmet: bool = False
        self._born = time.monotonic()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._run, name=f"callboard-host-{host}-{self.pid}", daemon=True
        )
        # Any thread looks at these; the loop's alone changes them, but for the first.
        self._stop_reason: str | None = None
        self._farewell = 0.0
        self._closed = False
        # What follows is the loop's.
        self._over: asyncio.Future[str | None] = self._loop.create_future()
        self._connection: Connection | None = None
        self._session: HttpSession | SseSession | None = None
        self._early: list[bytes] = []
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._others: set[asyncio.Task[None]] = set()

    # From any thread

    def start(self) -> None:
        try:
            self._thread.start()
        except RuntimeError as error:
            self._closed = True
            self._loop.close()
            problem = f"cannot start host {self._host!r}: {error}"
            raise HostStartError(problem, host=self._host, permanent=False) from error

    def write(self, data: bytes) -> None:
        if not self._closed:
            self.took = data  # before: of an interrupted hand-over it is not known how far it came
            with suppress(RuntimeError):  # the loop is closed: it has ended this moment
                self._loop.call_soon_threadsafe(self._take, data)
                return
            self.took = None
        raise HostGone(f"the session of host {self._host!r} is over", host=self._host)

    def has_ended(self) -> bool:
        return False  # what is known of a session's end is told at once

    def stop(self, reason: str, ladder: StopLadder) -> None:
        self._stop_reason = self._stop_reason or reason
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._finish, ladder.polite + ladder.firm)

    def join(self, timeout: float | None = None) -> bool:
        self._thread.join(timeout)
        return not self._thread.is_alive()

    # Its generation

    def _run(self) -> None:
        fault = cause = None
        try:
            cause = self._loop.run_until_complete(self._live())
        except BaseException as error:  # noqa: BLE001 - a bug of ours: nobody must wait on a session that nobody carries
            contain(error, logger, "carrying host %r failed; ending it", self._host)
            fault, cause = THREAD_FAILED, f"the thread that carries it failed: {shown(error)}"
        self._closed = True
        uptime = time.monotonic() - self._born
        exit_ = ProcessExit(None, None, uptime, self._stop_reason, fault, unsent=self._unsent(), cause=cause)
        for tell in (partial(self._listener.on_exit, exit_), partial(self._listener.on_gone, [])):
            try:
                tell()
            except BaseException as error:  # noqa: BLE001 - the loop has to be closed, and the other be told, all the same
                contain(error, logger, "a step to the end of host %r failed", self._host)
        self._loop.close()

    async def _live(self) -> str | None:
        """Why it has ended, unless we have ended it."""
        try:
            connection = self._open_connection()
        except (
            ImportError,
            OSError,
            ValueError,
        ) as error:  # a proxy of the environment, or the system's certificates
            said = f": {error}" if isinstance(error, ImportError) else ""  # others may quote a password
            self._closed = True
            return f"no connection can be made, by {a_type(error)} over its proxy or certificates{said}"
        self._connection = connection
        begin = SseSession if self._older else HttpSession
        self._session = begin(connection, self, self._max, self._remedy)
        try:
            early, self._early = self._early, []
            for data in early:
                self._session.take(data)
            cause = await self._over
            self._closed, self.unmet = True, self._session.unmet
            running = [*self._tasks.values(), *self._others]
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            if cause is None and self._farewell > 0:
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._farewell):
                        await self._session.say_farewell()
            return cause
        finally:
            await connection.close()
            await self._loop.shutdown_asyncgens()

    def _unsent(self) -> bytes:
        return b"".join(self._early) if self._session is None else self._session.unsent

    def _take(self, data: bytes) -> None:
        if self._session is None:
            self._early.append(data)
        else:
            self._session.take(data)

    def _finish(self, farewell: float) -> None:
        if not self._over.done():
            self._farewell = farewell
            self.end(None)

    # What the session has of it, in the loop

    def hand_on(self, line: bytes) -> None:
        self._listener.on_output(line)

    def end(self, cause: str | None) -> None:
        if not self._over.done():
            self._closed = True
            self._over.set_result(cause)

    def begin(self, task: Coroutine[Any, Any, None], request_id: str | None = None) -> None:
        begun = self._loop.create_task(task)
        if request_id is not None:
            self._tasks[request_id] = begun
        else:
            self._others.add(begun)
        begun.add_done_callback(lambda done: self._on_done(done, request_id))

    def cancel(self, request_id: str) -> None:
        if (task := self._tasks.get(request_id)) is not None:
            task.cancel()

    def use_older(self, message: Outgoing, refusal: bytes) -> None:
        assert self._connection is not None
        self._session = SseSession(self._connection, self, self._max, self._remedy, refusal)
        self._session.take(message.line)

    def _on_done(self, task: asyncio.Task[None], request_id: str | None) -> None:
        self._others.discard(task)
        if request_id is not None and self._tasks.get(request_id) is task:
            del self._tasks[request_id]
        if not task.cancelled() and (error := task.exception()) is not None:
            contain(error, logger, "a request of host %r failed", self._host)
            self.end(f"a request failed by a fault of ours: {shown(error)}")
