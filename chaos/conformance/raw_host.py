"""The host under test, known by its pipes alone: lines in, lines out, and how it ends.

Nothing here interprets more than it must, so that what a host did wrong is seen as it was; every
failed rule shows the talk with the host up to then.
"""

from __future__ import annotations

import json
import os
import textwrap
import threading
from typing import TYPE_CHECKING, Any

from ...base.locks import RLock
from ...hosts.environment import host_environment
from ...hosts.errors import HostGone
from ...hosts.process.process import Command
from ...hosts.process.stop_ladder import KILL_NOW, StopLadder
from ...hosts.process.transport import ProcessTransport

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...hosts.process.process import ProcessExit

_SHOWN = 300


class RawHost:
    """One generation of the host under test.

    Args:
        argv: its command line.
        patience: seconds it may take for anything.
    """

    def __init__(self, argv: Sequence[str], patience: float) -> None:
        self.patience = patience
        self.exit: ProcessExit | None = None
        self._said: list[str] = []
        self._lines: list[bytes] = []
        self._rest = b""
        self._changed = threading.Condition(RLock())
        self._ids = 0
        command = Command(tuple(argv), host_environment(os.environ, {}))
        self._transport = ProcessTransport("under test", command, self)
        self.pid: int = self._transport.pid
        self._transport.start()

    # Talking

    def send(self, data: bytes) -> None:
        """Write bytes to its stdin."""
        self._note(">", data)
        try:
            self._transport.write(data)
        except HostGone:
            self._note("!", b"its stdin is closed")

    def request(
        self, method: str, params: dict[str, Any], *, request_id: str | None = None, **more: Any
    ) -> str:
        """Send a request; returns its id."""
        self._ids += 1
        request_id = request_id or f"request-{self._ids}"
        message = {"v": 1, "id": request_id, "method": method, "params": params, **more}
        self.send(json.dumps(message, ensure_ascii=False).encode() + b"\n")
        return request_id

    def ask(self, method: str, params: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        __tracebackhide__ = True
        return self.answer(self.request(method, params, **more))

    def answer(self, request_id: str) -> dict[str, Any]:
        """Wait for the answer to a request. Fails the test if none comes in time."""
        __tracebackhide__ = True
        self._wait(lambda: self.answers(request_id) or self.exit, f"an answer to {request_id!r}")
        answers = self.answers(request_id)
        assert answers, self.tell(f"the host ended without an answer to {request_id!r}")
        return answers[0]

    def answers(self, request_id: str) -> list[dict[str, Any]]:
        """All answers to a request so far."""
        return [message for message in self.messages() if message.get("id") == request_id and "ok" in message]

    def messages(self) -> list[dict[str, Any]]:
        """All lines so far that are messages, in order."""
        return [message for line in self.lines() if (message := as_message(line)) is not None]

    def strays(self) -> list[bytes]:
        """All lines so far that are none."""
        return [line for line in self.lines() if as_message(line) is None]

    def lines(self) -> list[bytes]:
        """All lines so far."""
        with self._changed:
            return list(self._lines)

    # Ending

    def close_stdin(self, grace: float | None = None) -> ProcessExit:
        """Close its stdin and wait for its end; a SIGTERM follows when that takes longer than ``grace``."""
        self._note(">", b"(end of stdin)")
        grace = self.patience if grace is None else grace
        self._transport.stop("its stdin was closed", StopLadder(polite=grace, firm=1.0))
        return self.ended()

    def ended(self) -> ProcessExit:
        """Wait for its end."""
        self._wait(lambda: self.exit is not None, "the end of the host", slack=5.0)
        assert self.exit is not None
        return self.exit

    def kill(self) -> None:
        """End it and all that it has started, and wait until that is so."""
        self._transport.stop("the test is over", KILL_NOW)
        self._transport.join()

    # Telling

    def tell(self, problem: str) -> str:
        """The problem, and the talk with the host up to now."""
        with self._changed:
            talk = "\n".join(_inset(line) for line in self._said[-40:])
        stderr = self._transport.stderr_tail
        last_words = f"\n  its stderr ends with:\n{_inset(stderr[-2000:])}" if stderr else ""
        how = f"\n  it has ended: {self.exit.text}" if self.exit else ""
        return f"{problem}\n  the talk with the host (> to it, < from it):\n{talk}{last_words}{how}"

    def _note(self, way: str, data: bytes) -> None:
        text = data.decode("utf-8", "replace").rstrip("\n")
        more = f" … ({len(data):,} bytes)" if len(text) > _SHOWN else ""
        with self._changed:
            self._said.append(f"{way} {text[:_SHOWN]}{more}")

    def _wait(self, done: Callable[[], Any], what: str, slack: float = 0.0) -> None:
        __tracebackhide__ = True  # whoever reads a failure wants the rule and the talk
        with self._changed:
            self._changed.wait_for(done, self.patience + slack)
        assert done(), self.tell(f"waited {self.patience:g} s in vain for {what}")

    # The process's listener

    def on_output(self, data: bytes) -> None:
        """Cut it into lines."""
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest
        for line in lines:
            self._note("<", line)
        with self._changed:
            self._lines += lines
            self._changed.notify_all()

    def on_exit(self, exit_: ProcessExit) -> None:
        """Note it."""
        with self._changed:
            self.exit = exit_
            self._changed.notify_all()

    def on_gone(self, leftovers: list[int]) -> None:
        """What would not end is not this test's concern."""


def as_message(line: bytes) -> dict[str, Any] | None:
    """A line as a message of the protocol, or ``None``."""
    try:
        value = json.loads(line)
    except ValueError:
        return None
    known = isinstance(value, dict) and "v" in value and ("ok" in value or "event" in value)
    return value if known else None


def _inset(text: str) -> str:
    """A remark below a problem; further lines of one stand below its first."""
    return textwrap.indent(text, "      ").replace("  ", "", 1)
