"""Behaviours of other programs that their users reported, in the calls and results of a history.

Each test denies what goes wrong elsewhere; its docstring says where that was seen, and how.
"""

from __future__ import annotations

import pytest
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.default_registry import ToolInteropTarget
from callboard.interop.transcripts.repair import repair_transcript
from callboard.interop.transcripts.repair_report import NO_RESULT
from interop_streams import assembled

CHAT = "openai.chat_completions"
USER = {"role": "user", "content": "go on"}


def call(call_id, arguments="{}"):
    return {"id": call_id, "type": "function", "function": {"name": "ls", "arguments": arguments}}


def asks(*calls):
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def says(call_id, text="done"):
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def test_no_trimming_leaves_a_result_without_its_call():
    """openclaw, cline, freebuff, secator: the server answers 400 to all that follows."""
    whole = [USER, asks(call("a")), says("a"), USER]

    repaired, (repair,) = repair_transcript(whole[2:], CHAT)

    assert repaired == [USER]
    assert repair.value == says("a")


def test_no_call_stays_without_a_result():
    """zeroclaw: the opposite of an orphan, and refused the same."""
    repaired, _ = repair_transcript([asks(call("a"), call("b")), says("b"), USER], CHAT)

    assert repaired == [asks(call("a"), call("b")), says("b"), says("a", NO_RESULT), USER]


def test_no_two_calls_of_one_id_collapse_into_one_pair():
    """openclaw, hermes-agent, oh-my-pi, crush: a map by id keeps one call and one result."""
    twice = [asks(call("a", '{"n":1}'), call("a", '{"n":2}')), says("a", "1"), says("a", "2")]

    repaired, _ = repair_transcript(twice, CHAT)

    ids = [made["id"] for made in repaired[0]["tool_calls"]]
    assert len(set(ids)) == 2
    assert repaired[1:] == [says(ids[0], "1"), says(ids[1], "2")]


def test_no_id_that_comes_again_takes_the_result_of_an_earlier_turn():
    """gpt-oss: the later call of an id is bound to the result of the earlier one."""
    again = [
        asks(call("call_0", '{"n":1}')),
        says("call_0", "1"),
        asks(call("call_0", '{"n":2}')),
        says("call_0", "2"),
    ]

    assert repair_transcript(again, CHAT).transcript is again


def test_no_view_of_a_history_is_cleaned_and_the_other_not():
    """hermes-agent: duplicates are gone from one of two lists. Here there is one list, repaired once."""
    doubled = [asks(call("a"), call("a")), says("a"), says("a")]

    once, _ = repair_transcript(doubled, CHAT)

    asked, told = once[0]["tool_calls"], once[1:]
    assert [made["id"] for made in asked] == [message["tool_call_id"] for message in told]
    assert repair_transcript(once, CHAT).transcript is once


@pytest.mark.parametrize("family", ["anthropic.messages", "gemini.generate_content", "bedrock.converse"])
def test_no_broken_call_in_a_history_fails_every_request_from_then_on(family):
    """vercel/ai: an invalid call is replayed as it was, and the server answers 400 each time."""
    history = [call("a", '{"path": "cut')]

    replayed = [REGISTRY.sanitize_tool_call(made) for made in history]
    (converted,) = REGISTRY.convert_tool_calls(replayed, ToolInteropTarget(family))

    assert REGISTRY.inspect_call(converted).payload == {}
    assert REGISTRY.inspect_call(history[0]).payload_kind == "malformed"


def test_no_arguments_are_said_twice_and_run_once():
    """simonw/llm: a server repeats the whole arguments at the end, and they are appended to themselves."""
    deltas = [{"index": 0, "id": "a", "function": {"name": "ls", "arguments": '{"n":1}'}}]
    deltas.append({"index": 0, "function": {"arguments": '{"n":1}'}})

    (made,) = assembled(CHAT, deltas)

    assert REGISTRY.inspect_call(made).payload_kind == "malformed"
