"""What a model says, shown while it says it: words in, styled spans out. Pure.

Only ever appended to: nothing that stands on the terminal is drawn again. So a word is held back until it is whole, and
a span of Markdown (``**bold**``, code between backticks) until it is closed; one that is not closed in its line was none.
Headings, lists, quotes, rules, tables and fenced code are known by how their line begins.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.cells import cell_len

from ..ui.text import Span, clean, units

if TYPE_CHECKING:
    from collections.abc import Iterator

_INLINE: Final = re.compile(
    r"(?P<gap>\s+)|`(?P<code>[^`]+)`|\*\*(?P<bold>[^\s*](?:[^*]*[^\s*])?)\*\*|(?P<word>[^\s`*]+|[`*])"
)
_OPENS: Final = re.compile(r"`|\*\*(?!\s)|\*$")
_LONGEST_SPAN: Final = 120
"""Characters of a span; what is open for longer is none."""
_LONGEST_WORD: Final = 1000
"""Characters that are held back at all."""

_BEGINS: Final = re.compile(
    r"(?P<heading>\#{1,6})\s+|(?P<indent>\s*)(?:(?P<bullet>[-*+])|(?P<number>\d+[.)]))\s+|(?P<quote>>)\s?"
)
_MAY_BEGIN: Final = re.compile(r"\s*(?:[#>*+~`-]*|\d+[.)]?)\s*")
_FENCE: Final = re.compile(r"\s*(```|~~~)")
_RULE: Final = re.compile(r"\s*([-*_])(\s*\1){2,}\s*")
_MAY_RULE: Final = re.compile(r"\s*([-*_])(\s*\1)*\s*")
"""A bullet, as far as it has come; with two more of its kind it is a rule."""

_TABLE: Final = re.compile(r"\s*\|")
_WHOLE: Final = re.compile(r"\s*(\||```|~~~)")
"""Lines that are shown when they have ended."""

_STYLES: Final = {"code": "cyan", "bold": "bold"}
_CODE_MARGIN: Final = "    "


class Prose:
    """One text, from its first piece to its end.

    Args:
        width: cells of a line.
        style: of all of it.
    """

    def __init__(self, width: int, style: str = "") -> None:
        self._width = max(width, 10)
        self._base = style
        self._held = ""
        self._fence = False
        self._any = self._blank = False
        self._reset()

    def _reset(self) -> None:
        self._begun = False
        self._style = self._base
        self._hanging = ""
        self._at = 0

    @property
    def open(self) -> bool:
        """Whether a line has been begun and not ended: what is to stand by itself has to wait."""
        return bool(self._begun or self._held)

    def feed(self, text: str) -> list[Span]:
        """Take a piece; return what can be shown."""
        self._held += clean(text)
        shown: list[Span] = []
        while "\n" in self._held:
            line, self._held = self._held.split("\n", 1)
            if not (line.strip() or self._begun or self._fence):
                self._blank = self._any
                continue
            shown += self._after_blank(self._end_line(line))
        if not self._fence:
            shown += self._after_blank(self._go_on(final=False))
        return shown

    def end(self) -> list[Span]:
        """It has ended, or is interrupted: return all that was held back, and the end of its line."""
        return self._after_blank(self._end_line(self._take_held())) if self.open else []

    def _after_blank(self, shown: list[Span]) -> list[Span]:
        """Blank lines are shown when something comes after them, as one."""
        if not shown:
            return shown
        blank, self._blank, self._any = self._blank, False, True
        return [Span("\n"), *shown] if blank else shown

    def _take_held(self) -> str:
        held, self._held = self._held, ""
        return held

    def _end_line(self, line: str) -> list[Span]:
        whole, rest = not self._begun, self._held
        if whole and _FENCE.match(line):
            self._fence = not self._fence
            self._reset()
            return []
        if self._fence or (whole and _TABLE.match(line)):
            look = "cyan" if self._fence else self._base
            self._reset()
            return [Span(f"{_CODE_MARGIN if look == 'cyan' else ''}{line}\n", look)]
        if whole and _RULE.fullmatch(line):
            self._reset()
            return [Span("─" * min(self._width, 40) + "\n", "dim")]
        self._held = line
        shown = self._go_on(final=True)
        self._held = rest
        self._reset()
        return [*shown, Span("\n")]

    def _go_on(self, *, final: bool) -> list[Span]:
        shown: list[Span] = []
        if not self._begun:
            may_be_more = _MAY_BEGIN.fullmatch(self._held) or _MAY_RULE.fullmatch(self._held)
            if not final and (may_be_more or _WHOLE.match(self._held)):
                return shown
            shown += self._begin()
        words, self._held = _words(self._held, final=final or len(self._held) > _LONGEST_WORD)
        for word in words:
            shown += self._place(word)
        return shown

    def _begin(self) -> Iterator[Span]:
        """How the line begins: it says how it looks, and where its further lines begin."""
        self._begun = bool(self._held)
        found = _BEGINS.match(self._held)
        if found is None:
            return
        self._held = self._held[found.end() :]
        if found["heading"]:
            self._style = f"bold {self._base}".strip()
            return
        if found["quote"]:
            mark, self._hanging, style = "│ ", "│ ", "dim"
            self._style = f"italic {self._base}".strip()
        else:
            mark = f"{found['indent']}{'•' if found['bullet'] else found['number']} "
            self._hanging, style = " " * cell_len(mark), self._base
        self._at = cell_len(mark)
        yield Span(mark, style)

    def _place(self, word: _Word) -> Iterator[Span]:
        """Put a word where it has room, or as much of it as may stand alone."""
        first = cell_len(self._hanging)
        for number, unit in enumerate(_units(word)):
            gap = word.gap and number == 0 and self._at > first
            cells = sum(cell_len(text) for text, _ in unit)
            if self._at + gap + cells > self._width and self._at > first:
                yield Span(f"\n{self._hanging}", "dim" if self._hanging.strip() else "")
                self._at, gap = first, False
            if gap:
                yield Span(" ", self._style)
            for text, style in unit:
                yield Span(text, f"{style} {self._style}".strip())
            self._at += gap + cells


class _Word(NamedTuple):
    """What stands between two gaps.

    Attributes:
        pieces: text and style; a word may change its style in its midst.
        gap: whether there is one before it.
    """

    pieces: list[tuple[str, str]]
    gap: bool


def _units(word: _Word) -> Iterator[list[tuple[str, str]]]:
    """Yield what of a word must not be parted: all of it, unless it has wide characters."""
    parted = [[(unit, style) for unit in units(text)] for text, style in word.pieces]
    if all(len(each) == 1 for each in parted):
        yield word.pieces
        return
    for each in parted:
        for unit in each:
            yield [unit]


def _words(text: str, *, final: bool) -> tuple[list[_Word], str]:
    """Return the words that a text begins with, as far as they are whole, and the rest of it."""
    words: list[_Word] = []
    pieces: list[tuple[str, str]] = []
    at = settled = kept = 0
    gap = False

    def end_word(*, at_gap: bool) -> None:
        nonlocal pieces, gap
        if pieces:
            words.append(_Word(pieces, gap))
        pieces, gap = [], at_gap

    while at < len(text):
        found = _INLINE.match(text, at)
        assert found is not None  # the pattern has room for every character
        kind = str(found.lastgroup)
        if kind == "word" and not final and _OPENS.match(text, at) and len(text) - at < _LONGEST_SPAN:
            break
        if kind == "gap":
            end_word(at_gap=True)
            settled, kept = at, len(words)
        else:
            for piece in re.findall(r"\s+|\S+", found[kind]):
                if piece.isspace():
                    end_word(at_gap=True)
                else:
                    pieces.append((piece, _STYLES.get(kind, "")))
        at = found.end()
    if not final:
        return words[:kept], text[settled:]
    end_word(at_gap=False)
    return words, ""
