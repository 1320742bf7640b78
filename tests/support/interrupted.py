"""A command whose process is killed as it is about to give a file its name, the n-th time that it does so."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from callboard.__main__ import main

if __name__ == "__main__":
    left = int(sys.argv.pop(1))
    given = Path.replace

    def replace(self: Path, target: str | os.PathLike[str]) -> Path:
        """Give a file its name, unless it is the last that this process does."""
        global left  # noqa: PLW0603 - it counts for the whole process
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return given(self, target)

    Path.replace = replace  # type: ignore[method-assign]
    sys.exit(main())
