"""The connections of a board that is served over HTTP, bounded before anything is read of them.

The server library counts requests, not connections, and gives a connection all the time it wants for its headers. Here a connection that
has not sent them is ended after a while, and at once if there is no room for a new one: those who have nothing to say hold nobody up.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import sys
import time
from typing import TYPE_CHECKING, Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from ..base.foreign import Log

if sys.platform != "win32":
    import resource

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from .guard import Limits

logger: Log = Log("callboard.mcp")

RESERVE: Final = 64
"""Descriptors that connections leave to the hosts of the board."""

_LEAST: Final = 8
"""Connections that are taken even if the board itself has used the reserve: it could not be asked what is wrong else."""

_PAUSE: Final = 1.0
_ONCE_IN: Final = 60.0
"""Seconds."""


class Connections:
    """The connections that are open. In the event loop.

    Args:
        limits: what they are held to.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._open: set[Connection] = set()
        self._silent: dict[Connection, None] = {}
        self._refused = OncePerMinute()

    async def accept(self, listening: socket.socket, make: Callable[[], Connection]) -> None:
        """Take connections until it is cancelled."""
        listening.setblocking(False)
        loop = asyncio.get_running_loop()
        while True:
            try:
                accepted, _ = await loop.sock_accept(listening)
            except OSError as error:
                if error.errno != errno.ECONNABORTED:  # of a client that has gone already
                    self._warn("no connection can be taken: %s", error.strerror)
                    await asyncio.sleep(_PAUSE)
                continue
            try:
                if self._has_room(accepted.fileno()):
                    await loop.connect_accepted_socket(make, accepted)
                    continue
            except OSError:
                pass  # it has gone: closed below
            accepted.close()
            await asyncio.sleep(0)  # a flood of refusals is no reason to hear nobody else

    def _has_room(self, descriptor: int) -> bool:
        """Whether there is room for one more, if need be in the place of the one that has been silent the longest."""
        count = len(self._open)
        short = count >= _LEAST and _taken(descriptor) > _descriptors() - RESERVE
        if count < self.limits.most and not short:
            return True
        silent = next(iter(self._silent), None)
        why = "descriptors are short" if short else f"{count:,} connections are open"
        self._warn("%s: one is ended or refused; see --max-connections", why)
        if silent is not None:
            silent.transport.abort()
            self.close(silent)
        return silent is not None

    def _warn(self, text: str, *given: object) -> None:
        if (more := self._refused.take(text)) is not None:
            logger.warning("%s%s", text % given, more)

    def open(self, connection: Connection) -> None:
        """Count a connection that has begun."""
        self._open.add(connection)

    def silent(self, connection: Connection) -> None:
        """Note that a connection has yet to send a request's headers."""
        self._silent[connection] = None

    def heard(self, connection: Connection) -> None:
        """Note that a connection has sent a request's headers."""
        self._silent.pop(connection, None)

    def close(self, connection: Connection) -> None:
        """Count a connection no more, which has ended."""
        self._open.discard(connection)
        self._silent.pop(connection, None)


class Connection(H11Protocol):
    """One connection, with a time limit for headers.

    Args:
        connections: those that it is one of.
        more: as of the server library's own.
    """

    def __init__(self, connections: Connections, **more: Any) -> None:
        super().__init__(**more)
        self._all = connections
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as there
        """Count it, and begin to wait for headers."""
        super().connection_made(transport)
        self._all.open(self)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take some bytes; a request that has begun with them has no time limit of ours any more."""
        super().data_received(data)
        cycle: Any = self.cycle  # which is `None` before the first request, whatever its type says
        if cycle is None or cycle.response_complete:
            self._wait()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it no more."""
        self._stop_waiting()
        self._all.close(self)
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._late is None:  # further bytes give no more time
            self._late = self.loop.call_later(self._all.limits.header_timeout, self.transport.abort)
            self._all.silent(self)

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
            self._all.heard(self)


class OncePerMinute:
    """Which of many equal lines are written to a log: the first, and after a minute one with the number of the others."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._last: dict[str, tuple[float, int]] = {}

    def take(self, line: str) -> str | None:
        """What is added to the line if it is written, which may be nothing; ``None`` if it is not."""
        when, left_out = self._last.get(line, (-_ONCE_IN, 0))
        if self._now() - when < _ONCE_IN:
            self._last[line] = when, left_out + 1
            return None
        self._last[line] = self._now(), 0
        return f" (and {left_out:,} times before)" if left_out else ""


class BoundedLog(logging.Filter):
    """Bounds what the server library logs of its clients: each text of its own once a minute."""

    def __init__(self) -> None:
        super().__init__()
        self._lines = OncePerMinute()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is written."""
        more = self._lines.take(str(record.msg))
        if more:
            record.msg = f"{record.msg}{more}"
        return more is not None


def _taken(newest: int) -> float:
    """How many descriptors this process has open; at least as many as the number of the newest one.

    That number alone does not tell: it may be that of a connection which has been ended, below others that are open.
    """
    try:
        return max(len(os.listdir("/dev/fd")) - 1, newest)  # noqa: PTH208 - for each connection
    except OSError as error:
        return float("inf") if error.errno in {errno.EMFILE, errno.ENFILE} else newest


def _descriptors() -> float:
    """How many this process may have."""
    if sys.platform != "win32":
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft != resource.RLIM_INFINITY:
            return soft
    return float("inf")
