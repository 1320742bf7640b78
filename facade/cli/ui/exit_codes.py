"""What the exit status of a command says; the same numbers for all commands.

Two more are those of the test kit too, and stand there: `chaos.exits`.
"""

from __future__ import annotations

from typing import Final

WELL: Final = 0
"""Everything went well."""
FAILED: Final = 1
"""The command was carried out, and something in it failed: a call, a plugin, a check."""
WRONG: Final = 2
"""The command was not carried out: the configuration or the command line is wrong, or something is missing."""
BUG: Final = 70
"""Something happened that Callboard does not know; EX_SOFTWARE elsewhere."""


def by_signal(number: int) -> int:
    """The status of a command that a signal ended, as shells write it: 130 for an interrupt."""
    return 128 + number
