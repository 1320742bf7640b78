"""Text as it is fit for a terminal: no control characters, folded by the cells it takes up, names cut. Pure.

What a model or a tool says may hold anything, escape sequences included. Nothing of it reaches the terminal as a
command, and nothing turns the direction of what stands beside it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.cells import cell_len, chop_cells

if TYPE_CHECKING:
    from collections.abc import Iterator


class Span(NamedTuple):
    """A text, and how it looks: a style of rich's, such as ``bold``. Colours are those of the terminal."""

    text: str
    style: str = ""


_COLOURS: Final = re.compile(r"\x1b\[[0-9;:]*m")
_PICTURES: Final = {
    **{code: 0x2400 + code for code in range(0x20) if code not in b"\n"},
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
    **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD),
    ord("\t"): "    ",
    ord("\r"): None,
}


def clean(text: str) -> str:
    """Return a text that does nothing but being shown: colours are taken out, other control characters pictured."""
    return _COLOURS.sub("", text).translate(_PICTURES)


def units(word: str) -> Iterator[str]:
    """Yield what of a word has to stay together: all of it, but wide characters may be parted from each other."""
    if word.isascii():
        yield word
        return
    run = ""
    for character in word:
        cells = cell_len(character)
        if cells > 1 or (cells == 1 and run and cell_len(run[0]) > 1):
            if run:
                yield run
            run = ""
        run += character
    if run:
        yield run


def fold(text: str, width: int, most: int | None = None) -> list[str]:
    """Return a text as lines that take up no more than ``width`` cells, broken between words where that is possible.

    Args:
        text: clean; its own line breaks are kept.
        width: at least 2.
        most: lines; of a longer text the last one ends with ``…``.
    """
    lines: list[str] = []
    for line in text.split("\n"):
        lines += _folded(line, width)
        if most is not None and len(lines) > most:
            return [*lines[: most - 1], cut(lines[most - 1] + "…", width, always=True)]
    return lines


def _folded(line: str, width: int) -> Iterator[str]:
    """Yield one line as lines."""
    made, cells = "", 0
    for gap, word in re.findall(r"(\s*)(\S+)", line):
        for number, unit in enumerate(units(word)):
            blank = gap if number == 0 else ""
            if cells + cell_len(blank) + cell_len(unit) > width:
                if made.strip():
                    yield made
                made, cells, blank = "", 0, ""
            pieces = chop_cells(unit, width) if cell_len(unit) > width else [unit]
            yield from pieces[:-1]
            made += blank + pieces[-1]
            cells += cell_len(blank) + cell_len(pieces[-1])
    yield made


def cut(text: str, width: int, *, always: bool = False) -> str:
    """Return what of a line has room in so many cells; what is left out is told by ``…``."""
    if cell_len(text) <= width:
        return text
    text = text.rstrip("…") if always else text
    while text and cell_len(text) > width - 1:
        text = text[:-1]
    return text + "…"


def padded(text: str, width: int) -> str:
    """Return a line cut and filled up to so many cells."""
    shown = cut(text, width)
    return shown + " " * (width - cell_len(shown))
