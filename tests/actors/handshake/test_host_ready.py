"""Who can be called is ready: in status, in events, and for whoever waits for it."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter

import pykka
import pytest
from callboard.actors.board import Board
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.endpoint.messages import WORK
from callboard.actors.hosted.tool_actor import HostedToolActor
from callboard.actors.hosting.settings import HostSettings
from callboard.hosts.hosted_tool import HostedToolPlugin
from callboard.hosts.process.process import Command, ProcessExit
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.policy import RestartPolicy
from manual_clock import ManualClock
from thorough import times
from tools import schema, tool_call

PATIENCE = 20.0
AT_ONCE = RestartPolicy(backoff=Backoff(first=0.0, min=1.0, max=1.0), intensity=10**9, period=1.0)
STARTS = times(100, 2_000)
"""Ten thousand, if all is to be tried thoroughly: one in five went wrong."""


class RunningGeneration:
    """A generation in memory that answers all there is at once, and ends after its first call. It is a `Transport`."""

    pid = 2**31 - 1
    stderr_tail = ""

    def __init__(self, listener):
        self._listener = listener
        self._ended = threading.Lock()

    def start(self):
        pass

    took = None

    def write(self, data):
        for line in data.splitlines():
            request = json.loads(line)
            result = {
                "init": lambda: {"value": {}, "state": {}},
                "get_tool_schemas": lambda: {"value": [schema("tool")]},
                "execute_tool": lambda: {"value": {"success": True, "result": None}},
            }[request["method"]]()
            answer = {"v": 1, "id": request["id"], "ok": True, "result": result}
            self._listener.on_output(json.dumps(answer).encode() + b"\n")

    def has_ended(self):
        return False

    def stop(self, reason, ladder):
        self.end(0, reason)

    def end(self, code, reason=None):
        if self._ended.acquire(blocking=False):
            self._listener.on_exit(ProcessExit(code, None, 1.0, reason))
            self._listener.on_gone([])

    def join(self, timeout=None):
        return self._ended.locked()


class Host:
    """A plugin whose generations are in memory."""

    def __init__(self, name="host"):
        self.generations = []
        self.plugin = HostedToolPlugin(name, lambda: Command((name,), {}), carry=self._carry)

    def _carry(self, _host, _command, listener, _watchdog):
        self.generations.append(RunningGeneration(listener))
        return self.generations[-1]


@pytest.fixture
def board():
    with Board(clock=ManualClock(), seed=1) as board:
        yield board


def begin(board, host):
    board.begin_hosted(
        PluginAdapter(host.plugin),
        host.plugin,
        host=HostSettings({}),
        policy=AT_ONCE,
        settings=ToolSettings(deadline=None),
    )


def state_of(board, name="host"):
    host = board.status()["plugins"][name]["host"]
    return host["state"], host["generation"]


@pytest.mark.timeout(600)
def test_in_every_listener_one_that_is_told_to_be_ready_or_called_is_ready(board):
    host, seen, ready = Host(), Counter(), [0]

    def hear(event):
        state, generation = state_of(board)
        match event.kind:
            case "host_ready":
                ready[0] = event.facts["generation"]
                # It goes on meanwhile: a later generation may be there by now, or just this one's end.
                seen["ready"] += (state, generation) == ("ready", ready[0]) or generation > ready[0]
                go_on.release()
            case "call_started":
                seen["called"] += 1
                seen["called before it was told to be ready"] += ready[0] != seen["called"]

    go_on = threading.Semaphore(0)
    with board.subscribe(hear, ["host_ready", "call_started"]):
        begin(board, host)
        board.settle_hosted("host", required=True)
        for _ in range(STARTS):
            assert board.submit(tool_call("tool")).result(PATIENCE)["success"]
            seen["answered by one that is ready"] += state_of(board)[0] == "ready"
            assert go_on.acquire(timeout=PATIENCE)
            host.generations[-1].end(1)
            wait_for_next(board, host)
        assert go_on.acquire(timeout=PATIENCE)
        assert board.events.settle(PATIENCE)

    assert seen == {
        "ready": STARTS + 1,
        "called": STARTS,
        "called before it was told to be ready": 0,
        "answered by one that is ready": STARTS,
    }


def wait_for_next(board, host):
    """Until supervisor and plugin have heard of the end: a call then waits for the generation that comes."""
    generations = len(host.generations)
    deadline = time.monotonic() + PATIENCE
    while state_of(board)[1] == generations:
        assert time.monotonic() < deadline
        board.clock.advance(1.0)
    for actor in pykka.ActorRegistry.get_by_class(HostedToolActor):
        actor.ask(WORK)


@pytest.mark.timeout(600)
def test_one_whose_tools_were_waited_for_is_ready(board):
    states = Counter()
    for _ in range(STARTS // 10):
        begin(board, Host())
        board.settle_hosted("host", required=True)
        states[state_of(board)] += 1
        board.remove("host")

    assert states == {("ready", 1): STARTS // 10}
