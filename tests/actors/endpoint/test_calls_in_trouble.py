"""Whom a board refuses and whom it lets be, when hosts crash, hang and are stopped; with hosts in memory."""

from __future__ import annotations

import threading

import pytest
from callboard.actors.endpoint.circuit_breaker import BreakerPolicy
from callboard.actors.endpoint.crash_attribution import QuarantinePolicy
from callboard.actors.endpoint.fallback import WhileDown
from callboard.actors.state.store import MemoryStore
from memory_hosts import PATIENCE, memory_board

TWICE = QuarantinePolicy(crashes=2, seconds=60.0)


def test_a_tool_that_is_to_blame_is_refused_while_its_neighbours_on_the_host_work():
    with memory_board() as memory:
        host = memory.add(tools=("bad", "good"), quarantine=TWICE)
        for n in range(2):
            memory.call("bad", n=n)
            host.generation.request()
            memory.relive(host)

        refused, neighbour = memory.call("bad", n=3), memory.call("good")
        host.generation.succeed()
        quarantine, guarded = memory.status()["quarantine"], memory.status()["guarded"]
        memory.clock.advance(60.0)
        released = memory.call("bad", n=4)
        host.generation.succeed()

        result = refused.result(0)
        assert (result["code"], result["outcome"]) == ("host_unavailable", "not_sent")
        assert (result["reason"], result["retry_in"]) == ("quarantined", 55.0)
        assert result["crash_report"]["generation"] == 2
        assert quarantine == [{"kind": "tool", "which": "bad", "seconds": 55.0}]
        assert guarded == {"opened": 0, "quarantined": 1, "refused": {"breaker_open": 0, "quarantined": 1}}
        assert neighbour.result(PATIENCE)["success"]
        assert released.result(PATIENCE)["success"]
        memory.settle()
        assert len(memory.events.of("tool_quarantined")) == len(memory.events.of("tool_released")) == 1


def test_a_call_that_hangs_its_host_each_time_is_blamed_and_those_it_cost_are_not():
    with memory_board() as memory:
        host = memory.add(tools=("slow", "good"), quarantine=TWICE, concurrency=2, grace=1.0)
        for _ in range(2):
            slow, neighbour = memory.call("slow", deadline=2.0), memory.call("good")
            host.generation.request(), host.generation.request()
            memory.clock.advance(2.0)
            memory.settle()
            generation = len(host.generations)
            memory.clock.advance(1.0)
            memory.restart(host)
            assert len(host.generations) == generation + 1
            lost = neighbour.result(PATIENCE)
            assert slow.result(PATIENCE)["code"] == "deadline_exceeded"
            assert (lost["code"], slow.id in lost["error"], "'slow'" in lost["error"]) == (
                "host_crashed",
                True,
                True,
            )

        refused, neighbour = memory.call("slow"), memory.call("good")
        host.generation.succeed()

        assert refused.result(0)["reason"] == "quarantined"
        assert neighbour.result(PATIENCE)["success"]


def test_nobody_is_blamed_for_the_end_of_a_host_that_was_restarted_by_hand():
    with memory_board() as memory:
        host = memory.add(quarantine=TWICE)
        for generation in (2, 3, 4):
            call = memory.call()
            host.generation.request()
            memory.board.order("restart", "host")
            assert call.result(PATIENCE)["code"] == "host_crashed"
            memory.ready(generation=generation)

        memory.call()
        host.generation.succeed()

        assert memory.status()["quarantine"] == []


def test_reviving_a_host_by_hand_lets_everybody_out_and_closes_the_breakers():
    with memory_board() as memory:
        host = memory.add(quarantine=TWICE, breaker=BreakerPolicy(failures=2))
        for _ in range(2):
            memory.call()
            host.generation.request()
            memory.relive(host)
        refused = memory.call().result(0)
        memory.board.order("park", "host")
        memory.events.wait("host_parked")  # one that is revived while it still ends is parked in between
        memory.board.order("revive", "host")

        call = memory.call()
        memory.ready(generation=4)
        host.generation.succeed()

        assert refused["reason"] == "quarantined"
        assert call.result(PATIENCE)["success"]
        assert memory.status()["breakers"]["tool"]["state"] == "closed"


def test_calls_wait_for_a_parked_host_that_is_being_revived():
    with memory_board() as memory:
        host = memory.add()
        memory.board.order("park", "host")
        memory.events.wait("host_parked")
        memory.settle()
        parked = memory.call().result(0)
        host.opened.clear()
        memory.board.order("revive", "host")
        memory.settle()

        held = memory.call()
        waits = not held.done()
        host.opened.set()
        memory.ready(generation=2)
        host.generation.succeed()

        assert parked["code"] == "host_unavailable"
        assert waits
        assert held.result(PATIENCE)["success"]


