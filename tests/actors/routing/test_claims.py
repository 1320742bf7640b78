"""Plugins that say which calls are theirs; those that hang or raise in it harm nobody."""

from __future__ import annotations

import threading

from callboard.actors.board import Board
from callboard.plugins.adapter.adapter import PluginAdapter
from manual_clock import ManualClock
from tools import a_tool, count, schema, tool_call

PATIENCE = 20.0


class Claiming:
    """Offers ``shared``, or the names that it is given, and claims by a function."""

    def __init__(self, name, claim, *names):
        self.name = name
        self._claim = claim
        self._names = names or ("shared",)

    def get_tool_schemas(self, state):
        return [schema(name) for name in self._names]

    def can_handle_tool_call(self, tool_name, payload, state):
        return self._claim(tool_name, payload)

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": self.name}


class Recording(Claiming):
    """Notes the calls that it runs."""

    def __init__(self, name, claim):
        super().__init__(name, claim)
        self.ran = []

    def execute_tool(self, tool_name, payload, state):
        self.ran.append(payload["n"])
        return super().execute_tool(tool_name, payload, state)


class Register:
    """Has two names and no claims: what was written last is read."""

    name = "register"

    def __init__(self):
        self.ran = []

    def get_tool_schemas(self, state):
        return [schema("write"), schema("read")]

    def execute_tool(self, tool_name, payload, state):
        self.ran.append(payload["n"])
        return {"success": True, "result": tool_name}


def run(board, call):
    return board.submit(call).result(PATIENCE)


def nameless(n):
    """A call that names no tool."""
    return {"id": f"nameless-{n}", "type": "function", "function": {"arguments": {"n": n}}}


def test_a_claim_tells_the_calls_of_one_name_apart():
    with Board() as board:
        board.add(PluginAdapter(Claiming("even", lambda _n, p: p.get("n", 1) % 2 == 0)), config={})
        board.add(a_tool(lambda _a, _s: {"success": True, "result": "rest"}, "shared", "rest"), config={})

        answers = [run(board, tool_call("shared", n=n))["result"] for n in range(4)]

    assert answers == ["even", "rest", "even", "rest"]


def test_a_call_without_a_name_goes_to_the_plugin_that_claims_it():
    with Board() as board:
        board.add(PluginAdapter(Claiming("c", lambda name, p: name is None and p["n"] == 1)), config={})

        claimed, unclaimed, named = (
            run(board, each) for each in (nameless(1), nameless(2), tool_call("shared", n=1))
        )

    assert claimed["result"] == "c"
    assert unclaimed["code"] == named["code"] == "unknown_tool"


def test_two_plugins_that_claim_one_call_make_it_ambiguous():
    with Board() as board:
        for name in ("a", "b"):
            board.add(PluginAdapter(Claiming(name, lambda _n, _p: True)), config={})

        result = run(board, tool_call("shared"))

    assert (result["code"], result["plugins"]) == ("ambiguous_tool", ["a", "b"])


def test_a_claim_that_raises_is_no_opinion_and_is_published():
    def broken(_name, _payload):
        raise SystemExit

    with Board() as board:
        told, events = threading.Event(), []
        board.subscribe(lambda event: (events.append(event), told.set()), {"claim_failed"})
        board.add(PluginAdapter(Claiming("c", broken)), config={})

        result = run(board, tool_call("shared"))

        assert result["result"] == "c"
        assert told.wait(PATIENCE)
    assert "SystemExit" in events[0].facts["error"]


def test_a_claim_that_hangs_holds_the_calls_of_its_plugin_for_a_while_and_those_of_no_other_plugin():
    hang, clock = threading.Event(), ManualClock()

    def claim(_name, payload):
        if payload.get("hang"):
            hang.wait()

    with Board(clock=clock, claim_patience=1.0) as board:
        board.add(PluginAdapter(Claiming("c", claim)), config={})
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


