"""Real traffic with real hosts is held to the schema of the protocol, message by message, in both directions."""

from __future__ import annotations

import json
import shutil

import pytest
from bare_host import EXAMPLES, BareHost
from callboard.actors.board import Board
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.hosting.host_registry import Share
from callboard.actors.hosting.settings import HostSettings
from callboard.hosts.environment import host_environment
from callboard.hosts.hosted_tool import HostedToolPlugin
from callboard.hosts.node.tool import HOST_SCRIPT, NodeToolPlugin
from callboard.hosts.process.process import Command
from callboard.hosts.protocol.methods import METHODS
from callboard.hosts.python.runner.origin import PythonOrigin
from callboard.hosts.python.tool import PythonToolPlugin
from callboard.plugins.adapter.adapter import PluginAdapter
from jsonschema import Draft202012Validator
from leaks import TEST_MARK
from programs import NODE
from python_runner import python_host
from tapped_hosts import Tap
from tools import tool_call

SCHEMA = json.loads((HOST_SCRIPT.parents[2] / "protocol.schema.json").read_text())
PATIENCE = 30.0

BEYOND = {"describe", "load", "unload", "cancel"}


def faults(name, value):
    validator = Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})
    return [error.message for error in validator.iter_errors(value)]


def talk(plugin, tool, config=None):
    """Put a plugin on a board, have it called, formatted and cancelled, and take it off; what went over the wire."""
    tap = Tap()
    plugin.carry = tap.carry
    with Board() as board:
        board.begin_hosted(
            PluginAdapter(plugin), plugin, host=HostSettings(config or {}, start_deadline=PATIENCE)
        )
        board.settle_hosted(plugin.name, required=True)
        result = board.submit(tool).result(PATIENCE)
        state = plugin.init(config or {})
        for ask in (
            plugin.get_config_schema,
            plugin.get_ui_elements,
            plugin.required_tags,
            plugin.forbidden_tags,
        ):
            ask()
        plugin.get_tags({}, [])
        plugin.format_tool_result(result, state)
        plugin.format_tool_call_preview("tell", {}, state)
        plugin.to_display_format("text", result, state)
        waiting = board.submit(tool_call("wait"))
        next(waiting.parts(), None)
        waiting.cancel()
        board.submit(tool).result(PATIENCE)  # when its place is free, the host has been told
        board.remove(plugin.name)
        board.submit(tool_call("none"))
    return tap


def talk_in_one_host(*plugins):
    """Put plugins into one host, have each called, one of them cancelled, and take them off one after the other."""
    tap = Tap()
    with Board() as board:
        for plugin in plugins:
            plugin.carry = tap.carry
            board.begin_hosted(
                PluginAdapter(plugin),
                plugin,
                host=HostSettings({}, start_deadline=PATIENCE),
                settings=ToolSettings(idle_deadline=PATIENCE),
                share=Share("pool"),
            )
        for plugin in plugins:
            board.settle_hosted(plugin.name, required=True)
            plugin.get_tags({}, [])
        for tool in (tool_call("tell", a=1), tool_call("echo", value="x")):
            assert board.submit(tool).result(PATIENCE)["success"]
        waiting = board.submit(tool_call("wait"))
        next(waiting.parts(), None)
        waiting.cancel()
        board.submit(tool_call("tell")).result(PATIENCE)
        for plugin in plugins:
            board.remove(plugin.name)
    return tap


def misfits(tap):
    """All that the schema has something against."""
    return [
        *((request, found) for request in tap.sent if (found := faults("request", request))),
        *((said, found) for said in tap.received if (found := faults("message", said))),
        *(
            (method, found)
            for method, value in tap.values()
            if (found := faults(f"value of {method}", value))
        ),
    ]


def node():
    return NodeToolPlugin("extended", NODE / "extended_tool.mjs", env=TEST_MARK)


def python(tmp_path):
    file = tmp_path / "simple.py"
    file.write_text(
        "class Tool:\n"
        "    def prepare(self, config, state): return {'ready': True}\n"
        "    def get_tool_schemas(self, state, *, prepared=None):\n"
        "        return [{'type': 'function', 'function': {'name': 'tell'}}]\n"
        "    def can_handle_tool_call(self, tool_name, payload, state): return None\n"
        "    def stream_tool(self, tool_name, payload, state, *, tool_call=None):\n"
        "        yield {'part': 1}\n"
        "        yield {'success': True, 'result': 1}\n"
    )
    return PythonToolPlugin(
        "simple", PythonOrigin("simple.Tool", module="simple", file=str(file)), env=TEST_MARK
    )


def perl(*, extended):
    program = shutil.which("perl")
    assert program is not None, "this needs perl, which every Debian has; install it"
    argv = (program, str(EXAMPLES / "perl-host" / "count_words.pl"))
    command = Command(argv, host_environment({"PATH": "/usr/bin:/bin"}, TEST_MARK), extended=extended)
    return HostedToolPlugin("perl", lambda: command)


