"""The pytest plugin `callboard-chaos`: fixtures, marks and options for tests of crash recovery.

pytest loads it in every run of every project that has Callboard installed. So it imports no more of
Callboard than this: the rest comes with the first fixture that is asked for. The fixtures themselves are made in
`pytest_fixtures`.

A fixture of the same name in a test's own module or ``conftest.py`` goes before one of these, as ever.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .callboard import Callboard
    from .chaos.expecting import ExpectedEvents
    from .chaos.probe import Probe
    from .chaos.virtual_board import VirtualBoard
    from .pytest import fixtures as kit
    from .pytest.plans import Plan

_MARKS = (
    "faults(seed=None, schedule=None): seed of all chance; a Schedule, its JSON, a list of entries, or 'draw'.",
    "crash_at_every_step: run the test once as it is, then once for each step of its hosts, with a crash there.",
)
_NAMES = ("faults", "crash_at_every_step")
_SEED = pytest.StashKey[int]()
_PLAN: pytest.StashKey[Plan] = pytest.StashKey()
_RUN = pytest.StashKey["kit.ChaosRun"]()
_OUR_RUN = "chaos_run"
"""The fixture that all others rest on: a test that has it is one of ours."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options."""
    group = parser.getgroup("callboard-chaos", "crash recovery (callboard-chaos)")
    group.addoption(
        "--chaos-seed", type=int, metavar="N", help="seed of all chance; by default another in each run"
    )
    group.addoption(
        "--chaos-runs",
        type=int,
        default=1,
        metavar="N",
        help="run each test that uses the kit N times, with seeds that follow one another",
    )
    group.addoption(
        "--chaos-replay",
        metavar="FILE",
        help="do again what a failing test has written down: seed, schedule and step",
    )


def pytest_configure(config: pytest.Config) -> None:
    """The marks, and the seed of this run."""
    for mark in _MARKS:
        config.addinivalue_line("markers", mark)
    if config.getoption("--chaos-runs") < 1:
        raise pytest.UsageError("--chaos-runs: a test is run once or more")
    seed = config.getoption("--chaos-seed")
    config.stash[_SEED] = random.SystemRandom().randrange(1_000_000) if seed is None else seed


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test that uses the kit as often as it is to be run; leave all others alone."""
    if _OUR_RUN not in getattr(item, "fixturenames", ()):
        return None
    kit = _kit()
    hook = item.ihook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for reports in kit.runs_of(item, nextitem, item.config.stash[_SEED], _PLAN, _RUN):
        for report in reports:
            hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Warn of a mark that is of no use; here, so that where warnings are errors it is one of this test alone."""
    if _OUR_RUN in getattr(item, "fixturenames", ()):
        return
    for mark in filter(item.get_closest_marker, _NAMES):
        said = f"{mark} does nothing to a test that asks for no fixture of Callboard's"
        item.warn(pytest.PytestWarning(said))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Tell with a failure what led to it."""
    report = yield
    run = item.stash.get(_RUN, None)
    if run is not None and not report.passed:
        run.ended_early = True
        report.sections += run.sections(item) if report.failed else []
    return report


def _kit() -> Any:
    from .pytest import fixtures as pytest_fixtures  # noqa: PLC0415 - see the module

    return pytest_fixtures


@pytest.fixture
def chaos_run(request: pytest.FixtureRequest) -> Iterator[kit.ChaosRun]:
    """This run of the test: its ``seed``, its ``schedule``, and the boards that it has made.

    Fails at its end when something was to go wrong, and nothing did: then nothing was tested.
    """
    plan = request.node.stash[_PLAN]
    if plan.problem:
        pytest.fail(plan.problem, pytrace=False)
    run: kit.ChaosRun = _kit().ChaosRun(plan)
    request.node.stash[_RUN] = run
    yield run
    if why := run.not_tested():
        pytest.fail(why, pytrace=False)


@pytest.fixture
def rng(chaos_run: kit.ChaosRun) -> random.Random:
    """A source of chance, of the run's seed: `--chaos-seed` does the same again."""
    return random.Random(chaos_run.seed)  # noqa: S311 - a game, no secret


@pytest.fixture
def board_config() -> dict[str, Any]:
    """The configuration of `board`; define your own fixture of this name to give one."""
    return {}


@pytest.fixture
def board_tools() -> list[Any]:
    """What is on `board`: functions, plugins, sources. Define your own fixture of this name to give some."""
    return []


@pytest.fixture
def board(chaos_run: kit.ChaosRun, board_config: Any, board_tools: Any) -> Iterator[Callboard]:
    """A running `Callboard` of the test's own, with `board_tools`. At its end nothing of it may be left.

    Fails when a process, a thread or a descriptor is there after the stop that was not before the start.
    """
    yield from _kit().isolated_board(chaos_run, board_config, board_tools)


@pytest.fixture
def virtual_board(chaos_run: kit.ChaosRun) -> Iterator[VirtualBoard]:
    """A `VirtualBoard`: real actors and protocol lines, scripted hosts, and time that passes when it is told to."""
    yield from _kit().virtual_board(chaos_run)


@pytest.fixture
def virtual_clock(virtual_board: Any) -> Any:
    """The clock of `virtual_board`: ``advance(seconds)``, ``advance_to_next()``, ``pending()``."""
    return virtual_board.clock


@pytest.fixture
def scripted_host(virtual_board: Any) -> Any:
    """Puts a plugin in a scripted host on `virtual_board`: ``scripted_host(name, {tool: function})``."""
    return virtual_board.add_scripted


@pytest.fixture
def evil_host(chaos_run: kit.ChaosRun, board: Callboard, tmp_path: Path) -> kit.EvilHosts:
    """Puts a plugin in a real host that goes wrong on schedule on `board`: ``evil_host(name="evil", …)``."""
    hosts: kit.EvilHosts = _kit().EvilHosts(chaos_run, board, tmp_path)
    return hosts


@pytest.fixture
def events(request: pytest.FixtureRequest, chaos_run: kit.ChaosRun) -> ExpectedEvents:
    """The events of the test's board: ``events.expect("host_ready", "echo", generation=2)``."""
    expected: ExpectedEvents = _kit().events_of(chaos_run, _board_of(request))
    return expected


@pytest.fixture
def probe(request: pytest.FixtureRequest, chaos_run: kit.ChaosRun) -> Iterator[Probe]:
    """A mailbox to expect on: hand out ``probe.ref``, then ``probe.expect(Class)``, ``probe.expect_none()``."""
    yield from _kit().probe_of(chaos_run, _board_of(request))


@pytest.fixture
def nemesis(chaos_run: kit.ChaosRun, board: Callboard) -> Iterator[kit.Nemeses]:
    """Carries a schedule out on the real hosts of `board`: ``nemesis(schedule)``, once they are there."""
    nemeses: kit.Nemeses = _kit().Nemeses(chaos_run, board)
    yield nemeses
    nemeses.close()


def _board_of(request: pytest.FixtureRequest) -> Any:
    """The virtual board of a test that has one, and else the real one."""
    virtual = "virtual_board" in request.fixturenames
    return request.getfixturevalue("virtual_board" if virtual else "board")
