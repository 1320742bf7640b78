"""Where two parts meet: a call that ends on its way through, a plugin that is taken off meanwhile."""

from __future__ import annotations

import math
import threading
from types import MappingProxyType

from callboard.actors.board import Board
from callboard.actors.calls.call import Call
from callboard.actors.endpoint.circuit_breaker import BreakerPolicy
from callboard.actors.endpoint.crash_attribution import QuarantinePolicy
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.endpoint.fallback import WhileDown
from callboard.actors.hosting.settings import HostSettings
from callboard.actors.routing.messages import Route
from callboard.actors.threads.hook_pool import HookPool
from callboard.base.errors import PluginLoadError
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.plugins.contract.invocation import Invocation
from manual_clock import ManualClock
from memory_hosts import PATIENCE, MemoryHost, memory_board
from tools import Tool, a_tool, count, schema, tool_call


def test_a_call_that_ends_before_it_is_admitted_is_no_trial_without_end():
    def tool(arguments, state):
        if arguments.get("do") == "raise":
            raise OSError("the line is down")
        return {"success": True, "result": None}

    clock = ManualClock()
    settings = ToolSettings(deadline=0.0, breaker=BreakerPolicy(failures=1, reset=10.0, jitter=0.0))
    with Board(clock=clock) as board:
        board.add(a_tool(tool), config={}, settings=settings)
        board.submit(tool_call("tool", do="raise"), deadline=1000.0).result(PATIENCE)
        clock.advance(10.0)

        late = board.submit(tool_call("tool"))
        trial = board.submit(tool_call("tool"), deadline=1000.0)

        assert late.result(PATIENCE)["code"] == "deadline_exceeded"
        assert trial.result(PATIENCE) == {"success": True, "result": None}


def test_a_call_with_a_stand_in_is_cancelled_when_its_plugin_is_taken_off():
    held = threading.Event()

    def stand_in(call):
        held.wait(PATIENCE)
        return {"success": True, "result": "too late"}

    with memory_board() as memory:
        host = memory.add(while_down=WhileDown(answer=stand_in), deadline=None)
        memory.crash(host)
        call = memory.call()

        memory.board.remove("host")

        assert call.result(PATIENCE / 4)["code"] == "cancelled"
        held.set()


def test_calls_to_a_parked_host_are_told_of_the_crash_even_where_they_are_refused_while_it_is_down():
    with memory_board() as memory:
        host = memory.add(while_down=WhileDown(hold=0))
        memory.crash(host)
        memory.board.order("park", "host")
        memory.events.wait("host_parked")
        memory.settle()

        result = memory.call().result(PATIENCE)

        assert (result["code"], result["crash_report"]["code"]) == ("host_unavailable", 1)


def test_arguments_that_are_no_json_are_an_invalid_call_also_while_somebody_is_in_quarantine():
    with memory_board() as memory:
        host = memory.add(tools=("bad", "good"), quarantine=QuarantinePolicy(crashes=2))
        for n in range(2):
            memory.call("bad", n=n)
            host.generation.request()
            memory.relive(host)

        odd = tool_call("good")
        odd["arguments"] = {1: "a number", "one": "a text"}
        result = memory.board.submit(odd).result(PATIENCE)

        assert result["code"] == "invalid_call"


def test_a_generation_that_comes_up_after_its_plugin_was_taken_off_offers_nothing():
    with memory_board() as memory:
        memory.add(tools=("tool",))
        handle = memory.board.plugin_manager.handle("host")
        memory.board.remove("host")

        handle._on_schemas("host", (schema("ghost"),))

        assert memory.board.catalog.offers == {}
        assert memory.board.submit(tool_call("ghost")).result(PATIENCE)["code"] == "unknown_tool"


def test_no_limit_is_no_limit_whatever_the_tool_s_default():
    with memory_board() as memory:
        host = memory.add(deadline=5.0)

        call = memory.call(deadline=math.inf)
        host.generation.request()
        memory.clock.advance(5.0)

        assert not call.done()


def test_a_stand_in_may_answer_with_whatever_a_tool_may_and_keeps_what_it_answered_with():
    said = {"error": {"type": "down"}}
    answers = iter((said, MappingProxyType({"result": 1}), {"error": object()}, None))
    with memory_board() as memory:
        host = memory.add(while_down=WhileDown(answer=lambda _call: next(answers)))
        memory.crash(host)

        results = [memory.call().result(PATIENCE) for _ in range(4)]

        assert results[0]["error_details"] == {"type": "down"}
        assert said == {"error": {"type": "down"}}
        assert results[1] == {"success": True, "result": 1}
        assert [result["code"] for result in results[2:]] == ["invalid_result", "invalid_result"]


def test_a_stand_in_is_told_the_time_that_is_left_and_not_the_time_there_was():
    told = []

    def stand_in(call):
        told.append(call["seconds"])
        return {"success": True}

    with memory_board() as memory:
        host = memory.add(while_down=WhileDown(answer=stand_in))
        busy, waiting = memory.call(), memory.call(deadline=8.0)
        host.generation.request()
        memory.clock.advance(3.0)
        memory.crash(host)

        assert waiting.result(PATIENCE) == {"success": True}
        assert busy.result(PATIENCE)["code"] == "host_crashed"
        assert told == [5.0]


