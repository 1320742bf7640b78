"""The page on the tool host protocol: hosts that are written from it alone, each through a whole conversation."""

from __future__ import annotations

import shutil

import programs
import pytest
from boards import QUICK
from callboard import AgentCore
from callboard.actors.board import Board
from callboard.actors.hosting.settings import HostSettings
from callboard.authoring.replay_server import ReplayServer
from callboard.hosts.command.tool import CommandToolPlugin
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.providers import OpenAIChatProvider
from leaks import TEST_MARK
from node_path import node_program
from tapped_hosts import Tap
from toolbox import asked, of
from tools import tool_call

PROGRAMS = programs.PROGRAMS / "from_specification"

SCRIPT = [
    {"steps": [{"calls": [{"name": "greet", "arguments": {"who": "Ada"}}]}, {"text": "It said: {result}"}]}
]

VERSION_1 = {
    "init": {"config"},
    "get_tool_schemas": {"state"},
    "execute_tool": {"tool_name", "arguments", "state"},
    "get_config_schema": set(),
    "get_ui_elements": set(),
    "get_tags": {"config", "models"},
    "required_tags": set(),
    "format_tool_result": {"result", "state"},
    "format_tool_call_preview": {"tool_name", "arguments", "state"},
    "to_display_format": {"text", "result", "state"},
}
"""The methods of the page, with their parameters."""


def minimal(*words):
    shell = shutil.which("sh")
    assert shell is not None
    return [shell, str(PROGRAMS / "minimal.sh"), *words]


def complete():
    return [node_program(), str(PROGRAMS / "complete.mjs")]


def converse(command, config=None, turns=2):
    """So many conversations on a board with this host: what the model was offered, the events, and the wire."""
    tap = Tap()
    plugin = CommandToolPlugin("greeter", command, env=TEST_MARK)
    plugin.carry = tap.carry
    with ReplayServer(SCRIPT) as server, Board() as board, AgentCore(board=board) as core:
        settings = HostSettings(config or {}, start_deadline=30.0)
        board.begin_hosted(PluginAdapter(plugin), plugin, host=settings, policy=QUICK)
        board.settle_hosted("greeter", required=True)
        board.queries.check_config("greeter")
        board.queries.ui_elements()
        core.register_provider(OpenAIChatProvider, {"model": "m", "base_url": server.url})
        events = [list(core.run(asked(core, "greet Ada"), {})) for _ in range(turns)]
        offered = [
            [tool["function"]["name"] for tool in request.body["tools"]] for request in server.requests
        ]
    return offered, events, tap


def contents(events):
    """What the model and the person were told of each call, and the model's last words."""
    session = events[-1]["session"]
    (message,) = [each for each in session.messages if each["role"] == "tool"]
    return message["content"], message["metadata"]["display"]["content"], session.messages[-1]["content"]


@pytest.mark.parametrize("config", [{}, {"tone": "warm"}])
def test_a_minimal_host_whose_only_error_is_the_general_one_holds_a_conversation(config):
    offered, conversations, tap = converse(minimal(), config)

    assert offered == [["greet"]] * 4
    assert [contents(events) for events in conversations] == [("hello", "hello", "It said: hello")] * 2
    assert set(tap.asked()) <= VERSION_1.keys()


def test_what_a_host_has_answered_with_an_error_it_is_not_asked_again_and_not_warned_of(caplog):
    caplog.set_level("INFO")

    _, _, tap = converse(minimal(), {"tone": "warm"}, turns=3)

    optional = [
        method for method in tap.asked() if method not in {"init", "get_tool_schemas", "execute_tool"}
    ]
    logged = [record for record in caplog.records if record.name == "callboard.hosts"]

    assert sorted(set(optional)) == sorted(optional)
    assert [record.levelname for record in logged] == ["INFO"] * len(optional) != []
    assert [record for record in caplog.records if record.levelname not in {"DEBUG", "INFO"}] == []