def test_a_plugin_whose_claims_all_hang_is_not_asked_nor_waited_for_any_more():
    hang, clock, asked = threading.Event(), ManualClock(), []

    def claim(_name, payload):
        asked.append(payload["n"])
        hang.wait()

    with Board(clock=clock) as board:
        board.add(PluginAdapter(Claiming("c", claim)), config={})
        calls = [board.submit(tool_call("shared", n=n)) for n in range(9)]
        clock.wait_pending(9)

        clock.advance(1.0)
        answers = [call.result(PATIENCE)["success"] for call in calls]
        later = run(board, tool_call("shared", n=99))

        assert (answers, later["success"]) == ([True] * 9, True)
        assert sorted(asked) == list(range(8))
        hang.set()


def test_calls_of_one_plugin_keep_their_order_while_claims_are_waited_for():
    slow = threading.Event()

    def claim(_name, payload):
        if payload["n"] == 0:
            slow.wait(PATIENCE)

    with Board(claim_patience=PATIENCE) as board:
        recording = Recording("c", claim)
        board.add(PluginAdapter(recording), config={})
        calls = [board.submit(tool_call("shared", n=n)) for n in range(5)]
        slow.set()
        for call in calls:
            call.result(PATIENCE)

    assert recording.ran == [0, 1, 2, 3, 4]


def test_a_neighbour_that_claims_puts_no_calls_of_another_plugin_out_of_order():
    read_is_asked, register = threading.Event(), Register()

    def slow_for_a_write(name, _payload):
        if name == "read":
            read_is_asked.set()
        elif name == "write":
            read_is_asked.wait(PATIENCE)

    with Board(claim_patience=PATIENCE) as board:
        board.add(PluginAdapter(register), config={})
        board.add(PluginAdapter(Claiming("c", slow_for_a_write)), config={})
        calls = [board.submit(tool_call("write", n=1)), board.submit(tool_call("read", n=2))]
        for call in calls:
            call.result(PATIENCE)

    assert register.ran == [1, 2]


def test_a_call_that_is_claimed_stands_among_the_calls_of_the_plugin_that_takes_it():
    later_are_asked, c = threading.Event(), Recording("c", None)

    def claim(name, payload):
        if payload["n"] == 1:
            later_are_asked.wait(PATIENCE)
        if payload["n"] == 3:
            later_are_asked.set()
        return None if name == "shared" else True

    c._claim = claim
    with Board(claim_patience=PATIENCE) as board:
        board.add(PluginAdapter(c), config={})
        board.add(PluginAdapter(Register()), config={})
        calls = [
            board.submit(each) for each in (tool_call("shared", n=1), tool_call("write", n=2), nameless(3))
        ]
        answers = [call.result(PATIENCE)["result"] for call in calls]

    assert answers == ["c"] * 3
    assert c.ran == [1, 2, 3]


def test_a_burst_of_calls_reaches_the_plugin_that_claims_them():
    with Board(claim_patience=PATIENCE) as board:
        failed = []
        board.subscribe(failed.append, {"claim_failed"})
        board.add(PluginAdapter(Register()), config={})
        board.add(PluginAdapter(Claiming("c", lambda _n, _p: True)), config={})

        calls = [board.submit(tool_call("write", n=n)) for n in range(200)]
        answers = {call.result(PATIENCE)["result"] for call in calls}

    assert answers == {"c"}
    assert failed == []


def test_claims_under_way_keep_no_other_hook_of_their_plugin_from_being_asked():
    hang, asked = threading.Semaphore(0), threading.Semaphore(0)

    def claim(_name, _payload):
        asked.release()
        hang.acquire(timeout=PATIENCE)

    with Board(claim_patience=PATIENCE) as board:
        board.add(PluginAdapter(Claiming("c", claim)), config={})
        calls = [board.submit(tool_call("shared", n=n)) for n in range(20)]
        assert all(asked.acquire(timeout=PATIENCE) for _ in range(8))

        hooked = board.queries.run_hook("c", lambda adapter, _state: adapter.name, PATIENCE)
        hang.release(20)
        answers = [call.result(PATIENCE)["success"] for call in calls]

    assert hooked == "c"
    assert answers == [True] * 20


