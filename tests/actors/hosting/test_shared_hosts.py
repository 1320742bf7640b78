"""Several plugins in one host: one generation for all of them, and everything else each one's own."""

from __future__ import annotations

import pykka
import pytest
from callboard.actors.endpoint.crash_attribution import QuarantinePolicy
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.hosted.tool_actor import HostedToolActor
from callboard.actors.hosting.host_registry import SharingRefused
from callboard.actors.hosting.settings import HostSettings
from callboard.actors.registration_errors import HostNotRunning
from callboard.actors.threads.shared_dispatcher import SharedDispatcher
from callboard.chaos.faults import Exit, Hang, SlowStart
from callboard.chaos.schedule import Schedule
from callboard.chaos.scripted.scripted_call import GenerationOver
from callboard.chaos.triggers import NthCall, NthSpawn
from callboard.chaos.virtual_board import VirtualBoard
from callboard.hosts.limits.limits import Limits
from callboard.supervision.errors import UnknownChild
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.policy import RestartPolicy

QUICK = RestartPolicy(backoff=Backoff(first=0.1, min=0.1, max=0.1, jitter=0.0), intensity=100)


def count(call):
    call.state["count"] = call.state.get("count", 0) + 1
    return {"success": True, "result": call.state["count"]}


def slowly(call):
    call.part("begun")
    yield 5.0
    call.part("nearly")
    return {"success": True, "result": call.arguments.get("n")}


def board_with(*names: str, schedule: Schedule | None = None, **options) -> VirtualBoard:
    board = VirtualBoard(schedule)
    for name in names:
        tools = {f"count_{name}": count, f"slow_{name}": slowly}
        board.add_scripted(name, tools, share="house", policy=QUICK, **options)
    return board


def crash(board: VirtualBoard) -> None:
    """The host that is shared ends, and the next generation is ready."""
    host = board.hosts["house"]
    host.generation.end(3)
    board.clock.advance(1.0)


def plugin(board: VirtualBoard, name: str) -> dict:
    return board.status()["plugins"][name]


def test_plugins_that_share_have_one_host_and_each_its_own_state():
    with board_with("a", "b") as board:
        results = [board.execute(name, f"count_{name}")["result"] for name in "aab"]

        assert results == [1, 2, 1]
        assert board.status()["hosts"] == {"house": {"plugins": ["a", "b"]}}
        assert len(board.hosts["house"].generations) == 1
        assert plugin(board, "a")["host"]["name"] == plugin(board, "b")["host"]["name"] == "house"
        assert plugin(board, "a")["host"]["pid"] == plugin(board, "b")["host"]["pid"]


def test_each_state_is_kept_over_a_restart_of_the_host_they_share():
    with board_with("a", "b") as board:
        for name in "aab":
            board.execute(name, f"count_{name}")

        crash(board)

        assert board.execute("a", "count_a")["result"] == 3
        assert board.execute("b", "count_b")["result"] == 2
        assert plugin(board, "b")["host"]["generation"] == 2


def test_parts_of_two_plugins_of_one_host_come_to_whom_they_belong():
    with board_with("a", "b") as board:
        for name in "ab":
            board.send(name, f"slow_{name}", {"n": name})
            board.clock.advance(1.0)
        board.clock.advance(6.0)

        ended = {
            one.subject: (one.facts["parts"], one.facts["result"]["result"])
            for one in board.happenings
            if one.kind == "answered"
        }
        assert ended == {name: (["begun", "nearly"], name) for name in "ab"}


def test_a_neighbour_is_told_of_the_call_that_hung_and_only_that_one_is_blamed():
    def hang(call):
        yield 1000.0

    once = QuarantinePolicy(crashes=2)
    settings = ToolSettings(deadline=None, grace=1.0, quarantine=once)
    with VirtualBoard() as board:
        board.add_scripted("a", {"hang": hang}, share="house", policy=QUICK, settings=settings)
        board.add_scripted("b", {"slow": slowly}, share="house", policy=QUICK, settings=settings)
        for _ in range(2):
            hung = board.send("a", "hang", call="culprit", deadline=1.0)
            neighbour = board.send("b", "slow")
            board.clock.advance(4.0)
            assert hung.result(timeout=0)["code"] == "deadline_exceeded"
            told = neighbour.result(timeout=0)
            assert told["code"] == "host_crashed"
            assert "call culprit of 'hang' went on 1 s beyond its deadline" in told["error"]

        assert [one["kind"] for one in plugin(board, "a")["quarantine"]] == ["arguments"]
        assert plugin(board, "b")["quarantine"] == []
        assert board.execute("b", "slow", {"n": 1})["result"] == 1


