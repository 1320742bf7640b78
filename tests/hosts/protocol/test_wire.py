from __future__ import annotations

import itertools
import json
import math

import pytest
from callboard.base.errors import JsonValueError
from callboard.hosts.protocol.wire import (
    ErrorResponse,
    LineSplitter,
    Malformed,
    OtherEvent,
    PartEvent,
    Response,
    StrayLine,
    Unversioned,
    decode_line,
    encode_request,
)
from hypothesis import given
from hypothesis import strategies as st

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


def fed(splitter: LineSplitter, chunks: list[bytes]) -> list[bytes]:
    return [line for chunk in chunks for line in splitter.feed(chunk)]


# Requests


@given(json_values)
def test_a_request_is_one_line_that_says_what_was_asked(value):
    line = encode_request("2-7", "execute_tool", {"arguments": value})

    assert line.index(b"\n") == len(line) - 1
    assert json.loads(line) == {"v": 1, "id": "2-7", "method": "execute_tool", "params": {"arguments": value}}


@pytest.mark.parametrize(
    "value", [math.nan, -math.inf, {1: 2}, object(), b"bytes", {"deep": [None, math.nan]}]
)
def test_what_is_not_json_is_refused_and_never_sent_as_something_else(value):
    with pytest.raises(JsonValueError) as caught:
        encode_request("1-1", "execute_tool", {"arguments": value})

    assert caught.value.path.startswith("$.params.arguments")


@pytest.mark.parametrize("value", [2**80, "half a pair: \ud83d"])
def test_what_only_the_slow_writer_can_say_is_sent_all_the_same(value):
    line = encode_request("1-1", "execute_tool", {"arguments": value})

    assert json.loads(line)["params"]["arguments"] == value


# Messages


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"v":1,"id":"a","ok":true,"result":{"value":[1]}}', Response("a", [1], None)),
        ('{"v":1,"id":"a","ok":true,"result":{"value":1,"state":{"n":1}}}', Response("a", 1, {"n": 1})),
        ('{"v":1,"id":"a","ok":true,"result":{"value":null,"state":null}}', Response("a", None, None)),
        ('{"v":1,"id":"a","ok":true,"result":{}}', Response("a", None, None)),
        ('{"v":1,"id":"a","ok":false,"error":{"type":"E"}}', ErrorResponse("a", {"type": "E"})),
        ('{"v":1,"id":"a","event":{"type":"part","payload":{"n":1}}}', PartEvent("a", {"n": 1})),
        ('{"v":1,"id":"a","event":{"type":"part"}}', PartEvent("a", None)),
        ('{"v":1,"id":"a","event":{"type":"progress","payload":1}}', OtherEvent("a", "progress")),
        ('  {"id":"a","extra":[],"ok":true,"v":1.0,"result":{"value":0,"more":1}}\r', Response("a", 0, None)),
    ],
)
def test_each_message_of_the_specification_is_read(line, message):
    assert decode_line(line.encode()) == message


@pytest.mark.parametrize(
    "line",
    [
        b"hello", b"{", b"null", b"1", b'"v"', b"[]", b"{}", b'{"id":7,"ok":true}', b'{"ok":true}', b'{"v":1}',
        b'{"id":"a","level":30}', b'{"v":2,"level":30}',
        b"\xff\xfe\x00", b"undefined", b'{"v":1,"level":NaN}', b"[" * 3000, b'{"v":1,"message":"',
    ],
)  # fmt: skip
def test_a_line_that_is_no_message_is_a_stray_print(line):
    assert decode_line(line) == StrayLine(line)


@pytest.mark.parametrize(
    "line", [b'{"id":"a"}', b'{"id":"a","ok":true}', b'{"jsonrpc":"2.0","id":"a","result":{}}']
)
def test_a_line_of_a_messages_keys_without_a_version_is_told_with_its_id(line):
    assert decode_line(line) == Unversioned("a", line)


@pytest.mark.parametrize(
    ("line", "reason", "request_id"),
    [
        ('{"v":2,"id":"a","ok":true,"result":{}}', "wrong_version", "a"),
        ('{"v":"1","id":"a","ok":true,"result":{}}', "wrong_version", "a"),
        ('{"v":true,"id":"a","ok":true,"result":{}}', "wrong_version", "a"),
        ('{"v":0,"ok":true}', "wrong_version", None),
        ('{"v":1,"id":7,"ok":true,"result":{}}', "wrong_shape", None),
        ('{"v":1,"ok":true,"result":{}}', "wrong_shape", None),
        ('{"v":1,"id":"a"}', "wrong_shape", "a"),
        ('{"v":1,"id":"a","ok":1,"result":{}}', "wrong_shape", "a"),
        ('{"v":1,"id":"a","ok":true}', "wrong_shape", "a"),
        ('{"v":1,"id":"a","ok":true,"result":7}', "wrong_shape", "a"),
        ('{"v":1,"id":"a","ok":true,"result":{"state":[]}}', "wrong_shape", "a"),
        ('{"v":1,"id":"a","ok":false}', "wrong_shape", "a"),
        ('{"v":1,"id":"a","ok":false,"error":"no"}', "wrong_shape", "a"),
        ('{"v":1,"id":"a","event":"part"}', "wrong_shape", "a"),
        ('{"v":1,"id":"a","event":{"payload":1}}', "wrong_shape", "a"),
        ('{"v":1,"id":"a","event":{"type":7}}', "wrong_shape", "a"),
    ],
)
def test_a_message_that_breaks_the_protocol_says_how_and_for_whom(line, reason, request_id):
    message = decode_line(line.encode())

    assert isinstance(message, Malformed)
    assert (message.reason, message.id) == (reason, request_id)
    assert message.detail


