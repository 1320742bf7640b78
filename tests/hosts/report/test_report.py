from __future__ import annotations

import json

import pytest
from callboard.hosts.process.process import ProcessExit
from callboard.hosts.report.crash_report import CrashReport, probable_cause

OUT_OF_HEAP = "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"
UNCAUGHT = "Traceback (most recent call last):\n  ...\nRuntimeError: no"


def ended(code=None, signal=None, stop_reason=None):
    return ProcessExit(code, signal, 1.0, stop_reason)


NPX_404 = """npm error code E404
npm error 404 Not Found - GET https://registry.example.org/server-memry - Not found
npm error A complete log of this run can be found in: /home/user/.npm/_logs/debug-0.log"""
UVX_404 = (
    "Because mcp-memry was not found in the package registry and you require mcp-memry, we can conclude that"
)
"""What `npx` and `uvx` say of a name that is misspelt."""


@pytest.mark.parametrize(
    ("exit_", "text"),
    [
        (ended(code=0), "exit code 0"),
        (ended(code=3), "exit code 3"),
        (ended(code=0xC0000005), "exit code 3221225477 (0xC0000005)"),
        (ended(signal=9), "signal SIGKILL"),
        (ended(signal=45), "signal 45"),
    ],
)
def test_an_exit_is_named_as_people_name_it(exit_, text):
    assert exit_.text == text


@pytest.mark.parametrize(
    ("exit_", "stderr", "cause"),
    [
        (ended(code=0), "", "it exited by itself"),
        (ended(code=3), "", "it exited by itself with an error"),
        (ended(code=137), "Killed", "a program that it ran was ended by SIGKILL, and it ended with that"),
        (ended(code=134), OUT_OF_HEAP, "it ran out of its JavaScript heap memory"),
        (ended(code=129), "", "a program that it ran was ended by SIGHUP, and it ended with that"),
        (ended(code=255), "", "it exited by itself with an error"),
        (ended(code=0xC0000005), "", "access violation, in native code"),
        (ended(code=0xC000013A), "", "somebody asked it to end (Ctrl-C or Ctrl-Break)"),
        (ended(code=1), UNCAUGHT, "an error that nothing caught: RuntimeError: no"),
        (
            ended(code=1),
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x'",
            "a module that it imports is missing",
        ),
        (ended(code=1), NPX_404, "the package that it was to run is in no registry that it knows"),
        (ended(code=1), UVX_404, "the package that it was to run is in no registry that it knows"),
        (ended(code=1), "SyntaxError: Unexpected token", "a file that it loads has a syntax error"),
        (ended(code=9), "node: bad option: --nope", "Node does not know an option that it was started with"),
        (ended(signal=6), OUT_OF_HEAP, "it ran out of its JavaScript heap memory"),
        (ended(signal=6), "", "it aborted itself"),
        (ended(signal=11), "", "segmentation fault, in native code"),
        (ended(signal=45), "", "a signal ended it"),
    ],
)
def test_the_cause_is_guessed_from_the_exit_and_the_last_words(exit_, stderr, cause):
    assert probable_cause(exit_, stderr) == cause


@pytest.mark.parametrize("exit_", [ended(signal=9), ended(signal=15), ended(code=0)])
def test_what_it_complained_of_earlier_is_not_the_cause_of_an_end_from_outside(exit_):
    assert probable_cause(exit_, UNCAUGHT) == probable_cause(exit_, "")


def test_our_own_reason_comes_first():
    assert (
        probable_cause(ended(signal=9, stop_reason="not needed any more"), UNCAUGHT) == "not needed any more"
    )


def test_an_exit_with_answers_owed_says_so():
    assert probable_cause(ended(code=0), "", in_flight=2) == "it exited by itself while it owed answers"


def test_an_exit_in_the_middle_of_a_message_says_so_and_one_in_the_middle_of_a_print_does_not():
    in_message = probable_cause(ended(code=0), "", in_flight=1, unfinished=b'{"v":1,"id":"1-')
    in_print = probable_cause(ended(code=0), "", in_flight=1, unfinished=b"bye")

    assert "in the middle of a message" in in_message
    assert in_print == "it exited by itself while it owed answers"


def test_a_report_is_json_and_says_the_whole_in_one_line():
    report = CrashReport(
        host="upper", generation=2, exit="exit code 3", code=3, signal=None, uptime=1.23456,
        cause="it exited by itself with an error", in_flight=("c1", "c2"), stderr="oh", counts={"stray": 1}, leftovers=(7,),
    )  # fmt: skip

    fields = report.as_dict()

    assert json.loads(json.dumps(fields)) == fields
    assert (fields["uptime"], fields["in_flight"], fields["leftovers"]) == (1.235, ["c1", "c2"], [7])
    assert (
        report.summary == "host 'upper' (generation 2) ended: exit code 3; it exited by itself with an error"
    )
