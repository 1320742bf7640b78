"""The entry point of the command line, which says what to install when that is not there.

The library itself needs neither click nor rich.
"""

from __future__ import annotations

import sys

try:
    from .cli.app import main as run_command_line
except ModuleNotFoundError as error:
    missing: str | None = (error.name or "").partition(".")[0]
    if missing not in {"click", "rich"}:
        raise
else:
    missing = None


def main() -> int:
    """Carry out the command line of this process; returns its exit status."""
    if missing is not None:
        sys.stderr.write(
            f"callboard: the command line needs the package {missing!r}; run: pip install 'callboard[cli]'\n"
        )
        return 2
    return run_command_line()


if __name__ == "__main__":
    sys.exit(main())
