"""What a person is shown of a call: nothing hides, nothing looks like something else, and no yes comes too early."""

from __future__ import annotations

import json
import unicodedata
from itertools import pairwise
from typing import Any

import pytest
from callboard import Callboard
from callboard.base.json import dump_json
from callboard.cli.approval.question import LONGEST, Dialogue, Risk, Step, question_lines, value_lines
from callboard.cli.approval.risk import Risks, effects_of
from callboard.plugins.hooks.approval import Question
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

ODD = "\x1b\x07\n\t\x7f\x9b\xa0\u202e\u200b\u200f\ufeff\ufe0f\U000e0041\u3164\u2028\uff02\u0338\u0301\u2800\\\"'"
TEXT = st.lists(st.sampled_from([*ODD, "a", "é", "日", "{", "}", ",", ":", " ", "↳", "│"]), max_size=12).map(
    "".join
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


def question(**facts: Any) -> Question:
    given_ = {
        "prompt": "Run t?",
        "tool_name": "t",
        "tool_call_id": "1",
        "tool_input": {"x": 1},
        "plugin": "p",
    }
    return Question(**{**given_, **facts})


def unfolded(shown):
    """The lines as they were before they were folded: a line's first four characters say whether it goes on one."""
    lines = []
    for line in shown:
        if line.startswith("  ↳ "):
            lines[-1] += line[4:]
        else:
            lines.append(line.removeprefix("  │ "))
    return "\n".join(lines)


@given(JSON, st.integers(20, 60))
def test_what_is_shown_is_the_value_and_no_other(value, width):
    shown = list(value_lines(value, width))

    assert dump_json(json.loads(unfolded(shown))) == dump_json(value)
    assert all(cell_len(line) <= width for line in shown)
    assert all(line.isprintable() for line in shown)


BLANKS, QUOTES = "\t\xa0\u3164\u2800\u2028", "\uff02"


def seen(lines):
    """What a person sees of lines: a character without a form of its own is not there, and what looks like another one is that one."""
    return "\n".join(
        "".join(looks(character, before) for before, character in pairwise(f" {line}")) for line in lines
    )


def looks(character, before):
    """What a person takes a character for that stands behind another one."""
    if character in BLANKS:
        return " "
    if character in QUOTES:
        return '"'
    if "\ufe00" <= character <= "\ufe0f" or unicodedata.category(character).startswith("C"):
        return ""
    stands_alone = not (before.isalnum() or unicodedata.category(before).startswith("M"))
    return "" if unicodedata.category(character).startswith("M") and stands_alone else character


def with_each_odd_character(test):
    """Also with two texts that differ in one odd character, which is left out, or is another one that looks like it."""
    for odd in ODD:
        for plain in ("ab", "a b", 'a"b'):
            test = example(f"a{odd}b", plain)(test)
        test = example(f"a {odd}", "a ")(test)
        test = example({f"{odd}a": 1}, {"a": 1})(test)
    return test


@with_each_odd_character
@given(JSON, JSON)
@example({"a": "1"}, {"a": 1})
@example({"a": "b, c"}, {"a": ["b", "c"]})
@example(["a\uff02,\uff02b"], ["a", "b"])
def test_two_values_never_look_alike(one, other):
    alike = seen(value_lines(one, 30)) == seen(value_lines(other, 30))

    assert alike is (dump_json(one) == dump_json(other))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (
            {"path": "notes.txt, mode=read, dry_run=true"},
            ["{", '  "path": "notes.txt, mode=read, dry_run=true"', "}"],
        ),
        (
            {"path": "notes.txt", "mode": "read", "n": 1},
            ["{", '  "path": "notes.txt",', '  "mode": "read",', '  "n": 1', "}"],
        ),
        ({"a\u200bb": "x\u202ey\U000e0041"}, ["{", '  "a\\u200bb": "x\\u202ey\\udb40\\udc41"', "}"]),
        ({"x": {"a": 1, "b": [2]}}, ["{", '  "x": {"a":1,"b":[2]}', "}"]),
        ('say "no"\n', ['"say \\"no\\"\\n"']),
        ("a\uff02, \uff02b", ['"a\\uff02, \\uff02b"']),
        ("\u0301a\u0301 \ufe0f\u3164\xa0", ['"\\u0301a\u0301 \\ufe0f\\u3164\\u00a0"']),
        ("日本 naïve “x”", ['"日本 naïve “x”"']),
        ({}, ["{}"]),
        (None, ["null"]),
    ],
)
def test_values_are_json_an_argument_a_line(value, shown):
    assert list(value_lines(value, 80)) == [f"  │ {line}" for line in shown]


