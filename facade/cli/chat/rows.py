"""The rows that tell of calls: a mark, who it is about, and what; and how a result is shown in short. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rich.cells import cell_len

from ...base.errors import JsonValueError
from ...base.json import load_json
from ...plugins.adapter.formatting import as_text
from ..crash.report import words_of
from ..ui.text import Span, clean, cut, fold, padded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Json = dict[str, Any]

MARKS: Final = {
    "asked": ("→", "cyan"),
    "preview": ("▸", "cyan"),
    "part": ("·", "dim"),
    "well": ("✓", "green"),
    "failed": ("✗", "red"),
    "died": ("✗", "bold red"),
    "back": ("↻", "green"),
    "trouble": ("!", "magenta"),
    "question": ("?", "bold magenta"),
}
"""How each row begins; none of the colours is lost on a light or on a dark ground."""

_LONGEST_NAME: Final = 18
_LONGEST_JSON: Final = 20_000
_NARROW: Final = 48
"""Cells of a terminal that is too narrow for a column of names."""

SHOWN_LINES: Final = 4
"""Lines of a result that are shown at once, and of what is asked for."""
LAST_WORDS: Final = 3


class Short(NamedTuple):
    """A result in short.

    Attributes:
        text: what is shown of it.
        left_out: how many lines are not; 0 if all of it is shown.
    """

    text: str
    left_out: int = 0


def shortened(display: Any, content: str) -> Short:
    """Return a result as it is shown in a conversation.

    Args:
        display: of the tool message: text, with or without ``single_line``; of another type it is shown as JSON.
        content: what the model sees, if there is nothing to display.
    """
    whole = whole_text(display, content)
    lines = whole.split("\n")
    line = display.get("single_line") if isinstance(display, dict) else None
    if isinstance(line, str) and line.strip():
        return Short(clean(line).split("\n", maxsplit=1)[0], len(lines) if len(lines) > 1 else 0)
    if len(lines) <= SHOWN_LINES:
        return Short(whole)
    return Short("\n".join(lines[: SHOWN_LINES - 1]), len(lines) - SHOWN_LINES + 1)


def whole_text(display: Any, content: str) -> str:
    """Return all that is to be seen of a result."""
    shown = display.get("content") if isinstance(display, dict) else None
    if not isinstance(shown, str):
        shown = as_text(display) if isinstance(display, dict) and display else content
    return clean(_spaced(shown)).rstrip()


def _spaced(text: str) -> str:
    """Return JSON on one line with blanks, so that it can be broken between its values; any other text as it is."""
    if not text.startswith(("{", "[")) or "\n" in text or len(text) > _LONGEST_JSON:
        return text
    try:
        return json.dumps(load_json(text), ensure_ascii=False)
    except JsonValueError:
        return text


def row(
    kind: str, name: str, text: str, width: int, *, column: int, dim: bool = False, most: int | None = None
) -> Iterator[Span]:
    """Yield a row, over as many lines as it takes.

    Args:
        kind: of `MARKS`.
        name: whom it is about.
        text: clean; may have several lines.
        width: of the terminal.
        column: cells of the names, see `column_of`; 0 for no column.
        dim: it is of less weight.
        most: lines.
    """
    mark, style = MARKS[kind]
    first = 2 + (column + 2 if column else 0)
    yield Span(f"{mark} ", style)
    yield Span(
        f"{padded(name, column)}  " if column else f"{cut(clean(name), width - 2)}\n  ",
        "dim" if dim else "bold",
    )
    yield from block(text, width, first, dim=dim, most=most)


def block(
    text: str, width: int, margin: int, *, dim: bool = False, most: int | None = None
) -> Iterator[Span]:
    """Yield a text whose first line begins where the cursor is, at the margin, and the others below it."""
    lines = fold(text, max(width - margin, 10), most)
    yield Span(f"\n{' ' * margin}".join(lines) + "\n", "dim" if dim else "")


def column_of(name: str, width: int, now: int) -> int:
    """Return how many cells the names take up, with one more than those of ``now``; 0 where there is no room."""
    return 0 if width < _NARROW else max(now, min(cell_len(clean(name)), _LONGEST_NAME))


def asked_for(call: Json) -> str:
    """Return what a call asks of its tool, on a line: its arguments by their names, or its raw input."""
    body = call.get("function") or call.get("custom") or call
    given = body.get("arguments", body.get("input")) if isinstance(body, dict) else None
    payload = given
    if isinstance(given, str) and given.lstrip().startswith("{"):
        try:
            payload = load_json(given)
        except JsonValueError:
            payload = given
    return clean(arguments(payload).replace("\n", "␊"))


def arguments(payload: Any) -> str:
    """Return what a tool is given as people read it: by names, if it has any."""
    if isinstance(payload, dict):
        return ", ".join(f"{name}={as_text(value)}" for name, value in payload.items())
    return as_text(payload)


def facts_of(message: Mapping[str, Any]) -> tuple[str, str]:
    """Return the code of a tool message's failure, and whether the tool may have run; empty where they are not known."""
    failure = (message.get("metadata") or {}).get("failure") or {}
    return str(failure.get("code") or ""), str(failure.get("outcome") or "")


def last_words(report: Any) -> list[str]:
    """Return the last lines that a host wrote to stderr before it died."""
    if not isinstance(report, dict) or not report.get("stderr"):
        return []
    return [clean(line) for line in words_of(report)[-LAST_WORDS:]]
