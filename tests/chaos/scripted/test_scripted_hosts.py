"""A host made of Python, on a real board in virtual time: every fault does what it says."""

from __future__ import annotations

import pytest
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.hosting.settings import HostSettings
from callboard.chaos import faults as f
from callboard.chaos import triggers as t
from callboard.chaos.record import ScheduleError
from callboard.chaos.schedule import Schedule
from callboard.chaos.scripted.scripted_tool import ScriptedToolPlugin
from callboard.chaos.virtual.clock import VirtualClock
from callboard.chaos.virtual.trace import to_lines
from callboard.chaos.virtual_board import VirtualBoard
from callboard.hosts.errors import HostGone, HostTimeout, RemoteError
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.policy import RestartPolicy

STEADY = RestartPolicy(backoff=Backoff(first=0.0, min=0.5, max=8.0, jitter=0.0))


def count(call):
    call.note("counted")
    call.state["count"] = call.state.get("count", 0) + 1
    yield 0.1
    call.point("before the answer")
    return {"success": True, "result": call.state["count"]}


def tell(call):
    for word in call.arguments["words"]:
        call.part(word)
        yield 0.1
    return {"success": True}


def fail(call):
    raise LookupError("no luck")


def odd(call):
    return {"success": True, "result": {1, 2}}


TOOLS = {"count": count, "tell": tell, "fail": fail, "odd": odd}


def board_with(*entries, **options):
    options.setdefault("policy", STEADY)
    board = VirtualBoard(Schedule(1, entries))
    board.add_scripted("tool", TOOLS, settings=ToolSettings(deadline=5.0, grace=1.0), **options)
    return board


def endings(board, calls=3):
    """How calls end, one after the other."""
    results = [board.execute("tool", "count") for _ in range(calls)]
    return [result.get("result") or result["code"] for result in results]


def kinds(board, kind):
    return [happening for happening in board.happenings if happening.kind == kind]


def test_a_scripted_host_without_faults_is_a_host_like_any_other():
    with board_with() as board:
        assert endings(board) == [1, 2, 3]
        assert board.execute("tool", "fail")["code"] == "tool_raised"
        assert board.execute("tool", "odd")["code"] == "invalid_result"
        call = board.send("tool", "tell", {"words": ["a", "b"]})
        board.clock.advance(1)

    assert kinds(board, "answered")[-1].facts["parts"] == ["a", "b"]
    assert call.result()["success"] is True
    assert board.scripted["tool"].generations[0].gone


@pytest.mark.parametrize(
    ("fault", "ended", "generations"),
    [
        (f.Exit(3), [1, "host_crashed", 2], 2),
        (f.Exit(0), [1, "host_crashed", 2], 2),
        (f.Signal(11), [1, "host_crashed", 2], 2),
        (f.Pause(2.0), [1, 2, 3], 1),
        (f.Pause(), [1, "deadline_exceeded", 2], 2),
        (f.Hang(), [1, "deadline_exceeded", 2], 2),
        (f.Hang(deaf=True), [1, "deadline_exceeded", 2], 2),
        (f.Slow(1.0), [1, 2, 3], 1),
        (f.Slow(5.5), [1, "deadline_exceeded", 2], 1),
        (f.Slow(50.0), [1, "deadline_exceeded", 2], 2),
        (f.PartialLine(20), [1, "host_crashed", 2], 2),
        (f.Truncate(40), [1, "protocol_error", 2], 1),
        (f.Garbage(30), [1, 2, 3], 1),
        (f.Garbage(30, newline=False), [1, "deadline_exceeded", 2], 2),
        (f.DuplicateReply(3), [1, 2, 3], 1),
        (f.WrongId(), [1, "deadline_exceeded", 2], 2),
        (f.WrongVersion(), [1, "protocol_error", "host_unavailable"], 1),
        (f.StderrFlood(500_000), [1, 2, 3], 1),
        (f.StdoutFlood(500_000), [1, 2, 3], 1),
        (f.PartFlood(1_000), [1, 2, 3], 1),
        (f.ReplyFlood(1_000), [1, 2, 3], 1),
        (f.Orphan(), [1, 2, 3], 1),
        (f.GrowMemory(100), [1, 2, 3], 1),
        (f.GrowMemory(1000), [1, "host_crashed", 2], 2),
        (f.CloseStdin(), [1, 2, 3], 2),
        (f.CloseStdout(), [1, "host_crashed", 2], 2),
    ],
    ids=lambda value: f"{value.kind}" if isinstance(value, f.Fault) else None,
)
def test_a_fault_at_the_second_call_does_what_it_says(fault, ended, generations):
    with board_with((t.NthCall(2), fault)) as board:
        assert endings(board) == ended
        assert len(board.scripted["tool"].generations) == generations
        assert [fault.facts["do"] for fault in kinds(board, "fault")] == [fault.kind]

    assert all(generation.gone for generation in board.scripted["tool"].generations)


