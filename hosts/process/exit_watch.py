"""The end of a process as a descriptor that becomes readable, by whatever means the system has.

The status is never taken here: until it is collected nobody else can get the pid.
"""

from __future__ import annotations

import os
import select
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.forking import close_own, own

if TYPE_CHECKING:
    import subprocess


def await_end(process: subprocess.Popen[bytes]) -> None:
    """Wait until a child of ours has ended. On Windows its status may be taken: the handle keeps the pid from others."""
    if sys.platform == "win32":
        process.wait()
    else:
        _await_end(process.pid)


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether a child of ours has ended, or is about to: its first thread has, and the system ends the others. Its status is left."""
    if process.returncode is not None:
        return True
    if sys.platform == "win32":
        return process.poll() is not None
    else:  # noqa: RET505 - type checkers look at it on other systems alone
        return _has_ended(process.pid)


if sys.platform == "darwin":

    def _await_end(pid: int) -> None:
        end = select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
        queue = select.kqueue()
        with suppress(ProcessLookupError):  # it has ended already
            queue.control([end], 1)
        queue.close()

    def _has_ended(_: int) -> bool:
        return False  # nothing here tells it and leaves the status

elif sys.platform != "win32":

    def _await_end(pid: int) -> None:
        # WNOWAIT: the status is left for whoever collects it.
        with suppress(ChildProcessError):
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)

    def _has_ended(pid: int) -> bool:
        try:
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return True
        except ChildProcessError:  # its status has been taken this moment
            return True
        with suppress(OSError, IndexError):  # a system without /proc, or one that hides it
            facts = Path(f"/proc/{pid}/stat").read_bytes()
            return facts.rpartition(b")")[2].split()[0] in {b"Z", b"X"}
        return False


if sys.platform != "win32":

    def exit_descriptor(pid: int) -> int:
        """A descriptor that becomes readable when the process, a child of ours, ends, for whoever asks to `close_own`.

        Raises:
            OSError: the machine has no descriptor left.
        """
        if sys.platform == "linux":
            # Some sandboxes forbid it. If descriptors have run out, the pipe below fails too, and says so.
            with suppress(OSError):
                return own(os.pidfd_open(pid))
        reader, writer = map(own, os.pipe())

        def wait() -> None:
            _await_end(pid)
            close_own(writer)

        threading.Thread(target=wait, name=f"callboard-wait-{pid}", daemon=True).start()
        return reader
