"""What changes in a client's file, as it is shown before the question: without the values that its user has given in confidence. Pure."""

from __future__ import annotations

import difflib
import json
import re
from typing import TYPE_CHECKING

from ...config.json_text import tokens
from ...hosts.report.redaction import Redactor

if TYPE_CHECKING:
    from pathlib import Path

_HIDING = frozenset({"env", "headers", "oauth"})
"""Keys of a server whose values are not shown."""

_PLACEHOLDER = re.compile(r"\$\{(?:env:|input:)?\w+\}")
"""What stands for a value and is none."""

_HIDDEN = '"***"'


def difference(file: Path, before: str, after: str) -> list[str]:
    """The lines of a unified difference; one line that says so if only values differ that are not shown."""
    shown = masked(before).splitlines(), masked(after).splitlines()
    lines = list(difflib.unified_diff(*shown, str(file), str(file), lineterm="", n=1))
    if not lines and before != after:
        return [f"{file}: only values of {', '.join(sorted(_HIDING))} change, which are not shown"]
    return lines


def masked(text: str) -> str:
    """A text of JSON, with comments or without, in which values of variables and headers are ``***``, and comments among them too."""
    pieces: list[str] = []
    at = 0
    open_: list[_Inside] = []
    for token in tokens(text):
        gap = text[at : token.start]
        hides = bool(open_) and open_[-1].hides
        pieces.append(re.sub(r"\S+", "***", gap) if hides else gap)
        at = token.end
        part = token.part
        here = open_[-1] if open_ else None
        if part in ("}", "]"):
            open_ = open_[:-1]
        elif part in (",", ":"):
            if here is not None and part == ",":
                here.key = None
        elif here is not None and not here.is_list and here.key is None:
            here.key = _key(part)
        elif part in ("{", "["):
            hides = here is not None and (here.hides or here.key in _HIDING)
            open_ = [*open_, _Inside(is_list=part == "[", hides=hides)]
        elif (
            here is not None
            and (here.hides or here.key in _HIDING)
            and not _PLACEHOLDER.fullmatch(part[1:-1])
        ):
            part = _HIDDEN
        pieces.append(part)
    pieces.append(text[at:])
    return Redactor().text("".join(pieces))


def _key(part: str) -> str:
    return str(json.loads(part, strict=False)) if part.startswith('"') else part


class _Inside:
    """An object or a list that is being read."""

    def __init__(self, *, is_list: bool, hides: bool) -> None:
        self.is_list = is_list
        self.hides = hides
        self.key: str | None = None