def test_a_stand_in_that_raises_or_answers_rubbish_is_told_truly_and_one_that_hangs_ends_by_the_deadline():
    held = threading.Event()

    def stand_in(call):
        match call["payload"]["do"]:
            case "raise":
                raise ValueError("not today")
            case "hang":
                held.wait(PATIENCE)
        return "no result"

    with memory_board() as memory:
        host = memory.add(while_down=WhileDown(answer=stand_in))
        memory.crash(host)
        raised, rubbish = memory.call(do="raise"), memory.call(do="rubbish")
        hangs = memory.call(do="hang", deadline=2.0)
        memory.clock.advance(2.0)
        late = hangs.result(0)
        held.set()

        result = raised.result(PATIENCE)
        assert (result["code"], result["outcome"]) == ("host_unavailable", "not_sent")
        assert "ValueError: not today" in result["error"]
        assert rubbish.result(PATIENCE)["code"] == "invalid_result"
        assert late["code"] == "deadline_exceeded"


def test_a_predicate_that_raises_leaves_the_usual_verdict_and_no_trial_without_end():
    def no_idea(_result):
        raise RuntimeError("no idea")

    policy = BreakerPolicy(failures=1, reset=10.0, jitter=0.0, is_failure=no_idea)
    with memory_board() as memory:
        host = memory.add(breaker=policy)
        call = memory.call()
        host.generation.refuse(host.generation.request(), "Error", "as always")
        call.result(PATIENCE)
        opened = memory.status()["breakers"]["tool"]["state"]
        memory.clock.advance(10.0)
        trial = memory.call()
        host.generation.succeed()

        assert opened == "open"
        assert trial.result(PATIENCE)["success"]
        assert memory.status()["breakers"]["tool"]["state"] == "closed"


def test_parts_of_a_repeated_attempt_carry_its_number_and_those_of_the_first_do_not():
    with memory_board() as memory:
        host = memory.add(idempotent=True, repeats=2)
        call = memory.call()
        for n in range(3):
            host.generation.part(host.generation.request(), n)
            if n < 2:
                memory.relive(host)
            else:
                memory.crash(host)

        assert list(call.chunks()) == [{"part": 0}, {"part": 1, "attempt": 2}, {"part": 2, "attempt": 3}]
        assert call.result(PATIENCE)["code"] == "host_crashed"


def test_a_state_that_was_given_up_does_not_come_back_with_the_next_program():
    store = MemoryStore()
    with memory_board(state_store=store) as memory:
        host = memory.add(quarantine=TWICE)
        memory.call()
        host.generation.succeed(state={"broken": True})
        host.fresh = {"fresh": True}
        for n in range(2):
            memory.call(n=n)
            host.generation.request()
            memory.relive(host)

    with memory_board(state_store=store) as memory:
        host = memory.add()
        memory.call()

        assert host.generation.request()["params"]["state"] == {"fresh": True}


@pytest.mark.parametrize("tools", [("tool",), ("tool", "other")])
def test_without_quarantine_a_deadly_state_is_given_up_and_no_call_is_refused(tools):
    store = MemoryStore()
    with memory_board(state_store=store) as memory:
        host = memory.add(tools=tools, quarantine=None)
        memory.call()
        host.generation.succeed(state={"broken": True})
        host.fresh = {"fresh": True}
        lost = []
        for n in range(3):
            lost.append(memory.call(n=n))
            host.generation.request()
            memory.relive(host)
        after = memory.call(n=3)
        state = host.generation.succeed("well")["params"]["state"]

        assert [call.result(PATIENCE)["code"] for call in lost] == ["host_crashed"] * 3
        assert after.result(PATIENCE)["success"]
        assert state == {"fresh": True}
        assert memory.status()["state_resets"] == 1
        assert memory.status()["quarantine"] == []
        assert memory.events.of("tool_quarantined") == []


def test_without_quarantine_the_very_same_call_may_crash_its_host_as_often_as_it_is_made():
    with memory_board() as memory:
        host = memory.add(quarantine=None)
        for _ in range(5):
            call = memory.call(n=0)
            host.generation.request()
            memory.relive(host)

            assert call.result(PATIENCE)["code"] == "host_crashed"
        assert memory.status()["state_resets"] == 0
