"""A trial: a configuration of one's own under load, while faults are done to its hosts, and the proof.

Everything is drawn from one seed: the calls, what is done to which host, and at which of its calls.
"""

from __future__ import annotations

import time
from dataclasses import field, replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from ..base.frozen import frozen
from ..chaos.checker.facts import Asked
from ..chaos.checker.invariants import check
from ..chaos.checker.kept import check_kept, inventory, last_inventory
from ..chaos.checker.leak_check import Census
from ..chaos.checker.standings import Standing, together
from ..chaos.load.load_test import LoadTest
from ..chaos.load.requests import NoCalls, Source, from_list, from_schemas
from ..chaos.nemesis import Nemesis
from ..chaos.recorder import Recorder, terms_of
from ..chaos.schedule import Schedule
from ..chaos.triggers import AtTime, NthCall
from ..interop.errors import InteropError
from .faults import KILLS, USUAL, draw_entries, draw_fault
from .pursuit import Pursuit
from .witnessed_board import WitnessedBoard

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..actors.board import Board
    from ..actors.catalog.catalog import ToolDescriptor
    from ..chaos.checker.facts import Run
    from ..chaos.checker.invariants import Check
    from ..chaos.checker.kept import Inventory
    from ..chaos.triggers import Trigger

Json = dict[str, Any]

MOST_KILLS = 12
"""How many there are unless the user says how many; fewer if that would spend the restart budgets."""


@frozen
class Plan:
    """What a trial is to be.

    Attributes:
        config: the configuration, or the path of one.
        calls: how many are made, before what is done to make good for kills, and one more to each plugin.
        kills: how often a host is ended, or, with ``kinds`` of which none ends one, how many faults are done; as many as
            come true. ``None`` for as many as the restart budgets bear, `MOST_KILLS` at most; none without a host.
        seed: of everything that is drawn.
        kinds: of faults, names in `MAKE`.
        deadline: seconds for each call; ``None`` for the configuration's.
        wires: calls to be made instead of drawn ones.
        relentless: do every fault, though a host is parked for it.
        seconds: for which calls are made, instead of so many.
        ahead: how many more calls a plugin may have got than another; ``None`` for no limit.
    """

    config: str | Mapping[str, Any]
    calls: int
    kills: int | None
    seed: int
    kinds: tuple[str, ...] = USUAL
    deadline: float | None = None
    wires: tuple[Json, ...] = ()
    relentless: bool = False
    seconds: float | None = None
    ahead: int | None = None


@frozen
class Ended:
    """How a trial went.

    Attributes:
        plan: what it was to be, ``kills`` settled.
        run: what happened.
        checks: what had to be true.
        schedule: what was planned to be done to the hosts; what did not come true was made good afterwards.
        kills: how many came true.
        missed: why no more came true, if fewer did than were wanted; by host.
        left_out: plugins and tools that were not called, and why.
        failed: plugins that could not be loaded, and why.
        plugins: what the board's status said of each in the end.
        states: of the plugins that faults were done to, as committed last.
    """

    plan: Plan
    run: Run
    checks: tuple[Check, ...]
    schedule: Schedule
    kills: int
    missed: dict[str, str]
    left_out: dict[str, str]
    failed: dict[str, str]
    plugins: Json = field(default_factory=dict)
    states: Json = field(default_factory=dict)

    @property
    def gaps(self) -> tuple[str, ...]:
        """What was not tested, beside rules that found nothing to look at; in words."""
        gaps = (
            []
            if any(isinstance(fact, Asked) for fact in self.run.facts)
            else ["there is no tool that could be called"]
        )
        gaps += [f"{source} could not be loaded: {why}" for source, why in self.failed.items()]
        gaps += [f"{name!r} was not called: {why}" for name, why in self.left_out.items()]
        if self.kills < (self.plan.kills or 0):
            why = "; ".join(f"{host!r}: {why}" for host, why in self.missed.items())
            gaps.append(
                f"{self.kills} of {self.plan.kills} kills came true"
                + (
                    f" ({why})"
                    if why
                    else ": none of the tools that were called runs in a process of its own"
                )
            )
        return tuple(gaps)

    @property
    def standing(self) -> Standing:
        """How it came out: held only if all was tested."""
        gaps = (Standing.NOT_TESTED for _ in self.gaps)
        return together([*(one.standing for one in self.checks), *gaps])

    @property
    def ok(self) -> bool:
        """Whether every rule was tested and holds, and nothing was left out."""
        return self.standing is Standing.HELD