def test_the_answer_of_a_stand_in_does_not_close_the_breaker_of_its_tool():
    breaker = BreakerPolicy(failures=1, reset=1.0, jitter=0.0)
    with memory_board() as memory:
        host = memory.add(breaker=breaker, while_down=WhileDown(answer=lambda _call: {"success": True}))
        lost = memory.call()
        host.generation.request()
        memory.crash(host)
        memory.clock.advance(1.0)

        stood_in = memory.call()

        assert lost.result(PATIENCE)["code"] == "host_crashed"
        assert stood_in.result(PATIENCE) == {"success": True}
        assert memory.status()["breakers"]["tool"]["state"] == "half_open"


def test_a_call_that_was_lost_is_not_called_not_sent_because_its_stand_in_failed():
    def stand_in(call):
        raise OSError("nobody there")

    with memory_board() as memory:
        host = memory.add(idempotent=True, while_down=WhileDown(answer=stand_in))
        call = memory.call()
        host.generation.request()
        memory.crash(host)

        result = call.result(PATIENCE)

        assert (result["code"], result["outcome"]) == ("host_crashed", "outcome_unknown")


def test_a_call_that_comes_back_unsent_while_the_host_is_down_is_refused_like_any_other():
    with memory_board() as memory:
        host = memory.add(while_down=WhileDown(hold=0))
        memory.crash(host)
        call = memory.board.submit(tool_call("tool"))
        assert call.result(PATIENCE)["code"] == "host_unavailable"
        endpoint = memory.board.plugin_manager.handle("host").endpoint
        unsent = Call("unsent", Invocation("tool", {}, "object"))
        unsent.adopt(endpoint, "host")

        endpoint.submit_again(unsent)

        assert unsent.result(PATIENCE)["code"] == "host_unavailable"


def test_a_call_that_has_ended_leaves_no_dead_letter_when_it_finds_no_room():
    with memory_board() as memory:
        host = memory.add(mailbox_size=1)
        memory.call(), memory.call()
        host.generation.request()

        late = memory.call(deadline=0.0)

        assert late.result(PATIENCE)["code"] == "deadline_exceeded"
        assert memory.letters() == []


def test_tools_that_could_not_be_offered_are_once_nobody_else_has_their_names():
    with memory_board() as memory:
        host = memory.add(tools=("mine",))
        memory.board.add(a_tool(lambda _arguments, _state: None, "taken"), config={})
        host.tools = ("taken",)
        memory.relive(host)
        assert "taken" in memory.status()["problem"]
        memory.board.remove("taken")

        memory.relive(host)

        assert memory.status()["available"]
        call = memory.call("taken")
        host.generation.succeed()
        assert call.result(PATIENCE)["success"]


def test_a_hook_whose_answer_nobody_can_take_costs_no_other_hook_its_thread():
    def take(_answer):
        raise ValueError("not that")

    threads = HookPool()
    took = threading.Event()

    def hook():
        took.set()

    threads.ask("plugin", hook, take)
    assert took.wait(PATIENCE)
    for _ in range(3):
        assert threads.call("plugin", lambda: "answer", PATIENCE) == "answer"
    threads.close()


def test_a_call_that_the_router_never_reads_of_ends_with_it():
    class ClaimCollector(Tool):
        def can_handle_tool_call(self, _tool_name, _payload, _state):
            return None

    with Board() as board:
        board.add(PluginAdapter(ClaimCollector(count)), config={})
        busy, on = threading.Event(), threading.Event()
        nowhere = Call("1", Invocation("nowhere", {}, "object"))
        nowhere.add_done_callback(lambda: (busy.set(), on.wait(PATIENCE)))
        board.router.tell(Route(nowhere))
        assert busy.wait(PATIENCE)

        board.router.stop(block=False)
        unread = board.submit(tool_call("tool"))
        on.set()

        assert unread.result(PATIENCE)["code"] == "cancelled"


def test_a_plugin_that_is_taken_off_while_it_is_loaded_is_not_waited_for():
    with memory_board() as memory:
        host = MemoryHost("host", ("tool",))
        host.opened.clear()
        errors = []

        def settle():
            try:
                memory.board.settle_hosted("host", required=False)
            except PluginLoadError as error:
                errors.append(str(error))

        memory.board.begin_hosted(PluginAdapter(host.plugin), host.plugin, host=HostSettings({}))
        waiting = threading.Thread(target=settle)
        waiting.start()

        memory.board.remove("host")

        waiting.join(PATIENCE / 4)
        assert errors == ["plugin 'host': plugin 'host' was taken off the board"]
        host.opened.set()


def test_what_has_come_into_quarantine_is_refused_to_those_who_wait_with_the_same_question():
    with memory_board() as memory:
        host = memory.add(tools=("bad", "good"), quarantine=QuarantinePolicy(crashes=2))
        deadly = [memory.call("bad") for _ in range(4)]
        harmless = memory.call("good")
        for _ in range(2):
            host.generation.request()
            memory.relive(host)

        host.generation.succeed()

        assert harmless.result(PATIENCE)["success"]
        results = [call.result(PATIENCE) for call in deadly]
        assert [result["code"] for result in results] == ["host_crashed"] * 2 + ["host_unavailable"] * 2
        assert results[3]["reason"] == "quarantined"
        assert len(host.generations) == 3


def test_a_call_that_is_repeated_is_not_sent_a_third_time_when_it_has_come_into_quarantine():
    with memory_board() as memory:
        host = memory.add(idempotent=True, repeats=5, quarantine=QuarantinePolicy(crashes=2))
        call = memory.call()
        for _ in range(2):
            host.generation.request()
            memory.relive(host)

        result = call.result(PATIENCE)

        assert (result["code"], result["outcome"]) == ("host_crashed", "outcome_unknown")
        assert host.generation.received == 0
