"""Server-sent events are the same however the connection chunked them, and never more than the bound."""

from __future__ import annotations

from itertools import pairwise

import pytest
from callboard.hosts.mcp_http.event_stream import MAX_RETRY, EventParser, EventTooLong
from hypothesis import given
from hypothesis import strategies as st

LIMIT = 1 << 20


def parsed(*chunks: bytes, limit: int = LIMIT) -> tuple[list[bytes], EventParser]:
    parser = EventParser(limit)
    return [event.data for chunk in chunks for event in parser.feed(chunk)], parser


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\n", [b"a"]),
        (b"data:a\n\n", [b"a"]),
        (b"data:  a\n\n", [b" a"]),
        (b"data: a\ndata: b\n\n", [b"a\nb"]),
        (b"data: a\r\n\r\ndata: b\r\rdata: c\n\n", [b"a", b"b", b"c"]),
        (b": a comment\n\ndata: a\n\n", [b"a"]),
        (b"event: message\nid: 7\ndata: a\n\n", [b"a"]),
        (b"\xef\xbb\xbfdata: a\n\n", [b"a"]),
        (b"data: a: b\n\n", [b"a: b"]),
        (b"unknown: x\ndata\n\n", []),
        (b"data: unfinished", []),
        (b"data: unfinished\n", []),
        (b"\xff\xfe: x\ndata: \xff\n\n", [b"\xff"]),
    ],
)
def test_events_are_read_as_the_standard_says(stream: bytes, events: list[bytes]) -> None:
    assert parsed(stream)[0] == events


@pytest.mark.parametrize(
    ("stream", "last_id"),
    [
        (b"id: 7\n\n", "7"),
        (b"id: 7\ndata: a\n\n", "7"),
        (b"id: 7\n\ndata: a\n\n", "7"),
        (b"id: 7\n\nid\n\n", None),
        (b"id: 7\n\nid: 8\n", "7"),
        (b"id: 7\0\n\n", None),
    ],
)
def test_the_last_id_is_that_of_the_last_event_that_had_one(stream: bytes, last_id: str | None) -> None:
    assert parsed(stream)[1].last_id == last_id


@pytest.mark.parametrize(
    ("stream", "retry"),
    [
        (b"retry: 250\n", 0.25),
        (b"retry: soon\n", None),
        (b"retry: -1\n", None),
        (b"retry: 99999999\n", MAX_RETRY),
    ],
)
def test_the_pause_that_a_server_asks_for_is_bounded(stream: bytes, retry: float | None) -> None:
    assert parsed(stream)[1].retry == retry


@pytest.mark.parametrize(
    "chunks",
    [
        [b"data: " + b"x" * 100],
        [b"data: ", b"x" * 50, b"x" * 50],
        [b"data: xxxxxxxxxx\n"] * 10,
        [b": " + b"x" * 100],
    ],
)
def test_an_event_beyond_the_bound_is_not_kept(chunks: list[bytes]) -> None:
    with pytest.raises(EventTooLong) as caught:
        parsed(*chunks, limit=64)

    assert caught.value.limit == 64


_LINES = st.sampled_from(
    [b"data: a", b"data: {}", b"", b"", b": c", b"id: 1", b"id", b"retry: 5", b"x: y", b"data:"]
)
_ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])


@given(st.lists(st.tuples(_LINES, _ENDS)), st.lists(st.integers(0, 300)))
def test_it_does_not_matter_where_the_connection_cuts(
    lines: list[tuple[bytes, bytes]], cuts: list[int]
) -> None:
    stream = b"".join(line + end for line, end in lines)
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    pieces = [stream[start:end] for start, end in pairwise(places)]

    whole, cut = parsed(stream), parsed(*pieces)

    assert whole[0] == cut[0]
    assert (whole[1].last_id, whole[1].retry) == (cut[1].last_id, cut[1].retry)


@given(st.lists(st.binary(max_size=200)))
def test_it_holds_no_more_than_the_bound_whatever_comes(chunks: list[bytes]) -> None:
    parser = EventParser(256)
    for chunk in chunks:
        try:
            events = parser.feed(chunk)
        except EventTooLong:
            return
        assert all(len(event.data) <= 256 for event in events)


@pytest.mark.parametrize(
    ("stream", "kinds"),
    [
        (b"data: a\n\n", [b"message"]),
        (b"event: endpoint\ndata: a\n\ndata: b\n\n", [b"endpoint", b"message"]),
        (b"event: a\nevent: b\ndata: c\n\n", [b"b"]),
        (b"event:\ndata: a\n\n", [b"message"]),
        (b"event: a\n\ndata: b\n\n", [b"message"]),
    ],
)
def test_an_event_is_of_the_kind_that_it_says(stream: bytes, kinds: list[bytes]) -> None:
    assert [event.kind for event in EventParser(LIMIT).feed(stream)] == kinds
