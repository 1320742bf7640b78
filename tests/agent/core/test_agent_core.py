"""Tool messages: one for each call, in order, whatever happened to it."""

from __future__ import annotations

import threading

import pytest
from callboard import AgentCore
from callboard.agent.sessions.tool_messages import text_of, tool_message
from callboard.tool_result_payloads import FORMAT_OPENAI_CHAT_COMPLETIONS, make_provider_native_tool_result
from tools import schema, tool_call


class Shaped:
    """A tool whose formatting misbehaves on request."""

    name = "shaped"

    def __init__(self):
        self.hang = threading.Event()

    def get_tool_schemas(self, state):
        return [schema("shape")]

    def execute_tool(self, tool_name, payload, state):
        if payload.get("raise"):
            raise ValueError("raised")
        return {"success": True, "result": payload.get("how")}

    def format_tool_result(self, result, state):
        match result["result"]:
            case "envelope":
                parts = [
                    {"type": "text", "text": "before"},
                    {"type": "image_url", "image_url": {"url": "data:"}},
                ]
                return make_provider_native_tool_result(format=FORMAT_OPENAI_CHAT_COMPLETIONS, content=parts)
            case "raise":
                raise SystemExit
            case "hang":
                self.hang.wait()
            case "dict":
                return {"not": "an envelope"}
        return f"formatted {result['result']}"

    def to_display_format(self, text, result, state):
        return {"type": "text", "content": f"[{text}]", "single_line": "one line"}


@pytest.fixture
def core():
    with AgentCore(format_timeout=0.2) as core:
        yield core


def test_every_call_gets_its_message_in_the_order_of_the_calls(core):
    core.register_tool(Shaped)
    calls = [tool_call("shape", "c1"), tool_call("nobody", "c2"), tool_call("shape", "c3", **{"raise": True})]

    messages = core.execute_tool_calls([*calls, {"no": "call"}], config={})

    assert [m["role"] for m in messages] == ["tool"] * 4
    assert [m["metadata"]["tool_call_id"] for m in messages][:3] == ["c1", "c2", "c3"]
    assert [m["metadata"].get("failure", {}).get("code") for m in messages] == [
        None,
        "unknown_tool",
        "tool_raised",
        "invalid_call",
    ]
    assert all(isinstance(m["content"], str) for m in messages)


def test_an_envelope_stands_whole_in_the_tool_result_and_its_text_in_the_content(core):
    core.register_tool(Shaped)

    (message,) = core.execute_tool_calls([tool_call("shape", how="envelope")], config={})

    assert message["toolResult"]["type"] == "provider_native_tool_result"
    assert message["content"] == "before"
    assert message["metadata"]["display"]["content"] == "[]"


@pytest.mark.parametrize(
    ("how", "content"), [("raise", "raise"), ("hang", "hang"), ("dict", '{"not":"an envelope"}')]
)
def test_formatting_that_misbehaves_costs_no_answer(core, how, content):
    plugin = Shaped()
    core.register_tool(plugin)

    (message,) = core.execute_tool_calls([tool_call("shape", how=how)], config={})

    assert message["content"] == content
    plugin.hang.set()


class Counting:
    name = "counting"

    def get_tool_schemas(self, state):
        return [schema("count")]

    def stream_tool(self, tool_name, payload, state):
        for number in range(payload["to"]):
            yield {"part": number}
        yield {"success": True, "result": "counted"}


def test_parts_come_before_their_message_and_name_their_call(core):
    core.register_tool(Counting)

    messages = list(
        core.iter_tool_messages([tool_call("count", "a", to=2), tool_call("count", "b", to=1)], config={})
    )

    assert [m.get("part", m.get("content")) for m in messages] == [0, 1, "counted", 0, "counted"]
    assert [m["tool_call_id"] for m in messages if "part" in m] == ["a", "a", "b"]


@pytest.mark.parametrize(
    ("content", "text"),
    [("plain", "plain"), ([{"text": "a"}, {"x": 1}, {"text": "b"}], "a\nb"), (None, ""), ([1, "x"], "")],
)
def test_the_text_of_an_envelope_is_what_can_be_read_of_it(content, text):
    assert text_of({"type": "provider_native_tool_result", "content": content}) == text


def test_a_failure_of_ours_is_told_in_the_metadata_and_a_tools_own_is_not():
    def metadata(result):
        return tool_message(
            call_id="c", tool_name="t", plugin_name=None, formatted="", display={}, result=result
        )["metadata"]

    ours = metadata({"success": False, "error": "e", "code": "host_crashed", "outcome": "outcome_unknown"})
    theirs = metadata({"success": False, "error": "e"})

    assert ours["failure"] == {"code": "host_crashed", "outcome": "outcome_unknown"}
    assert "failure" not in theirs


def test_one_call_is_submitted_alone_and_answers_like_many(core):
    core.register_tool(Counting)

    call = core.submit(tool_call("count", "a", to=1), config={})
    answers = list(core.answers(call))

    assert answers[0] == {"part": 0, "tool_call_id": "a", "tool_name": "count"}
    assert answers[1] == core.execute_tool_calls([tool_call("count", "a", to=1)], config={})[0]
    assert call.result()["success"]
