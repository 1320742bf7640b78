"""Gemini's patches: those that lead nowhere, those that stray, and calls that lost their end."""

from __future__ import annotations

import pytest
from callboard.interop.assembly.stream_errors import StreamError
from callboard.interop.streams.calls import assembler

GEMINI = "gemini.generate_content"


def gemini(*patches, more=True, **keys):
    return {"functionCall": {**keys, "partialArgs": list(patches), "willContinue": more}}


def run(events):
    """Return all calls of a stream, and what was wrong with it."""
    calls, came, problems = assembler(GEMINI), [], []
    for event in events:
        try:
            came += calls.feed(event)
        except StreamError as error:
            problems.append(error)
    return [*came, *calls.finish()], problems


@pytest.mark.parametrize(
    "events",
    [
        [gemini(name="ls")],
        [gemini({"jsonPath": "$.a", "stringValue": "x"}, name="ls")],
        [gemini(name="ls"), {"candidates": [{"finishReason": "MAX_TOKENS"}]}],
        [
            gemini({"jsonPath": "$.a", "stringValue": "x", "willContinue": True}, name="ls"),
            {"candidates": [{"finishReason": "STOP"}]},
        ],
    ],
)
def test_a_gemini_call_that_was_cut_off_has_no_arguments_that_anyone_could_read(events):
    (call,), _ = run(events)

    assert call["_metadata"]["error"]["code"] == "cut_off"
    assert call["functionCall"]["args"] in {"{", '{"a":"x"'}


@pytest.mark.parametrize(
    ("patches", "problem"),
    [
        ([("$.a", "x"), ("$.a", "y")], "there is a value already"),
        ([("$.a", "x"), ("$.a.b", "y")], "a value stands in the way"),
        ([("$.a[0]", "x"), ("$.a.b", "y")], "an object has keys"),
        ([("$[0]", "x")], "an object has keys"),
        ([("$.a[7]", "x")], "the places before 7 are empty"),
        ([("$", "x")], "no path to one value"),
        ([("$.a[*]", "x")], "no path to one value"),
        ([("$..a", "x")], "no path to one value"),
        ([("a", "x")], "no path to one value"),
        ([("$['a", "x")], "no path to one value"),
        ([("$" + ".a" * 200, "x")], "no path to one value"),
        ([(None, "x")], "has no path"),
        ([("$.a", 5)], "cannot be read"),
    ],
)
def test_a_patch_that_leads_nowhere_spoils_its_call(patches, problem):
    said = [{"jsonPath": path, "stringValue": value} for path, value in patches]

    came, (error,) = run([gemini(name="ls"), gemini(*said, more=False)])

    assert problem in str(error)
    assert [call["_metadata"]["error"]["code"] for call in came] == ["contradicted"]


def test_patches_that_belong_to_either_of_two_calls_spoil_both():
    begun = [gemini(name="ls", id="a"), gemini(name="ls", id="b")]
    stray = gemini({"jsonPath": "$.x", "stringValue": "y"})

    came, problems = run([*begun, stray, gemini(id="a", more=False), gemini(id="b", more=False)])

    assert len(problems) == 1
    assert [call["_metadata"]["error"]["code"] for call in came] == ["contradicted"] * 2


def test_a_gemini_call_whose_end_is_missing_is_not_merged_with_the_next():
    events = [
        gemini(name="ls"),
        gemini(name="cat"),
        gemini({"jsonPath": "$.a", "stringValue": "x"}, more=False),
    ]

    came, (error,) = run(events)

    assert "another call began" in str(error)
    assert "_metadata" in came[0]
    assert came[1] == {"functionCall": {"name": "cat", "args": {"a": "x"}}}
