"""What `callboard doctor` finds: one line of its report."""

from __future__ import annotations

from typing import Literal

from ...base.frozen import frozen


@frozen
class Finding:
    """One thing that was looked at.

    Attributes:
        status: ``FAIL`` if something will not work, ``warn`` if something may not.
        what: what was looked at.
        detail: what was found.
        remedy: what to do; empty when there is nothing to do.
    """

    status: Literal["ok", "warn", "FAIL"]
    what: str
    detail: str
    remedy: str = ""


def counted(number: int, one: str, more: str | None = None) -> str:
    """So many of something: ``1 host``, ``2 hosts``."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"
