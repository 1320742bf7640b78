"""How a rule came out of a run, or a run of all its rules; how that is shown, and with which status a program ends. Pure."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from .exits import NOT_TESTED

if TYPE_CHECKING:
    from collections.abc import Iterable


class Standing(StrEnum):
    """See the module."""

    HELD = "held"
    """It looked at something, and found nothing wrong."""
    BROKEN = "broken"
    """It found something wrong."""
    NOT_TESTED = "not tested"
    """It found nothing to look at, so it has proved nothing."""


def together(standings: Iterable[Standing]) -> Standing:
    """How several came out as a whole: broken if one is; held only if all were tested, and there was one."""
    came = set(standings)
    if Standing.BROKEN in came:
        return Standing.BROKEN
    return Standing.HELD if came == {Standing.HELD} else Standing.NOT_TESTED


MARK: Final = {Standing.HELD: "✓", Standing.BROKEN: "✗", Standing.NOT_TESTED: "·"}
STATUS: Final = {Standing.HELD: 0, Standing.BROKEN: 1, Standing.NOT_TESTED: NOT_TESTED}
"""Of a program that has held a run against the rules."""
WORD: Final = {
    Standing.HELD: "every rule holds",
    Standing.BROKEN: "NOT ALL RULES HOLD",
    Standing.NOT_TESTED: "NOT EVERYTHING WAS TESTED",
}