def test_a_question_says_who_asks_about_what_and_how_dangerous_it_is():
    risk = Risk("from path:x, runs in this process", "asked for the first time", "it may destroy", "fits")

    shown = list(
        question_lines(
            question(
                prompt="Run \x1b[2K\u202et?\n  risk      none",
                reason="rule",
                tool_name="t\u200b",
                result={"a": 1},
            ),
            risk,
            80,
        )
    )

    assert shown == [
        "? Run \\u001b[2K\\u202et?",
        "?   risk      none",
        "  because   rule",
        '  tool      "t\\u200b"',
        '  plugin    "p", from path:x, runs in this process',
        "  risk      asked for the first time; it may destroy",
        "  check     fits",
        "  input:",
        "  │ {",
        '  │   "x": 1',
        "  │ }",
        "  result:",
        "  │ {",
        '  │   "a": 1',
        "  │ }",
    ]


def read_to_the_end(dialogue):
    """Ask for page after page; the lines of all, and the last step."""
    step = dialogue.begin()
    lines = [*step.lines]
    while dialogue.more:
        step = dialogue.take("")
        lines += step.lines
    return lines, step


@pytest.mark.parametrize("yes", ["y", "a", "allow", "Allow always", "1"])
def test_a_yes_counts_when_all_was_shown_and_not_before(yes):
    options = ("Allow once", "Not today") if yes == "1" else ("Allow", "Allow always", "Deny")
    asked = question(tool_input={f"k{n}": n for n in range(40)}, options=options)
    dialogue = Dialogue(asked, None, 80, 24)

    first = dialogue.begin()
    early = dialogue.take(yes)
    dialogue.take("")
    lines, last = dialogue.take("what?"), dialogue.take("")
    answer = dialogue.take(yes)

    assert "Allow" not in first.prompt
    assert isinstance(early, Step)
    assert isinstance(lines, Step)
    assert "Allow" in last.prompt
    assert answer in options


def test_all_pages_together_are_all_lines_and_each_has_room():
    asked = question(tool_input={f"k{n}": "x" * n for n in range(90)})
    dialogue = Dialogue(asked, None, 40, 10)

    lines, _ = read_to_the_end(dialogue)

    assert lines == list(question_lines(asked, None, 40))
    assert len(Dialogue(asked, None, 40, 10).begin().lines) == 8


@pytest.mark.parametrize(
    "tool_input", [{"x": "y" * (LONGEST + 1)}, {f"k{n}": "v" * 20 for n in range(20_000)}]
)
def test_what_is_too_long_for_anybody_to_read_is_never_allowed(tool_input):
    dialogue = Dialogue(question(tool_input=tool_input), None, 80, 24)

    first = dialogue.begin()

    assert not dialogue.more
    assert len(first.lines) <= 24
    assert isinstance(dialogue.take("y"), Step)
    assert dialogue.take("n") == "Deny"


@pytest.mark.parametrize(
    ("annotations", "words"),
    [
        (None, "does not say"),
        ({}, "does not say"),
        ("destructive", "does not say"),
        ({"destructiveHint": True}, "may destroy"),
        ({"readOnlyHint": True, "openWorldHint": False}, "changes nothing, reaches nothing outside"),
        ({"readOnlyHint": "yes"}, "does not say"),
    ],
)
def test_side_effects_are_told_as_the_tool_declares_them(annotations, words):
    assert words in effects_of({"name": "t", "inputSchema": {}, "annotations": annotations})
    assert words in effects_of({"type": "function", "function": {"name": "t", "annotations": annotations}})


class Write:
    name = "writer"

    def get_tool_schemas(self, _state):
        parameters = {"type": "object", "properties": {"n": {"type": "integer"}}}
        return [{"name": "write", "inputSchema": parameters, "annotations": {"destructiveHint": True}}]

    def execute_tool(self, _name, arguments, _state):
        return {"success": True, "result": arguments}


def test_the_risk_tells_origin_frequency_effects_and_whether_the_arguments_fit():
    with Callboard({}) as board:
        board.register(Write())
        risks = Risks(board)

        first = risks.of(question(tool_name="write", plugin="writer", tool_input={"n": 1}))
        second = risks.of(question(tool_name="write", plugin="writer", tool_input={"n": "x"}))
        other = risks.of(question(tool_name="other", plugin=None, tool_input="raw"))

    assert first.asked != second.asked
    assert "first time" in first.asked
    assert "may destroy" in first.effects
    assert "fits" in first.arguments
    assert "does not fit" in second.arguments
    assert "this process" in first.origin
    assert "unknown" in other.origin
    assert "not checked" in other.arguments
