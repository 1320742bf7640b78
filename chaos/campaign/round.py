"""One round: a plan carried out on a real board with real processes, and everything held against the rules.

A round has one *act*, or two: a board that was stopped under load, or keeps its states in a file, is started again,
and has to go on from where it was.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from random import Random
from typing import TYPE_CHECKING, Any

from ...base.errors import CallboardError, PluginError
from ...base.frozen import frozen
from ..checker.facts import Answered, Asked, Ordered, Run, Violation
from ..checker.invariants import Check, check
from ..checker.leak_check import Census
from ..load.host_states import host_states
from ..load.load_test import LoadTest
from ..load.requests import Request, Source
from ..nemesis import Nemesis
from ..recorder import Recorder, terms_of
from ..schedules.corruption import noise
from .callers import Callers, judge, well
from .deeds import RULE, Deeds
from .ledger import Ledger, LedgerDamaged, anew_mark, read_ledger
from .ledger_rules import check_ledger, was_given_up
from .sources import Sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ..checker.facts import Fact, Terms
    from .deeds import Face
    from .plan import Plan, PluginPlan

Json = dict[str, Any]

_WAKING = 30.0
"""Seconds in which every plugin has to answer again once nothing is done to it any more."""

_PAUSE = 0.05

_RETIRING = 4
"""Generations of a host that may be about to end, where each is replaced after less time than a busy machine takes to end it."""

_WHOLE, _COMES = "the ledger can be read", "the round comes to its end"

_TOLD_BY_LEDGER = frozenset({"counts without a gap"})
"""Rules of a run that look at what these tools do not say; the ledger's own rules do."""


@frozen
class Ended:
    """How a round went.

    Attributes:
        plan: what it was to be.
        runs: what happened, an act each.
        ledger: what the tools have written down.
        checks: what had to be true of all acts together.
        done: what happened to the plugins, by kind: faults and deeds that came true.
        refused: deeds that were refused with a reason.
        seconds: how long it took.
    """

    plan: Plan
    runs: tuple[Run, ...]
    ledger: Ledger
    checks: tuple[Check, ...]
    done: Counter[str]
    refused: Counter[str]
    seconds: float

    @property
    def endings(self) -> Counter[str]:
        """How many calls ended how."""
        return Counter(fact.ending for run in self.runs for fact in run.facts if isinstance(fact, Answered))

    @property
    def untested(self) -> str:
        """Why nothing was tested; empty if something was."""
        names = {call.name for call in self.plan.all_calls()}
        through = any(
            isinstance(fact, Answered) and fact.ending == "success" and fact.call in names
            for run in self.runs
            for fact in run.facts
        )
        if not through:
            return "no call came through"
        return "" if self.done.total() else "nothing happened to a plugin"

    @property
    def violations(self) -> tuple[Violation, ...]:
        """All that is wrong."""
        return tuple(violation for one in self.checks for violation in one.violations)

    @property
    def ok(self) -> bool:
        """Whether every rule holds, and something was tested."""
        return not self.violations and not self.untested


