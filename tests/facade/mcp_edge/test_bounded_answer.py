"""An answer that is too large becomes one that fits, and nothing of it is lost."""

from __future__ import annotations

import base64
import json

import pytest
from callboard.mcp_edge.bounded_answer import Event, bounded_read, bounded_result, media_pieces, text_pieces
from hypothesis import given
from hypothesis import strategies as st

ADDRESS = "callboard://results/large/" + "0" * 32
TEXTS = st.text(alphabet=st.characters(codec="utf-8"), max_size=4).map(lambda text: text * 4000)
MEDIA = st.integers(0, 60_000).map(lambda size: base64.b64encode(b"\1" * size).decode())
BLOCKS = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, TEXTS),
    st.builds(lambda data: {"type": "image", "mimeType": "image/png", "data": data}, MEDIA),
    st.builds(lambda data: {"type": "resource", "resource": {"uri": "a://b", "blob": data}}, MEDIA),
    st.builds(lambda text: {"type": "resource", "resource": {"uri": "a://b", "text": text}}, TEXTS),
    st.builds(lambda text: {"type": "text", "text": "said", "_meta": {"a/b": text}}, TEXTS),
)
VALUES = st.one_of(
    TEXTS, st.lists(TEXTS, max_size=9), st.dictionaries(st.text(max_size=3), TEXTS, max_size=5)
)


def size_of(value):
    return len(json.dumps(value, separators=(",", ":")))


def event(room=65_536):
    return Event(room + 512, room, size_of)


@given(TEXTS, st.integers(64, 9000))
def test_pieces_make_up_their_text_and_each_fits(text, room):
    pieces = text_pieces(text, room, size_of)

    assert "".join(pieces) == text
    assert max(map(size_of, pieces)) <= room


@given(MEDIA, st.integers(64, 9000))
def test_pieces_of_media_can_be_decoded_apart(data, room):
    pieces = media_pieces(data, room)

    assert b"".join(base64.b64decode(each, validate=True) for each in pieces) == base64.b64decode(data)
    assert max(map(len, pieces)) <= room


@given(
    st.lists(BLOCKS, max_size=40), st.none() | VALUES, st.dictionaries(st.just("_meta"), VALUES, max_size=1)
)
def test_a_result_of_any_shape_fits_and_so_does_each_part(blocks, structured, beside):
    result = {
        "content": blocks,
        **({} if structured is None else {"structuredContent": structured}),
        **beside,
    }

    made, parts, _ = bounded_result(result, ADDRESS, event())

    assert size_of(made) <= event().room
    assert all(size_of({"contents": [each]}) <= event().room for each in parts.values())
    assert all(uri == each["uri"] for uri, each in parts.items())
    note = made["content"][-1]["text"] if parts else ""
    assert all(uri in note for uri in parts if not uri.rsplit("/", 1)[1].isdecimal() or uri.endswith("/1"))


@given(st.lists(TEXTS | MEDIA, min_size=1, max_size=9))
def test_what_resources_hold_fits_and_all_of_it_can_be_read(texts):
    contents = [
        {"uri": f"a://{number}", "mimeType": "a/b", "text": each} for number, each in enumerate(texts)
    ]

    made, parts, _ = bounded_read({"contents": contents}, ADDRESS, event())

    assert size_of(made) <= event().room
    for number, text in enumerate(texts, 1):
        rest = [each["text"] for uri, each in parts.items() if f"/content/{number}/" in uri]
        assert made["contents"][number - 1]["text"] + "".join(rest) == text


@pytest.mark.parametrize("deep", [True, False])
def test_structure_whose_shape_alone_is_too_large_is_left_out_with_a_note(deep):
    value = {f"key {number}": number for number in range(20_000)}

    made, parts, _ = bounded_result(
        {"content": [], "structuredContent": {"deep": value} if deep else value}, ADDRESS, event()
    )

    assert "structuredContent" not in made
    assert "structured content of" in made["content"][0]["text"]
    assert json.loads("".join(each["text"] for each in parts.values())) == (
        {"deep": value} if deep else value
    )
