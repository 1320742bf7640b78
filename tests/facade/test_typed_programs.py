"""The programs that `make check-page-types` gives to the type checkers do as they say: a type that lies would show here."""

from __future__ import annotations

import subprocess
import sys

from page_types import PROGRAMS


def _printed_by(program):
    argv = [sys.executable, "-W", "error", PROGRAMS / program]
    ended = subprocess.run(argv, capture_output=True, text=True, timeout=100, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout.splitlines()


def test_a_code_and_an_outcome_equal_their_texts_and_their_members():
    assert _printed_by("failures.py") == [
        "'invalid_call' not_sent mend the call True",
        "True True",
        "False False",
        "mend the call 1",
        "False",
        "'tool_raised' outcome_unknown mend the tool False",
        "False False",
        "True True",
        "mend the tool 1",
        "False",
        "True True",
    ]


def test_a_plugin_runs_that_offers_one_of_the_hooks_that_run_a_tool():
    called, names = _printed_by("plugins.py")

    assert called == "[1, 'awaited', 'yielded', 'flowed', 'stood']"
    assert names == "['counter', 'awaits', 'yields', 'AwaitsAndYields', 'apart']"


def test_hooks_take_the_options_of_their_type_and_every_call_has_notes():
    assert _printed_by("hooks.py") == ["()", "3 ['before add']"]


def test_a_board_takes_the_options_of_their_types():
    result = "{'success': True, 'result': 3}"

    assert _printed_by("options.py") == [
        "['add', 'twice', 'echo'] ['third']",
        result,
        f"[{result}]",
        result,
    ]


def test_faults_and_failures_are_given_by_their_types():
    assert _printed_by("recovery.py") == ["tool_raised", "invalid_call", "2 2"]
