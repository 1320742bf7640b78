"""I: calls and replay, with real processes."""

from __future__ import annotations

import time

from obedient_hosts import PATIENCE, obedient_board, run, submit


def test_scenario_I1_a_call_in_flight_is_told_of_the_crash_with_all_that_is_known():
    with obedient_board() as (board, _plugin, _events):
        began = time.monotonic()
        result = submit(board, do="kill").result(PATIENCE)
        took = time.monotonic() - began

    assert (result["code"], result["outcome"]) == ("host_crashed", "outcome_unknown")
    assert (result["crash_report"]["generation"], result["crash_report"]["exit"]) == (1, "signal SIGKILL")
    assert took < 10  # the rule says 1 s; ten times that only guards


def test_scenario_I3_a_ledger_has_one_line_a_call_and_one_more_for_each_repeat_that_is_allowed(tmp_path):
    once, twice = tmp_path / "once", tmp_path / "twice"
    with obedient_board() as (board, _plugin, _events):
        by_default = run(board, do="kill", ledger=str(once))
    with obedient_board(idempotent=True) as (board, _plugin, _events):
        repeated = run(board, do="kill", ledger=str(twice))

    assert {by_default["code"], repeated["code"]} == {"host_crashed"}
    assert once.read_text().splitlines() == ["ran"]
    assert twice.read_text().splitlines() == ["ran", "ran"]


def test_scenario_I9_parts_before_a_crash_are_seen_and_then_an_error_and_repeats_are_told_apart():
    with obedient_board() as (board, _plugin, _events):
        call = submit(board, parts=2, do="kill")
        parts = list(call.parts())
        repeated = submit(board, parts=2)

        assert parts == [0, 1]
        assert call.result(PATIENCE)["code"] == "host_crashed"
        assert list(repeated.parts()) == [0, 1]