def test_the_schema_knows_every_method_of_the_protocol_and_no_other():
    Draft202012Validator.check_schema(SCHEMA)
    defined = SCHEMA["$defs"]
    told = {name.removeprefix("params of ") for name in defined if name.startswith("params of")}

    assert {name for name in told if "," not in name} == METHODS.keys() | BEYOND
    assert {name.removeprefix("value of ") for name in defined if name.startswith("value of")} == (
        METHODS.keys() | BEYOND
    )
    assert {name.removesuffix(", version 1") for name in told if "," in name} == {
        name for name, method in METHODS.items() if not method.beyond_v1
    }


def test_what_goes_over_the_wire_to_our_own_hosts_is_as_the_schema_says(tmp_path):
    taps = [talk(node(), tool_call("tell", a=1)), talk(python(tmp_path), tool_call("tell", a=1))]

    for tap in taps:
        assert tap.asked()[:4] == ["describe", "init", "prepare", "get_tool_schemas"]
        assert misfits(tap) == []
        assert {"describe", "init", "prepare", "get_tool_schemas", "execute_tool"} <= dict(
            tap.values()
        ).keys()
    assert {"cancel", "can_handle_tool_call", "shutdown"} <= set(taps[0].asked())


def test_what_goes_over_the_wire_to_a_shared_host_is_as_the_schema_says():
    echo = NodeToolPlugin("echo", NODE / "spec_echo_tool.mjs", env=TEST_MARK)

    tap = talk_in_one_host(node(), echo)

    assert misfits(tap) == []
    named = {request["params"].get("plugin") for request in tap.sent if request["method"] in METHODS}
    assert named == {"extended", "echo"}
    assert tap.asked().count("describe") == 1
    assert tap.asked().count("load") == 2
    assert {"prepare", "execute_tool", "cancel", "shutdown"} <= set(tap.asked())
    calls = [request for request in tap.sent if request["method"] == "execute_tool"]
    said = {message["id"]: message for message in reversed(tap.received)}  # the first of each
    assert [said[call["id"]].get("event") for call in calls] == [{"type": "ack"}] * 4


@pytest.mark.parametrize("extended", [False, True])
def test_a_host_of_version_1_is_spoken_to_as_it_always_was_even_if_it_was_asked_for_more(extended):
    tap = talk(perl(extended=extended), tool_call("count_words", text="to be"))

    requests = tap.sent[1:] if extended else tap.sent
    assert extended == (tap.asked()[0] == "describe")
    assert requests[0] == {"v": 1, "id": requests[0]["id"], "method": "init", "params": {"config": {}}}
    assert [
        (each, faults("request of version 1", each))
        for each in requests
        if faults("request of version 1", each)
    ] == []
    assert [each for each in tap.received if faults("message of version 1", each)] == []
    assert dict(tap.values())["execute_tool"]["success"]


def test_a_client_of_version_1_is_answered_as_it_always_was(tmp_path):
    origin = python(tmp_path).origin
    call = {"tool_name": "wait_for_ever", "arguments": {}, "state": {"calls": 0}, "ack": True}
    for start in (
        lambda: BareHost(NODE / "extended_tool.mjs"),
        lambda: python_host(origin.path, tmp_path / "simple.py"),
    ):
        with start() as host:
            state = host.ask("init", {"config": {}})
            schemas = host.ask("get_tool_schemas", {"state": {"calls": 0}})
            part = (host.send("execute_tool", call), host.read())[1]
        with start() as host:
            unknown = host.error("levitate")
            prepare = host.error("prepare", {"config": {}, "state": {}})

        for method, answer in (("init", state), ("get_tool_schemas", schemas)):
            assert faults("message of version 1", answer) == []
            assert faults(f"value of {method}", answer["result"]["value"]) == []
        assert faults("message of version 1", part) == []
        assert part["event"]["type"] == "part"
        assert (unknown["type"], prepare["type"]) == ("MethodNotFound", "MethodNotFound")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("request of version 1", {"v": 1, "id": "1", "method": "cancel", "params": {"id": "2"}}),
        (
            "request of version 1",
            {"v": 1, "id": "1", "method": "init", "params": {"config": {}, "plugin": "x"}},
        ),
        ("request", {"v": 1, "id": "1", "method": "levitate", "params": {}}),
        ("request", {"v": 1, "id": 1, "method": "init", "params": {"config": {}}}),
        ("message", {"v": 2, "id": "1", "ok": True, "result": {"value": 1}}),
        ("message", {"v": 1, "id": "1", "ok": True, "result": {"value": 1, "state": []}}),
        ("message", {"v": 1, "id": "1", "ok": False, "error": "no"}),
        ("message of version 1", {"v": 1, "id": "1", "event": {"type": "ack"}}),
        ("value of execute_tool", "done"),
    ],
)
def test_the_schema_tells_what_is_wrong(name, message):
    assert faults(name, message)
