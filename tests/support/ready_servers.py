"""A program that has `callboard mcp` imported, and becomes a process of its own for each that is wanted.

Importing the SDK takes half a second of processor time, and many tests start a server. It is told by ``ready_server.py``, which
stands where the server would: over a connection come the order, one JSON object (``arguments``, ``env``, ``cwd``), and
the three streams; back go the pid and, at its end, the status. A server whose connection is closed is killed, as one would be
by the end of the process that stands for it. It has no threads, which is what makes it safe to fork.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import struct
import sys
from contextlib import suppress
from typing import Any

import callboard.mcp_http.http
import callboard.mcp_stdio.stdio  # noqa: F401 - as the line above: so that no server has to
from callboard.cli.app import main
from ready_commands import end, import_commands

STREAMS = 3
NUMBER = struct.Struct("!i")


def become(order: dict[str, Any], streams: list[int]) -> int:
    """Be that server in this process; returns its exit status."""
    os.environ.clear()
    os.environ.update(order["env"])
    os.chdir(order["cwd"])
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.argv = ["callboard", *order["arguments"]]
    return main()


def ordered(connection: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """What is ordered, and the streams for it; ``None`` if who orders it has gone."""
    text, streams, _, _ = socket.recv_fds(connection, 1 << 20, STREAMS)
    while not text.endswith(b"\n"):
        if not (more := connection.recv(1 << 20)):
            return None
        text += more
    return json.loads(text), streams


class Servers:
    """The servers that run, and the connections by which they are known."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._running: dict[int, socket.socket] = {}
        self._told, self._telling = socket.socketpair()
        self._telling.setblocking(False)
        signal.set_wakeup_fd(self._telling.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._ready = selectors.DefaultSelector()
        self._ready.register(listener, selectors.EVENT_READ)
        self._ready.register(self._told, selectors.EVENT_READ)
        self._ready.register(sys.stdin, selectors.EVENT_READ)

    def serve(self) -> None:
        """Until the end of stdin, which ends all of them."""
        while True:
            for key, _ in self._ready.select():
                if key.fileobj is sys.stdin:
                    return
                if key.fileobj is self._told:
                    self._told.recv(4096)
                    self._collect()
                elif key.fileobj is self._listener:
                    self._begin(self._listener.accept()[0])
                elif key.data in self._running:  # else it was collected in this very turn
                    os.kill(key.data, signal.SIGKILL)
                    self._collect()

    def _begin(self, connection: socket.socket) -> None:
        if (told := ordered(connection)) is None:
            connection.close()
            return
        order, streams = told
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for each in (self._listener, connection, self._told, self._telling, *self._running.values()):
                each.close()
            end(become(order, streams))
        for stream in streams:
            os.close(stream)
        self._running[pid] = connection
        self._ready.register(connection, selectors.EVENT_READ, pid)
        tell(connection, pid)

    def _collect(self) -> None:
        for pid in tuple(self._running):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                connection = self._running.pop(pid)
                self._ready.unregister(connection)
                tell(connection, os.waitstatus_to_exitcode(status))
                connection.close()


def tell(connection: socket.socket, number: int) -> None:
    """Tell a number to who may have gone."""
    with suppress(OSError):
        connection.sendall(NUMBER.pack(number))


if __name__ == "__main__":
    import_commands()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(sys.argv[1])
        listening.listen(64)
        print(flush=True)
        Servers(listening).serve()
