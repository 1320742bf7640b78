"""Exit statuses of the programs of this kit, beside 0 for well and 1 for a rule that is broken."""

from __future__ import annotations

from typing import Final

NOT_TESTED: Final = 77
"""Nothing was found wrong, and not all was tested; what Automake and Meson take for a test that was skipped."""
READER_GONE: Final = 128 + 13
"""Who read the output has gone, as after ``| head``: the status of a program that SIGPIPE has ended."""
