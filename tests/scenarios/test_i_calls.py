"""I: calls, mailbox and replay, with hosts in memory on a manual clock."""

from __future__ import annotations

from callboard.actors.endpoint.fallback import WhileDown
from callboard.actors.messages import Dispatch
from memory_hosts import PATIENCE, memory_board
from tools import tool_call


def test_scenario_I2_queued_calls_are_held_in_order_or_refused_or_answered_in_the_tools_place():
    with memory_board() as memory:
        host = memory.add("holds", ("hold",))
        lost, *queued = [memory.call("hold", n=n) for n in range(4)]
        host.generation.request()
        memory.relive(host)
        order = [host.generation.succeed()["params"]["arguments"]["n"] for _ in queued]

        refuser = memory.add("refuses", ("refuse",), while_down=WhileDown(hold=0))
        under_way, waiting = memory.call("refuse"), memory.call("refuse")
        refuser.generation.request()
        memory.crash(refuser)
        coming = memory.call("refuse")

        stand_in = WhileDown(answer=lambda call: {"success": True, "result": ["instead", call["payload"]]})
        handled = memory.add("hands over", ("hand",), while_down=stand_in)
        memory.crash(handled)
        answered = memory.call("hand", n=7)

        assert lost.result(PATIENCE)["code"] == "host_crashed"
        assert order == [1, 2, 3]
        assert all(call.result(PATIENCE)["success"] for call in queued)
        assert under_way.result(PATIENCE)["code"] == "host_crashed"
        for call in (waiting, coming):
            result = call.result(PATIENCE)
            assert (result["code"], result["outcome"]) == ("host_unavailable", "not_sent")
        assert answered.result(PATIENCE) == {"success": True, "result": ["instead", {"n": 7}]}
        assert handled.generation.received == 0


def test_scenario_I4_a_call_in_flight_at_two_crashes_is_not_sent_a_third_time():
    with memory_board() as memory:
        host = memory.add(idempotent=True)
        poison, other = memory.call(do="crash"), memory.call(do="work")
        for _ in range(2):
            assert host.generation.request()["params"]["arguments"] == {"do": "crash"}
            memory.relive(host)

        served = host.generation.succeed()
        letters = memory.letters()

        assert served["params"]["arguments"] == {"do": "work"}
        assert other.result(PATIENCE)["success"]
        assert poison.result(PATIENCE)["code"] == "host_crashed"
        assert poison.attempt == 2
        assert letters == [("poison", poison.id)]


def test_scenario_I5_of_four_calls_for_a_hold_of_two_two_are_served_and_two_overflow():
    with memory_board() as memory:
        host = memory.add(while_down=WhileDown(hold=2))
        memory.crash(host)

        calls = [memory.call(n=n) for n in range(4)]
        letters = memory.letters()
        memory.restart(host)
        served = [host.generation.succeed()["params"]["arguments"]["n"] for _ in range(2)]

        assert served == [0, 1]
        assert [call.result(PATIENCE).get("code") for call in calls] == [
            None,
            None,
            "overloaded",
            "overloaded",
        ]
        assert letters == [("overflow", calls[2].id), ("overflow", calls[3].id)]
        assert memory.board.status()["dead_letters"] == {"overflow": 2}


def test_scenario_I6_a_held_call_whose_deadline_passes_fails_on_time_and_is_never_sent():
    with memory_board() as memory:
        host = memory.add()
        memory.crash(host)
        call = memory.call(deadline=3.0)

        memory.clock.advance(2.999)
        early = call.done()
        memory.clock.advance(0.001)
        result = call.result(0)
        memory.restart(host)
        memory.call(n="later")

        assert not early
        assert (result["code"], result["outcome"]) == ("deadline_exceeded", "not_sent")
        assert host.generation.request()["params"]["arguments"] == {"n": "later"}


def test_scenario_I7_answers_that_are_late_double_old_or_to_nobody_are_counted_and_touch_no_call():
    with memory_board() as memory:
        host = memory.add(concurrency=2)
        first = memory.call()
        request = host.generation.succeed("right")
        memory.relive(host)
        bystander, overdue = memory.call(), memory.call(deadline=1.0)
        requests = {
            request["id"]: request for request in (host.generation.request(), host.generation.request())
        }
        by_call = dict(zip((bystander, overdue), sorted(requests), strict=True))
        memory.clock.advance(1.0)
        memory.settle()

        host.generation.answer(request, {"success": True, "result": "of an older generation"})
        host.generation.answer({"id": "nobody's"}, {"success": True, "result": "wrong"})
        host.generation.answer(requests[by_call[overdue]], {"success": True, "result": "late"})
        for result in ("right", "double"):
            host.generation.answer(requests[by_call[bystander]], {"success": True, "result": result})

        assert first.result(PATIENCE)["result"] == bystander.result(PATIENCE)["result"] == "right"
        assert overdue.result(PATIENCE)["code"] == "deadline_exceeded"
        assert sorted(reason for reason, _ in memory.letters()) == ["duplicate", "late", "unknown", "unknown"]
        assert memory.status()["host"]["counts"] == {"unknown": 2, "late": 1, "duplicate": 1}


def test_scenario_I8_beside_a_hung_host_and_a_full_mailbox_overflow_and_stop_come_at_once():
    with memory_board() as memory:
        host = memory.add(mailbox_size=2)
        hung = memory.call()
        host.generation.request()
        waiting = [memory.call(), memory.call()]

        told = memory.call()
        asked = memory.board.router.ask(Dispatch(tool_call("tool")))
        memory.board.stop()

        assert told.result(0)["code"] == asked.result(0)["code"] == "overloaded"
        assert [call.result(0)["code"] for call in (hung, *waiting)] == ["cancelled"] * 3
        assert hung.result()["outcome"] == "outcome_unknown"
        assert host.generation.ended


def test_scenario_I10_when_a_host_is_given_up_held_calls_fail_and_its_tools_are_not_advertised():
    with memory_board() as memory:
        host = memory.add()
        memory.crash(host)
        held = [memory.call(), memory.call()]

        memory.board.order("park", "host")
        results = [call.result(PATIENCE) for call in held]

        assert {result["code"] for result in results} == {"host_unavailable"}
        assert {result["outcome"] for result in results} == {"not_sent"}
        assert [tool.available for tool in memory.board.tools()] == [False]
