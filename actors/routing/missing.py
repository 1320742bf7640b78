"""Which plugins have no tools because they are not up, and why, in few words: for a model and a person. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_PLAIN: Final = re.compile(r"[A-Za-z0-9@:._/-]{1,60}")
MOST_NAMED: Final = 5
MOST_CHARACTERS: Final = 160
WHERE_TO_LOOK: Final = "; 'callboard doctor FILE' says more"
"""The end of what names plugins that are missing."""


def in_few_words(cause: str, report: Mapping[str, Any] | None) -> str:
    """Return why a host is down: what it said last on stderr, by the report of its crash, else the cause."""
    from ...hosts.report.telling_line import telling_line  # noqa: PLC0415 - only a crash needs it

    return shortened(telling_line(str((report or {}).get("stderr") or "")) or cause)


def shortened(text: str) -> str:
    """Return a text as one line of at most `MOST_CHARACTERS`, without what does not print."""
    line = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    return line if len(line) <= MOST_CHARACTERS else f"{line[: MOST_CHARACTERS - 1]}…"


def missing_in_short(what: str, missing: Mapping[str, str]) -> str:
    """Return a sentence that names plugins with their reasons; nothing for none. A name that is not of plain words is counted, for a model may read it.

    Args:
        what: what has become of them.
        missing: the reasons, by name.
    """
    if not missing:
        return ""
    plain = [(name, why) for name, why in missing.items() if _PLAIN.fullmatch(name)]
    named = [f"{name!r} ({why})" for name, why in plain[:MOST_NAMED]]
    further = len(missing) - len(named)
    more = [f"{further:,} more" if named else f"{further:,} in all"] if further else []
    return f". {what}: {', '.join([*named, *more])}{WHERE_TO_LOOK}"
