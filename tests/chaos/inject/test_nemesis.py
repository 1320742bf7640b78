"""A nemesis does to real hosts what a schedule says, when it says so, and nothing after it was told to stop."""

from __future__ import annotations

import threading
from contextlib import ExitStack, contextmanager
from random import Random

import pytest
from boards import Recorder, add_node
from callboard.actors.board import Board
from callboard.chaos.faults import (
    DuplicateReply,
    Exit,
    Garbage,
    PartFlood,
    PartialLine,
    Pause,
    ReplyFlood,
    Signal,
    StdoutFlood,
    Truncate,
    WrongVersion,
)
from callboard.chaos.inject.tamper import Tamper
from callboard.chaos.nemesis import Nemesis
from callboard.chaos.record import ScheduleError
from callboard.chaos.schedule import Schedule
from callboard.chaos.schedules.corruption import noise
from callboard.chaos.triggers import AtTime, NthByte, NthCall, NthSpawn, StateEntered
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.policy import RestartPolicy
from leaks import no_leaks, wait_until
from thorough import every

FLOODS = StdoutFlood(2_000_000), PartFlood(5_000), ReplyFlood(20_000)

ECHO = """
export default {
  name: 'hosted',
  init: () => ({ calls: 0 }),
  getToolSchemas: () => [{ type: 'function', function: { name: 'say', parameters: { type: 'object' } } }],
  executeTool: async (_name, { text, wait }) => {
    if (wait) await new Promise((resolve) => setTimeout(resolve, wait));
    return { success: true, result: text };
  },
};
"""


@contextmanager
def hosted(tmp_path, **options):
    file = tmp_path / "hosted.mjs"
    file.write_text(ECHO)
    with no_leaks(), Board() as board:
        recorder = Recorder(board)
        plugin = add_node(board, file, name="hosted", **options)
        yield board, recorder, plugin


def say(board, text="hello", *, wait=0, deadline=20.0):
    arguments = {"text": text, "wait": wait}
    return board.submit({"type": "function_call", "name": "say", "arguments": arguments}, deadline=deadline)


def schedule(*entries):
    return Schedule(1, entries)


def test_a_signal_comes_at_the_call_that_it_is_for(tmp_path):
    done = []
    with hosted(tmp_path) as (board, recorder, _):
        wanted = schedule((NthCall(2), Signal(9)))
        with Nemesis(board, wanted, note=lambda host, what: done.append((host, what))) as nemesis:
            first = say(board).result(20)
            second = say(board, wait=1000).result(20)
            third = say(board).result(20)
        (crash,) = recorder.wait("host_crashed")

    # One that the host had not been sent yet goes to the next generation.
    assert second.get("code", "host_crashed") == "host_crashed"
    assert (first["success"], third["success"]) == (True, True)
    assert crash.facts["report"]["exit"] == "signal SIGKILL"
    assert done == [("hosted", "SIGKILL")]
    assert nemesis.done == [("hosted", Signal(9))]


def test_signals_come_at_starts_states_and_times(tmp_path):
    with hosted(tmp_path) as (board, recorder, _):
        entries = [
            (NthSpawn(2), Signal(6)),
            (StateEntered("ready", 3), Signal(11)),
            (AtTime(0.05), Signal(15)),
        ]
        with Nemesis(board, schedule(*entries)):
            crashes = recorder.wait("host_crashed", 3)

    assert {crash.facts["report"]["exit"] for crash in crashes} == {
        "signal SIGABRT", "signal SIGSEGV", "signal SIGTERM",
    }  # fmt: skip


def test_a_host_that_is_stopped_for_a_time_goes_on_afterwards(tmp_path):
    with hosted(tmp_path) as (board, recorder, _), Nemesis(board, schedule((NthCall(1), Pause(0.2)))):
        result = say(board, wait=300).result(20)

    assert result == {"success": True, "result": "hello"}
    assert recorder.of("host_crashed") == []


def test_one_that_is_stopped_for_good_goes_on_when_the_nemesis_is_told_to_stop(tmp_path):
    with hosted(tmp_path) as (board, _, _), Nemesis(board, schedule((NthCall(1), Pause()))) as nemesis:
        call = say(board, wait=200)
        wait_until(lambda: bool(nemesis.done))
        nemesis.heal()
        result = call.result(20)

    assert result["success"]


