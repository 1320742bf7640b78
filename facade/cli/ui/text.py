"""Text that is not ours, made fit for a terminal: the one cleaner of the command line, and what lays text out in cells. Pure.

What a model or a tool says may hold anything, escape sequences included. None of it may reach the terminal as a
command, turn the direction of what stands beside it, or hide. How our own text looks is said by styles (`Span`, `Text`),
never by sequences in a string; so whatever sequence stands in a string is foreign.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import rich.text
from rich.cells import cell_len, chop_cells

from ...plugins.hooks.visible_text import HIDDEN, as_json_code, is_plain

if TYPE_CHECKING:
    from collections.abc import Iterator


class Span(NamedTuple):
    """A text, and how it looks: a style of rich's, such as ``bold``. Colours are those of the terminal."""

    text: str
    style: str = ""


_COLOURS: Final = re.compile(r"\x1b\[[0-9;:]*m")

_FOUR_DIGITS: Final = 0xFFFF


def code_of(character: str) -> str:
    """Return a character as its code, of four hexadecimal digits behind ``u``, or of eight behind ``U``."""
    number = ord(character)
    return f"\\u{number:04x}" if number <= _FOUR_DIGITS else f"\\U{number:08x}"


def named(text: str) -> str:
    """Return a text with each character that gives orders, turns directions or is not seen shown by its code."""
    return text if is_plain(text) else HIDDEN.sub(lambda found: code_of(found[0]), text)


def escaped(text: str) -> str:
    """Return a JSON text that means the same and holds nothing that `named` would name."""
    return text if is_plain(text) else HIDDEN.sub(lambda found: as_json_code(found[0]), text)


def clean_lines(text: str) -> str:
    """Return a text that does nothing but being shown. Colours are taken out; tabs and line feeds stay, all else is `named`."""
    return text if is_plain(text) else named(_COLOURS.sub("", text).replace("\r\n", "\n"))


def clean(text: str) -> str:
    """As `clean_lines`, for text that is laid out in cells: a tab is four blanks."""
    return clean_lines(text).replace("\t", "    ")


class Text(rich.text.Text):
    """A text with styles; what it is made of is cleaned before it is laid out, so that its width is what is seen."""

    def __init__(self, text: str = "", style: Any = "", **how: Any) -> None:
        super().__init__(clean(text), style, **how)

    @classmethod
    def assemble(cls, *parts: Any, **how: Any) -> Text:
        """As rich's own: of texts, and of pairs of a text and a style."""
        return cast("Text", super().assemble(*parts, **how))

    def append(self, text: rich.text.Text | str, style: Any = None) -> Text:
        """Add a text."""
        super().append(clean(text) if isinstance(text, str) else text, style)
        return self


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
