"""The error that ended a host is named as its runtime named it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from callboard.hosts.process.process import ProcessExit
from callboard.hosts.report.crash_report import PERMANENT_CAUSES, probable_cause
from callboard.hosts.report.uncaught_error import thrown
from node_path import node_program

TRACE = "Traceback (most recent call last):\n  a\n"


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("throw new TypeError('x is no function')", "TypeError: x is no function"),
        ("throw Object.assign(new Error('two\\nlines'), { more: { a: 1 } })", "Error: two"),
        ("throw new AggregateError([new Error('inner')], 'outer')", "AggregateError: outer"),
        ("class Own extends TypeError {}; throw new Own('mine')", "Own [TypeError]: mine"),
        ("throw 'only words'", "only words"),
        ("Promise.reject(new RangeError('nobody awaits this'))", "RangeError: nobody awaits this"),
        ("Promise.reject('words')", "a promise was rejected with words"),
        ("new (require('events'))().emit('error', new Error('not listened to'))", "Error: not listened to"),
    ],
)
def test_what_node_throws_at_last_is_named(program, error):
    source = f"console.error('Error: earlier'); setTimeout(() => {{ {program} }}, 1)"
    said = subprocess.run([node_program(), "-e", source], capture_output=True, text=True, check=False).stderr

    assert thrown(said) == error


@pytest.mark.parametrize("colours", [{"FORCE_COLOR": "1"}, {"NO_COLOR": "1"}], ids=["coloured", "plain"])
def test_what_python_raises_at_last_is_named_whatever_its_colours(colours):
    source = "import threading; other = threading.Thread(target=lambda: {}['a']); other.start(); other.join(); 1 / 0"
    ran = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=False, env=os.environ | colours
    )

    assert thrown(ran.stderr) == "ZeroDivisionError: division by zero"


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("", None),
        ("Error: only said\n    at nowhere\n", None),
        ("  ^\nError: cut off", None),
        ('Traceback (most recent call last):\n  File "x", line 1\nValueError: no\n', "ValueError: no"),
        (f"{TRACE}KeyError: 1\n\nDuring …:\n\n{TRACE}own.Fault\nmore", "own.Fault"),
        ("\n ^\n\n" + "x" * 500 + "\n\nNode.js v20", "x" * 200 + "…"),
    ],
)
def test_nothing_is_named_that_the_runtime_did_not_name(said, error):
    assert thrown(said) == error


def test_a_cause_quotes_the_error_and_what_is_quoted_decides_nothing():
    said = "\n ^\n\nError: the configuration is missing\n    at x\n\nNode.js v20\n"

    cause = probable_cause(ProcessExit(1, None, 1.0, None), said)

    assert cause == "an error that nothing caught: Error: the configuration is missing"
    assert cause not in PERMANENT_CAUSES