def test_where_the_host_answers_nothing_any_call_may_be_why_and_a_good_end_clears_the_innocent():
    def spin(call):
        board.hosts["house"].generation.suffer(Hang())
        yield 1000.0

    settings = ToolSettings(deadline=None, grace=1.0, quarantine=QuarantinePolicy(crashes=2))
    with VirtualBoard() as board:
        board.add_scripted("a", {"spin": spin}, share="house", policy=QUICK, settings=settings)
        board.add_scripted("b", {"count": count}, share="house", policy=QUICK, settings=settings)
        for _ in range(2):
            culprit = board.send("a", "spin")
            board.clock.advance(0.1)
            innocent = board.send("b", "count", call="innocent", deadline=1.0)
            board.clock.advance(4.0)
            assert innocent.result(timeout=0)["code"] == "deadline_exceeded"
            told = culprit.result(timeout=0)["error"]
            assert "call innocent of 'count' went on" in told
            assert "the host answers nothing: one of its calls keeps it from that" in told
            assert board.execute("b", "count")["success"]

        assert [one["kind"] for one in plugin(board, "a")["quarantine"]] == ["arguments"]
        assert plugin(board, "b")["quarantine"] == []


def test_one_that_hangs_the_host_as_it_comes_in_is_found_and_left_out_too():
    def stop_all(config):
        board.hosts["house"].generation.suffer(Hang())
        return {}

    with VirtualBoard() as board:
        for name in "abc":
            state = stop_all if name == "b" else None
            board.add_scripted(
                name, {f"count_{name}": count}, share="house", policy=QUICK, state=state, wait=False
            )
        for name in "abc":
            board.settle_hosted(name, required=False)
        board.clock.advance(5.0)

        assert [plugin(board, name)["available"] for name in "abc"] == [True, False, True]
        assert "it was not ready within 10 s" in plugin(board, "b")["problem"]
        assert board.execute("c", "count_c")["result"] == 1


def test_the_tool_that_was_there_at_each_crash_is_blamed_and_its_neighbour_is_not():
    def boom(call):
        yield 1.0
        board.hosts["house"].generation.end(3)
        yield 1.0

    strict, lenient = (ToolSettings(quarantine=QuarantinePolicy(crashes=crashes)) for crashes in (3, 4))
    with VirtualBoard() as board:
        board.add_scripted("a", {"boom": boom}, share="house", policy=QUICK, settings=lenient)
        board.add_scripted("b", {"slow": slowly}, share="house", policy=QUICK, settings=strict)
        lost = []
        for number, with_neighbour in enumerate([True, False, True, True]):
            if with_neighbour:
                lost.append(board.send("b", "slow", {"n": number}))
            board.execute("a", "boom", {"n": number})
            board.clock.advance(1.0)

        assert [one["kind"] for one in plugin(board, "a")["quarantine"]] == ["tool"]
        assert plugin(board, "b")["quarantine"] == []
        assert [call.result(timeout=0)["code"] for call in lost] == ["host_crashed"] * 3


def test_one_whose_init_fails_is_unavailable_alone_and_comes_in_with_the_next_generation_if_it_can():
    well = []

    def fresh(config):
        if not well:
            raise ValueError("no key")
        return {}

    with board_with("a") as board:
        board.add_scripted("b", {"count_b": count}, share="house", policy=QUICK, state=fresh)

        assert board.execute("a", "count_a")["result"] == 1
        assert plugin(board, "b")["available"] is False
        assert (
            plugin(board, "b")["problem"] == "plugin 'b' is not in its host: init failed: ValueError: no key"
        )
        assert board.status()["plugins"]["a"]["host"]["crashes"] == 0
        well.append("now")
        crash(board)
        assert "problem" not in plugin(board, "b")
        assert board.execute("b", "count_b")["result"] == 1


def test_one_at_which_the_host_ends_is_found_and_left_out_and_gets_another_chance_by_hand():
    def kill(config):
        raise GenerationOver

    with VirtualBoard() as board:
        for name in "abc":
            state = kill if name == "b" else None
            board.add_scripted(
                name, {f"count_{name}": count}, share="house", policy=QUICK, state=state, wait=False
            )
        for name in "abc":
            board.settle_hosted(name, required=False)
        board.clock.advance(5.0)

        assert [plugin(board, name)["available"] for name in "abc"] == [True, False, True]
        assert "the host ended as it came in" in plugin(board, "b")["problem"]
        assert board.execute("c", "count_c")["result"] == 1
        refused = board.send("b", "count_b")
        board.scripted["b"].script.initial = None
        assert board.order("restart", "b") == ["a", "b", "c"]
        board.clock.advance(5.0)
        assert refused.result(timeout=0)["code"] in {"host_unavailable", "unknown_tool"}
        assert board.execute("b", "count_b")["result"] == 1


