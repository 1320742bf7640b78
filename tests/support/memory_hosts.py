"""Hosts in memory: real protocol lines and no process, so that a board on a manual clock runs in no time.

A generation answers its handshake by itself, in the thread that asks. Everything else it does when the test
says so, in the test's thread: answer a call, break the protocol, end. Being stopped ends it at once:
politely with status 0, else by SIGKILL.
"""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pykka
from boards import Recorder
from callboard.actors.board import Board
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.endpoint.messages import WORK
from callboard.actors.hosted.tool_actor import HostedToolActor
from callboard.actors.hosting.settings import HostSettings
from callboard.hosts.errors import HostGone
from callboard.hosts.hosted_tool import HostedToolPlugin
from callboard.hosts.process.process import Command, ProcessExit
from callboard.hosts.process.stop_ladder import KILL_NOW
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.policy import RestartPolicy
from manual_clock import ManualClock
from tools import schema, tool_call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from callboard.actors.calls.call import Call

Json = dict[str, Any]

PATIENCE = 20.0
"""Real seconds after which something that a test waits for is taken never to come."""

SLOWLY = RestartPolicy(backoff=Backoff(first=5.0, min=5.0, max=5.0, jitter=0.0), intensity=1000)
"""Five seconds between two generations, on the manual clock: time to look at what becomes of calls."""

NO_PID = 2**31 - 1
"""No process has it, so nobody can look at one by mistake."""


class MemoryGeneration:
    """One generation. It is a `Transport`."""

    def __init__(self, host: MemoryHost, listener: Any) -> None:
        self.pid = NO_PID
        self.stderr_tail = ""
        self.methods: list[str] = []
        self.stopped: list[str] = []
        self.ended = False
        self._host = host
        self._listener = listener
        self._requests: list[Json] = []
        self._taken = 0
        self._changed = threading.Condition()

    # The transport

    def start(self) -> None:
        """See `Transport`."""

    took = None

    def write(self, data: bytes) -> None:
        """See `Transport`."""
        if self.ended:
            raise HostGone("the host in memory has ended", host=self._host.name)
        for line in data.splitlines():
            request = json.loads(line)
            self.methods.append(request["method"])
            if request["method"] == "init":
                self._host.opened.wait(PATIENCE)
                self.answer(request, self._host.fresh, state=self._host.fresh)
            elif request["method"] == "get_tool_schemas":
                self.answer(request, [schema(name, self._host.parameters) for name in self._host.tools])
            else:
                with self._changed:
                    self._requests.append(request)
                    self._changed.notify_all()

    def has_ended(self) -> bool:
        return self.ended

    def stop(self, reason: str, ladder: Any) -> None:
        """See `Transport`."""
        self.stopped.append(reason)
        if not self.ended:
            code, signal = (None, 9) if ladder is KILL_NOW else (0, None)
            self.end(code, signal=signal, reason=reason)

    def join(self, timeout: float | None = None) -> bool:
        """See `Transport`."""
        return self.ended

    # For the test

    def request(self) -> Json:
        """Wait for the next call that reaches the host; its ``params`` say which."""
        with self._changed:
            there = self._changed.wait_for(lambda: len(self._requests) > self._taken, PATIENCE)
            assert there, f"no further call has reached the host; before there were {self._requests}"
            self._taken += 1
            return self._requests[self._taken - 1]

    @property
    def received(self) -> int:
        """How many calls have reached it."""
        return len(self._requests)

    def answer(self, request: Json, value: Any, state: Json | None = None) -> None:
        """Answer a request."""
        result = {"value": value} if state is None else {"value": value, "state": state}
        self.say({"v": 1, "id": request["id"], "ok": True, "result": result})

    def succeed(self, result: Any = None, state: Json | None = None) -> Json:
        """Answer the next call with a success; returns its request."""
        request = self.request()
        self.answer(request, {"success": True, "result": result}, state)
        return request

    def refuse(self, request: Json, kind: str, detail: str) -> None:
        """Answer a request with an error."""
        error = {"type": kind, "detail": detail, "stack": ""}
        self.say({"v": 1, "id": request["id"], "ok": False, "error": error})

    def part(self, request: Json, payload: Any) -> None:
        """Send a part."""
        self.say({"v": 1, "id": request["id"], "event": {"type": "part", "payload": payload}})

    def say(self, message: Json) -> None:
        """Send any message."""
        self._listener.on_output(json.dumps(message).encode() + b"\n")

    def end(self, code: int | None = None, *, signal: int | None = None, reason: str | None = None) -> None:
        """End, by itself unless there is a reason why it was stopped."""
        self.ended = True
        self._listener.on_exit(ProcessExit(code, signal, 1.0, reason))
        self._listener.on_gone([])

    def crash(self) -> None:
        """End with status 1."""
        self.end(1)


