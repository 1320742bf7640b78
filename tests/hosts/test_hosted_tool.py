from __future__ import annotations

import pytest
from callboard.hosts.errors import HostGone, HostStartError, RemoteError
from callboard.hosts.hosted_tool import HostedToolPlugin
from callboard.hosts.process.process import Command
from callboard.hosts.process.stop_ladder import KILL_NOW
from callboard.hosts.protocol.description import Description
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.plugins.contract.invocation import Invocation
from evil_hosts import evil, says
from leaks import alive, no_leaks, wait_until


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


def counting(*lacking):
    return HostedToolPlugin("counts", lambda: evil("counts", "--lacks", *lacking))


def asked_of(tool):
    return tool.host.stderr_tail.splitlines()


def test_a_tool_runs_and_its_state_is_carried_on():
    with counting() as tool:
        state = tool.init({"depth": 2})
        schemas = tool.get_tool_schemas(state)
        first = tool.execute_tool("count", {"step": 2}, state)
        second = tool.execute_tool("count", {"step": 3}, state)

    assert schemas == [{"name": "count"}]
    assert (first, second) == ({"success": True, "result": 2}, {"success": True, "result": 5})
    assert state == {"count": 5, "config": {"depth": 2}}


def test_an_answer_without_state_leaves_the_state_alone():
    with counting() as tool:
        state = tool.init({})
        before = dict(state)
        result = tool.execute_tool("count", {"step": -1}, state)

    assert result == {"success": False, "error": "only forward"}
    assert state == before


def test_the_state_that_comes_beside_the_value_of_init_counts():
    line = '{"v":1,"id":"ID","ok":true,"result":{"value":{"not":"this"},"state":{"n":1}}}'
    with HostedToolPlugin("t", lambda: says(line)) as tool:
        assert tool.init({}) == {"n": 1}


def test_optional_methods_are_asked_with_what_the_protocol_names():
    with counting() as tool:
        result = tool.format_tool_result({"success": True}, {"count": 1})
        preview = tool.format_tool_call_preview("count", {"step": 1}, {})
        schema = tool.get_config_schema()

    assert result == {
        "method": "format_tool_result",
        "params": {"result": {"success": True}, "state": {"count": 1}},
    }
    assert preview["params"] == {"tool_name": "count", "arguments": {"step": 1}, "state": {}}
    assert schema["method"] == "get_config_schema"


def test_an_optional_method_that_a_host_lacks_answers_none_and_is_not_asked_again():
    with counting() as tool:
        answers = [tool.required_tags(), tool.required_tags(), tool.get_ui_elements()]
        answers.append(tool.to_display_format("text", {}, {}))
        tool.init({})
        wait_until(lambda: "init" in asked_of(tool))

        assert answers == [None] * 4
        assert asked_of(tool).count("required_tags") == 1


def test_a_new_generation_is_asked_again_what_it_offers():
    with counting() as tool:
        tool.required_tags()
        tool.attach(tool.host)
        tool.required_tags()

        wait_until(lambda: asked_of(tool).count("required_tags") == 2)


def test_another_error_of_a_method_that_a_host_says_it_has_is_raised():
    with counting() as tool:
        tool.attach(tool.host, Description(methods=frozenset({"get_tags"})))

        with pytest.raises(RemoteError, match="ValueError: bad models"):
            tool.get_tags({}, [])


def test_an_error_of_a_method_that_a_host_has_answered_before_is_raised():
    with counting() as tool:
        tool.get_tags({}, [{"id": "good"}])

        with pytest.raises(RemoteError, match="ValueError: bad models"):
            tool.get_tags({}, [])


def test_a_host_of_version_1_is_not_asked_for_what_that_does_not_know():
    with counting() as tool:
        answers = [tool.forbidden_tags(), tool.is_enabled({}, [], [], {}), tool.prepare({}, {})]
        tool.init({})
        wait_until(lambda: "init" in asked_of(tool))

        assert answers == [None] * 3
        assert asked_of(tool) == ["init"]


def test_a_required_method_that_a_host_lacks_is_an_error():
    with counting("get_tool_schemas") as tool, pytest.raises(RemoteError, match="MethodNotFound"):
        tool.get_tool_schemas({})


def test_without_a_host_nothing_can_be_asked():
    with pytest.raises(HostGone, match="the host of 'counts' is not running"):
        counting().init({})


def test_what_is_to_be_shown_while_its_host_is_down_is_the_default_and_nobodys_fault():
    faults, result = [], {"success": True, "result": "done"}
    plugin = PluginAdapter(counting(), report=faults.append)

    shown = (
        plugin.preview(Invocation("count", {}, "object"), {}),
        plugin.format_result(result, {}),
        plugin.display("done", result, {}),
    )

    assert shown == ("", "done", {"type": "text", "content": "done"})
    assert faults == []


def test_a_host_that_dies_is_told_to_who_asked_it():
    tool = HostedToolPlugin("dies", lambda: evil("dies_by_signal", "9"))

    with tool, pytest.raises(HostGone, match="signal SIGKILL") as caught:
        tool.execute_tool("t", {}, {})

    assert caught.value.report["host"] == "dies"


def test_a_closed_tool_is_gone_and_can_be_opened_again():
    tool = counting()
    with tool:
        first = tool.host.pid
    assert (tool.host, alive(first)) == (None, False)

    with tool:
        assert tool.init({})["count"] == 0


def test_a_tool_that_does_not_want_to_go_is_gone_all_the_same():
    tool = HostedToolPlugin("stubborn", lambda: evil("ignores_term")).open()
    pid = tool.host.pid

    tool.close(KILL_NOW)

    assert not alive(pid)


def test_a_tool_that_is_open_is_not_opened_twice():
    with counting() as tool:
        with pytest.raises(HostStartError, match="has a host already"):
            tool.open()

        assert tool.init({})["count"] == 0


def test_a_program_that_is_not_there_is_told_when_the_tool_is_opened():
    tool = HostedToolPlugin("absent", lambda: Command(("/no/such/program",), {}))

    with pytest.raises(HostStartError):
        tool.open()

    assert tool.host is None
