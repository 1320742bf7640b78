"""What is committed can be sent again: a state, or a result, beyond that is an `invalid_result`, and the tool goes on."""

from __future__ import annotations

import json

import pytest
from callboard.actors.board import Board
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.hosting.settings import HostSettings
from callboard.actors.state.store import MemoryStore
from callboard.plugins.adapter.adapter import PluginAdapter
from hypothesis import given
from hypothesis import strategies as st
from memory_hosts import PATIENCE, SLOWLY, MemoryHost, memory_board
from tools import a_tool, tool_call

KEPT = {"kept": "as it was"}


def nested(levels: int, inner: str = "0") -> str:
    """An object that is nested so deep, as text."""
    return '{"a":' * levels + inner + "}" * levels


def answer(request, *, value='{"success":true,"result":1}', state="{}") -> bytes:
    """An answer as a host writes it, in its own spelling."""
    said = f'{{"value":{value},"state":{state}}}'
    return f'{{"v":1,"id":{json.dumps(request["id"])},"ok":true,"result":{said}}}\n'.encode()


def add(memory, **host):
    """A plugin in a host in memory that has committed `KEPT`."""
    plugin = MemoryHost("host", ("tool",))
    memory.board.begin_hosted(
        PluginAdapter(plugin.plugin),
        plugin.plugin,
        host=HostSettings({}, **host),
        policy=SLOWLY,
        settings=ToolSettings(deadline=None),
    )
    memory.board.settle_hosted("host", required=True)
    memory.call()
    plugin.generation.succeed(state=KEPT)
    return plugin


def call(memory, host, **said):
    """One call that the host answers in these words; its result."""
    call = memory.call()
    host.generation._listener.on_output(answer(host.generation.request(), **said))
    return call.result(PATIENCE)


@pytest.fixture(params=["no store", "store"])
def store(request):
    return None if request.param == "no store" else MemoryStore()


@pytest.mark.parametrize(
    ("state", "path"),
    [
        (nested(249), "$.state"),
        (nested(252), "$.state"),
        (nested(300), "$.state"),
        (nested(1000), "$.state"),
        ('{"n":1e999}', "$.state.n"),
        ('{"n":[1,-1e999]}', "$.state.n[1]"),
        ('{"null":null,"n":1e400}', "$.state.n"),
        ('{"half":"\\ud800","n":1e400}', "$.state.n"),
        (f'{{"n":{"9" * 400}.0}}', "$.state.n"),
        (f'{{"big":"{"x" * 5001}"}}', "$.state"),
    ],
    ids=["249", "252", "300", "1000", "inf", "-inf", "null", "half", "digits", "big"],
)
def test_a_state_that_could_not_be_sent_again_is_not_committed(store, state, path):
    with memory_board(state_store=store) as memory:
        host = add(memory, max_line_bytes=10_000)
        version = memory.status()["state_version"]

        refused = call(memory, host, state=state)
        next_one = memory.call()
        sent = host.generation.succeed("on it goes")["params"]["state"]

        assert (refused["code"], refused["outcome"]) == ("invalid_result", "outcome_unknown")
        assert refused["path"].startswith(path)
        assert sent == KEPT
        assert next_one.result(PATIENCE)["success"]
        assert memory.status()["state_version"] == version
        assert store is None or json.loads(store.load("host").state) == KEPT


@pytest.mark.parametrize("state", [nested(240), '{"n":1e308}', f'{{"big":"{"x" * 4000}"}}', '{"n":null}'])
def test_a_state_within_that_is_committed_and_sent_again(store, state):
    with memory_board(state_store=store) as memory:
        host = add(memory, max_line_bytes=10_000)

        kept = call(memory, host, state=state)
        next_one = memory.call()
        sent = host.generation.succeed("on it goes")["params"]["state"]

        assert kept["success"]
        assert sent == json.loads(state)
        assert next_one.result(PATIENCE)["success"]


def test_how_much_a_state_may_be_is_told():
    with memory_board() as memory:
        host = add(memory, max_line_bytes=10_000)

        refused = call(memory, host, state=f'{{"big":"{"x" * 6000}"}}')

        assert (refused["state_bytes"], refused["max_state_bytes"]) == (6010, 5000)


