"""Lines out of bytes, in any chunking; of one that is too long the beginning."""

from __future__ import annotations

import itertools

import pytest
from callboard.mcp_stdio.lines import Lines, TooLong
from hypothesis import given
from hypothesis import strategies as st

LONGEST = 6


@given(
    lines=st.lists(st.binary(max_size=9).map(lambda each: each.replace(b"\n", b""))),
    last=st.binary(max_size=4).map(lambda each: each.replace(b"\n", b"")),
    cuts=st.lists(st.integers(0, 60)),
)
def test_lines_are_the_same_in_any_chunking(lines: list[bytes], last: bytes, cuts: list[int]) -> None:
    text = b"".join(each + b"\n" for each in lines) + last
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    splitter = Lines(LONGEST)

    found = [
        line for start, end in itertools.pairwise(edges) for line in splitter.feed(text[start:end])
    ] + splitter.end()

    kept = [each if len(each) <= LONGEST else TooLong for each in lines] + ([last] if last else [])
    assert [each if isinstance(each, bytes) else type(each) for each in found] == kept


@pytest.mark.parametrize("size", [1, 100, 100_000])
def test_of_a_line_that_is_too_long_the_beginning_is_kept_and_the_next_one_is_read(size: int) -> None:
    splitter = Lines(50_000)
    text = b'{"id": 7, "a": "' + b"x" * 10_000_000 + b'"}\n{}\n'

    found = [
        line for start in range(0, len(text), 65_536) for line in splitter.feed(text[start : start + 65_536])
    ]

    long, following = found
    assert isinstance(long, TooLong)
    assert long.beginning.startswith(b'{"id": 7')
    assert len(long.beginning) <= 1024
    assert following == b"{}"
    assert splitter.feed(b"y" * size) == ([] if size < 50_000 else [TooLong(b"y" * 1024)])
