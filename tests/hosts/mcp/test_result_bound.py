"""A result beyond its bound is cut with a note, and nothing of it is lost while it is kept."""

from __future__ import annotations

import json
import re

import pytest
from callboard.hosts.mcp.result_bound import MOST_RESULTS, KeptResults
from callboard.hosts.protocol.wire import ErrorResponse, Response
from hypothesis import given
from hypothesis import strategies as st

LIMIT = 64
LARGE = 1 << 20
LARGEST = "A" * (10 * LARGE * 4 // 3 - 2) + "=="
TOO_LARGE = "A" * (10 * LARGE * 4 // 3 + 4)


def bounded(kept, **result):
    return kept.bounded(Response("1", result, None), LARGE).value


def pages(kept):
    return [kept.read(each["uri"])["contents"][0] for each in kept.resources()]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_of_a_text_nothing_is_lost_and_each_part_is_within_the_bound(text):
    kept = KeptResults("files", LIMIT)

    told = bounded(kept, success=True, result=text)["result"]

    rest = [each["text"] for each in pages(kept)]
    if len(text.encode()) <= LIMIT:
        assert (told, rest) == (text, [])
    else:
        first = text.encode()[: len(text.encode()) - sum(len(each.encode()) for each in rest)].decode()
        assert told.startswith(first)
        assert first + "".join(rest) == text
        assert max(len(each.encode()) for each in [first, *rest]) <= LIMIT


def test_the_note_names_where_the_rest_is():
    kept = KeptResults("files", LIMIT)

    told = bounded(kept, success=True, result="x" * 200)["result"]

    uris = [each["uri"] for each in kept.resources()]
    address = uris[0].removesuffix("/2")
    assert re.fullmatch("callboard://results/files/[0-9a-f]{32}", address)
    assert uris == [f"{address}/{page}" for page in (2, 3, 4)]
    assert told.startswith("x" * LIMIT)
    assert uris[0] in told
    assert uris[-1] in told


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=400),
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)


def shape(cut, whole):
    """Whether the one may stand where the other does: of the same kinds, with the same keys."""
    if isinstance(whole, dict):
        return (
            isinstance(cut, dict)
            and list(cut) == list(whole)
            and all(shape(cut[key], whole[key]) for key in whole)
        )
    if isinstance(whole, list):
        return isinstance(cut, list) and all(map(shape, cut, whole))
    return isinstance(cut, str) if isinstance(whole, str) else cut == whole


@given(st.dictionaries(st.text(max_size=3), JSON, min_size=1, max_size=4))
def test_structured_content_keeps_its_shape_and_the_whole_can_be_read(value):
    kept = KeptResults("files", LIMIT)

    told = bounded(kept, success=True, result=value)

    assert shape(told["result"], value)
    if parts := pages(kept):
        assert json.loads("".join(each["text"] for each in parts)) == value
        assert parts[0]["uri"] in told["content"][0]["text"]
        assert {each["mimeType"] for each in parts} == {"application/json"}
    else:
        assert told["result"] == value


@pytest.mark.parametrize("value", [{"content": "x" * 9000}, {"rows": list(range(2000)), "count": 2000}])
def test_structured_content_fits_its_bound(value):
    kept = KeptResults("files", 1000)

    told = bounded(kept, success=True, result=value)["result"]

    assert 800 < len(json.dumps(told, separators=(",", ":"))) <= 1000


def test_a_failure_is_cut_too():
    kept = KeptResults("files", LIMIT)

    told = bounded(kept, success=False, error="y" * 100)

    assert told["success"] is False
    assert pages(kept)[0]["text"] == "y" * 36


def test_a_block_that_does_not_fit_is_a_resource_of_its_kind_and_what_fits_stays():
    kept = KeptResults("files", 200)
    small, large = ({"type": "image", "mimeType": "image/png", "data": data} for data in ("AA==", TOO_LARGE))

    told = bounded(
        kept, success=True, result="look", content=[{"type": "text", "text": "look"}, large, small]
    )

    assert told["content"][1:] == [small]
    assert told["content"][0]["text"] == told["result"]
    (block,) = pages(kept)
    assert block.pop("uri").endswith("/block/1")
    assert block == {"mimeType": "image/png", "blob": TOO_LARGE}


def image(data):
    return {"type": "image", "mimeType": "image/png", "data": data, "annotations": {"audience": ["user"]}}


def test_media_of_ten_megabytes_each_are_passed_on_beside_a_text_that_is_cut():
    kept = KeptResults("files", 200)
    media = [
        image(LARGEST),
        {"type": "audio", "mimeType": "audio/wav", "data": LARGEST},
        {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "a/b", "blob": LARGEST}},
    ]

    told = bounded(
        kept, success=True, result="x" * 300, content=[{"type": "text", "text": "x" * 300}, *media]
    )

    assert told["content"][1:] == media
    assert told["content"][0]["text"].startswith("x" * 200 + "\n[Cut")


@pytest.mark.parametrize("block", [image(TOO_LARGE), image("AA==") | {"title": "x" * 5000}])
def test_what_is_no_media_of_ten_megabytes_counts(block):
    kept = KeptResults("files", 200)

    told = bounded(kept, success=True, result="look", content=[{"type": "text", "text": "look"}, block])

    assert len(told["content"]) == 1
    assert kept.resources()[0]["uri"] in told["result"]


@pytest.mark.parametrize(
    ("blocks", "beside", "passes"),
    [
        ([image(LARGEST)], 200, True),
        ([image(LARGEST)], 201, False),
        ([image(TOO_LARGE)], 0, False),
        (None, 0, True),
    ],
)
def test_an_answer_needs_no_cut_if_it_is_within_the_bound_without_its_media(blocks, beside, passes):
    size = beside + sum(len(each["data"]) for each in blocks or ())

    assert KeptResults("files", 200).passes({"content": blocks}, size) is passes


@pytest.mark.parametrize(
    "message",
    [
        ErrorResponse("1", {"type": "McpError", "detail": "z" * 100, "stack": ""}),
        Response("1", {"success": True, "result": "small"}, None),
        Response("1", {"success": True, "result": None}, None),
    ],
)
def test_what_is_no_large_result_stays_as_it_is(message):
    assert KeptResults("files", LIMIT).bounded(message, LARGE) is message


def test_what_came_in_few_bytes_is_not_looked_at():
    message = Response("1", {"success": True, "result": "x" * 100}, None)

    assert KeptResults("files", LIMIT).bounded(message, LIMIT) is message


def test_the_oldest_go_first():
    kept = KeptResults("files", LIMIT)

    first = second = ""
    for _ in range(MOST_RESULTS + 1):
        bounded(kept, success=True, result="x" * 100)
        first, second = first or kept.resources()[0]["uri"], kept.resources()[0]["uri"]

    assert len(kept.resources()) == MOST_RESULTS
    assert kept.read(first) is None
    assert kept.read(second) is not None
