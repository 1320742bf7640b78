"""A trial: a configuration of one's own under load, while faults are done to its hosts, and the proof.

Everything is drawn from one seed: the calls, what is done to which host, and at which of its calls.
"""

from __future__ import annotations

import time
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from .chaos import faults as f
from .chaos.census import Census
from .chaos.invariants import check
from .chaos.nemesis import Nemesis
from .chaos.recorder import Recorder
from .chaos.requests import NoCalls, Source, from_list, from_schemas
from .chaos.schedule import Entry, Schedule
from .chaos.siege import Siege
from .chaos.spoiling import noise
from .chaos.triggers import NthCall
from .interop.errors import InteropError
from .plugins.frozen import frozen
from .tampered_board import TamperedBoard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .actors.board import Board
    from .actors.catalog import ToolDescriptor
    from .chaos.facts import Run
    from .chaos.invariants import Check
    from .loaded import Loaded

Json = dict[str, Any]

MAKE: dict[str, Callable[[Random], f.Fault]] = {
    "kill": lambda _: f.Signal(9),
    "term": lambda _: f.Signal(15),
    "abort": lambda _: f.Signal(6),
    "segv": lambda _: f.Signal(11),
    "stop": lambda chance: f.Pause(chance.choice((0.05, 0.2, 0.5))),
    "garbage": lambda chance: f.Garbage(chance.randint(5, 200)),
    "duplicate": lambda chance: f.DuplicateReply(chance.randint(1, 3)),
    "partial": lambda chance: f.PartialLine(chance.randint(1, 40)),
    "truncate": lambda chance: f.Truncate(chance.randint(1, 40)),
    "wrong_id": lambda _: f.WrongId(),
    "stdout_flood": lambda _: f.StdoutFlood(10_000_000),
    "part_flood": lambda _: f.PartFlood(50_000),
    "reply_flood": lambda _: f.ReplyFlood(100_000),
}
"""What can be done to a host that knows nothing of it, by the names of the command line."""

USUAL = ("kill", "kill", "kill", "term", "stop", "segv", "garbage", "duplicate", "partial")
"""What is done where nobody says what. The others make calls wait for their deadlines."""


@frozen
class Plan:
    """What a trial is to be.

    Attributes:
        config: path of the configuration.
        calls: how many are made.
        kills: how many faults.
        seed: of everything that is drawn.
        kinds: of faults, names in `MAKE`.
        deadline: seconds for each call; ``None`` for the configuration's.
        wires: calls to be made instead of drawn ones.
        relentless: do every fault, though a host is parked for it.
    """

    config: str
    calls: int
    kills: int
    seed: int
    kinds: tuple[str, ...] = USUAL
    deadline: float | None = None
    wires: tuple[Json, ...] = ()
    relentless: bool = False


@frozen
class Ended:
    """How a trial went.

    Attributes:
        plan: what it was to be.
        run: what happened.
        checks: what had to be true.
        schedule: what was to be done to the hosts.
        held: how many faults were held back for the sake of the restart budget.
        left_out: tools that were not called, and why.
        failed: plugins that could not be loaded, and why.
    """

    plan: Plan
    run: Run
    checks: tuple[Check, ...]
    schedule: Schedule
    held: int
    left_out: dict[str, str]
    failed: dict[str, str]

    @property
    def ok(self) -> bool:
        """Whether every rule holds."""
        return all(one.ok for one in self.checks)


