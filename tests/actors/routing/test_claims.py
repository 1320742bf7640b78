"""Plugins that say which calls are theirs; those that hang or raise in it harm nobody."""

from __future__ import annotations

import threading

from callboard.actors.board import Board
from callboard.plugins.adapter.adapter import PluginAdapter
from manual_clock import ManualClock
from tools import a_tool, count, schema, tool_call

PATIENCE = 20.0


class ClaimCollector:
    """Offers ``shared`` and claims by a function."""

    def __init__(self, name, claim):
        self.name = name
        self._claim = claim

    def get_tool_schemas(self, state):
        return [schema("shared")]

    def can_handle_tool_call(self, tool_name, payload, state):
        return self._claim(tool_name, payload)

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": self.name}


def run(board, call):
    return board.submit(call).result(PATIENCE)


def test_a_claim_tells_the_calls_of_one_name_apart():
    with Board() as board:
        board.add(PluginAdapter(ClaimCollector("even", lambda _n, p: p.get("n", 1) % 2 == 0)), config={})
        board.add(a_tool(lambda _a, _s: {"success": True, "result": "rest"}, "shared", "rest"), config={})

        answers = [run(board, tool_call("shared", n=n))["result"] for n in range(4)]

    assert answers == ["even", "rest", "even", "rest"]


def test_a_call_without_a_name_goes_to_the_plugin_that_claims_it():
    with Board() as board:
        board.add(PluginAdapter(ClaimCollector("c", lambda name, _p: name is None)), config={})
        nameless = {"type": "custom_tool_call", "call_id": "1", "name": "shared", "input": "text"}

        assert run(board, tool_call("shared"))["code"] == "unknown_tool"
        assert run(board, nameless)["code"] == "unknown_tool"


def test_two_plugins_that_claim_one_call_make_it_ambiguous():
    with Board() as board:
        for name in ("a", "b"):
            board.add(PluginAdapter(ClaimCollector(name, lambda _n, _p: True)), config={})

        result = run(board, tool_call("shared"))

    assert (result["code"], result["plugins"]) == ("ambiguous_tool", ["a", "b"])


def test_a_claim_that_raises_is_no_opinion_and_is_published():
    def broken(_name, _payload):
        raise SystemExit

    with Board() as board:
        told, events = threading.Event(), []
        board.subscribe(lambda event: (events.append(event), told.set()), {"claim_failed"})
        board.add(PluginAdapter(ClaimCollector("c", broken)), config={})

        result = run(board, tool_call("shared"))

        assert result["result"] == "c"
        assert told.wait(PATIENCE)
    assert "SystemExit" in events[0].facts["error"]


def test_a_claim_that_hangs_stalls_no_call_of_another_name_and_its_own_only_for_a_while():
    hang, clock = threading.Event(), ManualClock()

    def claim(_name, payload):
        if payload.get("hang"):
            hang.wait()

    with Board(clock=clock, claim_patience=1.0) as board:
        board.add(PluginAdapter(ClaimCollector("c", claim)), config={})
        board.add(a_tool(count, "other"), config={})

        stuck = board.submit(tool_call("shared", hang=True))
        behind = board.submit(tool_call("shared"))
        assert run(board, tool_call("other"))["success"]
        assert not stuck.done()
        assert not behind.done()

        clock.advance(1.0)

        assert stuck.result(PATIENCE)["result"] == "c"
        assert behind.result(PATIENCE)["result"] == "c"
        hang.set()


def test_a_plugin_whose_claims_all_hang_is_not_asked_any_more():
    hang, clock, asked = threading.Event(), ManualClock(), []

    def claim(_name, payload):
        asked.append(payload["n"])
        hang.wait()

    with Board(clock=clock) as board:
        board.add(PluginAdapter(ClaimCollector("c", claim)), config={})
        calls = [board.submit(tool_call("shared", n=n)) for n in range(8)]
        extra = board.submit(tool_call("shared", n=99))
        clock.wait_pending(8)  # all that are asked

        clock.advance(1.0)

        assert all(call.result(PATIENCE)["success"] for call in [*calls, extra])
        assert 99 not in asked
        hang.set()


def test_calls_of_one_name_keep_their_order_while_claims_are_waited_for():
    slow, seen = threading.Event(), []

    def claim(_name, payload):
        if payload["n"] == 0:
            slow.wait(PATIENCE)

    class Recording(ClaimCollector):
        def execute_tool(self, tool_name, payload, state):
            seen.append(payload["n"])
            return {"success": True}

    with Board(claim_patience=PATIENCE) as board:
        board.add(PluginAdapter(Recording("c", claim)), config={})
        calls = [board.submit(tool_call("shared", n=n)) for n in range(5)]
        slow.set()
        for call in calls:
            call.result(PATIENCE)

    assert seen == [0, 1, 2, 3, 4]