class MemoryHost:
    """A plugin whose generations are in memory, on a board.

    Attributes:
        fresh: the state that `init` returns; may be changed between two generations.
        tools: the tools that the next generation offers.
        parameters: what each of them takes; any object if ``None``.
        opened: cleared, it holds up the `init` of generations to come.
        generations: all so far.
    """

    def __init__(self, name: str, tools: tuple[str, ...]) -> None:
        self.name = name
        self.tools = tools
        self.parameters: Json | None = None
        self.fresh: Json = {}
        self.opened = threading.Event()
        self.opened.set()
        self.generations: list[MemoryGeneration] = []
        self.plugin = HostedToolPlugin(name, lambda: Command((name,), {}), carry=self._carry)

    def _carry(self, _host: str, _command: Command, listener: Any, _watchdog: Any) -> MemoryGeneration:
        self.generations.append(MemoryGeneration(self, listener))
        return self.generations[-1]

    @property
    def generation(self) -> MemoryGeneration:
        """The present one, or the last."""
        return self.generations[-1]


class Memory:
    """A board on a manual clock, and what has happened on it."""

    def __init__(self, board: Board, clock: ManualClock) -> None:
        self.board = board
        self.clock = clock
        self.events = Recorder(board)

    def add(
        self,
        name: str = "host",
        tools: tuple[str, ...] = ("tool",),
        policy: RestartPolicy = SLOWLY,
        parameters: Json | None = None,
        standby: bool = False,
        **settings: Any,
    ) -> MemoryHost:
        """Put a plugin on the board and wait for its first generation."""
        host = MemoryHost(name, tools)
        host.parameters = parameters
        self.board.begin_hosted(
            PluginAdapter(host.plugin),
            host.plugin,
            host=HostSettings({}, standby=standby),
            policy=policy,
            settings=ToolSettings(**{"deadline": None, **settings}),
        )
        self.board.settle_hosted(name, required=True)
        self.ready(name)
        return host

    def call(self, tool: str = "tool", *, deadline: float | None = None, **arguments: Any) -> Call:
        """Submit a call."""
        return self.board.submit(tool_call(tool, **arguments), deadline=deadline)

    def ready(self, name: str = "host", generation: int = 1) -> None:
        """Wait until that generation of a host is ready."""
        self._heard("host_ready", name, generation)

    def crash(self, host: MemoryHost) -> None:
        """Let the present generation crash, and wait until everybody knows."""
        generation = len(host.generations)
        host.generation.crash()
        self._heard("host_crashed", host.name, generation)
        self.settle()

    def restart(self, host: MemoryHost) -> None:
        """Let time pass until the generation after a crash is ready."""
        generation = len(host.generations)
        self._heard("host_backoff", host.name, generation)
        self.settle()
        self.clock.advance(5.0)
        self.ready(host.name, generation + 1)

    def relive(self, host: MemoryHost) -> None:
        """A crash, and the next generation."""
        self.crash(host)
        self.restart(host)

    def settle(self) -> None:
        """Wait until the supervisor and the tools' actors have read what they were told, and all events are told."""
        self.board.status()
        for actor in pykka.ActorRegistry.get_by_class(HostedToolActor):
            with suppress(pykka.ActorDeadError):  # one that has ended meanwhile has read all of it
                actor.ask(WORK)  # means nothing where there is no work
        assert self.board.events.settle(PATIENCE)

    def _heard(self, kind: str, name: str, generation: int) -> None:
        self.events.wait_for(
            kind, lambda event: (event.subject, event.facts["generation"]) == (name, generation)
        )

    def status(self, name: str = "host") -> Json:
        """A plugin's."""
        status: Json = self.board.status()["plugins"][name]
        return status

    def letters(self) -> list[tuple[str, str]]:
        """The dead letters so far: reason and what was dropped."""
        self.settle()
        return [(event.facts["reason"], event.facts["letter"]) for event in self.events.of("dead_letter")]


@contextmanager
def memory_board(**options: Any) -> Iterator[Memory]:
    """A board whose hosts are in memory; ``options`` as `Board`."""
    clock = ManualClock()
    with Board(clock=clock, seed=1, **options) as board:
        yield Memory(board, clock)
