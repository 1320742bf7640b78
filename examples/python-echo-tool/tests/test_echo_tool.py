"""First the tool alone, then through the core: what is wrong with the first shows there, not in the second."""

from callboard import AgentCore
from python_echo_tool.echo_tool import EchoTool


def test_echo_tool_execute_direct():
    tool = EchoTool()
    state = tool.init({})

    result = tool.execute_tool("echo", {"value": "hello"}, state)

    assert result == {"success": True, "result": "hello"}


def test_echo_tool_previews_its_call():
    tool = EchoTool()

    assert tool.format_tool_call_preview("echo", {"value": "hello"}, {}) == "echo value='hello'"


def test_echo_tool_core_round_trip():
    with AgentCore() as core:
        core.register_tool(EchoTool)
        results = core.execute_tool_calls(
            [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "echo", "arguments": {"value": "hello"}},
                }
            ],
            config={},
        )

    assert results[0]["role"] == "tool"
    assert results[0]["content"] == "hello"
    assert results[0]["metadata"]["tool_name"] == "echo"
