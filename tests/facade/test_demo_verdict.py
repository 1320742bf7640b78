"""The verdict on the demonstration: true numbers pass, and each lie is found by its own check."""

from __future__ import annotations

from dataclasses import replace

import pytest
from callboard.demo.plan import LANES, Plan
from callboard.demo.record import HOSTED, Ended, Kill, Record
from callboard.demo.verdict import Aftermath, tallied, verdict

CALLS, LOST = 100, 7


def a_show():
    """A record as it has to be: a hundred calls, one kill, which cost call 7 of ``ledger`` its answer."""
    plan, record = Plan(CALLS, None, 1, 1), Record()
    for lane in LANES:
        chance, count, balance = plan.chance(lane.name), 0, 0
        for n in range(1, CALLS // len(LANES) + 1):
            request = lane.make(n, chance)
            record.submitted[lane.name] += 1
            if (lane.name, n) == ("ledger", LOST):
                record.kills.append(Kill("ledger", 1, 1.0, at=n))
                record.note_crash("ledger", 1)
                lost = failed_with("host_crashed")
                record.note_end(Ended(request, lost, [], 1, at=n + 0.1))
                continue
            answer = dict(request.answer)
            if lane.hosted:
                count += 1
                balance += request.arguments.get("amount", 0)
                answer |= {"count": count, "balance": balance, "pid": 1 if n < LOST else 2}
            record.note_end(
                Ended(request, ended_as(request.ending, answer), list(request.parts), 1, at=n + 0.5)
            )
    plugins = {lane.name: {"calls": {"submitted": 20, "ended": 20}} for lane in LANES}
    for name in HOSTED:
        crashes = int(name == "ledger")
        plugins[name]["host"] = {"state": "ready", "crashes": crashes, "restarts": crashes}
    states = {name: {"count": 20 - int(name == "ledger")} for name in HOSTED}
    return plan, record, Aftermath({"plugins": plugins}, states, 2.0, [], [])


def ended_as(ending, answer):
    if ending == "success":
        return {"success": True, "result": answer}
    return {"success": False, "error": "asked for"} if ending == "failure" else failed_with(ending)


def failed_with(code):
    return {"success": False, "error": "told", "code": code, "outcome": "outcome_unknown"}


def failed(plan, record, after):
    return [check.name for check in verdict(plan, record, after) if not check.ok]


def change(record, lane, number, **changes):
    for index, end in enumerate(record.ended):
        if (end.request.lane, end.request.arguments["n"]) == (lane, number):
            record.ended[index] = replace(end, **changes)


def test_true_numbers_pass():
    plan, record, after = a_show()

    assert failed(plan, record, after) == []
    assert record.recoveries() == [1.5]


def test_a_call_that_was_not_answered_is_found():
    plan, record, after = a_show()
    record.ended.pop()

    assert "answered" in failed(plan, record, after)


def test_a_call_that_was_answered_twice_is_found():
    plan, record, after = a_show()
    record.ended[-1] = record.ended[-2]

    assert "answered" in failed(plan, record, after)


def test_counts_of_the_board_that_differ_are_found():
    plan, record, after = a_show()
    after.status["plugins"]["sums"]["calls"]["ended"] = 19

    assert failed(plan, record, after) == ["answered"]


@pytest.mark.parametrize("code", ["deadline_exceeded", "host_crashed"])
def test_a_failure_that_nobody_asked_for_is_found(code):
    plan, record, after = a_show()
    change(record, "sums", 3, result={"success": False, "error": "x", "code": code})

    assert "as asked" in failed(plan, record, after)


def test_an_answer_to_another_call_is_found():
    plan, record, after = a_show()
    change(record, "sums", 3, result={"success": True, "result": {"n": 4, "sum": 0}})

    assert failed(plan, record, after) == ["answers"]


def test_a_part_that_is_missing_is_found():
    plan, record, after = a_show()
    change(record, "primes", 3, parts=[])

    assert failed(plan, record, after) == ["answers"]


def test_a_call_that_was_lost_may_have_the_first_of_its_parts():
    plan, record, after = a_show()
    primes = next(end for end in record.ended if end.request.lane == "primes")
    lost = failed_with("host_crashed")

    change(record, "primes", 1, parts=list(primes.request.parts[:1]), result=lost)

    assert "answers" not in failed(plan, record, after)


def test_a_restart_that_did_not_happen_is_found():
    plan, record, after = a_show()
    after.status["plugins"]["ledger"]["host"]["restarts"] = 0

    assert failed(plan, record, after) == ["crashes"]


def test_a_crash_that_was_not_reported_is_found():
    plan, record, after = a_show()
    record.crashes.clear()

    assert "crashes" in failed(plan, record, after)


def test_a_failure_that_does_not_say_whether_the_tool_may_have_run_is_found():
    plan, record, after = a_show()
    lost = {"success": False, "error": "gone", "code": "host_crashed"}

    change(record, "ledger", LOST, result=lost)

    assert failed(plan, record, after) == ["outcomes"]


def test_calls_are_tallied_by_how_they_ended_each_with_its_outcome_and_its_reason():
    _, record, _ = a_show()
    change(record, "sums", 3, result=failed_with("overloaded"))

    told = {(one.ending, one.outcome): one for one in tallied(record)}

    assert sum(one.count for one in told.values()) == CALLS
    assert told["success", None].count == record.by_ending()["success"]
    assert told["host_crashed", "outcome_unknown"].count == 1
    assert {ending for ending, _ in told} == set(record.by_ending())
    assert all(one.why for one in told.values() if one.ending != "success")


def test_a_call_under_way_that_was_not_told_is_found():
    plan, record, after = a_show()
    record.under_way += 1

    assert failed(plan, record, after) == ["told"]


def test_a_call_that_was_sent_again_is_one_that_was_told():
    plan, record, after = a_show()
    record.under_way += 1
    change(record, "words", 3, attempts=2)

    assert failed(plan, record, after) == []


@pytest.mark.parametrize("key", ["count", "balance"])
def test_a_gap_in_the_state_is_found(key):
    plan, record, after = a_show()
    answer = record.successes("ledger")[9].result["result"]
    answer[key] += 1

    assert failed(plan, record, after) == ["state"]


def test_a_state_that_was_not_committed_is_found():
    plan, record, after = a_show()
    after.states["words"]["count"] = 19

    assert failed(plan, record, after) == ["state"]


def test_a_host_that_never_answered_again_is_found():
    plan, record, after = a_show()
    record.kills[0].recovered = None

    assert failed(plan, record, after) == ["recovery"]


def test_an_answer_of_the_process_that_was_killed_is_no_recovery():
    _, record, _ = a_show()
    kill = Kill("words", 2, 1.0, at=100.0)
    record.kills.append(kill)

    record.note_end(record.successes("words")[-1])

    assert kill.recovered is None


def test_what_is_left_behind_is_found():
    plan, record, after = a_show()

    assert failed(plan, record, replace(after, processes=[4711])) == ["left behind"]
    assert failed(plan, record, replace(after, threads=["callboard-x"])) == ["left behind"]