def test_a_plugin_that_comes_later_moves_into_the_generation_that_runs_and_one_that_goes_takes_nobody_along():
    with board_with("a") as board:
        board.execute("a", "count_a")

        board.add_scripted("b", {"count_b": count}, share="house", policy=QUICK)
        first = board.execute("b", "count_b")["result"]
        board.remove("b")
        second = board.execute("a", "count_a")["result"]
        board.add_scripted("b", {"count_b": count}, share="house", policy=QUICK)

        assert (first, second, board.execute("b", "count_b")["result"]) == (1, 2, 1)
        assert len(board.hosts["house"].generations) == 1
        board.remove("a")
        board.remove("b")
        board.clock.advance(10.0)
        assert board.hosts["house"].generation is None
        assert board.status()["hosts"] == {}
        assert not pykka.ActorRegistry.get_by_class(HostedToolActor)
        assert not pykka.ActorRegistry.get_by_class(SharedDispatcher)
        board.add_scripted("b", {"count_b": count}, share="house", policy=QUICK)
        assert board.execute("b", "count_b")["result"] == 1


def test_a_standby_takes_all_of_them_over_the_one_that_came_late_too():
    settings = HostSettings({}, standby=True)
    with board_with("a", host=settings) as board:
        board.clock.advance(1.0)
        board.add_scripted("b", {"count_b": count}, share="house", policy=QUICK, host=settings)
        board.execute("b", "count_b")
        board.clock.advance(1.0)

        board.hosts["house"].generations[0].end(3)
        board.clock.advance(0.15)

        assert plugin(board, "a")["host"]["state"] == "ready"
        assert board.execute("b", "count_b")["result"] == 2
        assert board.execute("a", "count_a")["result"] == 1


def test_their_calls_are_counted_together_where_the_host_is_recycled_for_that():
    settings = HostSettings({}, limits=Limits(calls=4, jitter=0.0))
    with board_with("a", "b", host=settings) as board:
        for _ in range(3):
            for name in "ab":
                assert board.execute(name, f"count_{name}")["success"]
        board.clock.advance(1.0)

        assert plugin(board, "a")["host"]["recycles"] == {"calls": 1}
        assert plugin(board, "b")["host"]["generation"] == 2
        assert board.execute("b", "count_b")["result"] == 4


def test_an_order_for_a_plugin_is_one_for_its_host_and_says_so():
    with board_with("a", "b") as board:
        assert board.order("park", "b") == ["a", "b"]
        board.clock.advance(1.0)

        assert plugin(board, "a")["host"]["why"] == "by hand, for plugin 'b'"
        assert board.execute("a", "count_a")["code"] == "host_unavailable"
        assert board.order("revive", "house") == ["a", "b"]
        board.clock.advance(1.0)
        assert board.execute("a", "count_a")["result"] == 1
        with pytest.raises(UnknownChild):
            board.order("restart", "nobody")


def test_a_host_with_nobody_who_can_come_in_fails_as_one_with_a_single_plugin_does():
    def no(config):
        raise ValueError("no key")

    with VirtualBoard() as board:
        for name in "ab":
            board.add_scripted(
                name, {"t_" + name: count}, share="house", policy=RestartPolicy(intensity=0), state=no
            )

        assert plugin(board, "a")["host"]["state"] == "parked"
        assert not plugin(board, "a")["available"]
        assert not plugin(board, "b")["available"]


def join(board: VirtualBoard, name: str):
    """As `board.load` has a plugin join the shared host, which has to come up for it."""
    board.add_scripted(name, {f"count_{name}": count}, share="house", policy=QUICK, wait=False)
    return board.settle_hosted(name, required=True)