def test_nothing_is_done_after_it_was_told_to_stop(tmp_path):
    wanted = schedule((NthCall(1), Signal(9)))
    with hosted(tmp_path) as (board, recorder, _), Nemesis(board, wanted) as nemesis:
        nemesis.heal()
        result = say(board).result(20)
        assert board.events.settle(10)

    assert result["success"]
    assert recorder.of("host_crashed") == []


def test_a_host_is_spared_when_its_budget_is_spent(tmp_path):
    policy = RestartPolicy(backoff=Backoff(first=0.0, min=0.01, max=0.01), intensity=1)
    with hosted(tmp_path, policy=policy) as (board, recorder, _):
        entries = [(StateEntered("ready", n), Signal(9)) for n in (1, 2)]
        with Nemesis(board, schedule(*entries), spare=True) as nemesis:
            recorder.wait("host_ready", 2)
            assert board.events.settle(10)
            result = say(board).result(20)

    assert result["success"]
    assert nemesis.held == [("hosted", Signal(9))]
    assert recorder.of("host_parked") == []


@contextmanager
def tampered(tmp_path, *faults):
    file = tmp_path / "hosted.mjs"
    file.write_text(ECHO)
    with no_leaks(), Board() as board:
        recorder = Recorder(board)
        plugin = add_node(board, file, name="hosted")
        tamper = plugin.carry = Tamper(noise(Random(1).randrange), plugin.carry)
        board.order("restart", "hosted")  # a hand is on the line from the next generation on
        recorder.wait("host_ready", 2)
        entries = [(NthCall(number), fault) for number, fault in enumerate(faults, 1)]
        with Nemesis(board, schedule(*entries), tampers={"hosted": tamper}):
            yield board, recorder


@pytest.mark.parametrize("fault", every(2, [Garbage(20), DuplicateReply(2), *FLOODS]))
def test_an_answer_with_noise_around_it_is_still_the_answer(tmp_path, fault):
    with tampered(tmp_path, fault) as (board, recorder):
        results = [say(board, text, wait=300).result(20) for text in ("one", "two")]

    assert results == [{"success": True, "result": text} for text in ("one", "two")]
    assert recorder.of("host_crashed") == []


def test_an_answer_that_is_cut_off_is_a_crash_and_the_next_call_works(tmp_path):
    with tampered(tmp_path, PartialLine(10)) as (board, _):
        results = [say(board, text, wait=300).result(20) for text in ("one", "two")]

    assert results[0]["code"] == "host_crashed"
    assert "unfinished stdout line" in results[0]["crash_report"]["stderr"]
    assert results[1] == {"success": True, "result": "two"}


def test_an_answer_that_never_comes_whole_costs_its_call_the_deadline(tmp_path):
    with tampered(tmp_path, Truncate(3)) as (board, _):
        lost = say(board, "one", wait=300, deadline=0.5).result(20)
        found = say(board, "two").result(20)

    assert (lost["code"], found["success"]) == ("deadline_exceeded", True)


def test_a_large_answer_goes_through_a_hand_on_the_line_whole(tmp_path):
    text = "x" * 300_000
    with tampered(tmp_path, Garbage(20)) as (board, _):
        results = [say(board, text, wait=300).result(20) for _ in range(3)]

    assert [result["result"] == text for result in results] == [True] * 3


