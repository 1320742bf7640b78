"""What formats a result is given the state that its own call left, whatever calls ran since."""

from __future__ import annotations

import pytest
from callboard import AgentCore, Callboard
from leaks import TEST_MARK
from tools import tool_call

CALLS = 4


class Counter:
    name = "counter"

    def init(self, config):
        return {"count": 0}

    def get_tool_schemas(self, state):
        return [{"name": "count", "parameters": {"type": "object"}}]

    def execute_tool(self, tool_name, arguments, state):
        state["count"] += 1
        return {"success": not arguments, "result": state["count"], "error": "no"}

    def format_tool_result(self, result, state):
        return f"call {result['result']} left {state['count']}"

    def to_display_format(self, text, result, state):
        return {"type": "text", "content": f"{text}, shown with {state['count']}"}


class Stateless(Counter):
    """Keeps nothing until its last call."""

    name = "stateless"

    def init(self, config):
        return {}

    def execute_tool(self, tool_name, arguments, state):
        if arguments:
            state["last"] = True
        return {"success": True, "result": len(state)}

    def format_tool_result(self, result, state):
        return f"{result['result']} of {len(state)}"


@pytest.mark.parametrize("hooked", [False, True])
@pytest.mark.parametrize("isolate", [False, True])
def test_a_formatter_is_given_the_state_that_its_own_call_left(isolate, hooked):
    with Callboard() as board, AgentCore(board=board) as core:
        board.register(Counter, isolate=isolate, **({"env": TEST_MARK} if isolate else {}))
        if hooked:
            board.hook("tool:post", lambda _event, _data: None)
        messages = core.execute_tool_calls([tool_call("count", str(n)) for n in range(CALLS)], {})
        (failed,) = core.execute_tool_calls([tool_call("count", fails=True)], {})

    said = [(each["content"], each["metadata"]["display"]["content"]) for each in (*messages, failed)]
    assert said == [(f"call {n} left {n}", f"call {n} left {n}, shown with {n}") for n in range(1, CALLS + 2)]


def test_a_state_that_a_later_call_has_begun_is_not_that_of_an_earlier_one():
    with Callboard() as board, AgentCore(board=board) as core:
        board.register(Stateless)
        calls = [tool_call("count", "1"), tool_call("count", "2", last=True)]
        messages = core.execute_tool_calls(calls, {})

    assert [each["content"] for each in messages] == ["0 of 0", "1 of 1"]
