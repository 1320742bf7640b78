"""Parts wait for their reader in order, bounded in number and in bytes, and those that had to go are counted."""

from __future__ import annotations

from collections import deque

import pytest
from callboard.actors.calls.unread_parts import MAX_UNREAD_BYTES, MAX_UNREAD_PARTS, UnreadParts
from hypothesis import given
from hypothesis import strategies as st

HALF = MAX_UNREAD_BYTES // 2

steps = st.lists(
    st.sampled_from((1, HALF // 10, HALF, HALF + 1, MAX_UNREAD_BYTES, 3 * MAX_UNREAD_BYTES))
    | st.just("read"),
    max_size=60,
)


@given(steps)
def test_the_oldest_go_as_long_as_there_are_too_many_bytes_and_the_newest_stays(steps):
    parts, model, dropped = UnreadParts(), deque(), 0

    for number, step in enumerate(steps):
        if step == "read":
            if model:
                assert parts.popleft() == {"part": model.popleft()[0]}
            continue
        dropped += parts.keep({"part": number}, step)
        model.append((number, step))
        while len(model) > 1 and sum(size for _, size in model) > MAX_UNREAD_BYTES:
            model.popleft()

    taken = sum(step == "read" for step in steps)
    assert [chunk["part"] for chunk in parts] == [number for number, _ in model]
    assert dropped <= len(steps) - taken


@pytest.mark.parametrize(
    ("size", "kept"), [(0, MAX_UNREAD_PARTS), (1024, MAX_UNREAD_PARTS), (2048, MAX_UNREAD_PARTS // 2)]
)
def test_whichever_bound_is_met_first_counts(size, kept):
    parts = UnreadParts()

    dropped = sum(parts.keep({"part": number}, size) for number in range(MAX_UNREAD_PARTS + 10))

    assert (len(parts), dropped) == (kept, MAX_UNREAD_PARTS + 10 - kept)
    assert parts[-1] == {"part": MAX_UNREAD_PARTS + 9}


def test_what_was_read_in_between_makes_room():
    parts = UnreadParts()

    for number in range(1000):
        assert parts.keep({"part": number}, MAX_UNREAD_BYTES) == 0
        assert parts.popleft() == {"part": number}
