"""Each repair of a transcript, one by one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from callboard.interop.errors import ConversionError
from callboard.interop.transcripts.repair import repair_transcript
from callboard.interop.transcripts.repair_report import LEFT_OUT, NO_RESULT
from transcript_writers import ANTHROPIC, BEDROCK, CHAT, GEMINI, RESPONSES

EVERY = pytest.mark.parametrize("provider", [CHAT, RESPONSES, ANTHROPIC, BEDROCK, GEMINI])


def codes(repairs: Any) -> list[str]:
    return [repair.code.value for repair in repairs]


def call(its: str | None, name: str = "read", **arguments: Any) -> dict[str, Any]:
    return {"id": its, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def asks(*calls: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def says(its: str | None, text: str = "done") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": its, "content": text}


USER = {"role": "user", "content": "go on"}


def test_a_call_without_a_result_is_given_one_that_says_so():
    repaired, (repair,) = repair_transcript([USER, asks(call("a"), call("b")), says("b"), USER], CHAT)

    assert repaired == [USER, asks(call("a"), call("b")), says("b"), says("a", NO_RESULT), USER]
    assert (repair.code, repair.turn, repair.position, repair.call_id) == ("missing_result", 1, 0, "a")
    assert repair.detail == "the call 'a' of 'read' had no result, and was given one that says so"


def test_what_a_made_up_result_says_can_be_chosen():
    repaired, _ = repair_transcript([asks(call("a"))], CHAT, no_result="cut off")

    assert repaired[1] == says("a", "cut off")


def test_a_result_whose_call_was_trimmed_is_left_out():
    lost = says("gone")

    repaired, (repair,) = repair_transcript([lost, USER], CHAT)

    assert repaired == [USER]
    assert repair.code == "orphan_result"
    assert repair.value is lost


def test_a_result_that_stands_before_its_call_answers_nothing():
    assert codes(repair_transcript([says("a"), asks(call("a"))], CHAT).repairs) == [
        "orphan_result",
        "missing_result",
    ]


def test_a_further_result_is_left_out_and_the_first_stays():
    repaired, repairs = repair_transcript([asks(call("a")), says("a", "1"), says("a", "2")], CHAT)

    assert repaired == [asks(call("a")), says("a", "1")]
    assert codes(repairs) == ["duplicate_result"]


def test_a_result_that_came_late_is_put_behind_its_call():
    repaired, repairs = repair_transcript([asks(call("a")), USER, says("a")], CHAT)

    assert repaired == [asks(call("a")), says("a"), USER]
    assert codes(repairs) == ["moved_result"]


def test_a_call_that_stands_twice_in_its_turn_stays_once():
    repaired, repairs = repair_transcript([asks(call("a", n=1), call("a", n=1)), says("a")], CHAT)

    assert repaired == [asks(call("a", n=1)), says("a")]
    assert codes(repairs) == ["duplicate_call"]


def test_two_calls_of_one_id_become_two_ids_and_keep_their_results():
    repaired, repairs = repair_transcript(
        [asks(call("a", n=1), call("a", n=2)), says("a", "1"), says("a", "2")], CHAT
    )

    assert repaired == [asks(call("a", n=1), call("a_2", n=2)), says("a", "1"), says("a_2", "2")]
    assert codes(repairs) == ["renamed_id"]


def test_an_id_that_comes_again_in_a_later_turn_answers_that_turn():
    transcript = [
        asks(call("call_0", n=1)),
        says("call_0", "1"),
        asks(call("call_0", n=2)),
        says("call_0", "2"),
    ]

    assert repair_transcript(transcript, CHAT).transcript is transcript


def test_a_result_is_never_given_to_an_earlier_call_of_its_id():
    transcript = [asks(call("a", n=1)), asks(call("a", n=2)), says("a", "1"), says("a", "2")]

    repaired, repairs = repair_transcript(transcript, CHAT)

    assert repaired == [asks(call("a", n=1)), says("a", NO_RESULT), asks(call("a", n=2)), says("a", "1")]
    assert codes(repairs) == ["missing_result", "duplicate_result"]


def test_calls_and_results_without_ids_are_paired_in_order_and_given_one():
    repaired, repairs = repair_transcript(
        [asks(call(None), call("")), says(None, "1"), says(None, "2")], CHAT
    )

    first, second = (made["id"] for made in repaired[0]["tool_calls"])
    assert repaired[1:] == [says(first, "1"), says(second, "2")]
    assert first != second
    assert codes(repairs) == ["made_up_id", "made_up_id"]


def use(its: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": its, "name": "read", "input": arguments}


def result(its: str, text: str = "done") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": its, "content": text}


def test_results_come_first_in_the_next_message():
    text = {"type": "text", "text": "and then"}
    transcript = [
        {"role": "assistant", "content": [use("a")]},
        {"role": "user", "content": [text, result("a")]},
    ]

    repaired, repairs = repair_transcript(transcript, ANTHROPIC)

    assert repaired[1]["content"] == [result("a"), text]
    assert codes(repairs) == ["moved_result"]


def test_results_that_are_spread_over_messages_come_together():
    def bedrock(kind: str, *ids: str) -> list[Any]:
        return [{kind: {"toolUseId": its, "content" if kind == "toolResult" else "input": []}} for its in ids]

    transcript = [
        {"role": "assistant", "content": bedrock("toolUse", "a", "b")},
        {"role": "user", "content": bedrock("toolResult", "a")},
        {"role": "user", "content": bedrock("toolResult", "b")},
    ]

    repaired, repairs = repair_transcript(transcript, BEDROCK)

    assert repaired == [transcript[0], {"role": "user", "content": bedrock("toolResult", "a", "b")}]
    assert codes(repairs) == ["moved_result", "emptied_message"]


def test_a_message_of_plain_text_takes_results_before_it():
    transcript = [{"role": "assistant", "content": [use("a")]}, {"role": "user", "content": "never mind"}]

    repaired, _ = repair_transcript(transcript, ANTHROPIC)

    assert repaired[1]["content"] == [
        {"type": "tool_result", "tool_use_id": "a", "content": NO_RESULT, "is_error": True},
        {"type": "text", "text": "never mind"},
    ]


def test_a_message_that_has_nothing_left_keeps_its_place_between_roles():
    transcript = [
        {"role": "user", "content": [result("trimmed")]},
        {"role": "assistant", "content": [{"type": "text", "text": "I see"}]},
    ]

    repaired, repairs = repair_transcript(transcript, ANTHROPIC)

    assert repaired[0] == {"role": "user", "content": [{"type": "text", "text": LEFT_OUT}]}
    assert codes(repairs) == ["orphan_result", "emptied_message"]


def test_results_of_tools_that_the_server_runs_are_no_business_of_ours():
    search = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    transcript = [{"role": "assistant", "content": [search, found]}]

    assert repair_transcript(transcript, ANTHROPIC).transcript is transcript


def test_an_output_of_the_wrong_type_is_given_the_right_one():
    custom = {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "…"}
    output = {
        "type": "function_call_output",
        "id": "fc_1",
        "status": "completed",
        "call_id": "c",
        "output": "ok",
    }

    repaired, repairs = repair_transcript([custom, output], RESPONSES)

    assert repaired[1] == {"type": "custom_tool_call_output", "call_id": "c", "output": "ok"}
    assert codes(repairs) == ["retyped_result"]


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_calls_with_one_id_an_output_answers_the_call_of_its_type(order):
    calls = [
        {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "x"},
        {"type": "function_call", "call_id": "c", "name": "read", "arguments": "{}"},
    ][::order]
    output = {"type": "function_call_output", "call_id": "c", "output": "ok"}

    repaired, repairs = repair_transcript([*calls, output], RESPONSES)

    read = next(item for item in repaired if item["type"] == "function_call")
    assert repaired[-1] == {**output, "call_id": read["call_id"]}
    assert sorted(codes(repairs)) == ["missing_result", "renamed_id"]


def test_what_only_a_function_may_leave_unsaid_is_said_where_its_output_becomes_a_custom_tools():
    custom = {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "…"}
    image, near = (
        {"type": "input_image", "image_url": "https://example.com/a.png", **more}
        for more in ({"detail": None, "file_id": None}, {"detail": "high"})
    )
    parts = [image, near, {"type": "input_text", "text": "seen", "prompt_cache_breakpoint": None}]
    output = {"type": "function_call_output", "call_id": "c", "output": parts}

    repaired, _ = repair_transcript([custom, output], RESPONSES)

    assert repaired[1]["output"] == [
        {"type": "input_image", "image_url": "https://example.com/a.png", "detail": "auto"},
        near,
        {"type": "input_text", "text": "seen"},
    ]
    assert image["detail"] is None


def test_made_up_outputs_stand_behind_calls_that_were_made_together():
    one, two = ({"type": "function_call", "call_id": its, "name": "f", "arguments": "{}"} for its in "ab")
    said = {"type": "function_call_output", "call_id": "a", "output": "ok"}

    repaired, _ = repair_transcript([one, two, said], RESPONSES)

    assert [item["call_id"] for item in repaired] == ["a", "b", "b", "a"]
    assert repaired[2] == {"type": "function_call_output", "call_id": "b", "output": NO_RESULT}


def fc(name: str, its: str | None = None, **args: Any) -> dict[str, Any]:
    return {
        "functionCall": {"name": name, "args": args, **({"id": its} if its else {})},
        "thoughtSignature": "s",
    }


def fr(name: str, its: str | None = None, **response: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": response, **({"id": its} if its else {})}}


def test_responses_without_ids_stand_in_the_order_of_the_calls():
    calls = {"role": "model", "parts": [fc("x", n=1), fc("y"), fc("x", n=2)]}
    transcript = [calls, {"role": "user", "parts": [fr("x", n=1), fr("x", n=2)]}]

    repaired, repairs = repair_transcript(transcript, GEMINI)

    assert repaired[0] is calls
    assert repaired[1]["parts"] == [
        fr("x", n=1),
        {"functionResponse": {"name": "y", "response": {"error": NO_RESULT}}},
        fr("x", n=2),
    ]
    assert codes(repairs) == ["missing_result"]


def test_a_response_bears_an_id_exactly_if_its_call_does():
    transcript = [{"role": "model", "parts": [fc("x")]}, {"role": "user", "parts": [fr("x", "made_up", n=1)]}]

    repaired, repairs = repair_transcript(transcript, GEMINI)

    assert repaired[1]["parts"] == [fr("x", n=1)]
    assert codes(repairs) == ["renamed_id"]


def test_two_calls_of_a_turn_with_one_id_are_told_apart_though_an_id_is_optional():
    transcript = [
        {"role": "model", "parts": [fc("x", "1", n=1), fc("x", "1", n=2)]},
        {"role": "user", "parts": [fr("x", "1", n=1), fr("x", "1", n=2)]},
    ]

    repaired, repairs = repair_transcript(transcript, GEMINI)

    assert repaired[0]["parts"] == [fc("x", "1", n=1), fc("x", "1_2", n=2)]
    assert repaired[1]["parts"] == [fr("x", "1", n=1), fr("x", "1_2", n=2)]
    assert codes(repairs) == ["renamed_id"]


def test_a_response_bears_the_name_of_its_call():
    transcript = [{"role": "model", "parts": [fc("x", "1")]}, {"role": "user", "parts": [fr("y", "1", n=1)]}]

    assert repair_transcript(transcript, GEMINI).transcript[1]["parts"] == [fr("x", "1", n=1)]


@pytest.mark.parametrize(
    "odd",
    [
        [None, 3, "text", []],
        [{"role": "assistant", "content": None, "tool_calls": "none"}, {"role": "user"}],
        [{"role": "assistant", "content": [None, 3]}, {"role": "model", "parts": {"text": "x"}}],
        [{"type": ["function_call"]}, {"role": ["tool"]}, {"role": None, "content": 3}],
    ],
)
@EVERY
def test_what_is_no_message_is_left_alone(provider, odd):
    assert repair_transcript(odd, provider).transcript is odd


@pytest.mark.parametrize(("transcript", "family"), [([], "mcp"), ({}, CHAT), ("text", CHAT)])
def test_what_is_no_transcript_is_refused(transcript, family):
    with pytest.raises(ConversionError):
        repair_transcript(transcript, family)


def test_a_long_transcript_takes_no_time_to_speak_of():
    transcript = [message for n in range(20_000) for message in (asks(call("call_0", n=n)), says("call_0"))]

    assert repair_transcript(transcript, CHAT).transcript is transcript
    assert len(repair_transcript(transcript[1:], CHAT).repairs) == 1