@pytest.mark.parametrize(
    ("fault", "ready_at", "generation"),
    [
        (f.RefuseStart(3), 1.5, 4),  # 0, 0.5 and 1 s between the starts
        (f.DieInInit(0), 0.0, 2),
        (f.SlowStart(2.0), 2.0, 1),
        (f.SlowStart(30.0), 10.0, 2),  # not ready by its deadline, so it is replaced
        (f.Exit(1), 0.0, 2),
    ],
    ids=lambda value: f"{value.kind}" if isinstance(value, f.Fault) else None,
)
def test_a_fault_at_the_start_does_what_it_says(fault, ready_at, generation):
    with board_with((t.NthSpawn(1), fault)) as board:
        board.clock.advance_until(lambda: bool(kinds(board, "host_ready")), 100)
        (ready,) = kinds(board, "host_ready")

        assert (ready.at, ready.facts["generation"]) == (ready_at, generation)
        assert endings(board, 1) == [1]


@pytest.mark.parametrize(
    ("exits", "why"),
    [
        ([(t.AtTime(0.1), f.Exit(3))], "exit code 3 before it was ready"),  # and not that it closed its stdin
        ([], "it closed its stdin and lived on"),
    ],
)
def test_of_a_host_that_takes_no_more_at_its_start_the_exit_tells_why(exits, why):
    with board_with((t.NthSpawn(1), f.CloseStdin()), *exits) as board:
        board.clock.advance_until(lambda: bool(kinds(board, "host_ready")), 100)

        [ready], [end] = kinds(board, "host_ready"), kinds(board, "host_crashed")
        assert ready.at < 1
        assert why in str(end.facts)


@pytest.mark.parametrize(
    ("trigger", "ended"),
    [
        (t.NthCall(1), ["host_crashed", 1]),
        (t.NthFrame(4, "in"), [1, "host_crashed"]),  # init and get_tool_schemas come first
        (t.NthFrame(3, "out"), ["host_crashed", 1]),
        (t.NthByte(480), ["host_crashed", 1]),  # in the midst of the answer
        (t.AtTime(0.05), ["host_crashed", 1]),
        (t.AtTime(0.15), [1, "host_crashed"]),
        (t.AtPoint("before the answer", 2), [1, "host_crashed"]),
        (t.StateEntered("ready"), [1, 2]),
        (t.StateEntered("starting"), [1, 2]),
        (t.NthFrame(1, "out"), [1, 2]),
    ],
    ids=lambda value: value.kind if isinstance(value, t.Trigger) else None,
)
def test_a_fault_comes_when_its_trigger_says(trigger, ended):
    with board_with((trigger, f.Signal(9))) as board:
        assert endings(board, 2) == ended
        assert len(board.scripted["tool"].generations) == 2


def test_a_fault_for_another_host_is_none_of_ones_business():
    with board_with((t.NthCall(1), f.Exit(1), "other")) as board:
        assert endings(board, 1) == [1]


def test_what_a_tool_has_done_before_it_died_is_known():
    with board_with((t.AtPoint("before the answer", 1), f.Exit(1))) as board:
        board.execute("tool", "count")

    assert [effect.facts["effect"] for effect in kinds(board, "effect")] == ["counted"]


def test_a_host_that_was_hit_in_a_call_does_not_come_to_its_end():
    with board_with((t.AtTime(0.05), f.Exit(1))) as board:
        board.execute("tool", "count")

    assert [frame.facts["way"] for frame in kinds(board, "frame")].count("out") == 4  # two handshakes


def test_the_crash_report_tells_what_the_script_did():
    flood, death = (t.NthCall(1), f.StderrFlood(100)), (t.NthCall(1), f.Exit(3))
    with board_with(flood, death) as board:
        report = board.execute("tool", "count")["crash_report"]

    assert (report["code"], report["uptime"], report["generation"]) == (3, 0.0, 1)
    assert report["stderr"].startswith("it goes on and on")


