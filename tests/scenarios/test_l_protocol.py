"""L: protocol faults, with hosts in memory on a manual clock."""

from __future__ import annotations

from memory_hosts import PATIENCE, memory_board


def test_scenario_L3_a_wrong_version_is_a_fault_for_good_and_no_endless_loop_of_restarts():
    with memory_board() as memory:
        host = memory.add()
        call = memory.call()
        request = host.generation.request()

        host.generation.say({"v": 2, "id": request["id"], "ok": True, "result": {"value": 1}})
        result = call.result(PATIENCE)
        parked = memory.events.wait("host_parked")[0]
        memory.clock.advance(24 * 3600.0)

        assert (result["code"], result["reason"]) == ("protocol_error", "wrong_version")
        assert parked.facts["seconds"] is None
        assert memory.call().result(PATIENCE)["code"] == "host_unavailable"
        assert len(host.generations) == 1


def test_scenario_L4_an_error_that_the_host_reports_is_the_callers_and_no_reason_to_restart():
    with memory_board() as memory:
        host = memory.add()
        call = memory.call()

        host.generation.refuse(host.generation.request(), "RangeError", "too far")
        after = memory.call()
        host.generation.succeed("as before")

        result = call.result(PATIENCE)
        assert (result["code"], result["type"], result["message"]) == ("tool_raised", "RangeError", "too far")
        assert after.result(PATIENCE)["result"] == "as before"
        assert len(host.generations) == 1
