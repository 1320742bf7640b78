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
    CANNOT_APPLY = "cannot apply"
    """It is about what was agreed with none of the plugins, so no run of them could test it."""


def together(standings: Iterable[Standing]) -> Standing:
    """How several came out as a whole: broken if one is; held if all that apply were tested, and there was one."""
    came = set(standings) - {Standing.CANNOT_APPLY}
    if Standing.BROKEN in came:
        return Standing.BROKEN
    return Standing.HELD if came == {Standing.HELD} else Standing.NOT_TESTED


MARK: Final = {Standing.HELD: "✓", Standing.BROKEN: "✗", Standing.NOT_TESTED: "·", Standing.CANNOT_APPLY: "-"}
STATUS: Final = {Standing.HELD: 0, Standing.BROKEN: 1, Standing.NOT_TESTED: NOT_TESTED}
"""Of a program that has held a run against the rules; no run as a whole is one that they cannot apply to."""
WORD: Final = {
    Standing.HELD: "every rule holds",
    Standing.BROKEN: "NOT ALL RULES HOLD",
    Standing.NOT_TESTED: "NOT EVERYTHING WAS TESTED",
}