class Round:
    """One round; `run` it once.

    Args:
        plan: what it is to be.
        folder: for its files; it has to be there, and empty.
        make_board: makes the board, of its configuration and of what makes noise on the lines of its hosts.
    """

    def __init__(
        self, plan: Plan, folder: Path, make_board: Callable[[Json, Callable[[int], bytes]], Face]
    ) -> None:
        self.plan = plan
        self._sources = Sources(plan, folder)
        self._make_board = make_board
        self._noise = noise(Random(f"{plan.seed} noise").randrange)  # noqa: S311 - a game, no secret
        self._runs: list[Run] = []
        self._checks: list[tuple[Check, ...]] = []
        self._done: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._wrong: list[Violation] = []
        self._orders = 0
        self._damage: Violation | None = None

    def run(self) -> Ended:
        """Do it all; returns what came of it, also when rules were broken."""
        began = time.monotonic()
        broken: list[Violation] = []
        try:
            self._act(self._load)
            if self.plan.keeps or self.plan.stops is not None:
                for plugin in self.plan.plugins:
                    self._sources.write(anew_mark(plugin.name, keeps=self.plan.keeps))
                self._act(self._go_on)
        except CallboardError as error:  # a board that does not start, or is stuck
            broken.append(Violation(_COMES, f"it was broken off: {error}"))
        ledger = self._read()
        checks = [*_together(self._checks), *check_ledger(joined(self._runs), ledger)]
        checks.append(_checked(RULE, self._orders, "orders", self._wrong))
        checks.append(_checked(_WHOLE, len(ledger.runs), "runs", [self._damage] if self._damage else []))
        checks.append(_checked(_COMES, len(self._runs), "boards", broken))
        took = time.monotonic() - began
        return Ended(self.plan, tuple(self._runs), ledger, tuple(checks), self._done, self._refused, took)

    # An act

    def _act(self, play: Callable[[Face, Recorder], None]) -> None:
        """A board from its start to its stop, and what was left of it."""
        census = Census()
        face = self._make_board(self._sources.configuration(), self._noise)
        face.start()
        try:
            recorder = Recorder(face.board)
            recorder.terms.update({plugin.name: self._terms(face, plugin) for plugin in self.plan.plugins})
            play(face, recorder)
        finally:
            face.stop()
        self._note_ledger(recorder)
        run = self._with_generations(
            recorder, recorder.run(census.left(recorder.known, marks=recorder.marks))
        )
        self._runs.append(run)
        self._checks.append(check(run))

    def _terms(self, face: Face, plugin: PluginPlan) -> Terms:
        """What a plugin was promised. At a limit and in a reload the former generation of its host ends beside the next one."""
        reloads = {
            self.plan.of(deed.plugin).host for deed in self.plan.deeds if deed.do in {"reload", "break"}
        }
        overlap = _RETIRING if plugin.host in reloads or plugin.options.get("limits") else 0
        return replace(terms_of(face.board.plugin_manager.handle(plugin.name)), ledger=True, overlap=overlap)

    def _note_ledger(self, recorder: Recorder) -> None:
        """Have the rules of a run know what the tools have written down, too, but for what a server was to give up."""
        asked = {fact.call for fact in recorder.facts if isinstance(fact, Asked)}
        answers = {fact.call: fact for fact in recorder.facts if isinstance(fact, Answered)}
        for plugin, ran in self._read().of_plugins().items():
            awaited = [one.call for one in ran if not was_given_up(one, answers.get(one.call))]
            recorder.take_ledger(plugin, [call for call in awaited if call in asked])

    def _with_generations(self, recorder: Recorder, run: Run) -> Run:
        """With the generation that each success came from, as far as it is known: one that was loaded again begins to count anew."""
        again = {
            self.plan.of(deed.plugin).host for deed in self.plan.deeds if deed.do in {"remove", "forget"}
        }
        pids = {one.run: one.pid for one in self._read().runs}

        def known(fact: Fact) -> Fact:
            if not isinstance(fact, Answered) or not fact.run or run.host_of(fact.plugin) in again:
                return fact
            return fact._replace(generation=recorder.generations.get(pids.get(fact.run, 0), 0))

        return replace(run, facts=tuple(map(known, run.facts)))

    def _read(self) -> Ledger:
        """The ledger; an empty one if it cannot be read, as when a tool was given a state that is none of its own."""
        try:
            return read_ledger(self._sources.ledger.read_text(encoding="utf-8").splitlines())
        except LedgerDamaged as error:
            self._damage = Violation(_WHOLE, str(error))
            return Ledger()

    def _load(self, face: Face, recorder: Recorder) -> None:
        """The first act: the calls, and what happens meanwhile."""
        board = face.board
        with Nemesis(board, self.plan.schedule, tampers=face.tampers, note=recorder.broke) as nemesis:
            callers = Callers(recorder, self.plan, self._sources.ledger)
            deeds = Deeds(face, recorder, self.plan, callers, self._sources)
            try:
                if self.plan.stops is not None:
                    callers.wait(self.plan.stops)
                    face.stop()
                callers.join()
                deeds.join()
            finally:
                callers.close()
                deeds.close()
                self._done.update(fault.kind for _, fault in nemesis.done)
                self._done.update(deeds.done)
                self._refused.update(deeds.refused)
                self._wrong += deeds.wrong
                self._orders += deeds.done.total() + deeds.refused.total()
        if self.plan.stops is not None:
            self._done["stop"] += 1
            recorder.close()
            return
        self._recover(face, recorder, "again")

    def _go_on(self, face: Face, recorder: Recorder) -> None:
        """The second act: from where the first one was."""
        self._recover(face, recorder, "next")

    def _recover(self, face: Face, recorder: Recorder, prefix: str) -> None:
        """Have every plugin answer again, and from then on every call come to a good end."""
        ledger = self._sources.ledger
        waking = {plugin.name: well(f"{prefix}-waking", plugin.name, ledger) for plugin in self.plan.plugins}
        until = recorder.now() + _WAKING
        while (waking or self._is_down(recorder)) and recorder.now() < until:
            self._revive(recorder)
            self._load_missing(face, recorder)
            for plugin, calls in [*waking.items()]:
                name, wire = next(calls)
                call = recorder.submit_wire(plugin, wire, name=name, judge=judge(name))
                with suppress(TimeoutError):  # the rules tell of a call that never ends
                    if call.result(_WAKING)["success"]:
                        del waking[plugin]
            if waking or self._is_down(recorder):
                threading.Event().wait(_PAUSE)  # until a breaker lets a call through, or a host is back
        sources = [Source(plugin.name, self._drawing(prefix, plugin.name)) for plugin in self.plan.plugins]
        LoadTest(recorder, sources, calls=0, seed=self.plan.seed).run()
        recorder.close()

    def _load_missing(self, face: Face, recorder: Recorder) -> None:
        """Load what was taken off and could not be loaded again, as where the host that it shares was parked."""
        for plugin in self.plan.plugins:
            if plugin.name not in recorder.board.plugin_manager.handles():
                recorder.ordered("load", plugin.host)
                with suppress(PluginError):  # the last calls tell of one that never can be
                    face.load(self._sources.entry(plugin.name))

    def _drawing(self, prefix: str, plugin: str) -> Callable[[Random], Request]:
        calls = well(f"{prefix}-last", plugin, self._sources.ledger)

        def draw(_: Random) -> Request:
            name, wire = next(calls)
            return Request(wire, judge(name), name)

        return draw

    def _is_down(self, recorder: Recorder) -> bool:
        """Whether a host is not ready, or about to be replaced for a call that was given up and holds its place; or a tool is refused.

        The call that wakes a plugin is of one of its tools; the breaker of another may be open, or that be in quarantine.
        """
        plugins = recorder.board.status()["plugins"].values()
        busy = any(
            status["running"] or status["quarantine"] or _has_open_breaker(status) for status in plugins
        )
        return busy or any(state != "ready" for state in host_states(recorder.board).values())

    def _revive(self, recorder: Recorder) -> None:
        """Start what was given up, as a person would, let out what is in quarantine, and start once more a host that had to leave a plugin out."""
        for plugin, status in recorder.board.status()["plugins"].items():
            state = status.get("host", {}).get("state")
            if state in {"parked", "stopped"} or status.get("quarantine"):
                recorder.order("revive", plugin)
            elif state == "ready" and "problem" in status:
                recorder.order("restart", plugin)