def test_a_call_that_ends_while_it_is_claimed_holds_no_other_call_any_more():
    hang = threading.Event()

    def claim(_name, payload):
        if payload.get("hang"):
            hang.wait()

    with Board(clock=ManualClock()) as board:
        board.add(PluginAdapter(Claiming("c", claim)), config={})
        stuck = board.submit(tool_call("shared", hang=True))
        behind = board.submit(tool_call("shared"))
        assert [run(board, tool_call("nobody's"))["success"] for _ in range(2)] == [False] * 2

        stuck.cancel()

        assert behind.result(PATIENCE)["success"]
        assert (stuck.result()["code"], stuck.result()["outcome"]) == ("cancelled", "not_sent")
        hang.set()


def test_a_deadline_that_passes_while_claims_are_waited_for_holds_no_other_call_any_more():
    hang, clock = threading.Event(), ManualClock()

    def claim(_name, payload):
        if payload.get("hang"):
            hang.wait()

    with Board(clock=clock, claim_patience=100.0) as board:
        board.add(PluginAdapter(Claiming("c", claim)), config={})
        late = board.submit(tool_call("shared", hang=True), deadline=1.0)
        behind = board.submit(tool_call("shared"))
        assert [run(board, tool_call("nobody's"))["success"] for _ in range(2)] == [False] * 2

        clock.advance(1.0)

        assert late.result(PATIENCE)["code"] == "deadline_exceeded"
        assert behind.result(PATIENCE)["success"]
        hang.set()


def test_a_plugin_that_leaves_the_board_is_not_waited_for_and_no_call_overtakes_those_that_waited():
    hang, asked, register = threading.Event(), threading.Event(), Register()

    def claim(_name, _payload):
        asked.set()
        hang.wait()

    with Board(clock=ManualClock()) as board:
        board.add(PluginAdapter(register), config={})
        board.add(PluginAdapter(Claiming("c", claim)), config={})
        calls = [board.submit(tool_call("write", n=n)) for n in range(3)]
        assert asked.wait(PATIENCE)

        board.remove("c")
        calls += [board.submit(tool_call("read", n=n)) for n in range(3, 6)]
        for call in calls:
            call.result(PATIENCE)
        hang.set()

    assert register.ran == list(range(6))


def test_calls_that_the_router_has_not_read_of_are_not_overtaken_when_nobody_claims_any_more():
    register, busy, on = Register(), threading.Event(), threading.Event()
    with Board() as board:
        board.add(PluginAdapter(register), config={})
        board.add(PluginAdapter(Claiming("c", lambda _n, _p: None)), config={})
        stopper = board.submit(tool_call("nobody's", n=0))
        stopper.add_done_callback(lambda: (busy.set(), on.wait(PATIENCE)))
        assert busy.wait(PATIENCE)
        unread = board.submit(tool_call("write", n=1))

        board.remove("c")
        later = board.submit(tool_call("read", n=2))
        on.set()
        unread.result(PATIENCE), later.result(PATIENCE)

        assert register.ran == [1, 2]


def test_a_claimed_call_whose_plugin_leaves_before_its_turn_goes_by_its_name_in_its_order():
    hang, clock, register = threading.Event(), ManualClock(), Register()

    def claim(name, payload):
        if name == "shared":
            hang.wait()
        return True if payload["n"] == 1 else None

    with Board(clock=clock) as board:
        board.add(PluginAdapter(register), config={})
        board.add(PluginAdapter(Claiming("c", claim)), config={})
        first = board.submit(tool_call("shared", n=0))  # holds what is claimed for its plugin
        moved = board.submit(tool_call("write", n=1))
        assert run(board, tool_call("read", n=2))["success"]
        assert not moved.done()

        board.remove("c")

        assert moved.result(PATIENCE)["result"] == "write"
        assert first.result(PATIENCE)["code"] == "unknown_tool"
        hang.set()

    assert register.ran == [2, 1]
