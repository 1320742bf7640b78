from __future__ import annotations

import json

import pytest
from callboard.hosts.protocol.wire import ErrorResponse, PartEvent, Response, decode_line, encode_request
from callboard.hosts.python.runner.messages import (
    HostFault,
    Ignored,
    Refused,
    Request,
    answer_line,
    error_line,
    part_line,
    read_request,
)
from hypothesis import given
from hypothesis import strategies as st

texts = st.text(st.characters(codec="utf-8"))
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
objects = st.dictionaries(texts.filter(lambda key: key not in {"state", "config", "arguments"}), values)


@given(texts, texts, objects)
def test_what_the_client_writes_the_host_reads(request_id, method, params):
    assert read_request(encode_request(request_id, method, params)[:-1]) == Request(
        request_id, method, params
    )


@given(texts, values, objects | st.none())
def test_what_the_host_answers_the_client_reads(request_id, value, state):
    assert decode_line(answer_line(request_id, value, state)[:-1]) == Response(request_id, value, state)


@given(texts, values)
def test_a_part_that_the_host_writes_the_client_reads(request_id, payload):
    assert decode_line(part_line(request_id, payload)[:-1]) == PartEvent(request_id, payload)


@given(texts, st.text(), st.sampled_from([None, "load", "init"]))
def test_an_error_that_the_host_writes_the_client_reads(request_id, detail, phase):
    read = decode_line(error_line(request_id, ValueError(detail), phase)[:-1])

    assert isinstance(read, ErrorResponse)
    assert (read.id, read.error["type"], read.error["detail"]) == (request_id, "ValueError", detail)
    assert read.error.get("phase") == phase


@given(st.binary())
def test_no_line_breaks_the_reader(line):
    assert isinstance(read_request(line), Request | Refused | Ignored)


@given(values)
def test_whatever_json_comes_is_a_request_or_is_refused_where_there_is_an_id(value):
    read = read_request(json.dumps(value).encode())

    assert isinstance(read, Refused) == (
        isinstance(value, dict) and isinstance(value.get("id"), str | int | float)
    )


@pytest.mark.parametrize("line", [b"", b"  ", b"\r"])
def test_a_blank_line_means_nothing(line):
    assert read_request(line) == Ignored("")


@pytest.mark.parametrize(
    ("value", "state", "path", "said"),
    [
        ({"a": {1}}, {}, "$.a", "the returned value cannot be written as JSON"),
        (float("inf"), {}, "$", "the returned value cannot be written as JSON"),
        ("fine", {"a": b""}, "$.state.a", "the tool's state is no JSON any more"),
    ],
)
def test_what_is_no_json_is_an_invalid_result_that_says_where(value, state, path, said):
    with pytest.raises(HostFault, match=said) as caught:
        answer_line("1", value, state)

    assert (caught.value.type, caught.value.path) == ("InvalidResult", path)


def test_a_nesting_without_end_is_told_and_not_died_of():
    assert read_request(b'{"v":1,"id":"1","method":' + b"[" * 100_000) != Request("1", "", {})
