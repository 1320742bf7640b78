"""The evil hosts: both twins do each fault to themselves, and the board gets over it."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from boards import QUICK, Recorder
from callboard.actors.board import Board
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.hosting.settings import HostSettings
from callboard.chaos import faults as f
from callboard.chaos import triggers as t
from callboard.chaos.inject.evil_tool import EvilToolPlugin
from callboard.chaos.schedule import Schedule
from callboard.hosts.process.stop_ladder import StopLadder
from callboard.plugins.adapter.adapter import PluginAdapter
from leaks import TEST_MARK, no_leaks
from thorough import each_once, every
from tools import tool_call

PATIENCE = 30.0

ANSWERED, CRASHED, LATE, BROKEN = "success", "host_crashed", "deadline_exceeded", "protocol_error"

FAULTS = [
    (f.Exit(3), CRASHED),
    (f.Signal(9), CRASHED),
    (f.Signal(11), CRASHED),
    (f.Pause(0.2), ANSWERED),
    (f.Pause(), LATE),
    (f.Hang(), LATE),
    (f.Hang(deaf=True), LATE),
    (f.Slow(0.1), ANSWERED),
    (f.PartialLine(30, 0), CRASHED),
    (f.Truncate(20), BROKEN),
    (f.Garbage(40), ANSWERED),
    (f.Garbage(40, newline=False), LATE),
    (f.DuplicateReply(2), ANSWERED),
    (f.WrongId(), LATE),
    (f.StderrFlood(300_000), ANSWERED),
    (f.StdoutFlood(3_000_000), ANSWERED),
    (f.PartFlood(5_000), ANSWERED),
    (f.ReplyFlood(20_000), ANSWERED),
    (f.Orphan(), ANSWERED),
    (f.GrowMemory(16), ANSWERED),
    (f.CloseStdin(), LATE),
    (f.CloseStdout(), CRASHED),
]


LANGUAGES = ["node", "python"]


@pytest.fixture(params=every(2, LANGUAGES))
def language(request):
    return request.param


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks(within=PATIENCE):
        yield


@contextmanager
def evil_board(folder, language, *entries, required=True, **settings):
    plugin = EvilToolPlugin("evil", Schedule(1, entries), folder=folder, language=language, env=TEST_MARK)
    host = HostSettings({}, start_deadline=PATIENCE, ladder=StopLadder(polite=5.0, firm=0.1))
    with Board(seed=1) as board:
        events = Recorder(board)
        settings = ToolSettings(**{"grace": 0.1, **settings})
        board.begin_hosted(PluginAdapter(plugin), plugin, host=host, policy=QUICK, settings=settings)
        board.settle_hosted("evil", required=required)
        yield board, plugin, events


def run(board, tool, *, deadline=PATIENCE, **arguments):
    return board.submit(tool_call(f"evil_{tool}", **arguments), deadline=deadline).result(PATIENCE)


def ended(result):
    return "success" if result["success"] else result["code"]


def test_the_tools_do_what_they_say(language, tmp_path):
    with evil_board(tmp_path, language) as (board, plugin, _events):
        stream = board.submit(tool_call("evil_stream", parts=3))
        answers = [
            run(board, "echo", text="Grüße, 世界")["result"],
            run(board, "count")["result"],
            run(board, "count", by=4)["result"],
            run(board, "ledger", path=str(tmp_path / "ledger"), line="one")["result"],
            run(board, "slow", seconds=0.01)["result"],
        ]

        assert list(stream.parts()) == [0, 1, 2]
        assert answers == [{"text": "Grüße, 世界"}, 1, 5, "one", 0.01]
        assert (tmp_path / "ledger").read_text() == "one\n"
        assert plugin.counts()["spawn"] == 1
        assert plugin.counts()["call"] == 6


@pytest.mark.parametrize(
    ("spoils", "language"),
    each_once(FAULTS, LANGUAGES),
    ids=lambda value: getattr(value, "kind", None) or getattr(value[0], "kind", value),
)
def test_a_fault_costs_at_most_its_call_and_the_next_one_works(spoils, language, tmp_path):
    fault, outcome = spoils
    with evil_board(tmp_path, language, (t.NthCall(2), fault)) as (board, plugin, _events):
        first = run(board, "count")
        spoilt = run(board, "count", deadline=0.7 if outcome == LATE else PATIENCE)
        after = run(board, "count")

        assert ended(spoilt) == outcome
        assert (first["result"], after["result"]) == (1, 3 if outcome == ANSWERED else 2)
        assert plugin.waiting() == []


def test_a_wrong_version_parks_the_host_until_somebody_revives_it(language, tmp_path):
    with evil_board(tmp_path, language, (t.NthCall(1), f.WrongVersion(3))) as (board, _plugin, events):
        assert run(board, "count")["code"] == BROKEN
        events.wait("host_parked")
        board.order("revive", "evil")
        events.wait("host_ready", 2)

        assert run(board, "count")["result"] == 1


@pytest.mark.parametrize(
    "fault", [f.RefuseStart(2), f.SlowStart(0.2), f.DieInInit(0)], ids=lambda fault: fault.kind
)
def test_a_start_that_goes_wrong_is_made_good_by_a_later_one(language, tmp_path, fault):
    with evil_board(tmp_path, language, (t.NthSpawn(1), fault)) as (board, plugin, events):
        assert run(board, "count")["result"] == 1

        failed = {"refuse_start": 2, "slow_start": 0, "die_in_init": 1}[fault.kind]
        assert len(events.of("host_crashed")) == failed
        assert plugin.counts()["spawn"] == failed + 1


def test_a_count_goes_on_over_the_generations_unless_it_is_of_one_generation(language, tmp_path):
    entries = ((t.NthCall(2), f.Exit(1)), (t.NthCall(2, generation=2), f.Exit(2)), (t.NthCall(7), f.Exit(3)))
    with evil_board(tmp_path, language, *entries) as (board, _plugin, events):
        outcomes = [ended(run(board, "echo")) for _ in range(8)]
        crashes = [event.facts["report"]["code"] for event in events.wait("host_crashed", 3)]

    assert [n for n, outcome in enumerate(outcomes, 1) if outcome == CRASHED] == [2, 4, 7]
    assert crashes == [1, 2, 3]


def test_a_byte_is_the_last_that_was_written(language, tmp_path):
    with evil_board(tmp_path, language, (t.NthByte(10, generation=2), f.Exit(4))) as (board, plugin, events):
        run(board, "echo")
        board.order("restart", "evil")
        (crash,) = events.wait("host_crashed")

        assert crash.facts["report"]["code"] == 4
        assert run(board, "echo")["success"]
        assert plugin.counts()["spawn"] == 3


def test_a_line_that_is_about_to_be_written_and_one_that_was_read_can_be_the_moment(language, tmp_path):
    entries = ((t.NthFrame(5, "in"), f.Exit(5)), (t.NthFrame(3, "out", generation=2), f.Exit(6)))
    ledger = tmp_path / "ledger"
    with evil_board(tmp_path, language, *entries) as (board, _plugin, events):
        outcomes = [ended(run(board, "ledger", path=str(ledger), line=str(n))) for n in range(5)]
        events.wait("host_crashed", 2)

    assert outcomes == [ANSWERED, ANSWERED, CRASHED, CRASHED, ANSWERED]
    assert ledger.read_text().split() == ["0", "1", "3", "4"]  # 2 was read only; 3 ran and was not answered


def test_a_point_in_a_tool_can_be_the_moment(language, tmp_path):
    entries = ((t.AtPoint("ledger.before", 1), f.Exit(1)), (t.AtPoint("ledger.after", 2), f.Exit(1)))
    ledger = tmp_path / "ledger"
    with evil_board(tmp_path, language, *entries) as (board, _plugin, _events):
        outcomes = [ended(run(board, "ledger", path=str(ledger), line=str(n))) for n in range(4)]

    assert outcomes == [CRASHED, ANSWERED, CRASHED, ANSWERED]
    assert ledger.read_text().split() == ["1", "2", "3"]


def test_an_entry_can_be_armed_from_outside_in_this_generation_and_for_the_next(language, tmp_path):
    entries = ((t.AtTime(1.0), f.Exit(7)), (t.StateEntered("ready", 2), f.Exit(8)))
    with evil_board(tmp_path, language, *entries) as (board, plugin, events):
        assert plugin.outside() == plugin.waiting() == [0, 1]
        plugin.arm(0)
        events.wait("host_ready", 2)
        plugin.arm(1)
        crashes = [event.facts["report"]["code"] for event in events.wait("host_crashed", 2)]

        assert crashes == [7, 8]
        assert run(board, "count")["result"] == 1
