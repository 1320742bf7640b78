"""The long test: very many calls on hosts that go wrong in every way that the schedule language knows.

Half of the hosts are written in Python and half in Node, and each is asked one kind of thing, so that
what comes of it can be told: ledgers that may run a call once, ledgers that may run it twice, counters,
echoes, which are called by two names, and streams. Beside them are MCP servers, which are killed and spoilt from outside, and plugins whose
callers are interrupted by signals. A neighbour with `can_handle_tool_call` comes and goes. The soak acts as
the operator, too: it revives each host that is parked for good.

``kill_parent`` is left out: the parent is the process that the soak runs in.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, Literal, cast

from ...actors.board import Board
from ...actors.endpoint.endpoint import ToolSettings
from ...actors.hosting.settings import HostSettings
from ...base.frozen import frozen
from ...hosts.process.stop_ladder import StopLadder
from ...plugins.adapter.adapter import PluginAdapter
from ...supervision.restart.backoff import Backoff
from ...supervision.restart.policy import RestartPolicy
from .. import faults as f
from ..checker.interruptions import check_interrupts
from ..checker.invariants import check, standing
from ..checker.kept import check_kept, check_level, inventory, last_inventory, usage
from ..checker.leak_check import Census
from ..checker.standings import Standing
from ..inject.evil_tool import EvilToolPlugin
from ..nemesis import Nemesis
from ..recorder import Recorder, terms_of
from ..schedule import Entry, Schedule
from ..schedules.generate import MAKE_FAULT, draw_trigger
from ..schedules.tally import Tally
from ..triggers import AtPoint, NthByte, NthCall, NthFrame, NthSpawn, StateEntered
from .claiming_neighbour import ClaimingNeighbour
from .interrupted_plugins import add_targets
from .interrupts import InterruptedCaller
from .line_record import LineRecord
from .load_test import LoadTest
from .mcp_servers import mcp_faults, mcp_request, mcp_runs, mcp_server
from .requests import Request, Source, counted, has_to_be

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from ...hosts.hosted_tool import HostedToolPlugin
    from ..checker.facts import Run
    from ..checker.invariants import Check
    from ..checker.kept import Inventory, Usage
    from ..inject.tamper import Tamper
    from .interrupts import Target

Json = dict[str, Any]
Kind = Literal["ledger", "batch", "repeated", "count", "echo", "stream", "mcp"]

KINDS = tuple(kind for kind in f.FAULTS if kind != "kill_parent")
"""What can go wrong here."""

WORKS: tuple[Kind, ...] = ("ledger", "batch", "count", "echo", "stream", "repeated", "count", "repeated")
"""What the hosts are asked for, in turn."""

_LEDGERS = frozenset({"ledger", "batch", "repeated", "mcp"})

POLICY = RestartPolicy(
    backoff=Backoff(first=0.0, min=0.01, max=0.2), intensity=40, period=10.0, stable_for=1.0, cool_down=1.0
)
RESERVE = 1.2
"""How many faults are drawn for each that is wanted."""

_SPELLS = 40
"""How often the neighbour that is asked about all calls comes or goes."""

_FEW = 20
"""With no more faults than this to a host, it has too few generations for a fault to be meant for a certain one."""

IN_FLIGHT = 8
"""Calls to each host that are open at a time."""

PADDING = 200_000
"""Bytes more of each call of a batch. Eight are more than a pipe takes, so that a host which ends has been sent a part of them."""

CUTS = 6
"""How often a host of batches, or of streams, ends in the midst of one, beside all else."""

_CUT_AT = {"batch": "ledger.after", "stream": "stream.part"}

DEADLINE, START_DEADLINE, GRACE = 2.0, 3.0, 0.2
LADDER = StopLadder(polite=0.2, firm=0.2)


@frozen
class Soaked:
    """How it went.

    Attributes:
        run: what happened.
        checks: what had to be true.
        tally: the faults that were drawn, and those that were carried out.
    """

    run: Run
    checks: tuple[Check, ...]
    tally: Tally

    @property
    def standing(self) -> Standing:
        """How it came out; fewer faults than were wanted have not tested what it is for."""
        came = standing(self.checks)
        return Standing.NOT_TESTED if came is Standing.HELD and not self.tally.enough else came

    @property
    def ok(self) -> bool:
        """Whether every rule was tested and holds, and as much went wrong as was wanted."""
        return self.standing is Standing.HELD


class Soak:
    """One soak; `run` it once.

    Args:
        calls: how many.
        hosts: how many.
        faults: how many have to be carried out; some more are drawn.
        seed: of everything that is drawn.
        folder: for the hosts' files; it has to be there.
        languages: of the hosts, in turn.
        servers: how many MCP servers there are beside the hosts.
        interrupts: how many callers are interrupted by a signal; with any `run` is called in the main thread.
        ways: further ways to run a call that is interrupted; see `InterruptedCaller`.
        seconds: within how many the faults come that come at a time; the run has to take longer.
    """

    def __init__(
        self,
        *,
        calls: int,
        hosts: int,
        faults: int,
        seed: int,
        folder: Path,
        languages: tuple[Literal["node", "python"], ...] = ("node", "python"),
        servers: int = 0,
        interrupts: int = 0,
        ways: Mapping[str, Callable[..., Any]] | None = None,
        seconds: float | None = None,
    ) -> None:
        self.calls: int = calls
        self.faults: int = faults
        self.seed: int = seed
        self.interrupts: int = interrupts
        self._ways = ways or {}
        self._folder = folder
        self._seconds = seconds if seconds is not None else max(0.05, min(0.03 * faults, calls / 5_000))
        self._census = Census()
        self._chance = Random(f"{seed} soak")  # noqa: S311 - a game, no secret
        self._languages = languages
        self._names = [f"{WORKS[n % len(WORKS)]}_{n + 1}" for n in range(hosts)]
        self._servers = [f"mcp_{n + 1}" for n in range(servers)]
        self.schedule: Schedule = self._draw()
        self._lines = {name: LineRecord(name) for name in self._names}
        self.load_test: LoadTest | None = None
        self._board: Board | None = None
        self.caller: InterruptedCaller | None = None
        self._drawn = 0
        self._half: tuple[Inventory, Usage] | None = None

    def run(self) -> Soaked:
        """Do it all. Raises `LoadTestStuck`."""
        with ExitStack() as stack:
            board = self._board = stack.enter_context(Board(seed=self.seed))
            plugins = [self._evil_host(number, name) for number, name in enumerate(self._names)]
            servers = [mcp_server(name, self._chance) for name in self._servers]
            hosted: list[HostedToolPlugin] = [*plugins, *servers]
            for one in hosted:
                self._begin(board, one)
            for one in hosted:
                board.settle_hosted(one.name, required=False)
            targets = self._add_targets(board) if self.interrupts else []
            recorder = Recorder(board)
            for plugin in plugins:
                self._lines[plugin.name].begin(recorder)
            tampers = {server.name: cast("Tamper", server.carry) for server in servers}
            nemesis = stack.enter_context(Nemesis(board, self.schedule, tampers=tampers))
            if targets:
                self.caller = stack.enter_context(
                    InterruptedCaller(recorder, targets, seed=self.seed, ways=self._ways)
                )

            def heal() -> None:
                nemesis.heal()
                self._have_neighbour(there=False)
                ends.append(self._usage(recorder))
                came.update(entry.fault.kind for plugin in plugins for entry in _done(plugin))
                came.update(fault.kind for _, fault in nemesis.done)
                for plugin in plugins:
                    plugin.heal()
                for one in hosted:
                    recorder.order("restart", one.name)  # one that hangs would hang on

            came: Counter[str] = Counter()
            ends: list[Usage] = []
            self.load_test = LoadTest(
                recorder,
                [self._source(one.name, recorder) for one in hosted],
                calls=self.calls,
                seed=self.seed,
                in_flight=IN_FLIGHT,
                heal=heal,
                revive=True,
            )
            self.load_test.run()
            for one in hosted:
                self._keep_books(board, recorder, one.name)
            recorder.close()
        run = recorder.run(self._census.left(recorder.known, marks=recorder.marks))
        half, used = self._half or (inventory(run.ended), ends[0])
        kept = check_kept(run, half, last_inventory(run, half))
        drawn = Counter(entry.fault.kind for entry in self.schedule.entries)
        checks = [*check(run), kept, check_level(run, used, ends[0])]
        if self.caller is not None:
            checks.append(check_interrupts(self.caller.interruptions, self.caller.freed))
        return Soaked(run, tuple(checks), Tally(self.faults, drawn, came))

    # The hosts

    def _evil_host(self, number: int, name: str) -> EvilToolPlugin:
        plugin = EvilToolPlugin(
            name, self.schedule, folder=self._folder, language=self._languages[number % len(self._languages)]
        )
        plugin.carry = self._lines[name]
        return plugin

    def _add_targets(self, board: Board) -> list[Target]:
        return add_targets(board, self._folder, self._languages[0], self._begin, self._settings(""))

    def _begin(self, board: Board, plugin: HostedToolPlugin) -> None:
        board.begin_hosted(
            PluginAdapter(plugin),
            plugin,
            host=HostSettings({}, start_deadline=START_DEADLINE, ladder=LADDER),
            policy=POLICY,
            settings=self._settings(_work(plugin.name)),
        )

    def _settings(self, work: str) -> ToolSettings:
        return ToolSettings(
            deadline=DEADLINE,
            grace=GRACE,
            idempotent=work == "repeated",
            concurrency=IN_FLIGHT if work == "batch" else 1,
            quarantine=None,  # a tool that is refused would meet no faults, and be refused when they are over
        )

    def _draw(self) -> Schedule:
        deck = itertools.cycle(KINDS)
        names = itertools.cycle(self._names)
        drawn = [self._draw_one(next(deck), next(names)) for _ in range(math.ceil(self.faults * RESERVE))]
        if self.faults:
            drawn += [entry for name in self._names if _work(name) in _CUT_AT for entry in self._cuts(name)]
            each, calls = math.ceil(self.faults / len(self._names)), self._calls_each()
            drawn += [
                entry for name in self._servers for entry in mcp_faults(name, each, calls, self._chance)
            ]
        return Schedule(self.seed, drawn)

    def _calls_each(self) -> int:
        return max(1, self.calls // (len(self._names) + len(self._servers)))

    def _cuts(self, host: str) -> Iterator[Entry]:
        """Ends of a host in the midst of a call: one of a batch has run, and others have left in part; or parts are emitted."""
        calls = self._calls_each()
        for _ in range(CUTS):
            yield Entry(AtPoint(_CUT_AT[_work(host)], self._chance.randint(1, calls)), f.Exit(), host)

    def _draw_one(self, kind: str, host: str) -> Entry:
        """One whose moment will come, or in one of eight cases may: that of a call in a certain generation."""
        chance, each = self._chance, self.faults // len(self._names)
        fault = _mild(MAKE_FAULT[kind](chance), chance)
        calls = max(1, self._calls_each() // 2)
        points = ("ledger.after",) if _work(host) in _LEDGERS else ()
        trigger = draw_trigger(chance, fault, calls=calls, seconds=self._seconds, points=points)
        match trigger:
            case NthSpawn():
                trigger = NthSpawn(chance.randint(1, 1 + each // 2))
            case StateEntered(state, n):
                trigger = StateEntered(state, min(n, 1 + each // 4))
            case NthCall() | NthFrame() | NthByte() if trigger.generation is not None:
                early = each > _FEW and chance.random() < 1 / 3
                generation, n = (
                    (chance.randint(1, each // 3), 1 + trigger.n % 4) if early else (None, trigger.n)
                )
                trigger = replace(trigger, generation=generation, n=n)
        return Entry(trigger, fault, host)

    # The calls

    def _ledger(self, name: str) -> Path:
        return self._folder / f"{name}.ledger"

    def _usage(self, recorder: Recorder) -> Usage:
        return usage(recorder.now(), recorder.facts[:], self._folder)

    def _source(self, name: str, recorder: Recorder) -> Source:
        numbers = itertools.count(1)

        def request(chance: Random) -> Request:
            if self._drawn == self.calls // 2:
                self._half = inventory(recorder.now()), self._usage(recorder)
            return self._request(name, next(numbers), chance)

        return Source(name, request, bursts=_work(name) == "batch")

    def _have_neighbour(self, *, there: bool) -> None:
        """Have the neighbour come, or go, if it is not as it is to be."""
        assert self._board is not None
        neighbours = ClaimingNeighbour.name in self._board.plugin_manager.handles()
        if there and not neighbours:
            self._board.add(PluginAdapter(ClaimingNeighbour()), config={})
        elif neighbours and not there:
            self._board.remove(ClaimingNeighbour.name)

    def _interrupt(self) -> None:
        """Interrupt a caller if fewer were than should have been by now."""
        caller = self.caller
        if caller is not None and len(caller.interruptions) * self.calls < self.interrupts * self._drawn:
            caller.interrupt()

    def _request(self, name: str, number: int, chance: Random) -> Request:
        self._drawn += 1
        if self._drawn <= self.calls:
            self._have_neighbour(there=self._drawn // max(10, self.calls // _SPELLS) % 2 == 1)
            self._interrupt()
        call = f"{name}-{number}"
        arguments: Json
        judge: Callable[[Mapping[str, Any]], Json]
        match _work(name):
            case "mcp":
                return mcp_request(name, call, self._ledger(name), chance)
            case "ledger" | "batch" | "repeated" as work:
                tool, arguments = "ledger", {"path": str(self._ledger(name)), "line": call}
                if work == "batch":
                    arguments["padding"] = "x" * PADDING
                judge = has_to_be(call)
            case "count":
                tool, arguments = "count", {}
                judge = counted
            case "echo" if chance.random() < 1 / 2:
                tool, arguments = "echo", {"n": number, "text": "x" * chance.randint(0, 500)}
                judge = has_to_be(arguments)
            case _:
                tool, arguments = "stream", {"parts": chance.randint(1, 5)}
                judge = has_to_be(arguments["parts"])
        return Request(
            {"type": "function_call", "name": f"{name}_{tool}", "arguments": arguments}, judge, call
        )

    def _keep_books(self, board: Board, recorder: Recorder, name: str) -> None:
        work = _work(name)
        kept, file = work in _LEDGERS, self._ledger(name)
        recorder.terms[name] = replace(
            terms_of(board.plugin_manager.handle(name)), ledger=kept, counts=work == "count"
        )
        if kept and file.exists():
            runs = mcp_runs(file) if work == "mcp" else file.read_text(encoding="utf-8").splitlines()
            recorder.take_ledger(name, runs)


def _done(plugin: EvilToolPlugin) -> list[Entry]:
    return [plugin.schedule.entries[number] for number in plugin.done()]


def _work(name: str) -> str:
    return name.rpartition("_")[0]


def _mild(fault: f.Fault, chance: Random) -> f.Fault:
    """The same fault, as small as it can be and still show: there will be very many of them."""
    match fault:
        case f.GrowMemory():
            return f.GrowMemory(chance.choice((4, 16)))
        case f.Pause(seconds) if seconds is not None:
            return f.Pause(min(seconds, 0.5))
        case f.SlowStart(seconds):
            return f.SlowStart(min(seconds, START_DEADLINE * 2))
        case f.RefuseStart(times):
            return f.RefuseStart(min(times, 2))
    return fault