class Trial:
    """One trial; `run` it once. The rest may be looked at from any thread meanwhile.

    Attributes:
        siege: the calls, once the hosts are up.
        nemesis: what is at the hosts.
        left_out: tools that are not called, and why.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.siege: Siege | None = None
        self.nemesis: Nemesis | None = None
        self.left_out: dict[str, str] = {}
        self.began = time.monotonic()
        self._chance = Random(f"{plan.seed} faults")  # noqa: S311 - a game, no secret
        self.board = _Tampered(plan.config, noise(Random(f"{plan.seed} noise").randrange))  # noqa: S311
        self._stopping = False
        self._in_the_end: Json = {}

    @property
    def elapsed(self) -> float:
        """Seconds since it was made."""
        return time.monotonic() - self.began

    def plugins(self) -> Json:
        """What the board's status says of the plugins, and in the end what it said last."""
        return dict(self.board.status()["plugins"]) or self._in_the_end

    def stop(self) -> None:
        """Let `run` return soon, with nothing. From any thread."""
        self._stopping = True
        if self.siege is not None:
            self.siege.stop()

    def run(self) -> Ended | None:
        """Do it all; ``None`` when it was stopped.

        Raises:
            ConfigurationError: the configuration cannot be used.
            PluginError: a plugin that it requires cannot be loaded.
            NoCalls: none of its tools can be called.
            SiegeStuck: nothing happens any more.
        """
        census = Census()
        with self.board:
            board = self.board.board
            sources = self._sources()
            recorder = Recorder(board)
            schedule = self._schedule(sources, board)
            with Nemesis(
                board,
                schedule,
                tampers=self.board.tampers,
                note=recorder.broke,
                spare=not self.plan.relentless,
            ) as nemesis:
                self.nemesis = nemesis
                self.siege = Siege(
                    recorder,
                    sources,
                    calls=self.plan.calls,
                    seed=self.plan.seed,
                    deadline=self.plan.deadline,
                    heal=nemesis.heal,
                )
                if self._stopping or not self.siege.run():
                    return None
            recorder.close()
            self._in_the_end = self.plugins()
        run = recorder.run(census.left(recorder.known))
        failed = {one.source: one.error for one in self.board.failed}
        return Ended(self.plan, run, check(run), schedule, len(nemesis.held), self.left_out, failed)

    def _sources(self) -> list[Source]:
        tools = [tool for tool in self.board.tools() if tool.available]
        if self.plan.wires:
            sources = from_list(self._placed(tools))
        else:
            sources, self.left_out = from_schemas(tools, self._parameters)
        for name, plugin in self.plugins().items():
            if not plugin["available"]:
                self.left_out[name] = str(plugin.get("problem") or plugin.get("host", {}).get("why", ""))
        if not sources:
            why = "; ".join(f"{tool}: {reason}" for tool, reason in self.left_out.items())
            remedy = "write calls into a file and give it with --call-file"
            raise NoCalls(f"there is no tool that could be called{f' ({why})' if why else ''}; {remedy}")
        return sources

    def _parameters(self, tool: ToolDescriptor) -> Any:
        found = self.board.registry.inspect_schema(tool.schema)
        return {"oneOf": "text"} if found.kind == "text" else found.parameters

    def _placed(self, tools: Sequence[ToolDescriptor]) -> Iterator[tuple[str, Json]]:
        places = {tool.tool_name: tool.plugin_name for tool in tools}
        for number, wire in enumerate(self.plan.wires, 1):
            try:
                name = self.board.registry.inspect_call(wire).tool_name
            except InteropError as error:
                raise NoCalls(f"call {number} of the file cannot be read: {error}") from error
            if name not in places:
                there = ", ".join(places) or "none"
                raise NoCalls(f"call {number} of the file is for {name!r}; the tools are: {there}")
            yield places[name], wire

    def _schedule(self, sources: Sequence[Source], board: Board) -> Schedule:
        """Faults at calls, spread evenly over all that each host gets; the last quarter of them is quiet."""
        called = {source.plugin for source in sources}
        hosts = [name for name in self.board.tampers if name in called and name in board.roster.members()]
        if not hosts:
            return Schedule(self.plan.seed)
        calls = max(1, self.plan.calls // len(sources))
        names = list(self.plan.kinds)
        entries = []
        for number in range(self.plan.kills):
            share = (number // len(hosts) + self._chance.random()) / -(-self.plan.kills // len(hosts))
            fault = MAKE[self._chance.choice(names)](self._chance)
            nth = 1 + int(share * calls * _BUSY)
            entries.append(Entry(NthCall(nth), fault, hosts[number % len(hosts)]))
        return Schedule(self.plan.seed, entries)


_BUSY = 0.75
"""The share of its calls in which a host is let suffer; the rest is quiet."""


class _Tampered(TamperedBoard):
    """A board with a hand on the line of every plugin's host."""

    def _begin(self, board: Board, one: Loaded) -> None:
        # Each in a host of its own: what is done to one must not be told of the others.
        super()._begin(board, replace(one, share=None))
