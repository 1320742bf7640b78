"""What a client's line says, and how a line is written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from callboard.mcp_stdio.frames import (
    Answer,
    Batch,
    Invalid,
    Notification,
    Request,
    error_line,
    line_of,
    read,
    result_line,
    result_text_line,
    too_long,
)
from hypothesis import given
from hypothesis import strategies as st
from mcp_results import JSON
from sdks import needs_sdk

pytestmark = needs_sdk

BAD = -32600
SPOILT = -32700


def frame_of(**members: Any) -> Any:
    return read(json.dumps({"jsonrpc": "2.0", **members}).encode())


@pytest.mark.parametrize(
    ("members", "frame"),
    [
        ({"id": 1, "method": "a"}, Request(1, "a", {})),
        ({"id": "1", "method": "a", "params": {"b": 2**80}}, Request("1", "a", {"b": 2**80})),
        ({"id": 2**80, "method": "a", "params": None}, Request(2**80, "a", {})),
        ({"id": 1, "method": "a", "params": {"b": 10**400}}, Request(1, "a", {"b": 10**400})),
        ({"id": 1, "method": "a", "params": {"b": -(2**63) - 1}}, Request(1, "a", {"b": -(2**63) - 1})),
        (
            {"id": 1, "method": "a", "params": {"b": 2**64, "c": "x" * 5000}},
            Request(1, "a", {"b": 2**64, "c": "x" * 5000}),
        ),
        (
            {"id": 1, "method": "a", "params": {"b": [0] * 5000, "c": 2**64}},
            Request(1, "a", {"b": [0] * 5000, "c": 2**64}),
        ),
        ({"method": "a", "params": {"b": -0.0}}, Notification("a", {"b": -0.0})),
        ({"id": None, "method": "notifications/a"}, Notification("notifications/a", {})),
        ({"id": 1, "result": {"a": 1}}, Answer(1, {"a": 1}, None)),
        ({"id": "1", "error": {"code": 1}}, Answer("1", None, {"code": 1})),
    ],
)
def test_a_message_is_read(members: dict[str, Any], frame: Any) -> None:
    assert frame_of(**members) == frame


@pytest.mark.parametrize(
    ("line", "number", "code"),
    [
        (b"{", None, SPOILT),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "a", "params": {"b": NaN}}', 7, SPOILT),
        (b'{"jsonrpc": "2.0", "id": "x", "method": "a", "params": {]}', "x", SPOILT),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "a", "params": {"b": ' + b"9" * 5000 + b"}}", 7, SPOILT),
        (b"\xff", None, SPOILT),
        (b"7", None, BAD),
        (b'{"id": 7, "method": "a"}', 7, BAD),
        (b'{"jsonrpc": "1.0", "id": 7, "method": "a"}', 7, BAD),
        (b'{"jsonrpc": "2.0", "id": 7, "method": 8}', 7, BAD),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "a", "params": [1]}', 7, BAD),
        (b'{"jsonrpc": "2.0", "id": 7.5, "method": "a"}', None, BAD),
        (b'{"jsonrpc": "2.0", "id": true, "method": "a"}', None, BAD),
        (b'{"jsonrpc": "2.0", "id": null, "method": "tools/list"}', None, BAD),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "a", "params": ' + b"[" * 100_000, 7, SPOILT),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "a", "params": {"b": [' + b"{}," * 3_000_000 + b"1]}}", 7, BAD),
    ],
)  # fmt: skip
def test_what_is_no_message_is_refused_to_who_has_sent_it_if_that_can_be_said(
    line: bytes, number: Any, code: int
) -> None:
    frame = read(line)

    assert isinstance(frame, Invalid)
    assert (frame.id, frame.code) == (number, code)


def test_a_line_that_was_too_long_is_refused_by_its_beginning() -> None:
    assert too_long(b'{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"x":"yyyy', 9)[:2] == (
        "a",
        BAD,
    )


def test_several_messages_are_read_one_by_one() -> None:
    frame = read(b'[{"jsonrpc": "2.0", "id": 1, "method": "a"}, 7]')

    assert isinstance(frame, Batch)
    assert [type(each) for each in frame.frames] == [Request, Invalid]


def test_of_doubled_keys_the_last_counts_and_half_of_a_pair_is_kept() -> None:
    assert read(rb'{"jsonrpc": "2.0", "id": 1, "method": "a", "params": {"b": 1, "b": "\ud800"}}') == Request(
        1, "a", {"b": "\ud800"}
    )


@given(line=st.binary(max_size=40) | JSON.map(lambda value: json.dumps(value).encode()))
def test_whatever_comes_is_read(line: bytes) -> None:
    assert isinstance(read(line), Request | Notification | Answer | Invalid | Batch)


@given(value=JSON)
def test_a_line_says_each_number_as_it_is_and_is_utf_8(value: Any) -> None:
    line = line_of({"a": value})

    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert repr(json.loads(line.decode())["a"]) == repr(value)


@pytest.mark.parametrize("request_id", [1, -7, 2**80, "a", 'a"b', "\ud800"])
def test_the_text_of_a_result_is_written_as_the_result_would_be(request_id: Any) -> None:
    assert result_text_line(request_id, b'{"a":1}') == result_line(request_id, {"a": 1})


def test_an_error_without_an_id_says_so() -> None:
    said = {"jsonrpc": "2.0", "id": None, "error": {"code": -1, "message": "no"}}

    assert json.loads(error_line(None, -1, "no")) == said
