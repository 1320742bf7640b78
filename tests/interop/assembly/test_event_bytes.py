"""Events out of bytes: server-sent events and JSON lines, and what is neither."""

from __future__ import annotations

import pytest
from callboard.tool_interop import EventReader, EventStreamError, StreamError


def test_json_lines_and_server_sent_events_are_read():
    lines = EventReader().feed(b'{"a":1}\n\n{"a":2}\r\n')
    events = EventReader().feed(
        b'\xef\xbb\xbf: hello\nevent: x\nid: 1\ndata: {"a":\ndata:3}\n\ndata: [DONE]\n\n'
    )

    assert lines == ({"a": 1}, {"a": 2})
    assert events == ({"a": 3},)


def test_the_last_event_counts_without_its_end_of_line_but_not_if_it_is_cut_off():
    whole, broken = EventReader(), EventReader()
    whole.feed(b'data: {"a":1}')
    broken.feed(b'data: {"a":')

    assert whole.finish() == ({"a": 1},)
    assert broken.finish() == ()


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        (b"data: [1]\n\n", "no object"),
        (b"data: {\n\n", "not JSON"),
        (b'data: {"a":1,"a":2}\n\n', "twice"),
        (b"data: {\xff}\n\n", "not UTF-8"),
        (b"<html>\n", "no line of server-sent events"),
        (b'[{"a":1},\n', "no line of server-sent events"),
        (b"data: " + b"x" * 200, "longer than 100 bytes"),
        (b"data: 5\n" * 100, "longer than 100 bytes"),
    ],
)
def test_bytes_that_are_no_events_end_the_reading_but_not_what_came_before(sent, problem):
    reader = EventReader(max_event=100)

    assert reader.feed(b'data: {"a":1}\n\n' + sent) == ({"a": 1},)
    with pytest.raises(EventStreamError, match=problem):
        reader.feed(b'data: {"a":1}\n\n')
    with pytest.raises(EventStreamError, match=problem):
        reader.finish()


@pytest.mark.parametrize("data", [b"data: {bad\n\n", b'data: {"a":' * 500 + b"\n\n", b"data: [1]\n\n"])
def test_bytes_that_are_no_events_are_an_error_of_the_stream_and_not_of_arguments(data):
    with pytest.raises(StreamError) as caught:
        EventReader().feed(data)

    assert "argument" not in str(caught.value)
    assert (caught.value.call_id, caught.value.problem in str(caught.value)) == (None, True)
