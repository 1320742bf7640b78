"""What reads bytes from outside keeps its promises for any: those that broke one before, and those that hypothesis makes."""

from __future__ import annotations

import pytest
from fuzz_targets import BEGINNINGS, TARGETS
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import ROOT
from thorough import THOROUGH

FOUND = ROOT / "tests" / "fuzz" / "found"


@st.composite
def spoilt(draw: st.DrawFn, beginnings: tuple[bytes, ...]) -> bytes:
    """Some of the beginnings, with pieces of them copied, cut out, or put in the place of others."""
    data = b"".join(draw(st.lists(st.sampled_from(beginnings), max_size=3)))
    for _ in range(draw(st.integers(0, 6))):
        at, to = sorted(draw(st.tuples(st.integers(0, len(data)), st.integers(0, len(data)))))
        piece = draw(st.one_of(st.binary(max_size=8), st.sampled_from(PIECES), st.just(data[at:to] * 2)))
        data = data[:at] + piece + data[to:]
    return data


PIECES = (
    b"\x00", b"\xff", b"\xc3\xa9", b"\xed\xa0\x80", b"\r\n", b"\\\n", b"\xe2\x80\xa8", b"\x0c", b"{}", b"[]", b"null", b"1e400",
    b"-1", b'"', b"--", b" -r x", b"${SECRET}", b"#", b"../", b"[" * 2000, b"9" * 5000, b'{"a":' * 2000,
)  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
def test_a_reader_keeps_its_promise_for_any_bytes(target: str) -> None:
    @settings(max_examples=2_000 if THOROUGH else 60)
    @given(st.one_of(st.binary(max_size=200), spoilt(BEGINNINGS[target])))
    def read(data: bytes) -> None:
        TARGETS[target](data)

    for beginning in BEGINNINGS[target]:
        TARGETS[target](beginning)
    read()


@pytest.mark.parametrize(
    "place", sorted(FOUND.glob("*/*")), ids=lambda place: f"{place.parent.name}-{place.name}"
)
def test_what_broke_a_reader_before_breaks_it_no_more(place) -> None:
    TARGETS[place.parent.name](place.read_bytes())