class Trial:
    """One trial; `run` it once. The rest may be looked at from any thread meanwhile.

    Args:
        plan: what it is to be.
        sources: of the calls, of which more is known than the tools' schemas say; drawn from those when ``None``.

    Attributes:
        recorder: what has happened, once the hosts are up.
        load_test: the calls, once the hosts are up.
        nemesis: what is at the hosts.
        left_out: tools that are not called, and why.
    """

    def __init__(self, plan: Plan, sources: Sequence[Source] | None = None) -> None:
        self.plan: Plan = plan
        self.recorder: Recorder | None = None
        self.load_test: LoadTest | None = None
        self.nemesis: Nemesis | None = None
        self.left_out: dict[str, str] = {}
        self.began: float = time.monotonic()
        self._chance = Random(f"{plan.seed} faults")  # noqa: S311 - a game, no secret
        self.board: WitnessedBoard = WitnessedBoard(plan.config, Random(f"{plan.seed} noise"))  # noqa: S311 - noise by its seed, no secret
        self._given = sources
        self._stopping = False
        self._in_the_end: Json = {}
        self._made = 0
        self._half: Inventory | None = None

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
        if self.load_test is not None:
            self.load_test.stop()

    def run(self) -> Ended | None:
        """Do it all; ``None`` when it was stopped.

        Raises:
            ConfigurationError: the configuration cannot be used.
            PluginError: a plugin that it requires cannot be loaded.
            NoCalls: a call that is to be made is for none of its tools.
            LoadTestStuck: nothing happens any more.
        """
        census = Census()
        with self.board:
            board = self.board.board
            sources = self._sources()
            recorder = self.recorder = Recorder(board)
            for source in sources:
                if not source.counts:
                    continue
                recorder.terms[source.plugin] = replace(recorder.terms_of(source.plugin), counts=True)
            for name in self.board.remote & board.plugin_manager.handles().keys():
                recorder.terms[name] = replace(recorder.terms_of(name), remote=True)
            hosts = self._hosts(sources, board)
            self.plan = replace(self.plan, kills=self._kills(hosts, board))
            schedule = self._schedule(sources, hosts)
            # Where more is known of the calls their parts are held to that.
            self.board.listen(recorder, [source.plugin for source in sources], parts=self._given is None)
            missed = self._besiege(recorder, sources, hosts, schedule)
            if missed is None:
                return None
            self.board.testify(recorder)
            recorder.close()
            self._in_the_end = self.plugins()
            states = {name: board.state_of(name) for name in hosts}
        run = recorder.run(census.left(recorder.known, marks=recorder.marks))
        failed = {one.source: one.error for one in self.board.failed}
        return Ended(
            self.plan,
            run,
            (*check(run), *self._kept(run)),
            schedule,
            self.kills,
            missed,
            self.left_out,
            failed,
            self._in_the_end,
            states,
        )

    @property
    def kills(self) -> int:
        """How many have come true."""
        if self.nemesis is None:
            return 0
        return self.nemesis.kills if KILLS & set(self.plan.kinds) else len(self.nemesis.done)

    def _kept(self, run: Run) -> Iterator[Check]:
        """What is kept of generations that have ended; no check if there was no host, or no second half of the load."""
        if self._half is not None:
            kept = check_kept(run, self._half, last_inventory(run, self._half))
            if kept.looked_at:
                yield kept

    def _look_at_half(self) -> None:
        """Count what hosts are made of, once, at half of the calls, or of the time. It is asked with each call."""
        assert self.recorder is not None
        self._made += 1
        now, seconds = self.recorder.now(), self.plan.seconds
        is_half = self._made > self.plan.calls // 2 if seconds is None else now > seconds / 2
        if is_half and self._half is None:
            self._half = inventory(now)

    def _besiege(
        self, recorder: Recorder, sources: list[Source], hosts: list[str], schedule: Schedule
    ) -> dict[str, str] | None:
        """Make all calls and do all faults; why no more faults came true, or ``None`` if it was stopped."""
        board = recorder.board
        if not sources:
            return None if self._stopping else {}
        with Nemesis(
            board,
            schedule,
            tampers=self.board.tampers,
            note=recorder.broke,
            spare=not self.plan.relentless,
        ) as nemesis:
            self.nemesis = nemesis
            pursuit = Pursuit(
                nemesis,
                hosts,
                self.plan.kills or 0,
                came=lambda: self.kills,
                draw=lambda: draw_fault(self.plan.kinds, self._chance),
                states=lambda: self.load_test.states() if self.load_test is not None else {},
                now=board.clock.now,
                revive=partial(recorder.order, "revive") if self.plan.relentless else None,
            )
            self.load_test = LoadTest(
                recorder,
                sources,
                calls=self.plan.calls,
                seed=self.plan.seed,
                deadline=self.plan.deadline,
                seconds=self.plan.seconds,
                ahead=self.plan.ahead,
                more=pursuit.next,
                heal=nemesis.heal,
            )
            return None if self._stopping or not self.load_test.run() else pursuit.why

    def _sources(self) -> list[Source]:
        tools = [tool for tool in self.board.tools() if tool.available]
        if self._given is not None:
            sources = list(self._given)
        elif self.plan.wires:
            sources = from_list(self._placed(tools))
        else:
            sources, self.left_out = from_schemas(tools, self._parameters)
        for name, plugin in self.plugins().items():
            if not plugin["available"]:
                self.left_out[name] = str(plugin.get("problem") or plugin.get("host", {}).get("why", ""))
        return [self.board.watched(source, self._look_at_half) for source in sources]

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

    def _hosts(self, sources: Sequence[Source], board: Board) -> list[str]:
        """Those that can be harmed: of plugins that are called."""
        called = {source.plugin for source in sources}
        return [
            name for name in self.board.tampers if name in called and name in board.plugin_manager.handles()
        ]

    def _kills(self, hosts: Sequence[str], board: Board) -> int:
        """As many as were asked for, or as the hosts bear."""
        if self.plan.kills is not None:
            return self.plan.kills
        if not hosts:
            return 0
        if self.plan.relentless:
            return MOST_KILLS
        policies = [terms_of(board.plugin_manager.handle(name)).policy for name in hosts]
        return max(1, min(MOST_KILLS, sum(policy.intensity for policy in policies)))

    def _schedule(self, sources: Sequence[Source], hosts: Sequence[str]) -> Schedule:
        if not hosts:
            return Schedule(self.plan.seed)
        calls, seconds, kills = (
            max(1, self.plan.calls // len(sources)),
            self.plan.seconds,
            self.plan.kills or 0,
        )

        def when(share: float) -> Trigger:
            return NthCall(1 + int(share * calls)) if seconds is None else AtTime(share * seconds)

        return Schedule(self.plan.seed, draw_entries(self.plan.kinds, kills, hosts, when, self._chance))
