from __future__ import annotations

import pytest
from callboard.actors.hosting.process_end import verdict_on
from callboard.hosts.process.process import ProcessExit
from callboard.hosts.report.crash_report import CrashReport, probable_cause
from callboard.supervision.restart.exits import ExitKind


def verdict(code=None, signal=None, stderr="", ready=True, in_flight=()):
    exit_ = ProcessExit(code, signal, 1.0, None)
    cause = probable_cause(exit_, stderr, in_flight=len(in_flight))
    report = CrashReport("a", 1, exit_.text, code, signal, 1.0, cause, in_flight, stderr, {})
    return verdict_on(exit_, report, None, ready=ready)


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        ({"code": 0}, ExitKind.CLEAN),
        ({"code": 0, "in_flight": ("1",)}, ExitKind.CODE),
        ({"code": 78}, ExitKind.CODE),
        ({"signal": 11}, ExitKind.SIGNAL),
        ({"signal": 6, "stderr": "FATAL ERROR: Reached heap limit"}, ExitKind.OOM),
        ({"code": 1, "stderr": "MemoryError"}, ExitKind.OOM),
        ({"signal": 11, "stderr": "MemoryError"}, ExitKind.SIGNAL),
        ({"code": 78, "ready": False}, ExitKind.START_FAILED),
    ],
)
def test_an_end_that_nobody_asked_for_is_of_this_kind(how, kind):
    assert verdict(**how).kind is kind


@pytest.mark.parametrize("ready", [True, False])
def test_status_and_signal_are_facts_of_the_end_whatever_its_kind(ready):
    by_code, by_signal = verdict(78, ready=ready), verdict(signal=11, ready=ready)

    assert (by_code.code, by_code.signal) == (78, None)
    assert (by_signal.code, by_signal.signal) == (None, "SIGSEGV")


@pytest.mark.parametrize(
    ("stderr", "told"),
    [
        ("one\nno such script", "; it said: no such script"),
        (
            "Error: connect ECONNREFUSED ::1:1\n    at x (a.js:1:2)\n    at async run (a.js:3:4)",
            "; it said: Error: connect ECONNREFUSED ::1:1",
        ),
        ("", ""),
        ("SyntaxError: a", "exit code 2 before it was ready; a file that it loads has a syntax error"),
    ],
)
def test_what_ends_with_an_error_before_it_is_ready_is_quoted_where_nothing_better_is_known(stderr, told):
    assert verdict(2, stderr=stderr, ready=False).cause.endswith(told)
