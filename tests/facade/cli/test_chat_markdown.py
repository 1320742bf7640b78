"""What a model says, shown while it says it: the same however it is cut, folded, and nothing but text."""

from __future__ import annotations

import unicodedata

import pytest
from callboard.cli.chat.markdown import Prose
from callboard.cli.ui.text import clean, cut, fold, padded
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len


def shown(text, width=30, step=None):
    """What is appended in all, with the text in bold in stars and code in ticks."""
    prose = Prose(width)
    step = step or max(len(text), 1)
    spans = [span for at in range(0, len(text), step) for span in prose.feed(text[at : at + step])]
    marks = {"bold": "*", "cyan": "`"}
    return "".join(
        f"{marks.get(style.split(' ')[0], '')}{said}{marks.get(style.split(' ')[0], '')}"
        for said, style in [*spans, *prose.end()]
    )


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("", ""),
        ("one two", "one two\n"),
        ("\n\none\n\n\n\ntwo\n\n", "one\n\ntwo\n"),
        ("a **bold** one, `code`.", "a *bold* one, `code`.\n"),
        ("a ** b, 2 * 3 and snake_case*", "a ** b, 2 * 3 and snake_case*\n"),
        ("not **closed and `neither", "not **closed and `neither\n"),
        ("# Head", "*Head*\n"),
        ("#hash", "#hash\n"),
        ("- one\n* two\n  1. three", "• one\n• two\n  1. three\n"),
        ("-5 degrees", "-5 degrees\n"),
        ("> said", "│ said\n"),
        ("a\n---\nb", f"a\n{'─' * 30}\nb\n"),
        ("```js\nx  =  1\n\ny\n```\nz", "`    x  =  1\n``    \n``    y\n`z\n"),
        ("| a   | b |\n| 1   | 2 |", "| a   | b |\n| 1   | 2 |\n"),
        ("it is far too long for one line", "it is far too long for one\nline\n"),
        ("- it is far too long for one line", "• it is far too long for one\n  line\n"),
        ("twenty-nine characters it has **bold**.", "twenty-nine characters it has\n*bold*.\n"),
        ("日本語のとても長いテキストはここで折り返す", "日本語のとても長いテキストはこ\nこで折り返す\n"),
        ("https://example.org/a/very/long/address", "https://example.org/a/very/long/address\n"),
        ("\x1b[31mred\x1b]0;title\x07\u202e", "red\\u001b]0;title\\u0007\\u202e\n"),
    ],
)
def test_markdown_is_shown_as_far_as_a_terminal_can(text, seen):
    assert shown(text) == seen


PIECES = st.sampled_from(
    ["a", "word ", "**", "`", "\n", "- ", "# ", "```", "> ", "日本", " ", "1. ", "|", "--"]
)


@given(st.lists(PIECES, max_size=25).map("".join), st.integers(1, 7))
@example("- - - \n", 1)
def test_what_is_shown_does_not_depend_on_how_it_comes(text, step):
    assert shown(text, step=step) == shown(text)


@given(st.text(alphabet="ab \x00\x07\x1b[\x7f\x9b\r\t\n\u202e`*#", max_size=40), st.integers(10, 30))
def test_nothing_but_text_is_shown(text, width):
    seen = shown(text, width)

    assert all(unicodedata.category(character) != "Cc" for character in seen.replace("\n", ""))
    assert "\u202e" not in seen


def test_a_word_is_shown_as_soon_as_it_is_whole():
    prose = Prose(40)

    assert [s.text for s in prose.feed("Hello wor")] == ["Hello"]
    assert [s.text for s in prose.feed("ld **is")] == [" ", "world"]
    assert prose.open
    assert [s.text for s in prose.feed(" round** ")] == [" ", "is", " ", "round"]
    assert [s.text for s in prose.end()] == ["\n"]
    assert not prose.open


def test_a_word_without_an_end_is_not_held_back_for_ever():
    assert Prose(40).feed("x" * 5000)


@given(st.text(alphabet="ab 日-", max_size=60), st.integers(2, 20))
def test_folded_lines_have_room_and_lose_nothing(text, width):
    lines = fold(text, width)

    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "width", "seen"),
    [("short", 5, "short"), ("longer", 5, "long…"), ("日本語", 4, "日…"), ("", 3, "")],
)
def test_what_has_no_room_is_cut_by_cells(text, width, seen):
    assert cut(text, width) == seen
    assert cell_len(padded(text, width)) == width


def test_lines_beyond_the_most_are_told_by_dots():
    assert fold("a b c d e f", 3, 2) == ["a b", "c …"]
    assert clean("a\tb\r\n") == "a    b\n"
