"""What a conversation looks like: for each event, the lines it adds."""

from __future__ import annotations

import pytest
from callboard.cli.chat.events import KINDS
from callboard.cli.chat.input import Order, Said, read_line
from callboard.cli.chat.render import HEARD, Scene
from callboard.cli.chat.rows import shortened
from callboard.supervision.runtime.event_kinds import EVENT_KINDS
from rich.cells import cell_len


def call(name, its_id="c1", arguments='{"of": 21}'):
    body = {"id": its_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"type": "tool_call", "tool_call": body}


def result(content, its_id="c1", name="double", *, display=None, failure=None):
    metadata = {
        "tool_call_id": its_id,
        "tool_name": name,
        "display": display or {"type": "text", "content": content},
    }
    if failure is not None:
        metadata["failure"] = failure
    return {"type": "message", "message": {"role": "tool", "content": content, "metadata": metadata}}


def said(text):
    return {"type": "text", "text": text}


ASSISTANT = {"type": "message", "message": {"role": "assistant", "content": "x"}}
CRASH = {"code": "host_crashed", "outcome": "outcome_unknown"}
REPORT = {"stderr": "one\ntwo\nthree\nfour\n"}


def scene_of(*events, width=60):
    """The text of a turn of these events; a tuple is one of the board's."""
    scene = Scene(width)
    spans = scene.turn_begins(10.0, 0)
    for number, event in enumerate(events):
        if isinstance(event, tuple):
            spans += scene.board(*event, at=float(number))
        else:
            spans += scene.turn(event, 10.0 + number / 10)
    return "".join(span.text for span in spans)


@pytest.mark.parametrize(
    ("events", "seen"),
    [
        ([said("\nHello "), said("you"), ASSISTANT], "\nHello you\n"),
        ([{"type": "reasoning", "text": "Hm."}, said("Yes."), ASSISTANT], "\nHm.\n\nYes.\n"),
        ([said("So."), ASSISTANT, call("double")], "\nSo.\n\n→ double  of=21\n"),
        ([call("double", arguments='{"of": ')], '\n→ double  {"of": \n'.replace(": \n", ":\n")),
        (
            [call("double"), call("double", "c2"), result("42"), result("44", "c2")],
            "\n→ double  of=21\n→ double #2  of=21\n✓ double     42\n✓ double #2  44\n",
        ),
        (
            [call("double"), {"type": "preview", "tool_call_id": "c1", "tool_name": "double", "preview": "Twice 21"}],
            "\n→ double  of=21\n▸ double  Twice 21\n",
        ),
        (
            [{"type": "part", "tool_call_id": "c1", "tool_name": "find", "part": {"content": "\x1b[1m1\x1b[0m"}, "attempt": 2}],
            "\n· find  (attempt 2) 1\n",
        ),
        ([result("Error: no")], "\n✗ double  no\n"),
        (
            [result("Error: no", failure={"code": "denied", "outcome": "not_sent"})],
            "\n✗ double  no\n          denied: the tool has not seen the call\n",
        ),
        (
            [result("Error: no", failure={"code": "invalid_call", "outcome": "outcome_unknown"})],
            "\n✗ double  no\n          invalid_call: the tool's server takes no such call\n",
        ),
        (
            [result("Error: host 'x' ended", failure=CRASH)],
            "\n✗ double  no answer: its host died under it\n          host_crashed: the tool may have run, in part or in\n          whole\n",
        ),
        (
            [result("a\nb\nc\nd\ne"), result("t", display={"type": "text", "content": "a\nb", "single_line": "2"})],
            "\n✓ double  a\n          b\n          c\n          more: 2 lines, /show 1\n✓ double  2\n          more: 2 lines, /show 2\n",
        ),
        (
            [("host_crashed", "p", {"cause": "killed", "generation": 1, "report": REPORT}),
             ("host_backoff", "p", {"seconds": 0.1, "generation": 1, "why": ""}),
             ("host_ready", "p", {"generation": 2}),
             ("host_ready", "q", {"generation": 1})],
            "\n✗ p  its host died: killed (generation 1)\n     │ two\n     │ three\n     │ four\n↻ p  its host is back after 2.0 s (generation 2)\n",
        ),
        (
            [said("An open "), ("host_parked", "p", {"why": "too often"}), said("line\n"), said("goes on.")],
            "\nAn open line\n\n! p  its host is given up for now: too often\n\ngoes",
        ),
        ([{"type": "retry", "reason": "busy", "code": "overloaded", "delay": 2}], "\n! model  busy (overloaded); asked again in 2.0 s\n"),
        (
            [said("Bro"), {"type": "error", "error": "set K"}, {"type": "done", "reason": "error"}],
            "\nBro\n\n✗ model  set K\n! turn   no answer; /retry asks again\n\n200 ms\n\n",
        ),
        (
            [said("So"), {"type": "no_answer", "error": "it refused"}, {"type": "done", "reason": "refused"}],
            "\nSo\n\n✗ model  it refused\n! turn   no answer; say it in another way\n\n200 ms\n\n",
        ),
        (
            [said("So"), {"type": "done", "reason": "length"}],
            "\nSo\n\n! turn  the answer was cut off: it reached the limit of its\n        length; say 'go on', or allow more by\n        max_output_tokens\n\n100 ms\n\n",
        ),
        (
            [{"type": "usage", "input_tokens": 1000, "output_tokens": 2}, {"type": "usage", "input_tokens": 1}, {"type": "done", "reason": "answered"}],
            "\n1,001 tokens in, 2 out · asked 2 times · 200 ms\n\n",
        ),
        ([{"type": "part"}, {"type": "error"}, {"type": "nobody knows"}], ""),
    ],
)  # fmt: skip
def test_events_are_shown_as_lines(events, seen):
    assert scene_of(*events) == seen