@pytest.mark.parametrize(
    ("entry", "where", "why"),
    [
        ((NthCall(1), Exit(1)), "entries[0].fault", "cannot be done to 'hosted' from outside"),
        ((NthCall(1), WrongVersion()), "entries[0].fault", "cannot be done to 'hosted' from outside"),
        ((NthByte(1), Signal(9)), "entries[0].trigger", "cannot be seen from outside"),
        ((NthCall(1), Signal(9), "other"), "entries[0].host", "there is no host 'other'; there are: hosted"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is(tmp_path, entry, where, why):
    with hosted(tmp_path) as (board, _, _), pytest.raises(ScheduleError, match=why) as caught:
        Nemesis(board, schedule(entry))

    assert caught.value.path == where


def test_a_host_that_is_dying_is_not_killed_again_but_the_next_generation_is(tmp_path):
    wanted = schedule((NthCall(1), Signal(9)), (NthCall(1), Signal(6)))
    with hosted(tmp_path) as (board, recorder, _), Nemesis(board, wanted) as nemesis:
        say(board, wait=1000).result(20)
        crashes = recorder.wait("host_crashed", 2)
        assert board.events.settle(10)
        kills = nemesis.kills

    exits = [crash.facts["report"]["exit"] for crash in crashes]
    assert (exits, kills) == (["signal SIGKILL", "signal SIGABRT"], 2)


def test_a_fault_of_an_answer_is_done_when_one_was_spoilt_and_not_before(tmp_path):
    file = tmp_path / "hosted.mjs"
    file.write_text(ECHO)
    tamper = Tamper(noise(Random(1).randrange))
    with no_leaks(), Board() as board:
        add_node(board, file, name="hosted", carry=tamper)
        wanted = schedule((NthCall(1), Garbage(10)))
        with Nemesis(board, wanted, tampers={"hosted": tamper}) as nemesis:
            call = say(board, wait=300)
            wait_until(lambda: tamper.waits)
            before = nemesis.done[:]
            assert call.result(20)["success"]
            after = nemesis.done[:]

    assert (before, after) == ([], [("hosted", Garbage(10))])


def test_a_kill_at_the_next_call_comes_there_and_not_if_it_is_forgotten(tmp_path):
    with hosted(tmp_path) as (board, recorder, _), Nemesis(board, schedule()) as nemesis:
        nemesis.at_next_call("hosted", Signal(9))
        nemesis.forget("hosted")
        first = say(board).result(20)
        nemesis.at_next_call("hosted", Signal(9))
        second = say(board, wait=1000).result(20)
        recorder.wait("host_crashed")
        assert board.events.settle(10)
        kills = nemesis.kills

    assert first["success"]
    assert second.get("code", "host_crashed") == "host_crashed"
    assert kills == 1


def test_the_end_of_a_generation_is_to_come_until_it_is_told_though_the_next_is_ready(tmp_path):
    told = threading.Event()
    with hosted(tmp_path) as (board, _, plugin), ExitStack() as ending:
        board.subscribe(
            lambda _: told.wait(20), ["host_crashed"]
        )  # a thread of events that gets no processor
        nemesis = ending.enter_context(Nemesis(board, schedule()))
        ending.callback(told.set)
        nemesis.at_next_call("hosted", Signal(9))
        say(board, wait=1000)
        wait_until(lambda: plugin.host is not None and plugin.host.generation == 2)
        before = nemesis.to_come("hosted"), nemesis.kills
        told.set()
        assert board.events.settle(10)
        after = nemesis.to_come("hosted"), nemesis.kills

    assert (before, after) == ((1, 0), (0, 1))


def test_what_the_schedule_has_for_a_host_that_is_forgotten_does_not_come(tmp_path):
    with hosted(tmp_path) as (board, _, _), Nemesis(board, schedule((NthCall(1), Signal(9)))) as nemesis:
        nemesis.forget("hosted")
        answer = say(board).result(20)

    assert answer["success"]
    assert nemesis.done == []


def test_a_host_is_spared_until_a_stable_generation_has_given_its_budget_back(tmp_path):
    policy = RestartPolicy(
        backoff=Backoff(first=0.0, min=0.01, max=0.01), intensity=1, period=600.0, stable_for=0.2
    )
    with (
        hosted(tmp_path, policy=policy) as (board, recorder, _),
        Nemesis(board, schedule(), spare=True) as nemesis,
    ):
        free = nemesis.spared_for("hosted")
        nemesis.at_next_call("hosted", Signal(9))
        say(board, wait=1000).result(20)
        recorder.wait("host_ready", 1)
        wait_until(lambda: 0 < nemesis.spared_for("hosted") < 600.0)
        wait_until(lambda: nemesis.spared_for("hosted") == 0.0)

    assert free == 0.0