def test_an_orphan_makes_the_end_take_longer_and_the_next_start_wait():
    with board_with((t.NthCall(1), f.Orphan()), (t.NthCall(1), f.Exit(1))) as board:
        board.execute("tool", "count")
        board.clock.advance(1)

    (gone, _), (_, second) = kinds(board, "gone"), kinds(board, "spawn")
    assert gone.at == second.at == 0.02


def test_a_polite_host_ends_at_the_first_rung_and_a_deaf_one_at_the_last():
    ended = {}
    for deaf in (False, True):
        with board_with((t.AtTime(1.0), f.Hang(deaf=deaf))) as board:
            board.clock.advance(2)
        ended[deaf] = [(happening.at, happening.facts["exit"]) for happening in kinds(board, "exit")]

    with board_with() as board:
        board.clock.advance(2)

    assert [happening.facts["exit"] for happening in kinds(board, "exit")] == ["exit code 0"]
    assert ended == {False: [(3.0, "signal SIGTERM")], True: [(4.0, "signal SIGKILL")]}


def test_what_has_healed_stays_well():
    with board_with(*((t.NthCall(n), f.Exit(1)) for n in range(1, 9))) as board:
        before = endings(board, 1)
        board.heal()

        assert before == ["host_crashed"]
        assert endings(board, 3) == [1, 2, 3]


def test_the_tools_of_a_host_on_its_own_are_called_without_a_board():
    clock = VirtualClock()
    plugin = ScriptedToolPlugin("alone", TOOLS, clock, Schedule(0, [(t.NthCall(2), f.Exit(1))]))

    with plugin as tool:
        state = tool.init({})
        first = tool.execute_tool("count", {}, state)
        with pytest.raises(HostGone, match="exit code 1"):
            tool.execute_tool("count", {}, state)

    assert first == {"success": True, "result": 1}
    assert clock.elapsed == pytest.approx(0.1)
    assert state == {"count": 1}


def test_a_host_on_its_own_is_waited_for_in_virtual_time():
    plugin = ScriptedToolPlugin("alone", TOOLS, VirtualClock(), Schedule(0, [(t.NthSpawn(1), f.Hang())]))

    with plugin as tool:
        with pytest.raises(HostTimeout):
            tool.init({})
        assert plugin.script.clock.elapsed == 10.0


def test_what_the_script_lacks_is_told_like_a_host_tells_it():
    with ScriptedToolPlugin("alone", TOOLS, VirtualClock()) as tool:
        with pytest.raises(RemoteError, match="no luck"):
            tool.execute_tool("fail", {}, {})
        assert tool.format_tool_result({}, {}) is None


def test_a_fault_that_needs_a_process_is_refused():
    schedule = Schedule(0, [(t.NthCall(1), f.Exit()), (t.NthCall(1), f.KillParent())])

    with pytest.raises(ScheduleError) as caught:
        ScriptedToolPlugin("alone", TOOLS, VirtualClock(), schedule)

    assert caught.value.path == "entries[1].fault"


def test_the_start_deadline_is_kept_in_virtual_time():
    with board_with((t.NthSpawn(1), f.Hang()), host=HostSettings({}, start_deadline=3.0)) as board:
        crashes = kinds(board, "host_crashed")

    assert [(crash.at, crash.facts["exit"]) for crash in crashes] == [(3.0, "start_timeout")]


def test_the_same_run_gives_the_same_trace_each_time():
    def trace():
        entries = [
            (t.NthCall(2), f.Garbage(30)),
            (t.NthCall(3), f.Exit(1)),
            (t.AtTime(0.75), f.Hang()),
            (t.NthSpawn(3), f.RefuseStart(2)),
            (t.AtPoint("before the answer", 5), f.Slow(0.3)),
        ]
        with board_with(*entries, policy=RestartPolicy()) as board:
            board.add_scripted("other", {"note": lambda call: {"success": True}})
            for number in range(6):
                board.send("tool", "count", call=f"t{number}")
                board.send("other", "note", call=f"o{number}")
                board.clock.advance(0.21)
            board.clock.advance(30)
        return to_lines(board.happenings)

    first = trace()

    assert len(first.splitlines()) > 100
    assert {trace() for _ in range(20)} == {first}
