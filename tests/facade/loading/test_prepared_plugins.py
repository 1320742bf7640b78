"""Plugins of a configuration are prepared side by side; one that cannot be keeps nobody from the others."""

from __future__ import annotations

import sys
import threading
import types
from typing import ClassVar

import pytest
from callboard import Callboard, ConfigurationError, PluginLoadError, ToolRuntime
from tools import schema, tool_call

PATIENCE = 20.0


class Prepares:
    """Offers the tool that its preparation finds; waits for the others to have begun, if it is told to."""

    begun = threading.Barrier(2)
    hang = threading.Event()
    hanging = threading.Event()
    prepared_by: ClassVar = []

    def init(self, config):
        return {"config": config}

    def prepare(self, config, state, *, context=None):
        Prepares.prepared_by.append(threading.current_thread())
        match config.get("how"):
            case "together":
                Prepares.begun.wait(PATIENCE)
            case "hang":
                Prepares.hanging.set()
                Prepares.hang.wait(PATIENCE)
            case "raise":
                raise OSError("no network")
            case "object":
                return {"schemas": [{"client": object()}]}
        return {"tool": config["tool"]}

    def get_tool_schemas(self, state, *, prepared=None):
        return [schema(prepared["tool"])]

    def execute_tool(self, tool_name, payload, state, *, prepared=None):
        return {"success": True, "result": [prepared, state["config"]]}


class Plain:
    name = "plain"

    def get_tool_schemas(self, state):
        return [schema("plain"), schema("wanted")]

    def execute_tool(self, tool_name, payload, state, *, context=None):
        return {"success": True, "result": sorted(context)}


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    module = types.ModuleType("prepared_here")
    module.Prepares, module.Plain = Prepares, Plain
    monkeypatch.setitem(sys.modules, "prepared_here", module)
    Prepares.begun.reset()
    Prepares.hang.clear()
    Prepares.hanging.clear()
    Prepares.prepared_by.clear()
    yield
    Prepares.hang.set()


def entry(name, **config):
    return {"plugin": "prepared_here.Prepares", "name": name, "config": config}


def test_plugins_prepare_at_the_same_time_once_each_and_none_in_the_thread_that_asks():
    config = {"plugins": [entry("a", how="together", tool="one"), entry("b", how="together", tool="two")]}

    with Callboard(config) as board:
        results = [board.execute(tool_call(name))["result"] for name in ("one", "two", "one")]

    assert [prepared for prepared, _ in results] == [{"tool": "one"}, {"tool": "two"}, {"tool": "one"}]
    assert len(Prepares.prepared_by) == 2
    assert threading.current_thread() not in Prepares.prepared_by


def test_one_that_cannot_be_prepared_stays_with_its_reason_and_the_others_work():
    told = []
    plugins = [
        entry("hangs", how="hang", tool="never"),
        entry("raises", how="raise", tool="never"),
        entry("holds a client", how="object", tool="never"),
        entry("works", tool="works"),
        "prepared_here.Plain",
    ]

    with Callboard(
        {"plugins": plugins, "prepare_deadline": 0.2},
        subscribers=[lambda event: told.append((event.kind, event.subject, event.facts))],
    ) as board:
        status = board.status()["plugins"]
        offered = [tool.tool_name for tool in board.tools()]
        called = board.execute(tool_call("works"))
        unknown = board.execute(tool_call("never"))

    assert {one.plugin for one in board.failed} == {"hangs", "raises", "holds a client"}
    reasons = {name: plugin.get("problem") for name, plugin in status.items() if not plugin["available"]}
    assert reasons.keys() == {"hangs", "raises", "holds a client"}
    assert "did not return within 0.2 s" in reasons["hangs"]
    assert "prepare raised OSError: no network" in reasons["raises"]
    assert "prepare.schemas[0].client is of type object" in reasons["holds a client"]
    assert all(reason.startswith("preparing the plugin failed: ") for reason in reasons.values())
    unavailable = {subject: facts["why"] for kind, subject, facts in told if kind == "plugin_unavailable"}
    assert unavailable == reasons
    assert offered == ["works", "plain", "wanted"]
    assert called["success"]
    assert unknown["code"] == "unknown_tool"


