"""A large state that has not changed does not travel, in either direction, and nobody can tell the difference."""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any

import pytest
from boards import QUICK, Recorder
from callboard.actors.board import Board
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.hosting.settings import HostSettings
from callboard.actors.state.store import MemoryStore
from callboard.hosts.hosted_tool import HostedToolPlugin
from callboard.hosts.node.tool import NodeToolPlugin
from callboard.hosts.process.process import Command
from callboard.hosts.python.runner.origin import PythonOrigin
from callboard.hosts.python.tool import PythonToolPlugin
from callboard.plugins.adapter.adapter import PluginAdapter
from hypothesis import given, settings
from hypothesis import strategies as st
from leaks import TEST_MARK
from programs import NODE, PROGRAMS
from thorough import times
from tools import tool_call

PATIENCE = 30.0

PAGE = "x" * 2000

HOSTS = {
    "node": lambda: NodeToolPlugin("change", NODE / "changes_state.mjs", env=TEST_MARK),
    "python": lambda: PythonToolPlugin(
        "change",
        PythonOrigin(
            "changes_state.ChangesState",
            module="changes_state",
            file=str(PROGRAMS / "python" / "changes_state.py"),
        ),
        env=TEST_MARK,
    ),
}


def add(board, plugin, state=None, **settings: Any):
    board.begin_hosted(
        PluginAdapter(plugin),
        plugin,
        host=HostSettings({"state": state}, start_deadline=PATIENCE),
        policy=QUICK,
        settings=ToolSettings(**settings),
    )
    board.settle_hosted(plugin.name, required=True)
    return plugin


def change(board, *steps, **arguments):
    call = tool_call("change", None, steps=list(steps), **arguments)
    return board.submit(call).result(PATIENCE)


class Wire:
    """A board with a host that writes down what it is sent."""

    def __init__(self, board, folder, *words):
        self._log = folder / "log"
        program = str(PROGRAMS / "python" / "names_of_states.py")
        command = Command(
            (sys.executable, program, str(self._log), *words), {"PATH": os.environ["PATH"]}, extended=True
        )
        self._board = board
        self.plugin = add(board, HostedToolPlugin("count", lambda: command), concurrency=1)

    def call(self, **arguments):
        return self._board.submit(tool_call("count", None, **arguments)).result(PATIENCE)["result"]

    @property
    def requests(self):
        """Of each call that the host was sent: its id, the name of its state, and whether that came with it."""
        return [tuple(json.loads(line)) for line in self._log.read_text().splitlines()]


def test_a_state_is_sent_once_and_named_from_then_on(tmp_path):
    with Board() as board:
        wire = Wire(board, tmp_path)
        results = [wire.call(), wire.call(), wire.call()]
        version = board.status()["plugins"]["count"]["state_version"]

    (_, name, _), *_ = wire.requests
    assert results == [0, 0, 0]
    assert [request[1:] for request in wire.requests] == [(name, True), (name, False), (name, False)]
    assert version == 4  # an answer keeps its state as it always did


def test_a_state_that_came_with_an_answer_is_named_by_its_request(tmp_path):
    with Board() as board:
        wire = Wire(board, tmp_path)
        results = [wire.call(add=True), wire.call(add=True), wire.call()]
        state = board.state_of("count")

    first, second, third = wire.requests
    assert results == [1, 2, 2]
    assert state["count"] == 2
    assert [second[1:], third[1:]] == [(first[0], False), (second[0], False)]


def test_a_generation_is_sent_the_state_anew(tmp_path):
    with Board() as board:
        wire = Wire(board, tmp_path)
        events = Recorder(board)
        wire.call(add=True)
        os.kill(wire.plugin.host.pid, signal.SIGKILL)
        events.wait("host_ready")
        result = wire.call(add=True)

    assert result == 2
    assert [came for _, _, came in wire.requests] == [True, True]


