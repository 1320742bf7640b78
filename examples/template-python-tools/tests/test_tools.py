"""First each tool alone, then through the core, as an agent calls it."""

import asyncio
import json
from typing import Any

import pytest
from callboard import AgentCore
from template_python_tools.count_words_tool import CountWordsTool, count_words
from template_python_tools.echo_tool import EchoTool


def asked_for(name: str, **arguments: str) -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}


def echo(payload: dict[str, Any], state: dict[str, Any], *, name: str = "echo") -> dict[str, Any]:
    return asyncio.run(EchoTool().execute_tool_async(name, payload, state))


def test_a_call_answers_with_the_value_and_counts_itself_in_a_state_that_is_json() -> None:
    state = EchoTool().init({"greeting": "You said: "})
    echo({"value": "a"}, state)

    kept = json.loads(json.dumps(state))  # as after a restart
    result = echo({"value": "b"}, kept)

    assert result == {"success": True, "result": {"value": "You said: b", "calls": 2}}


def test_what_is_no_call_of_the_tool_is_a_failure_that_says_why() -> None:
    state = EchoTool().init({})

    assert echo({}, state)["error"] == "value must be a string"
    assert echo({}, state, name="other")["error"] == "Unknown tool: other"


def test_a_call_that_is_cancelled_ends_at_once() -> None:
    async def give_up() -> None:
        call = EchoTool().execute_tool_async("echo", {"value": "a", "seconds": 60}, {"calls": 0})
        await asyncio.wait_for(call, 0.01)

    with pytest.raises(TimeoutError):
        asyncio.run(give_up())


def test_words_are_counted_and_what_is_between_them_is_not() -> None:
    assert count_words("to be, or  not?") == 4
    assert count_words("") == 0


def test_a_part_is_told_for_each_line_before_the_answer() -> None:
    told = list(CountWordsTool().stream_tool("count_words", {"text": "to be\nor not"}, {}))

    assert told == [
        {"part": {"line": 1, "words": 2}},
        {"part": {"line": 2, "words": 4}},
        {"success": True, "result": {"words": 4}},
    ]


def test_an_agent_gets_tool_messages() -> None:
    with AgentCore() as core:
        core.register_tool(EchoTool)
        core.register_tool(CountWordsTool)
        calls = [asked_for("echo", value="hello"), asked_for("count_words", text="to be"), asked_for("echo")]

        said = [message["content"] for message in core.execute_tool_calls(calls, config={})]

    assert said[:2] == ["hello", "2 words"]
    assert "value" in said[2]  # what is missing is told before the tool sees the call
