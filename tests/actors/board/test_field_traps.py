"""What has gone wrong in systems like this one, held to not going wrong here.

docs/design/traps.md says which test keeps the house out of which trap; the rest of them stand
elsewhere.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time

from boards import Recorder, add_node, node_board
from callboard.actors.board import Board
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.exits import Exit, ExitKind
from callboard.supervision.restart.policy import RestartPolicy
from fake_children import FakeChild, House
from leaks import no_leaks
from manual_clock import ManualClock
from programs import NODE
from tools import a_tool, tool_call

PATIENCE = 30.0
DAY = 86_400.0

RENAMES = NODE / "renames.mjs"

ONE_IN_A_MINUTE = RestartPolicy(backoff=Backoff(first=0.0, min=0.01, max=0.01), intensity=1, cool_down=3600.0)


def moody(do=None, _id=None, /, **arguments):
    return tool_call("moody", _id, do=do, **arguments)


def run(board, do=None, **arguments):
    return board.submit(moody(do, **arguments)).result(PATIENCE)


def host_of(board, name="moody"):
    return board.status()["plugins"][name]["host"]


def test_a_handshake_that_goes_well_gives_no_budget_back():
    with node_board(policy=ONE_IN_A_MINUTE) as (board, _, events):
        results = [run(board, "exit") for _ in range(3)]
        events.wait("host_parked")

    assert [result["code"] for result in results] == ["host_crashed", "host_crashed", "host_unavailable"]
    assert len(events.of("host_ready")) == len(events.of("host_starting")) == 2


def test_siblings_that_crash_use_up_nobodys_budget_but_their_own():
    house = House()
    children = [house.add(FakeChild(name, ONE_IN_A_MINUTE)) for name in "abcde"]

    for child in children:
        child.present.report.ready()
        child.present.report.ended(Exit(ExitKind.CODE, "exit code 1", ready_for=0.0))

    assert [house.state(name) for name in "abcde"] == ["starting"] * 5
    assert [child.generations for child in children] == [[1, 2]] * 5
    house.ref.stop()
    house.stream.close()


def test_starts_that_fail_wait_longer_each_time_and_end_in_the_park():
    policy = RestartPolicy(backoff=Backoff(first=0.0, min=1.0, max=8.0, jitter=0.0), intensity=5)
    house = House()
    child = house.add(FakeChild("a", policy))

    for _ in range(6):
        child.present.report.ended(Exit(ExitKind.START_FAILED, "refused"))
        house.advance(0)
        if house.state() == "backoff":
            house.clock.advance_to_next()
            house.status()

    assert house.kinds()[-1] == "host_parked"
    waits = [event.facts["seconds"] for event in house.heard if event.kind == "host_backoff"]
    assert waits == [1.0, 2.0, 4.0, 8.0]
    house.ref.stop()
    house.stream.close()


def test_nobody_asks_a_host_that_has_nothing_to_do_whether_it_lives():
    clock = ManualClock()
    with Board(clock=clock) as board:
        events = Recorder(board)
        plugin = add_node(board)
        events.wait("host_ready")
        pid = plugin.host.pid

        clock.advance(DAY)
        assert (host_of(board)["state"], host_of(board)["pid"]) == ("ready", pid)
        os.kill(pid, signal.SIGKILL)
        (crash,) = events.wait("host_crashed")

    sent = [frame for frame in crash.facts["report"]["frames"] if frame["direction"] == "sent"]
    asked = [json.loads(frame["text"])["method"] for frame in sent]
    assert asked == ["describe", "init", "get_tool_schemas"]


def test_a_host_that_is_busy_within_its_deadline_is_left_alone():
    clock = ManualClock()
    with Board(clock=clock) as board:
        events = Recorder(board)
        add_node(board, deadline=2 * DAY)
        call = board.submit(moody("wait"))

        clock.advance(DAY)

        assert not call.done()
        assert host_of(board)["generation"] == 1
        call.cancel()
    assert events.of("host_crashed") == []


def test_what_the_status_says_of_a_host_is_what_a_call_meets():
    with node_board(policy=RestartPolicy(intensity=0, cool_down=3600.0)) as (board, _, events):
        up = board.status()["plugins"]["moody"], run(board)
        run(board, "exit")
        events.wait("host_parked")
        out = board.status()["plugins"]["moody"], run(board)

    for status, result in (up, out):
        assert (status["available"], status["host"]["state"] == "ready") == (result["success"],) * 2
    assert (up[1]["success"], out[1]["code"]) == (True, "host_unavailable")


def test_the_process_that_probes_a_parked_host_is_the_one_that_serves_and_is_watched():
    clock = ManualClock()
    policy = RestartPolicy(intensity=0, cool_down=60.0)
    with Board(clock=clock) as board:
        events = Recorder(board)
        first = add_node(board, policy=policy).host.pid
        os.kill(first, signal.SIGKILL)
        events.wait("host_parked")

        clock.advance(60.0)
        events.wait("host_ready", 2)
        answer = run(board)
        pid = host_of(board)["pid"]
        os.kill(pid, signal.SIGKILL)
        crash = events.wait("host_crashed", 2)[-1]

    assert answer["result"]["pid"] == pid != first
    assert (crash.facts["generation"], crash.facts["report"]["signal"]) == (2, signal.SIGKILL)


def test_a_host_that_comes_back_has_the_tools_that_it_brings_and_the_router_knows_them_first(tmp_path):
    names = tmp_path / "names.json"
    names.write_text('["leave", "old"]')
    with Board() as board:
        events = Recorder(board)
        add_node(board, RENAMES, name="renames", config={"file": str(names)})
        names.write_text('["leave", "new"]')
        board.submit(tool_call("leave")).result(PATIENCE)
        events.wait("host_ready", 2)
        after = {name: board.submit(tool_call(name)).result(PATIENCE) for name in ("old", "new")}
        tools = [(tool.tool_name, tool.available) for tool in board.tools()]

    assert tools == [("leave", True), ("new", True)]
    assert (after["old"]["code"], after["new"]["result"]) == ("unknown_tool", "new")
    told = [event.sequence for event in events.events if event.kind in {"plugin_registered", "host_ready"}]
    kinds = [event.kind for event in events.events if event.sequence in told]
    assert kinds == ["plugin_registered", "host_ready"] * 2


def test_calls_that_fail_together_start_one_restart():
    with node_board(concurrency=64) as (board, plugin, events):
        calls = [board.submit(moody("parts", parts=1, then="wait")) for _ in range(64)]
        # A part tells that its call has reached the host; a call that has not would wait for the next generation.
        for call in calls:
            next(call.parts())
        os.kill(plugin.host.pid, signal.SIGKILL)
        codes = {call.result(PATIENCE)["code"] for call in calls}
        events.wait("host_ready", 2)
        well = run(board)

    assert codes == {"host_crashed"}
    assert well["success"]
    assert len(events.of("host_crashed")) == 1
    assert [event.facts["generation"] for event in events.of("host_starting")] == [1, 2]


def test_a_call_past_its_deadline_that_ends_within_its_grace_time_costs_nobody_else_anything():
    with node_board(concurrency=2, grace=PATIENCE) as (board, plugin, events):
        pid = plugin.host.pid
        neighbour = board.submit(moody("wait", ms=400))
        late = board.submit(moody("wait", ms=200), deadline=0.05)

        assert late.result(PATIENCE)["code"] == "deadline_exceeded"
        assert neighbour.result(PATIENCE)["result"]["pid"] == pid
        assert run(board)["result"]["pid"] == pid
    assert events.of("host_crashed") == []


def test_a_board_stops_in_its_time_whatever_hangs_in_it():
    go_on = threading.Event()
    with no_leaks():
        board = Board()
        plugin = add_node(board)
        board.add(
            a_tool(lambda arguments, state: go_on.wait(PATIENCE) and {"success": True}, "stuck"),
            config={},
            settings=ToolSettings(deadline=None),
        )
        calls = [board.submit(tool_call("stuck")), board.submit(moody("spin"))]
        os.kill(plugin.host.pid, signal.SIGSTOP)

        began = time.monotonic()
        board.stop(timeout=0.2)
        took = time.monotonic() - began

        assert [call.result(0)["code"] for call in calls] == ["cancelled", "cancelled"]
        assert took < 5.0
        go_on.set()