@given(levels=st.integers(240, 262), inner=st.sampled_from(["0", "null", '"\\ud800"', "1e999", "[[]]"]))
def test_whatever_is_committed_is_sent_with_the_next_call(levels, inner):
    with memory_board() as memory:
        host = add(memory)

        first = call(memory, host, state=nested(levels, inner))
        next_one = memory.call()
        sent = host.generation.succeed("on it goes")["params"]["state"]

        assert first["success"] == (sent != KEPT)
        assert first.get("code") in {None, "invalid_result"}
        assert next_one.result(PATIENCE)["success"]


@pytest.mark.parametrize(
    ("result", "path"),
    [
        ("1e999", "$.result"),
        ("[0,-1e999]", "$.result[1]"),
        (nested(260), "$.result"),
        (nested(1000), "$.result"),
    ],
    ids=["inf", "-inf", "260", "1000"],
)
def test_a_result_that_is_no_json_to_be_passed_on_is_an_invalid_result(store, result, path):
    with memory_board(state_store=store) as memory:
        host = add(memory)

        refused = call(memory, host, value=f'{{"success":true,"result":{result}}}', state='{"new":1}')
        next_one = memory.call()
        sent = host.generation.succeed("on it goes")["params"]["state"]

        assert refused["code"] == "invalid_result"
        assert refused["path"].startswith(path)
        assert sent == KEPT
        assert next_one.result(PATIENCE)["success"]


@pytest.mark.parametrize("payload", ["1e999", nested(300)])
def test_a_part_that_is_no_json_to_be_passed_on_costs_nobody_the_answer(payload):
    with memory_board() as memory:
        host = add(memory)
        call = memory.call()
        request = host.generation.request()
        said = f'{{"v":1,"id":"{request["id"]}","event":{{"type":"part","payload":{payload}}}}}\n'

        host.generation._listener.on_output(said.encode())
        host.generation.answer(request, {"success": True, "result": "well"})

        assert call.result(PATIENCE)["result"] == "well"
        (part,) = call.parts()
        assert part["type"] == "text"


@pytest.mark.parametrize("stored", [False, True])
def test_a_tool_of_this_process_is_held_to_the_same(stored):
    def deepen(arguments, state):
        if arguments.get("levels"):
            state["deep"] = json.loads(nested(arguments["levels"]))
        return {"success": True, "result": "deep" in state}

    with Board(state_store=MemoryStore() if stored else None) as board:
        board.add(a_tool(deepen), config={})
        results = [board.submit(tool_call("tool", levels=n)).result(PATIENCE) for n in (249, 0, 240, 0)]

    assert [result.get("code", result.get("result")) for result in results] == [
        "invalid_result",
        False,
        True,
        True,
    ]


def test_a_state_of_the_handshake_that_cannot_be_sent_keeps_the_plugin_out():
    with memory_board() as memory:
        host = MemoryHost("host", ("tool",))
        host.fresh = {"big": "x" * 6000}
        memory.board.begin_hosted(
            PluginAdapter(host.plugin),
            host.plugin,
            host=HostSettings({}, max_line_bytes=10_000),
            policy=SLOWLY,
        )

        memory.events.wait("host_backoff")


def test_an_empty_state_after_an_empty_one_is_no_commit(store):
    with memory_board(state_store=store) as memory:
        host = add(memory)
        emptied = call(memory, host, state="{}")
        version = memory.status()["state_version"]

        again = call(memory, host, state="{}")
        kept_again = memory.status()["state_version"]
        filled = call(memory, host, state='{"n":1}')

        assert [one["success"] for one in (emptied, again, filled)] == [True, True, True]
        assert kept_again == version
        assert memory.status()["state_version"] == version + 1


def test_a_state_that_is_emptied_is_committed_and_sent(store):
    with memory_board(state_store=store) as memory:
        host = add(memory)
        version = memory.status()["state_version"]

        emptied = call(memory, host, state="{}")
        next_one = memory.call()
        sent = host.generation.succeed("on it goes")["params"]["state"]

        assert emptied["success"]
        assert sent == {}
        assert next_one.result(PATIENCE)["success"]
        assert memory.status()["state_version"] > version
        assert store is None or json.loads(store.load("host").state) == {}