def _has_open_breaker(status: Mapping[str, Any]) -> bool:
    return any(breaker["retry_in"] for breaker in status["breakers"].values())


def joined(runs: Sequence[Run]) -> Run:
    """The facts of all acts, one act after the other: for the rules of a ledger, which goes on through all of them."""
    facts: list[Fact] = []
    terms: dict[str, Terms] = {}
    for run in runs:
        terms |= run.terms
        facts += [Ordered(0.0, run.host_of(plugin), "load") for plugin in run.terms]
        facts += run.facts
    return replace(runs[-1], facts=tuple(facts), terms=terms) if runs else Run((), {})


def _checked(rule: str, looked_at: int, what: str, wrong: Sequence[Violation]) -> Check:
    return Check(rule, wrong[0].what if wrong else f"{looked_at:,} {what}", looked_at, tuple(wrong))


def _together(acts: Sequence[tuple[Check, ...]]) -> Iterator[Check]:
    """A check for each rule of a run, of all acts."""
    by_rule: dict[str, list[Check]] = {}  # an act without callers has no check of parts
    for one in chain.from_iterable(acts):
        by_rule.setdefault(one.rule, []).append(one)
    for same in by_rule.values():
        if same[0].rule in _TOLD_BY_LEDGER:
            continue
        broken = [one for one in same if one.violations]
        found = tuple(violation for one in same for violation in one.violations)
        looked_at = sum(one.looked_at for one in same)
        yield Check(same[0].rule, (broken or same)[0].said, looked_at, found)
