"""The entry point of the command line, which says what to install when that is not there.

The library itself needs neither click nor rich. An interrupt while they are imported ends the process at
once: nothing has been started, and a traceback through other people's imports says nothing.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

_INTERRUPTED = 128 + signal.SIGINT

_ours = (
    threading.current_thread() is threading.main_thread()  # no other may set a handler
    and signal.getsignal(signal.SIGINT) is signal.default_int_handler  # and no other code has
)
if _ours:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
try:
    from .cli.app import main as run_command_line
except ModuleNotFoundError as _error:
    missing: str | None = (_error.name or "").partition(".")[0]
    if missing not in {"click", "rich"}:
        raise
else:
    missing = None
finally:
    if _ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class _Interrupts:
    """The handler of Ctrl-C: the first is a `KeyboardInterrupt`, and the command stops its board; any further ends the process at once.

    That leaves no host behind: the watchdog of the board ends them, as when a program is killed.
    """

    def __init__(self) -> None:
        self.ending = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.ending:
            os._exit(_INTERRUPTED)
        self.ending = True
        raise KeyboardInterrupt


def main() -> int:
    """Carry out the command line of this process; returns its exit status. A Ctrl-C that comes later ends it with status 130."""
    if not _ours:
        return _carry_out()
    interrupts = _Interrupts()
    atexit.register(
        signal.signal, signal.SIGINT, signal.SIG_IGN
    )  # last of all: Python would let it kill what is over
    signal.signal(signal.SIGINT, interrupts)
    try:
        status = _carry_out()
    except KeyboardInterrupt:
        status = _INTERRUPTED
    interrupts.ending = True
    signal.signal(signal.SIGINT, interrupts)  # a loop that had its own has put back Python's
    return status


def _carry_out() -> int:
    if missing is not None:
        sys.stderr.write(
            f"callboard: the command line needs the package {missing!r}; run: pip install click rich\n"
        )
        return 2
    return run_command_line()


if __name__ == "__main__":
    sys.exit(main())