def test_a_name_that_the_host_does_not_know_costs_no_call(tmp_path):
    with Board() as board:
        wire = Wire(board, tmp_path, "forgets")
        results = [wire.call(add=True) for _ in range(4)]

    assert results == [1, 2, 3, 4]
    assert [came for _, _, came in wire.requests] == [True, False, True, False, True, False, True]


@pytest.mark.parametrize("host", HOSTS)
def test_a_small_state_is_sent_as_it_always_was(host):
    with Board() as board:
        add(board, HOSTS[host](), {"a": 1})
        for number in range(3):
            change(board, ["set", "a", number])
            assert board.state_of("change") == {"a": number}


KEYS = st.sampled_from(["a", "b", "page", "1", "toJSON"])

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e6, 1e6)
    | st.sampled_from(["", "y", "é" * 600, "\u2028"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("ab"), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip

LARGE_LISTS = st.integers(200, 400).map(lambda size: list(range(size)))

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["read", "set", "push", "remove", "leave_out"]),
        KEYS,
        VALUES | LARGE_LISTS,
    ),
    max_size=3,
)


def after(state, steps):
    """What the steps make of a state."""
    state = json.loads(json.dumps(state))
    for what, key, value in json.loads(json.dumps(steps)):
        if what == "set":
            state[key] = value
        elif what == "push" and isinstance(state.get(key), list):
            state[key].append(value)
        elif what in {"remove", "leave_out"}:
            state.pop(key, None)
    return state


@pytest.fixture(scope="module", params=HOSTS)
def board(request):
    with Board() as board:
        add(board, HOSTS[request.param](), {"page": PAGE}, concurrency=1)
        yield board


@settings(max_examples=times(25, 300), deadline=None)
@given(calls=st.lists(st.tuples(STEPS, st.booleans()), min_size=1, max_size=4))
def test_calls_find_and_leave_the_state_as_if_it_had_travelled(board, calls):
    state = board.state_of("change")

    for steps, fail in calls:
        result = change(board, *steps, fail=fail)

        assert result["success"] is not fail
        if not fail:
            assert result["result"] == state
            state = after(state, steps)
        assert board.state_of("change") == state
    change(board, ["set", "page", PAGE], ["set", "list", list(range(400))])


def test_members_keep_their_places_and_a_new_place_is_news():
    with Board() as board:
        add(board, HOSTS["node"](), {"page": PAGE, "a": 1, "list": list(range(400)), "b": 2})
        change(board)
        before = list(board.state_of("change"))
        change(board, ["remove", "a"], ["set", "a", 1])
        after = list(board.state_of("change"))

    assert (before, after) == (["page", "a", "list", "b"], ["page", "list", "b", "a"])


def test_a_member_may_have_any_name():
    state = {"__proto__": {"list": list(range(400))}, "constructor": PAGE, "": 1}
    with Board() as board:
        add(board, HOSTS["node"](), state)
        results = [change(board)["result"], change(board, ["set", "", 2])["result"], change(board)["result"]]

    assert results == [state, state, {**state, "": 2}]


def test_of_calls_that_run_together_the_last_to_end_decides_about_the_state():
    with Board() as board:
        add(board, HOSTS["node"](), {"page": PAGE, "n": 0}, concurrency=8)
        change(board)
        unchanged = board.submit(tool_call("change", None, wait=400))
        changed = board.submit(tool_call("change", None, steps=[["set", "n", 1]]))
        changed.result(PATIENCE)
        between = board.state_of("change")["n"]
        unchanged.result(PATIENCE)

        assert (between, board.state_of("change")["n"]) == (1, 0)
        assert change(board)["result"]["n"] == 0


def test_a_state_that_never_changed_is_saved_all_the_same():
    store = MemoryStore()
    with Board(state_store=store) as board:
        add(board, HOSTS["node"](), {"page": PAGE})
        change(board)

    with Board(state_store=store) as board:
        add(board, HOSTS["node"](), {"page": "of another configuration"})
        assert change(board)["result"] == {"page": PAGE}