@pytest.mark.parametrize("width", [20, 40, 60, 100, 200])
def test_no_line_is_longer_than_the_terminal_or_a_hundred_cells(width):
    events = [
        said("word " * 60), ASSISTANT, call("a_tool_with_a_long_name_indeed", arguments='{"text": "' + "日本語 " * 60 + '"}'),
        result("long " * 100), ("host_crashed", "p", {"cause": "why " * 40, "generation": 1, "report": REPORT}),
    ]  # fmt: skip

    lines = scene_of(*events, width=width).split("\n")

    assert max(map(cell_len, lines)) <= min(width, 100)


def test_every_event_that_is_heard_has_the_facts_that_are_shown():
    for kind, words in HEARD.items():
        facts = dict.fromkeys(EVENT_KINDS[kind].facts, 1)
        assert words.format(**facts)
    assert set(KINDS) == set(HEARD)


@pytest.mark.parametrize(
    ("display", "content", "seen"),
    [
        (None, "text", ("text", 0)),
        ({}, "", ("", 0)),
        ({"type": "table", "rows": [1]}, "x", ('{"type": "table", "rows": [1]}', 0)),
        ({"content": '{"a":1,"b":[2,3]}'}, "x", ('{"a": 1, "b": [2, 3]}', 0)),
        ({"content": "{no json}"}, "x", ("{no json}", 0)),
        ({"content": "a", "single_line": "short\nand no more"}, "x", ("short", 0)),
        ({"content": "a\nb\nc\nd"}, "x", ("a\nb\nc\nd", 0)),
    ],
)
def test_a_result_is_shown_in_short(display, content, seen):
    assert shortened(display, content) == seen


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("", None),
        ("  \n", None),
        (" hello ", Said("hello")),
        ("/help", Order("help", "")),
        ("/save  a b.jsonl", Order("save", "a b.jsonl")),
        ("/", Order("", "")),
        ("/etc/hosts says what?", Said("/etc/hosts says what?")),
        ("//help", Said("/help")),
    ],
)
def test_a_line_is_a_message_or_a_command(line, meant):
    assert read_line(line) == meant
