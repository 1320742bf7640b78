"""What the fixtures of `pytest_plugin` are made of, and how a test is run more than once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Unpack

import pytest

from ..base.errors import CallboardError
from ..callboard import Callboard
from ..chaos.checker.leak_check import Census
from ..chaos.expecting import ExpectedEvents
from ..chaos.inject.evil_tool import EvilToolPlugin
from ..chaos.nemesis import Nemesis
from ..chaos.probe import Probe
from ..chaos.triggers import NthFrame
from ..chaos.virtual_board import VirtualBoard
from .plans import Plan, Step, crashes_at, drawn, plans_of, schedule_of, write_down

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from ..actors.board import Board
    from ..chaos.inject.tamper import Tamper
    from ..chaos.schedule import EntryGiven, Schedule
    from ..plugins.contract.option_types import HostedOptions

STDERR_SHOWN = 2_000
"""Characters of the last words of each host."""


@dataclass(slots=True)
class ChaosRun:
    """One run of a test: what it was to be, and what it has made.

    Attributes:
        plan: what it is to be.
        boards: what it has made.
        events: what happens on them.
        hosts: those that go wrong on schedule.
        broken: what a nemesis has done, in words.
        wanted: how many faults nemeses were given.
        ended_early: the test has failed, or was skipped.
    """

    plan: Plan
    hosts: list[EvilToolPlugin] = field(default_factory=list)
    boards: list[Board] = field(default_factory=list)
    events: list[ExpectedEvents] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    wanted: int = 0
    ended_early: bool = False

    @property
    def seed(self) -> int:
        """Of all chance."""
        return self.plan.seed

    @property
    def schedule(self) -> Schedule | None:
        """What goes wrong, if anything is to."""
        return self.plan.effective

    @property
    def hit(self) -> bool:
        """Whether something has gone wrong as it was to."""
        virtual = (board for board in self.boards if isinstance(board, VirtualBoard))
        return (
            bool(self.broken)
            or any(plugin.done() for plugin in self.hosts)
            or any(happening.kind == "fault" for board in virtual for happening in board.happenings)
        )

    @property
    def idle(self) -> int:
        """How many faults were to come, of which none came; 0 where one came, or none was to."""
        planned = [len(plugin.schedule.entries) for plugin in self.hosts]
        planned += [len(self.schedule.entries)] if self.schedule is not None else []
        return 0 if self.hit else max([self.wanted, *planned], default=0)

    def not_tested(self) -> str:
        """Why a run that went well has tested nothing; empty if it has, or was to do nothing but run.

        A crash at a certain step may not come, since the run takes another way: that is looked at for all steps together.
        """
        wanted = 0 if self.ended_early or self.plan.step is not None or self.plan.draws else self.idle
        if not wanted:
            return ""
        return f"not tested: none of the {wanted} faults that were to come has come; was the host called often enough?"

    def attach(self, board: Board) -> None:
        """Note a board that this run has made."""
        self.boards.append(board)
        self.events.append(ExpectedEvents(board))

    def steps(self) -> list[Step]:
        """The observable steps of the hosts: each line read, each line written; in virtual time each state too."""
        virtual = [
            Step(step.host, step.trigger)
            for board in self.boards
            if isinstance(board, VirtualBoard)
            for step in board.steps
        ]
        return virtual + [
            Step(plugin.name, NthFrame(number, way))
            for plugin in self.hosts
            for way in ("in", "out")
            for number in range(1, plugin.counts()[way] + 1)
        ]

    def sections(self, item: pytest.Item) -> list[tuple[str, str]]:
        """What is told with a failure."""
        for events in self.events:
            events.settle()
        told = [f"seed: {self.seed}"]
        if self.plan.place:
            told.append(f"a crash at step {self.plan.place}")
        if self.schedule is not None and self.schedule.entries:
            told.append(f"schedule: {self.schedule.to_json()}")
        if self.broken:
            told += ["done to the hosts:", *(f"  {line}" for line in self.broken)]
        if (file := write_down(item, self.plan)) is not None:
            told.append(f'again: pytest "{item.nodeid}" --chaos-replay={file}')
        sections = [("crash recovery", "\n".join(told))]
        sections += [("events", events.text()) for events in self.events if events.seen]
        sections += [(f"stderr of {name}", words) for name, words in self._last_words().items()]
        return sections

    def _last_words(self) -> dict[str, str]:
        """The end of what each host has said on stderr: its crashed generations, and the present one."""
        found: dict[str, str] = {}
        for events in self.events:
            for event in events.seen:
                if event.kind == "host_crashed" and (words := event.facts["report"].get("stderr")):
                    found[event.subject] = f"{found.get(event.subject, '')}{words}\n"
        return {name: words.strip()[-STDERR_SHOWN:] for name, words in found.items() if words.strip()}


# Running a test more than once


def runs_of(
    item: pytest.Item,
    nextitem: pytest.Item | None,
    seed: int,
    planned: pytest.StashKey[Plan],
    made: pytest.StashKey[ChaosRun],
) -> Iterator[list[pytest.TestReport]]:
    """Run a test, and yield the reports that count: of the first run that failed, or else of the last one."""
    reports: list[pytest.TestReport] = []
    try:
        plans = plans_of(item, seed)
    except (CallboardError, pytest.UsageError) as error:  # this test's fault, not that of the whole run
        plans = [Plan(seed, problem=str(error))]
    crashed = False
    for plan in plans:  # which grows meanwhile
        reports = _once(item, nextitem, plan, planned, made)
        if any(not report.passed for report in reports):
            break
        run = item.stash.get(made, None)
        crashed = crashed or (plan.step is not None and run is not None and run.hit)
        if plan.draws and run is not None and run.idle:
            plans.insert(plans.index(plan) + 1, drawn(plan.seed + 1, plan.draws - 1))
        elif plan.step is None and item.get_closest_marker("crash_at_every_step") and run is not None:
            plans += crashes_at(plan, run.steps()) or [Plan(seed, problem=_NO_STEPS)]
        if plan is plans[-1] and plan.step is not None and not crashed:
            plans.append(Plan(seed, problem=_NO_CRASH))
    yield reports


_NO_STEPS = (
    "crash_at_every_step: not tested: no evil or scripted host has taken a step at which it could crash"
)
_NO_CRASH = "crash_at_every_step: not tested: a crash was to come at each step, and none has come"


def _once(
    item: pytest.Item,
    nextitem: pytest.Item | None,
    plan: Plan,
    planned: pytest.StashKey[Plan],
    made: pytest.StashKey[ChaosRun],
) -> list[pytest.TestReport]:
    item.stash[planned] = plan
    if made in item.stash:
        del item.stash[made]
    runner: Any = item.config.pluginmanager.getplugin("runner")
    reports: list[pytest.TestReport] = runner.runtestprotocol(item, log=False, nextitem=nextitem)
    return reports


# The fixtures


class LeftBehind(AssertionError):
    """A board was stopped, and not all of it is gone."""


def isolated_board(run: ChaosRun, config: Any, tools: Iterable[Any]) -> Iterator[Callboard]:
    """A board with these tools, that leaves nothing."""
    census = Census()
    with Callboard(config, seed=run.seed) as board:
        run.attach(board.board)
        for tool in tools:
            (board.load if isinstance(tool, str | Mapping) else board.register)(tool)
        yield board
    left = census.left()
    kinds = ("processes", "threads", "descriptors")
    told = [f"{kind}: {', '.join(there)}" for kind in kinds if (there := getattr(left, kind))]
    if told:
        raise LeftBehind(f"the board was stopped, and there are left {'; '.join(told)}")


def virtual_board(run: ChaosRun) -> Iterator[VirtualBoard]:
    """A board in virtual time."""
    with VirtualBoard(run.schedule, seed=run.seed) as board:
        run.attach(board)
        yield board


class EvilHosts:
    """Puts plugins with evil hosts on a board."""

    def __init__(self, run: ChaosRun, board: Callboard, folder: Path) -> None:
        self._run = run
        self._board = board
        self._folder = folder

    def __call__(
        self,
        name: str = "evil",
        schedule: Schedule | None = None,
        *,
        language: Literal["python", "node"] = "python",
        env: Mapping[str, str] | None = None,
        **options: Unpack[HostedOptions],
    ) -> EvilToolPlugin:
        """Put one on the board, and wait for its host.

        Args:
            name: the plugin's; its tools are ``NAME_echo``, ``NAME_count``, ``NAME_ledger``,
                ``NAME_stream`` and ``NAME_slow``.
            schedule: what goes wrong; the test's own when ``None``.
            language: of the host. Python needs nothing more, Node has to be there.
            env: variables that the host gets.
            options: as `Callboard.register`.
        """
        plugin = EvilToolPlugin(
            name, schedule or self._run.schedule, folder=self._folder, language=language, env=env
        )
        self._run.hosts.append(plugin)
        self._board.register(plugin, **options)
        return plugin


def events_of(run: ChaosRun, board: Any) -> ExpectedEvents:
    """The events of a board that this run has made, from its beginning; of another one from now on."""
    one = board if isinstance(board, VirtualBoard) else board.board
    for made, events in zip(run.boards, run.events, strict=True):
        if made is one:
            return events
    run.attach(one)
    return run.events[-1]


def probe_of(run: ChaosRun, board: Any) -> Iterator[Probe]:
    """A probe in the time of a board."""
    events_of(run, board)
    probe = Probe(board if isinstance(board, VirtualBoard) else board.board)
    yield probe
    probe.stop()


class Nemeses:
    """Makes nemeses of the real hosts on a board."""

    def __init__(self, run: ChaosRun, board: Callboard) -> None:
        self._run = run
        self._board = board
        self._made: list[Nemesis] = []

    def __call__(
        self,
        schedule: Schedule | Mapping[str, Any] | str | Path | Iterable[EntryGiven] | None = None,
        *,
        tampers: Mapping[str, Tamper] | None = None,
    ) -> Nemesis:
        """Begin to do to the hosts what a schedule says.

        Args:
            schedule: a `Schedule`, its JSON as a mapping or by the path of a file, a list of entries, or ``"draw"``; the test's own when ``None``.
            tampers: by the host's name, the hands on the lines of hosts; see `Nemesis`.

        Raises:
            CallboardError: no schedule is given, and the test has none.
        """
        run = self._run
        wanted = schedule_of(schedule, run.seed) or run.schedule
        if wanted is None:
            raise CallboardError("there is no schedule: give one, or mark the test with faults(schedule=…)")

        def note(host: str, what: str) -> None:
            run.broken.append(f"{host}: {what}")

        run.wanted += len(wanted.entries)
        nemesis = Nemesis(self._board.board, wanted, tampers=tampers, note=note)
        self._made.append(nemesis)
        return nemesis

    def close(self) -> None:
        """End all that were made."""
        for nemesis in self._made:
            nemesis.close()
