"""A pump that has much to carry cuts it into whole lines, and rests as long as it works."""

from __future__ import annotations

from callboard.hosts.process.pump import PIECE, TURN, Turn, pieces
from hypothesis import given
from hypothesis import strategies as st

lines = st.lists(
    st.integers(0, 3 * PIECE).map(lambda size: b"x" * size + b"\n")
    | st.integers(0, 40).map(lambda size: b"y" * size + b"\n"),
    max_size=60,
)


@given(lines, st.integers(0, 5000).map(lambda size: b"z" * size))
def test_nothing_is_left_out_and_every_line_is_whole(ended, unfinished):
    data = b"".join(ended) + unfinished

    cut = list(pieces(data))

    assert b"".join(cut) == data
    assert all(piece.endswith(b"\n") for piece in cut[:-1])


@given(lines)
def test_a_piece_is_no_more_than_it_may_be_and_the_line_that_comes_over_that(ended):
    for piece in pieces(b"".join(ended)):
        assert piece.find(b"\n", PIECE - 1) in {-1, len(piece) - 1}


def test_one_long_line_is_one_piece():
    line = b"x" * 1_000_000 + b"\n"

    assert [len(piece) for piece in pieces(line + b"short\n")] == [len(line), len(b"short\n")]


@given(st.lists(st.floats(0.0, 3 * TURN), max_size=50))
def test_it_gives_way_whenever_it_has_worked_for_a_turn(works):
    turn, since = Turn(), 0.0

    for worked in works:
        since += worked
        over = turn.over(worked)
        assert over == (since >= TURN)
        since = 0.0 if over else since
