"""What `callboard crash` keeps and shows of crashes."""

from __future__ import annotations

import json
import os
import stat
import threading

import pytest
from callboard.cli.ui.crash_files import MOST, CrashFiles
from callboard.hosts.report.crash_report import CrashReport, shortened
from callboard.supervision.runtime.events import Event
from command_line import callboard, lines, on_a_terminal, write_config

LEAVES = """
export default {
  init: () => ({}),
  getToolSchemas: () => [{ type: 'function', function: { name: 'leave', parameters: { type: 'object' } } }],
  executeTool() {
    for (let line = 1; line <= 30; line += 1) console.error(`line ${line}`);
    process.exit(3);
  },
};
"""


def crash(number, **facts):
    report = CrashReport("a", number, "exit code 1", 1, None, 1.5, "why", ("c",), "said", {}).as_dict()
    return Event(number, "host_crashed", "a", float(number), {"report": {**report, **facts}})


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    folder = tmp_path_factory.mktemp("crashes")
    (folder / "leaves.mjs").write_text(LEAVES)
    return write_config(folder, {"node_tool": {"file": "leaves.mjs"}})


@pytest.fixture
def states(tmp_path):
    return {"XDG_STATE_HOME": str(tmp_path)}


def test_a_result_has_a_short_report_and_the_whole_is_found_by_its_id(config, states):
    (result,) = lines(callboard("call", config, "leave", "--json", env=states).stdout)
    short = result["crash_report"]

    (whole,) = lines(callboard("crash", short["id"][:6], "--json", env=states).stdout)
    shown = callboard("crash", short["id"], env=states).stdout

    assert len(short["stderr"].splitlines()) == 8
    assert short["stderr"].endswith("line 30")
    assert "frames" not in short
    assert {key: whole[key] for key in short} == {**short, "stderr": whole["stderr"]}
    assert "line 1\n" in whole["stderr"]
    assert whole["frames"][-1]["direction"] == "sent"
    assert "exit code 3" in shown
    assert "generation 1, " in shown
    assert "execute_tool" in shown


def test_run_keeps_the_report_of_a_crash_in_its_last_moment(config, states):
    call = json.dumps({"type": "function_call", "call_id": "1", "name": "leave", "arguments": "{}"})

    (message,) = lines(callboard("run", config, text=call, env=states).stdout)
    (kept,) = lines(callboard("crash", "--json", env=states).stdout)

    assert message["metadata"]["failure"] == {
        "code": "host_crashed",
        "outcome": "outcome_unknown",
        "crash": kept["id"],
    }


def test_without_an_id_the_last_crashes_are_listed(config, states):
    ids = [
        lines(callboard("call", config, "leave", "--json", env=states).stdout)[0]["crash_report"]["id"]
        for _ in range(2)
    ]

    listed = [report["id"] for report in lines(callboard("crash", "--json", env=states).stdout)]
    shown = callboard("crash", env=states).stdout
    _, narrow = on_a_terminal("crash", columns=60, env=states)

    assert listed == ids[::-1]
    assert all(each in shown for each in ids)
    assert all(each in narrow for each in ids)


@pytest.mark.parametrize("wrong", ["0123456789ab", "../trust", "*", ""])
def test_an_id_that_there_is_not_is_said(wrong, states):
    ended = callboard("crash", wrong, env=states)

    assert (ended.returncode, ended.stdout) == (1, "")
    assert "no crash" in ended.stderr


def test_reports_are_their_owners_alone_and_the_oldest_go(tmp_path):
    files = CrashFiles(tmp_path / "crashes")

    for number in range(1, MOST + 4):
        files.hear(crash(number))
        os.utime(files.folder / f"{crash(number).facts['report']['id']}.json", (number, number))

    kept = files.all()
    assert [report["generation"] for report in kept] == list(range(MOST + 3, 3, -1))
    assert stat.S_IMODE(files.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in files.folder.iterdir()} == {0o600}


def test_a_folder_that_cannot_be_made_costs_no_report(tmp_path):
    (tmp_path / "crashes").write_text("a file")
    files, event = CrashFiles(tmp_path / "crashes"), crash(1)

    files.hear(event)

    assert files.wait_for(event.facts["report"]["id"]) == event.facts["report"]
    assert files.all() == []


def test_who_waits_for_a_report_is_given_it_when_it_comes(tmp_path):
    files, event = CrashFiles(tmp_path), crash(1)
    threading.Timer(0.05, files.hear, [event]).start()

    assert files.wait_for(event.facts["report"]["id"]) is not None


def test_what_is_no_report_is_passed_over(tmp_path):
    (tmp_path / "abc.json").write_text("{")
    (tmp_path / "notes.json").write_text("{}")

    assert CrashFiles(tmp_path).all() == []
    assert CrashFiles(tmp_path).read("abc") is None


def test_the_short_report_has_words_and_no_frames():
    said = "about to end\n  at run (x.mjs:3:4)\n\n 1: 0xb00 node::Abort() [node]\nError: it ended\n"
    report = CrashReport("a", 1, "exit code 1", 1, None, 1.5, "why", (), said, {})

    assert shortened(report.as_dict())["stderr"] == "about to end\nError: it ended"


def test_the_short_report_is_bounded():
    calls = tuple(f"call_{number}" for number in range(500))
    report = CrashReport("a", 1, "exit code 1", 1, None, 1.5, "why", calls, "x" * 100_000, {"stray": 1})

    short = shortened(report.as_dict())

    assert len(json.dumps(short)) < 2_000
    assert short["in_flight"][-1] == "call_499"
    assert short["id"] == report.id
