"""M: state and schemas after a restart, with hosts in memory on a manual clock."""

from __future__ import annotations

from callboard.actors.endpoint.crash_attribution import QuarantinePolicy
from memory_hosts import PATIENCE, memory_board

TOLD = ("plugin_registered", "host_ready")
"""In this order of each generation that brings other schemas than the last one."""


def test_scenario_M1_init_precedes_any_call_and_the_state_is_the_last_that_was_acknowledged():
    with memory_board() as memory:
        host = memory.add()
        host.fresh = {"count": "fresh"}
        kept, broken, lost = memory.call(n=1), memory.call(n=2), memory.call(n=3)
        host.generation.succeed(state={"count": 1})
        host.generation.answer(host.generation.request(), "no result", state={"count": 2})
        host.generation.part(host.generation.request(), {"count": 3})
        memory.crash(host)
        held = memory.call(n=4)

        memory.restart(host)
        state = host.generation.succeed()["params"]["state"]

        assert [call.result(PATIENCE).get("code") for call in (kept, broken, lost, held)] == [
            None,
            "invalid_result",
            "host_crashed",
            None,
        ]
        assert state == {"count": 1}
        assert host.generation.methods == ["init", "get_tool_schemas", "execute_tool"]


def test_scenario_M2_a_state_with_which_the_host_crashed_twice_gives_way_to_a_fresh_one():
    with memory_board() as memory:
        host = memory.add(quarantine=QuarantinePolicy(crashes=2))
        memory.call()
        host.generation.succeed(state={"broken": True})
        host.fresh = {"fresh": True}
        for n in range(2):
            call = memory.call(n=n)
            assert host.generation.request()["params"]["state"] == {"broken": True}
            memory.relive(host)
            assert call.result(PATIENCE)["code"] == "host_crashed"

        memory.call()
        state = host.generation.succeed()["params"]["state"]
        memory.settle()

        assert state == {"fresh": True}
        assert [event.subject for event in memory.events.of("state_reset")] == ["host"]
        assert memory.status()["state_resets"] == 1
        assert memory.status()["quarantine"] == []


def test_scenario_M3_the_router_knows_schemas_that_differ_before_calls_are_served():
    with memory_board() as memory:
        host = memory.add(tools=("old",))
        memory.crash(host)
        host.tools = ("new",)
        held = memory.call("old")
        memory.restart(host)

        call = memory.call("new")
        host.generation.refuse(host.generation.request(), "Error", "there is no tool 'old' any more")
        served = host.generation.succeed()
        memory.settle()
        kinds = [event.kind for event in memory.events.events]

        assert held.result(PATIENCE)["code"] == "tool_raised"
        assert served["params"]["tool_name"] == "new"
        assert call.result(PATIENCE)["success"]
        assert [tool.tool_name for tool in memory.board.tools()] == ["new"]
        assert [kind for kind in kinds if kind in TOLD] == [*TOLD, *TOLD]