@pytest.mark.parametrize(
    "line",
    [
        '{"v":1,"id":"1-4","ok":true,"result":{"value":NaN}}',
        '{"v": 1, "id": "1-4", "ok": true, "result": {"value": -Infinity}}',
        '{"v":1,"id":"1-4","ok":true,"result":{"valhello from a print',
        '{"v":1,"id":"1-4","ok":true,"result":{"value":' + "[" * 100_000 + "]" * 100_000 + "}}",
    ],
)
def test_an_answer_that_is_no_json_is_the_hosts_fault_and_not_a_stray_print(line):
    message = decode_line(line.encode())

    assert isinstance(message, Malformed)
    assert (message.reason, message.id) == ("wrong_shape", "1-4")


@pytest.mark.parametrize(
    "print_", [b"a" * 3_000_000, b"[" + b"{}," * 4_000_000, b'{"rows":[' + b"{}," * 4_000_000]
)
def test_a_large_print_is_a_print_whatever_it_holds(print_):
    assert decode_line(print_) == StrayLine(print_)


def test_half_a_surrogate_pair_in_an_answer_is_read():
    message = decode_line(b'{"v":1,"id":"a","ok":true,"result":{"value":"cut \\ud83d"}}')

    assert message == Response("a", "cut \ud83d", None)


@given(st.binary(max_size=200))
def test_no_line_at_all_raises(line):
    decode_line(line)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "v": st.just(1) | json_values,
            "id": st.just("a") | json_values,
            "ok": json_values,
            "result": json_values,
            "error": json_values,
            "event": st.fixed_dictionaries({}, optional={"type": json_values, "payload": json_values})
            | json_values,
        },
    )
)
def test_no_object_at_all_raises(message):
    decode_line(json.dumps(message).encode())


# Lines

pieces = st.lists(
    st.sampled_from([b"", b"\n", b"\r\n", b" ", b"x", "é😀".encode(), b'{"v":1}', b"0123456789"]), max_size=30
)


@given(pieces, st.lists(st.integers(0, 400)), st.integers(1, 40))
def test_any_chunking_gives_the_same_lines(parts, places, limit):
    data = b"".join(parts)
    whole, chunked = LineSplitter(limit), LineSplitter(limit)

    lines = fed(whole, [data])
    lines_of_chunks = fed(chunked, cut(data, places))

    assert lines_of_chunks == lines
    assert chunked.overflowed == whole.overflowed
    if not whole.overflowed:
        assert chunked.unfinished == whole.unfinished


@given(pieces, st.lists(st.integers(0, 400)))
def test_lines_are_what_stands_between_newlines_without_the_blank_ones(parts, places):
    data = b"".join(parts)
    splitter = LineSplitter()

    lines = fed(splitter, cut(data, places))

    *ended, unfinished = data.split(b"\n")
    assert lines == [line for line in ended if line.strip()]
    assert splitter.unfinished == unfinished


@pytest.mark.parametrize("places", [[], [1], [9], [10], [5, 10], [9, 10, 11], list(range(20))])
def test_the_limit_counts_the_newline(places):
    fits, too_long = LineSplitter(10), LineSplitter(10)

    assert fed(fits, cut(b"123456789\n", places)) == [b"123456789"]
    assert fed(too_long, cut(b"1234567890\n", places)) == []
    assert (fits.overflowed, too_long.overflowed) == (False, True)


@pytest.mark.parametrize("places", [[], [4], [12], [4, 8, 12, 16], list(range(40))])
def test_lines_before_the_endless_one_are_handed_out_and_none_after_it(places):
    splitter = LineSplitter(8)

    lines = fed(splitter, cut(b"one\ntwo\n" + b"x" * 20 + b"\nthree\n", places))

    assert lines == [b"one", b"two"]
    assert splitter.overflowed
    assert splitter.feed(b"\nfour\n") == []


def test_a_long_line_in_many_chunks_meets_the_limit_though_its_last_chunk_is_short():
    splitter = LineSplitter(100)

    lines = fed(splitter, [b"x" * 90, b"y" * 19 + b"\n"])

    assert lines == []
    assert splitter.overflowed


def test_of_an_endless_line_only_the_beginning_is_kept():
    splitter = LineSplitter(1_000_000)

    fed(splitter, [b"begins " + b"x" * 60_000] * 20)

    assert splitter.overflowed
    assert splitter.unfinished.startswith(b"begins ")
    assert len(splitter.unfinished) < 10_000
