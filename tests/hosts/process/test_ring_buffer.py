from __future__ import annotations

import pytest
from callboard.hosts.process.process import RingBuffer
from hypothesis import given
from hypothesis import strategies as st


def ring_of(*chunks, limit=64):
    ring = RingBuffer(limit)
    for chunk in chunks:
        ring.feed(chunk)
    return ring


def test_what_fits_is_told_as_it_was_said():
    ring = ring_of(b"one\ntw", b"o\nthree", b"")

    assert ring.tail() == "one\ntwo\nthree"


def test_only_the_last_lines_are_told():
    ring = ring_of(*(b"line %d\n" % number for number in range(10)), limit=1000)

    assert ring.tail(lines=3) == "line 7\nline 8\nline 9"


def test_a_first_line_that_was_cut_is_left_out():
    ring = ring_of(b"the beginning of this is gone\nlast\n", b"words\n", limit=20)

    assert ring.tail() == "last\nwords"


def test_of_one_endless_line_the_end_is_told():
    ring = ring_of(b"x" * 100 + b"the end", limit=20)

    assert ring.tail() == "x" * 13 + "the end"


def test_a_character_that_was_cut_harms_nothing():
    ring = ring_of("é".encode() * 50, limit=5)

    assert ring.tail() == "\ufffdéé"


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_memory_is_bounded_however_much_is_said(size):
    ring = RingBuffer(limit=1000)
    for _ in range(10_000):
        ring.feed(b"x" * size)

    assert ring.total == 10_000 * size
    assert len(ring.tail()) == 1000
    assert sum(len(chunk) for chunk in ring._chunks) <= 1000 + size


@given(st.lists(st.binary(max_size=12), max_size=30), st.integers(1, 60))
def test_the_tail_is_the_end_of_all_that_was_said_in_any_chunking(chunks, limit):
    said = b"".join(chunks)
    whole = ring_of(said, limit=limit)

    chunked = ring_of(*chunks, limit=limit)

    assert chunked.total == len(said)
    assert chunked.tail(lines=1000) == whole.tail(lines=1000)
    if len(said) <= limit:
        assert chunked.tail(lines=1000) == "\n".join(said.decode("utf-8", "replace").splitlines())