def test_a_host_that_is_silent_about_what_it_does_not_know_is_asked_one_such_question(caplog):
    _, conversations, tap = converse(minimal("silent"), {"tone": "warm"})

    optional = [
        method for method in tap.asked() if method not in {"init", "get_tool_schemas", "execute_tool"}
    ]
    warnings = [record for record in caplog.records if record.name == "callboard.hosts"]

    assert [contents(events) for events in conversations] == [("hello", "hello", "It said: hello")] * 2
    assert optional == ["get_config_schema"]
    assert len(warnings) == 1


def test_a_host_with_all_optional_methods_is_asked_each_of_them():
    _, conversations, tap = converse(complete(), {"tone": "warm"})

    previews = [event["preview"] for events in conversations for event in of("preview", events)]

    assert [contents(events) for events in conversations] == [
        (said, f"<{said}>", f"It said: {said}")
        for said in ("said hello Ada, 1 so far", "said hello Ada, 2 so far")
    ]
    assert previews == ["greet Ada"] * 2
    assert [of("part", events)[0]["part"] for events in conversations] == [{"greeting": "Ada"}] * 2
    assert set(tap.asked()) == VERSION_1.keys()


def test_a_request_has_a_version_an_id_of_its_own_a_method_and_the_parameters_of_the_page():
    _, _, tap = converse(complete(), {"tone": "warm"})

    assert {frozenset(request) for request in tap.sent} == {frozenset({"v", "id", "method", "params"})}
    assert {(request["v"], type(request["id"])) for request in tap.sent} == {(1, str)}
    assert len({request["id"] for request in tap.sent}) == len(tap.sent)
    assert {request["method"]: request["params"].keys() for request in tap.sent} == VERSION_1


def test_the_state_of_init_of_the_schemas_and_of_each_call_comes_with_the_next_call_and_of_no_formatter():
    _, _, tap = converse(complete(), {"tone": "warm"})

    calls = [request["params"]["state"] for request in tap.sent if request["method"] == "execute_tool"]

    assert calls == [
        {"greeted": number, "config": {"tone": "warm"}, "described": True} for number in range(2)
    ]


def answered_by(command, config):
    """The tool message of a call to such a host."""
    plugin = CommandToolPlugin("greeter", command, env=TEST_MARK)
    with Board() as board, AgentCore(board=board) as core:
        settings = HostSettings(config, start_deadline=30.0)
        board.begin_hosted(PluginAdapter(plugin), plugin, host=settings, policy=QUICK)
        board.settle_hosted("greeter", required=True)
        return core.execute_tool_calls([tool_call("greet", who="Ada")], {})[0]


ENVELOPE = {
    "type": "provider_native_tool_result",
    "format": "openai.chat_completions",
    "content": [{"type": "text", "text": "seen"}, {"type": "image_url", "image_url": {"url": "data:"}}],
}


def test_only_an_explicit_envelope_of_a_host_stays_structured_and_ordinary_objects_are_text():
    envelope = answered_by(complete(), {"formatted": ENVELOPE})
    ordinary = answered_by(complete(), {"formatted": {"an": "object"}})

    assert (envelope["content"], envelope["toolResult"]) == ("seen", ENVELOPE)
    assert envelope["metadata"]["display"]["content"] == "<>"
    assert ordinary["content"] == '{"an":"object"}'
    assert ordinary["toolResult"] == {"type": "tool_result", "text": '{"an":"object"}'}


def test_a_failure_of_a_tool_in_a_host_is_a_result_of_its_own():
    failed = answered_by(complete(), {"result": {"success": False, "error": "no luck"}, "formatted": "sorry"})

    assert failed["content"] == "sorry"
    assert "failure" not in failed["metadata"]


@pytest.mark.parametrize("detail", ["boom", "Error: boom"])
def test_what_a_tool_in_a_host_raises_is_told_as_one_error(detail):
    failed = answered_by(complete(), {"error": {"type": "Error", "detail": detail, "stack": ""}})

    assert failed["content"] == failed["metadata"]["display"]["content"] == "Error: boom"
