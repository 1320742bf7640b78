"""Tools of a provider's own in a conversation: what is acted on here is answered in its form, all else goes back."""

from __future__ import annotations

import asyncio

import pytest
from callboard import Callboard, ToolPlugin
from callboard.agent.replay.faults import stream_reply
from callboard.agent.replay.server import ReplayServer
from callboard.amplifier import mount
from native_forms import ACTION_OUTPUTS, ACTIONS, HOSTED_CALLS, HOSTED_RESULTS, NEW_CALLS, NEW_RESULTS
from providers import SCRIPT, Asked, calls_of, user
from sdks import needs_sdk, sdks

ASKED = user("Look around")


@pytest.fixture(scope="module")
def server():
    with ReplayServer(SCRIPT) as server:
        yield server


def answer_of(*items):
    """The stream of an answer that has these items."""
    events = [
        event
        for index, item in enumerate(items)
        for event in (
            {"type": "response.output_item.added", "output_index": index, "item": item},
            {"type": "response.output_item.done", "output_index": index, "item": item},
        )
    ]
    return stream_reply(
        [*events, {"type": "response.completed", "response": {"status": "completed"}}], done=False
    )


def result_for(tool, toolresult):
    return {
        "role": "tool",
        "content": "done",
        "toolResult": toolresult,
        "metadata": {"tool_call_id": "c1", "tool_name": "acted_out"},
    }


@needs_sdk
@pytest.mark.parametrize("name", ["responses", "responses extension"])
@pytest.mark.parametrize("tool", ACTIONS)
def test_an_action_reaches_the_core_as_it_is_and_its_answer_the_provider_in_its_form(server, name, tool):
    asked = Asked(name, server.url)
    server.next(answer_of(ACTIONS[tool]))
    message = asked.message(ASKED)
    content = {
        "type": "provider_native_tool_result",
        "format": "openai.responses",
        "content": ACTION_OUTPUTS[tool],
    }

    asked.message(ASKED, message, result_for(tool, content), user("So?"))
    asked.provider.close()

    assert calls_of(message) == [ACTIONS[tool]]
    sent = server.requests[-1].body["input"]
    assert sent == [ASKED, ACTIONS[tool], ACTION_OUTPUTS[tool], user("So?")]
    assert [found for item in sent for found in sdks().message_refusals("openai.responses", item)] == []


def test_a_text_answers_a_shell_in_the_form_of_a_shell(server):
    asked = Asked("responses", server.url)
    server.next(answer_of(ACTIONS["shell"]))
    message = asked.message(ASKED)

    asked.message(ASKED, message, result_for("shell", {"type": "tool_result", "text": "done"}), user("So?"))
    asked.provider.close()

    said = server.requests[-1].body["input"][2]
    assert (said["type"], said["output"][0]["stdout"]) == ("shell_call_output", "done")


@needs_sdk
@pytest.mark.parametrize("name", ["chat", "anthropic"])
def test_a_history_with_an_action_goes_to_another_provider_as_a_function_s(server, name):
    asked = Asked(name, server.url)
    message = {"role": "assistant", "content": "", "metadata": {"tool_calls": [ACTIONS["shell"]]}}

    asked.message(ASKED, message, result_for("shell", {"type": "tool_result", "text": "done"}), user("So?"))
    asked.provider.close()

    family = {"chat": "openai.chat_completions", "anthropic": "anthropic.messages"}[name]
    sent = server.requests[-1].body["messages"]
    assert [found for item in sent for found in sdks().message_refusals(family, item)] == []
    assert "shell" in str(sent)


def test_what_the_server_ran_itself_goes_back_in_its_place(server):
    asked = Asked("responses", server.url)
    tables = (HOSTED_CALLS, NEW_CALLS, HOSTED_RESULTS, NEW_RESULTS)
    items = [item for table in tables for item in table["openai.responses.hosted"]]
    server.next(
        answer_of(*items, {"type": "function_call", "call_id": "c2", "name": "now", "arguments": "{}"})
    )
    message = asked.message(ASKED)

    asked.message(ASKED, message, user("So?"))
    asked.provider.close()

    sent = server.requests[-1].body["input"]
    assert sent[1 : len(items) + 1] == items
    assert [call["function"]["name"] for call in calls_of(message)] == ["now"]


class Shell(ToolPlugin):
    name = "shells"

    def get_tool_schemas(self, state):
        plain = {"type": "function", "function": {"name": "ls", "parameters": {"type": "object"}}}
        return [{"type": "shell"}, {"type": "bash_20250124", "name": "bash"}, plain]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": [tool_name, payload]}


@pytest.fixture
def board():
    with Callboard() as board:
        board.register(Shell())
        yield board


def test_a_plugin_declares_a_provider_s_tool_and_is_called_for_it(board):
    shell = board.execute(ACTIONS["shell"])
    bash = board.execute({"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}})

    assert shell["result"] == ["shell", {key: ACTIONS["shell"][key] for key in ("action", "environment")}]
    assert bash["result"] == ["bash", {"command": "ls"}]


@pytest.mark.parametrize(
    "call", [call for of in HOSTED_CALLS.values() for call in of], ids=lambda call: str(call)[:40]
)
def test_what_the_provider_runs_itself_is_never_run_on_a_board(board, call):
    result = board.execute(call)

    assert (result["code"], result["outcome"]) == ("invalid_call", "not_sent")


def test_a_coordinator_is_given_the_tools_that_anybody_could_call(board):
    class Coordinator:
        mounted: list[str] = []  # noqa: RUF012 - one test

        async def mount(self, kind, tool, name):
            self.mounted.append(name)

        async def unmount(self, kind, name):
            self.mounted.remove(name)

    coordinator = Coordinator()

    asyncio.run(mount(coordinator, {"board": board}))

    assert coordinator.mounted == ["ls"]