def test_a_plugin_that_joins_a_host_that_crashes_parked_is_told_since_when_and_by_which_crash():
    once = RestartPolicy(intensity=0, cool_down=60.0)
    with VirtualBoard() as board:
        for name in "ab":
            board.add_scripted(name, {f"count_{name}": count}, share="house", policy=once)
        board.hosts["house"].generation.end(3)
        board.clock.advance(12.0)

        board.add_scripted("c", {"count_c": count}, share="house", policy=once, wait=False)
        with pytest.raises(HostNotRunning) as raised:
            board.settle_hosted("c", required=True)

        error = raised.value
        assert (error.plugin, error.host, error.state, error.neighbours) == (
            "c",
            "house",
            "parked",
            ("a", "b"),
        )
        assert error.seconds == pytest.approx(12.0, abs=0.5)
        assert error.next_start_in == pytest.approx(60.0 - error.seconds, abs=0.01)
        assert error.why == plugin(board, "a")["host"]["why"]
        assert (error.report["exit"], error.report["host"]) == ("exit code 3", "house")
        for told in ("parked", "'a' and 'b'", error.why, error.report["cause"], "revive('house')", "'share'"):
            assert told in str(error)
        assert list(board.status()["plugins"]) == ["a", "b"]


def test_a_plugin_that_joins_a_host_parked_by_hand_does_not_start_it():
    with board_with("a") as board:
        board.order("park", "house")
        board.clock.advance(1.0)

        with pytest.raises(HostNotRunning) as raised:
            join(board, "b")
        board.clock.advance(1.0)

        assert (raised.value.why, raised.value.report, raised.value.next_start_in) == ("by hand", None, None)
        assert plugin(board, "a")["host"]["state"] == "parked"


def test_a_plugin_that_joins_a_host_as_it_is_revived_waits_for_it():
    with board_with("a", schedule=Schedule(1, [(NthSpawn(2), SlowStart(2.0))])) as board:
        board.order("park", "house")
        board.clock.advance(1.0)
        board.order("revive", "house")
        assert plugin(board, "a")["host"]["state"] == "starting"

        tools = join(board, "b")

        assert [tool.tool_name for tool in tools] == ["count_b"]
        assert board.execute("b", "count_b")["result"] == 1
        assert board.execute("a", "count_a")["result"] == 1


def test_a_plugin_that_may_do_without_its_host_joins_a_parked_one_and_works_once_that_is_revived():
    with board_with("a") as board:
        board.order("park", "house")
        board.clock.advance(1.0)
        board.add_scripted("b", {"count_b": count}, share="house", policy=QUICK)
        assert not plugin(board, "b")["available"]

        board.order("revive", "house")
        board.clock.advance(1.0)

        assert board.execute("b", "count_b")["result"] == 1


@pytest.mark.parametrize(
    ("option", "other"),
    [
        ("restart", {"policy": RestartPolicy(intensity=1)}),
        ("standby", {"policy": QUICK, "host": HostSettings({}, standby=True)}),
        ("limits", {"policy": QUICK, "host": HostSettings({}, limits=Limits(calls=2))}),
    ],
)
def test_who_does_not_agree_is_refused_by_the_name_of_the_option_and_of_both(option, other):
    with board_with("a") as board:
        with pytest.raises(SharingRefused, match=f"'b' and 'a' cannot share.*{option!r}") as raised:
            board.add_scripted("b", {"b": count}, share="house", **other)

        assert (raised.value.option, raised.value.other) == (option, "a")
        assert list(board.status()["plugins"]) == ["a"]
        assert board.execute("a", "count_a")["success"]


def test_each_has_its_own_configuration():
    def told(config):
        return {"key": config["key"]}

    def show(call):
        return {"success": True, "result": call.state["key"]}

    with VirtualBoard() as board:
        for name in "ab":
            board.add_scripted(
                name, {f"show_{name}": show}, share="house", policy=QUICK, state=told, config={"key": name}
            )

        assert [board.execute(name, f"show_{name}")["result"] for name in "ab"] == ["a", "b"]


def test_a_name_means_one_plugin_or_one_host():
    with board_with("a") as board:
        with pytest.raises(Exception, match="there is a host 'house' already"):
            board.add_scripted("house", {"x": count})
        board.add_scripted("alone", {"y": count})
        with pytest.raises(SharingRefused, match="has a host of its own"):
            board.add_scripted("b", {"z": count}, share="alone")


def test_faults_of_a_schedule_come_to_a_shared_host_by_its_name():
    schedule = Schedule(1, [(NthCall(2), Exit(3), "house")])
    with board_with("a", "b", schedule=schedule) as board:
        assert board.execute("a", "count_a")["success"]

        assert board.execute("b", "count_b")["code"] == "host_crashed"
        assert board.execute("a", "count_a")["result"] == 2
