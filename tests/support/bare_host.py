"""A runner, Node's or Python's, as a bare subprocess, with nothing of the package's own client between it and a test.

A `BareHost` writes lines and reads lines, by one loop and without threads. Whatever it waits for, it
waits `PATIENCE` seconds at most, and then fails with what the host said on stderr.
"""

from __future__ import annotations

import itertools
import json
import os
import selectors
import signal
import socket
import subprocess
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from node_path import node_program
from programs import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HOST_SCRIPT = ROOT / "hosts" / "node" / "runner" / "host.mjs"
EXAMPLES = ROOT / "examples"

PATIENCE = 30.0
"""Seconds any one wait may take: far more than it needs, even on a machine that is busy."""

Json = dict[str, Any]


def host_command(entry: Path, export: str | None = None, node_options: Sequence[str] = ()) -> list[str]:
    """The runner's command line."""
    command = [node_program(), *node_options, str(HOST_SCRIPT), "--entry", str(entry)]
    return command if export is None else [*command, "--export", export]


class BareHost:
    """One generation of a runner, in a session of its own. Use it as a context manager.

    Args:
        entry: the JavaScript module to run, or the whole command line of another runner.
        export: the export to run.
        sockets: talk by socket pairs, as programs written in Node do, instead of pipes.
        node_options: options of Node itself.
        env: added to the environment.
        stderr: a file for the host's stderr, which is then not read.
    """

    def __init__(
        self,
        entry: Path | Sequence[str],
        export: str | None = None,
        *,
        sockets: bool = False,
        node_options: Sequence[str] = (),
        env: dict[str, str] | None = None,
        stderr: Path | None = None,
    ) -> None:
        self.stdin, theirs_in = _writing_end(sockets=sockets)
        self.stdout, theirs_out = _reading_end(sockets=sockets)
        self._stderr, theirs_err = _reading_end(sockets=False)
        if stderr is not None:
            os.close(theirs_err)
            theirs_err = os.open(stderr, os.O_WRONLY)
        self.process = subprocess.Popen(
            host_command(entry, export, node_options) if isinstance(entry, Path) else entry,
            stdin=theirs_in,
            stdout=theirs_out,
            stderr=theirs_err,
            env={**os.environ, **(env or {})},
            start_new_session=True,
        )
        for descriptor in (theirs_in, theirs_out, theirs_err):
            os.close(descriptor)
        for descriptor in (self.stdin, self.stdout, self._stderr):
            os.set_blocking(descriptor, False)
        self._ids = itertools.count(1)
        self._unsent = memoryview(b"")
        self._received = bytearray()
        self._lines: deque[bytes] = deque()
        self._said = bytearray()
        self._open = {self.stdin, self.stdout, self._stderr}
        self._deaf = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE)
        for descriptor in list(self._open):
            self._close(descriptor)

    # Writing

    def send(self, method: str, params: Json | None = None, *, id: str | None = None) -> str:  # noqa: A002 - its name on the wire
        """Send one request and return its id."""
        request_id = id or str(next(self._ids))
        message = {"v": 1, "id": request_id, "method": method, "params": params or {}}
        self.send_bytes(json.dumps(message).encode() + b"\n")
        return request_id

    def send_bytes(self, data: bytes) -> None:
        """Send bytes, reading meanwhile, so that two full pipes cannot wait for each other."""
        self._unsent = memoryview(data)
        self._turn_until(lambda: not self._unsent, "the host to take its input", reading=False)

    def close_stdin(self) -> None:
        """Say that there is nothing more to come."""
        self._close(self.stdin)

    # Reading

    def read(self) -> Json:
        """The next line of stdout, which has to be a JSON object."""
        self._turn_until(lambda: bool(self._lines), "a line")
        message = json.loads(self._lines.popleft())
        assert isinstance(message, dict)
        return message

    def answer(self, request_id: str) -> Json:
        """The next line, which has to be the answer to this request."""
        message = self.read()
        assert message["id"] == request_id, message
        assert "ok" in message, message
        return message

    def ask(self, method: str, params: Json | None = None) -> Json:
        """Send a request and read its answer, which has to be the next line."""
        return self.answer(self.send(method, params))

    def value(self, method: str, params: Json | None = None) -> Any:
        """Send a request and return the value of its answer, which has to be a good one."""
        answer = self.ask(method, params)
        assert answer["ok"] is True, answer
        return answer["result"]["value"]

    def error(self, method: str, params: Json | None = None) -> Json:
        """Send a request and return the error of its answer, which has to be one."""
        answer = self.ask(method, params)
        assert answer["ok"] is False, answer
        error = answer["error"]
        assert isinstance(error, dict)
        return error

    def execute(
        self, tool_name: str = "run", arguments: Json | None = None, state: Json | None = None
    ) -> str:
        """Send a call and return its id."""
        params = {"tool_name": tool_name, "arguments": arguments or {}, "state": state or {}}
        return self.send("execute_tool", params)

    def stderr_until(self, text: str) -> str:
        """Wait until the host has said ``text`` on stderr, and return all it has said."""
        self._turn_until(lambda: text in self.stderr, f"{text!r} on stderr")
        return self.stderr

    @property
    def stderr(self) -> str:
        """What has been read of stderr."""
        return self._said.decode("utf-8", "replace")

    def stop_reading(self) -> None:
        """Leave stdout alone, so that it fills up."""
        self._deaf = True

    def go_on_reading(self) -> None:
        """Read stdout again."""
        self._deaf = False

    def close_stdout(self) -> None:
        """Make it impossible for the host to answer."""
        self._close(self.stdout)

    def rest(self) -> list[Json]:
        """All further lines, up to the end of stdout."""
        self._turn_until(lambda: self.stdout not in self._open, "the end of stdout")
        lines = [json.loads(line) for line in self._lines]
        self._lines.clear()
        return lines

    def exit_code(self) -> int:
        """Wait for the host's end, and return its exit code; negative when a signal ended it."""
        self.rest()
        code = self.process.wait(PATIENCE)
        while self._stderr in self._open and self._take(self._stderr):
            pass
        return code

    def finish(self) -> int:
        """Close stdin, and wait for the end."""
        self.close_stdin()
        return self.exit_code()

    # The loop

    def _turn_until(self, done: Callable[[], bool], what: str, *, reading: bool = True) -> None:
        deadline = time.monotonic() + PATIENCE
        while not done():
            if reading and self.stdout not in self._open:
                raise AssertionError(f"stdout ended while waiting for {what}; stderr:\n{self.stderr}")
            left = deadline - time.monotonic()
            if left <= 0:
                raise AssertionError(f"waited in vain for {what}; stderr:\n{self.stderr}")
            self._turn(left)

    def _turn(self, seconds: float) -> None:
        with selectors.DefaultSelector() as selector:
            for descriptor in self._open - {self.stdin} - ({self.stdout} if self._deaf else set()):
                selector.register(descriptor, selectors.EVENT_READ)
            if self._unsent:
                selector.register(self.stdin, selectors.EVENT_WRITE)
            for key, _ in selector.select(seconds):
                if key.fd == self.stdin:
                    self._unsent = self._unsent[os.write(self.stdin, self._unsent) :]
                else:
                    self._take(key.fd)

    def _take(self, descriptor: int) -> bool:
        try:
            data = os.read(descriptor, 1 << 20)
        except BlockingIOError:
            return False
        if not data:
            self._close(descriptor)
        elif descriptor == self._stderr:
            self._said += data
        else:
            self._received += data
            *lines, rest = self._received.split(b"\n")
            self._lines.extend(bytes(line) for line in lines)
            self._received = bytearray(rest)
        return bool(data)

    def _close(self, descriptor: int) -> None:
        self._open.discard(descriptor)
        os.close(descriptor)


def _writing_end(*, sockets: bool) -> tuple[int, int]:
    if sockets:
        return _socket_pair()
    theirs, ours = os.pipe()
    return ours, theirs


def _reading_end(*, sockets: bool) -> tuple[int, int]:
    return _socket_pair() if sockets else os.pipe()


def _socket_pair() -> tuple[int, int]:
    ours, theirs = socket.socketpair()
    return ours.detach(), theirs.detach()
