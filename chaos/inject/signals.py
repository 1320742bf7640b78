"""What faults do to a process by signals that only POSIX has. On Windows each of them says so, by its name."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from ...base.errors import CallboardError


class NeedsPosix(CallboardError):
    """A fault cannot be done on this system.

    Attributes:
        fault: which.
        pid: the process that it was to be done to.
    """

    def __init__(self, fault: str, pid: int) -> None:
        super().__init__(
            f"{fault!r} cannot be done to process {pid}: it takes a signal that only POSIX systems have; "
            "leave it out of the schedule"
        )
        self.fault = fault
        self.pid = pid


if sys.platform == "win32":

    def pause(pid: int) -> None:
        """Not here. Raises `NeedsPosix`."""
        raise NeedsPosix("pause", pid)

    def go_on(pid: int) -> None:
        """Not here. Raises `NeedsPosix`."""
        raise NeedsPosix("pause", pid)

    def nudge(pid: int) -> None:
        """Not here. Raises `NeedsPosix`."""
        raise NeedsPosix("evil host", pid)

else:
    import signal

    def pause(pid: int) -> None:
        """Stop a process, if it has not ended. Raises `NeedsPosix` where that cannot be."""
        send(pid, signal.SIGSTOP)

    def go_on(pid: int) -> None:
        """Let go on what `pause` has stopped."""
        send(pid, signal.SIGCONT)

    def nudge(pid: int) -> None:
        """Have an evil host look into its book. Raises `NeedsPosix` where there can be none."""
        send(pid, signal.SIGUSR2)


def send(pid: int, number: int) -> None:
    """Send a signal; a process that has ended in between is what was wanted, and its end is reported.

    Windows knows no more of it than that it ends the process.
    """
    with suppress(ProcessLookupError):
        os.kill(pid, number)
