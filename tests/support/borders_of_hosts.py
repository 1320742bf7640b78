"""The borders of hosts, of their supervisor and of time; see `foreign_borders`."""

from __future__ import annotations

import threading
import time

from boards import MOODY, add_node
from callboard.hosts.host import Host
from callboard.hosts.node.tool import NodeToolPlugin
from callboard.hosts.protocol.blocking_request import ask
from callboard.hosts.tap import tapping
from callboard.supervision.errors import StartFailed
from callboard.supervision.generation import ChildSpec
from callboard.supervision.messages import WatchChild
from callboard.supervision.runtime.clock import SystemClock
from fake_children import FakeChild, House
from foreign_scene import (
    PATIENCE,
    Raises,
    a_board,
    answers,
    border,
    elsewhere,
    gated,
    refusal_of,
)
from leaks import TEST_MARK, wait_until
from supervision_cases import CRASH
from tools import tool_call

# What starts hosts, and listens to them


@border("what makes the command line of a host")
def host_command(kind):
    with a_board() as board:
        plugin = add_node(board)
        command, plugin.command = plugin.command, Raises(kind)
        board.order("restart", "moody")
        wait_until(lambda: board.status()["plugins"]["moody"]["host"]["state"] in {"backoff", "parked"})
        plugin.command = command
        board.order("revive", "moody")
        assert answers(board, "moody")


@border("a tap on a host")
def tap(kind):
    class Tap:
        sent = received = said = ended = Raises(kind)

    with a_board() as board:
        plugin = add_node(board)
        plugin.carry = tapping(lambda *_: Tap())
        board.order("restart", "moody")
        assert answers(board, "moody")
        call = tool_call("moody", do="stderr", text="x")
        assert elsewhere(lambda: board.submit(call).result(PATIENCE))["code"] == "host_crashed"
        assert answers(board, "moody")


@border("an owner of a request, of a host without a board")
def request_owner(kind):

    class Listener:
        gone = threading.Event()
        on_stray = on_dropped = on_ended = Raises(kind)

        def on_gone(self, _leftovers):
            self.gone.set()
            raise kind("raised on purpose")

    class Owner:
        call_id = "1"
        on_part = on_begun = on_answer = on_refused = on_breach = on_lost = on_released = Raises(kind)

    listener = Listener()
    listener.gone.clear()
    host = Host("h", NodeToolPlugin("h", MOODY, env=TEST_MARK).command(), listener)
    host.start()
    ask(host, "init", {"config": {}}, PATIENCE)
    host.send("execute_tool", {"tool_name": "moody", "arguments": {}, "state": {}}, Owner())
    assert ask(host, "get_tool_schemas", {"state": {"config": {}}}, PATIENCE)[0]
    host.send("execute_tool", {"tool_name": "moody", "arguments": {"do": "wait"}, "state": {}}, Owner())
    host.stop("the end")
    assert listener.gone.wait(PATIENCE)
    assert host.join(PATIENCE)


@border("what starts, hears and watches a child of a supervisor")
def supervised_child(kind):
    house = House()
    try:
        evil = FakeChild("evil")
        evil.spec = ChildSpec("evil", Raises(kind), evil.spec.policy, Raises(kind))
        assert isinstance(refusal_of(lambda: house.add(evil)), StartFailed)
        child = FakeChild("a")
        child.spec = ChildSpec("a", child.start, child.spec.policy, Raises(kind))
        house.add(child)
        child.present.stop = Raises(kind)
        house.ask(WatchChild("a", Raises(kind)))
        house.order("stop", "a")
        child.present.report.ended(CRASH)
        assert house.state("a") == "stopped"
        assert house.state(house.add(FakeChild("b")).spec.id) == "starting"
    finally:
        house.ref.stop()
        house.stream.close()


# Time


class Unsteady(SystemClock):
    """A clock of the embedder's whose methods raise when they are told to."""

    def __init__(self):
        super().__init__()
        self.raising = Raises(ValueError, 0)

    def now(self):
        self.raising()
        return time.monotonic()

    def call_at(self, when, function):
        self.raising()
        return _UnsteadyTimer(self, super().call_at(when, function))


class _UnsteadyTimer:
    def __init__(self, clock, timer):
        self.clock = clock
        self.timer = timer

    def cancel(self):
        self.timer.cancel()
        self.clock.raising()


@border("a clock")
def clock(kind):
    unsteady = Unsteady()
    try:
        with a_board(clock=unsteady) as board:
            go = gated(board)
            add_node(board)
            unsteady.raising = Raises(kind)
            calls = elsewhere(
                lambda: [board.submit(tool_call(n), deadline=PATIENCE) for n in ("tool", "moody")]
            )
            go.set()
            assert [call.result(PATIENCE)["success"] for call in calls] == [True, True]
            late = elsewhere(lambda: board.submit(tool_call("moody", do="wait"), deadline=0.05))
            assert late.result(PATIENCE)["code"] == "deadline_exceeded"
            unsteady.raising.left = 0
            assert answers(board, "moody")
            assert answers(board)
    finally:
        unsteady.close()
