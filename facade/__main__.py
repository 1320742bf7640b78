"""The entry point of the command line, which says what to install when that is not there.

The library itself needs neither click nor rich. An interrupt while they are imported ends the process at
once: nothing has been started, and a traceback through other people's imports says nothing.
"""

from __future__ import annotations

import signal
import sys
import threading

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


def main() -> int:
    """Carry out the command line of this process; returns its exit status."""
    if missing is not None:
        sys.stderr.write(
            f"callboard: the command line needs the package {missing!r}; run: pip install click rich\n"
        )
        return 2
    return run_command_line()


if __name__ == "__main__":
    sys.exit(main())
