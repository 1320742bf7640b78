"""Several JavaScript plugins in one host, as a client on the wire sees them."""

from __future__ import annotations

from bare_host import HOST_SCRIPT, BareHost
from callboard.hosts.node.tool import NodeToolPlugin
from node_path import node_program
from programs import EVIL_NODE, NODE

SEVERAL = [node_program(), str(HOST_SCRIPT), "--several"]


def test_plugins_of_one_host_are_loaded_asked_and_let_go_by_name():
    echo, shapes = str(NODE / "spec_echo_tool.mjs"), str(NODE / "records_arguments.mjs")
    with BareHost(SEVERAL) as host:
        described = host.value("describe")
        echo_has = host.value("load", {"plugin": "echo", "entry": echo})
        host.value("load", {"plugin": "records", "entry": shapes, "export": "default"})
        states = [host.value("init", {"plugin": name, "config": {}}) for name in ("echo", "records")]
        unnamed = host.error("init", {"config": {}})
        twice = host.error("load", {"plugin": "echo", "entry": echo})
        let_go = host.value("unload", {"plugin": "echo"})
        gone = host.error("get_tool_schemas", {"plugin": "echo", "state": {}})
        again = host.value("load", {"plugin": "echo", "entry": echo})
        misspelt = host.error("load", {"plugin": "other", "entry": "relative.mjs"})

    assert described["protocol"] == "thp/1"
    assert "plugins" in described["features"]
    assert "methods" not in described
    assert echo_has == again
    assert {"init", "get_tool_schemas", "execute_tool"} <= set(echo_has["methods"])
    assert "get_tags" not in echo_has["methods"]
    assert states == [{"config": {}, "calls": 0}, {"given": [{}]}]
    assert (unnamed["type"], gone["type"]) == ("PluginNotFound", "PluginNotFound")
    assert twice["type"] == "PluginExists"
    assert let_go is None
    assert (misspelt["type"], misspelt["detail"]) == (
        "ProtocolError",
        'the "entry" of a plugin is an absolute path',
    )


def test_a_plugin_that_cannot_be_loaded_harms_no_other():
    with BareHost(SEVERAL) as host:
        bad = host.send("load", {"plugin": "bad", "entry": str(EVIL_NODE / "throws_at_import.mjs")})
        asked = host.send("init", {"plugin": "bad", "config": {}})
        good = host.send("load", {"plugin": "good", "entry": str(NODE / "spec_echo_tool.mjs")})
        answers = {answer["id"]: answer for answer in (host.read(), host.read(), host.read())}
        after = host.error("init", {"plugin": "bad", "config": {}})

    assert (answers[bad]["error"]["phase"], answers[asked]["error"]["phase"]) == ("load", "load")
    assert answers[bad]["error"]["detail"] == answers[asked]["error"]["detail"]
    assert answers[good]["ok"] is True
    assert after["type"] == "PluginNotFound"


def test_a_description_waits_for_the_plugin_and_comes_before_what_is_asked_of_it():
    with BareHost(NODE / "spec_echo_tool.mjs") as host:
        ids = [host.send("describe", {"protocol": "thp/1"}), host.send("init", {"config": {}})]
        first, second = host.read(), host.read()

    assert [first["id"], second["id"]] == ids
    assert "execute_tool" in first["result"]["value"]["methods"]
    assert first["result"]["value"]["host"]["name"] == "callboard-node"


def test_our_own_host_has_described_itself_when_the_first_answer_is_there():
    with NodeToolPlugin("echo", NODE / "spec_echo_tool.mjs") as tool:
        tool.init({})
        host = tool.host
        assert host is not None
        features, described = host.features, host.description

    assert "plugins" in features
    assert described.offers("execute_tool")
    assert not described.offers("get_tags")
    assert described.program.startswith("callboard-node v")
