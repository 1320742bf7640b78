"""A hand on the line between a real host and the board: it spoils answers, of any host.

A `Tamper` is given to a plugin as its ``carry``. The host is a real process, and what it writes goes
through here; an answer for which a fault is due is spoilt on the way. Nothing else is touched, and a
host that no fault is due for pays one look for each piece of output.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.locks import Lock
from ...hosts.process.pump import Turn, in_turns
from ...hosts.process.transport import ProcessTransport
from ...hosts.process_tree.tree_kill import kill
from ..schedules.corruption import spoil
from .wires import host_reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...hosts.process.process import Command, ProcessExit, ProcessListener
    from ...hosts.process.transport import Carry, Transport
    from ...hosts.process_tree.watchdog import Watchdog
    from ..faults import Fault

KINDS = frozenset({
    "partial_line", "truncate", "garbage", "duplicate_reply", "wrong_id", "wrong_version", "stdout_flood",
    "part_flood", "reply_flood",
})  # fmt: skip
"""The faults that a hand on the line can do."""


class Tamper:
    """See the module; one for each plugin, over all generations of its host.

    Args:
        garbage: makes so many bytes that are no message.
        carry: what starts the generation; a real process if ``None``.

    Attributes:
        told: hears of each fault that has spoilt an answer, with the pid of the generation; in the thread of its pump.
    """

    def __init__(self, garbage: Callable[[int], bytes], carry: Carry | None = None) -> None:
        self.garbage = garbage
        self._carry = carry or ProcessTransport
        self.told: Callable[[Fault, int], None] = lambda _fault, _pid: None
        self._due: list[Fault] = []
        self._lock = Lock()

    def spoil_next(self, fault: Fault) -> None:
        """Have the next answer spoilt, of whichever generation."""
        with self._lock:
            self._due.append(fault)

    def heal(self) -> None:
        """Spoil no more."""
        self.take()

    def take(self) -> list[Fault]:
        """The faults that are due; they are the taker's from now on."""
        if not self._due:
            return []
        with self._lock:
            due, self._due = self._due, []
        return due

    @property
    def waits(self) -> bool:
        """Whether a fault is due."""
        return bool(self._due)

    def __call__(
        self, name: str, command: Command, listener: ProcessListener, watchdog: Watchdog | None
    ) -> Transport:
        ear = _Ear(self, listener)
        transport = self._carry(name, command, ear, watchdog)
        ear.pid = transport.pid
        return transport


class _Ear:
    """Hears a host, and passes on what it hears, spoilt or not; in the thread of its pump."""

    def __init__(self, tamper: Tamper, listener: ProcessListener) -> None:
        self.pid = 0
        self._tamper = tamper
        self._listener = listener
        self._kept = b""
        self._cut = False
        self._turn = Turn()

    def on_output(self, data: bytes) -> None:
        if self._cut:
            return
        if not self._kept and not self._tamper.waits:
            if not data.endswith(b"\n"):  # the rest of a line must not be taken for the whole of one
                whole, newline, self._kept = data.rpartition(b"\n")
                data = whole + newline
            if data:
                self._listener.on_output(data)
            return
        *lines, self._kept = (self._kept + data).split(b"\n")
        for line in lines:
            self._pass_on(line + b"\n")

    def _pass_on(self, line: bytes) -> None:
        if self._cut:  # by a line that was read together with this one
            return
        answer = host_reply(line) if self._tamper.waits else None
        if answer is None:
            self._listener.on_output(line)
            return
        due = self._tamper.take()
        spoilt = spoil(line, answer.id, due, self._tamper.garbage)
        for fault in due:
            self._tamper.told(fault, self.pid)
        # It may be a flood, and comes behind the pump.
        in_turns(self._listener.on_output, spoilt.data, self._turn)
        if spoilt.code is not None:
            self._cut = True
            kill(self.pid)  # unless it has ended by itself, in the middle of its line too

    def on_exit(self, exit_: ProcessExit) -> None:
        if self._kept and not self._cut:
            self._listener.on_output(self._kept)
        self._listener.on_exit(exit_)

    def on_gone(self, leftovers: list[int]) -> None:
        self._listener.on_gone(leftovers)
