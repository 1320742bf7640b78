"""What a text holds is told before it is read."""

from __future__ import annotations

import json

import pytest
from callboard.base.json_size import CONTAINER, MAX_VALUES, UNCOUNTED, excess, weight_of
from hypothesis import given
from hypothesis import strategies as st

MIB = 1024 * 1024
RECORD = b'{"id":123456,"name":"a name of things","price":12.5,"tags":["a","bc"],"ok":true},'


def filled(size: int, item: bytes, begin: bytes = b"[", end: bytes = b"0]") -> bytes:
    return begin + item * ((size - len(begin) - len(end)) // len(item)) + end


@pytest.mark.parametrize(
    "item",
    [
        RECORD,
        b"[13.404954,52.520008],",
        b'{"a":1,"b":2},',
        b"0,",
        b"127,",
        b'"ab",',
    ],
    ids=lambda item: item[:24].decode(),
)
def test_16_mib_of_ordinary_json_pass(item):
    assert excess(filled(16 * MIB, item)) is None


@pytest.mark.parametrize(
    "item",
    [
        b"QUJD",
        b"Well, this is prose, and it has commas, more or less. ",
        b"a,1,2\\n",
        b",",
        b"{},",
        b"[[[[",
        rb"{\"a\":[1,2]},",
        rb"\\\",[\\",
    ],
    ids=lambda item: item[:24].decode(),
)
def test_a_string_of_16_mib_passes_whatever_it_looks_like(item):
    assert excess(filled(16 * MIB, item, b'["', b'"]')) is None


@pytest.mark.parametrize(
    "item",
    [b"{},", b"[],", b"[[]],", b"[0],", b'{"a":0},', b"[" * 50 + b"]" * 50 + b","],
    ids=bytes.decode,
)
def test_16_mib_of_what_takes_a_hundred_times_as_much_do_not(item):
    held = excess(filled(16 * MIB, item))

    assert held is not None
    assert held > MAX_VALUES


@pytest.mark.parametrize("item", [b"[", b"{", b"{},", b",", b'"', b"\\"])
def test_a_text_so_short_that_it_cannot_hold_too_much_passes_whatever_it_is(item):
    assert excess(item * (UNCOUNTED // len(item))) is None


@pytest.mark.parametrize("text", [b'["' + b"," * 30, b'"' * 31 + b"," * 30, b'["' + b"\\" * 31 + b"," * 30])
def test_what_is_no_json_is_counted_like_json(text):
    assert excess(text, 25) in {None, *range(26, 45)}


json_values = st.recursive(
    st.none() | st.integers() | st.text(alphabet='a,[{"\\]}'),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(alphabet='b,[{"\\'), inner, max_size=4)
    ),
    max_leaves=30,
)


def weighed(value: object) -> int:
    """What `excess` counts, counted in the value itself."""
    items = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(items, list):
        return 0
    return CONTAINER + max(0, len(items) - 1) + sum(map(weighed, items))


@given(json_values, st.integers(0, 60))
def test_what_stands_in_strings_is_not_counted(value, limit):
    held = excess(json.dumps(value).encode(), limit)

    assert (held is not None) == (weighed(value) > limit)
    assert held is None or limit < held <= weighed(value)


def test_arrays_and_objects_weigh_more_than_they_say_in_a_long_text_and_texts_do_not():
    assert weight_of(b"x" * 10_000) == 10_000
    assert weight_of(b"{}," * 1000) == 3000 + 64 * 1000