def test_one_that_is_required_keeps_the_board_from_starting():
    required = {**entry("raises", how="raise", tool="never"), "required": True}

    with pytest.raises(PluginLoadError, match=r"preparing the plugin failed.*no network") as caught:
        Callboard({"plugins": [required]}).start()

    assert caught.value.plugin == "raises"


def test_a_plugin_that_is_registered_has_to_be_prepared_and_can_be_registered_again_if_it_was_not():
    with Callboard() as board:
        with pytest.raises(PluginLoadError, match="no network"):
            board.register(Prepares, name="p", config={"how": "raise", "tool": "t"})
        assert board.status()["plugins"] == {}

        (tool,) = board.register(Prepares, name="p", config={"tool": "t"})

        assert tool.tool_name == "t"


def test_which_plugin_has_a_name_is_decided_by_their_order_and_not_by_who_is_prepared_first():
    with Callboard({"plugins": [entry("slow", tool="wanted"), "prepared_here.Plain"]}) as board:
        offered = [(tool.plugin_name, tool.tool_name) for tool in board.tools()]
        failed = [(one.source, one.error) for one in board.failed]

    assert offered == [("slow", "wanted")]
    assert [source for source, _ in failed] == ["prepared_here.Plain"]
    assert "'plain' offers the tool 'wanted', which 'slow' offers already" in failed[0][1]


def register_one_that_hangs(board, heard):
    try:
        board.register(Prepares, name="p", config={"how": "hang", "tool": "t"})
    except PluginLoadError as error:
        heard.append(f"{error.plugin}: {error}")


def test_a_plugin_that_is_taken_off_while_it_is_prepared_keeps_nobody_waiting():
    heard = []
    with Callboard() as board:
        waiter = threading.Thread(target=register_one_that_hangs, args=[board, heard])
        waiter.start()
        assert Prepares.hanging.wait(PATIENCE)
        assert board.status()["plugins"]["p"]["preparing"]

        board.remove("p")
        waiter.join(PATIENCE)

    assert heard == ["p: preparing the plugin failed: plugin 'p' was taken off the board"]


@pytest.mark.parametrize("value", [0, -1, "soon"])
def test_a_preparation_has_some_time(value):
    with pytest.raises(ConfigurationError) as caught:
        Callboard({"prepare_deadline": value})

    assert caught.value.path == "$.prepare_deadline"


class Live:
    """Makes its client in its preparation, and uses it in its calls."""

    name = "live"
    closed: ClassVar = []

    def prepare(self, config, state, *, context=None):
        context["tool_runtime"].get("client", list, close=self.closed.append)
        return {"client": "client"}

    def get_tool_schemas(self, state, *, prepared=None):
        return [schema("live")]

    def execute_tool(self, tool_name, payload, state, *, prepared=None, context=None):
        client = context["tool_runtime"].get(prepared["client"], dict)
        client.append(payload)
        return {"success": True, "result": list(client)}


def test_live_resources_are_shared_by_preparation_and_calls_and_closed_with_the_board():
    Live.closed.clear()

    with Callboard() as board:
        board.register(Live)
        board.execute(tool_call("live", n=1))
        result = board.execute(tool_call("live", n=2), context={"mine": True})
        names = board.board.tool_runtime.names()
        assert Live.closed == []

    assert result["result"] == [{"n": 1}, {"n": 2}]
    assert names == ["client"]
    assert Live.closed == [[{"n": 1}, {"n": 2}]]


def test_a_tool_runtime_of_the_applications_own_is_used_and_not_closed():
    Live.closed.clear()

    with ToolRuntime() as runtime:
        for _ in range(2):
            with Callboard(tool_runtime=runtime) as board:
                board.register(Live)
                result = board.execute(tool_call("live"))
        assert Live.closed == []

    assert result["result"] == [{}, {}]
    assert len(Live.closed) == 1


def test_the_context_is_given_to_those_that_accept_one_and_what_a_caller_brings_stays():
    with Callboard() as board:
        board.register(Plain)

        alone = board.execute(tool_call("plain"))["result"]
        brought = board.execute(tool_call("plain"), context={"mine": 1, "tool_runtime": None})["result"]

    assert alone == ["tool_runtime"]
    assert brought == ["mine", "tool_runtime"]
