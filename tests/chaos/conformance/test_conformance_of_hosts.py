"""The conformance rules: our hosts keep them, in six ways, and who breaks one is convicted of it."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from typing import NamedTuple

import pytest
from callboard.chaos.inject.evil_tool import EvilToolPlugin
from callboard.hosts.bash.tool import BASH_HOST
from callboard.hosts.node.tool import HOST_SCRIPT
from house_source import ROOT
from leaks import no_leaks
from node_path import node_program
from programs import BASH, NODE, PROGRAMS
from python_runner import python_command
from thorough import thorough

pytest_plugins = ["pytester"]

EXAMPLES = ROOT / "examples"
INSIDE = ("-p", "callboard.chaos.conformance.plugin", "-W", "ignore::pytest.PytestAssertRewriteWarning")
NEVER_FAILS = ("--host-failing-arguments", "")
NEITHER = (*NEVER_FAILS, "--host-stream-tool", "")
RUDE = PROGRAMS / "python" / "rude.py"


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks(within=20):
        yield


@pytest.fixture
def judge(pytester, monkeypatch):
    """Runs the rules against a host; returns how that ended and what pytest printed.

    In this process, and without the other plugins that are installed here: a new interpreter and their imports
    take longer than the rules. As a stranger does it, it is done once, below.
    """
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run(argv, *options, rules=()):
        return Said.of(pytester.runpytest_inprocess(*words(argv, options, rules), *INSIDE))

    return run


class Said(NamedTuple):
    returncode: int
    stdout: str

    @classmethod
    def of(cls, result):
        return cls(int(result.ret), result.stdout.str())


def words(argv, options, rules=()):
    names = [f"callboard.chaos.conformance.{rule}" for rule in rules] or ["callboard.chaos.conformance"]
    told = ["--host-cmd", shlex.join(str(word) for word in argv), "--host-patience", "20", *options]
    return ["-p", "no:cacheprovider", "-q", "-W", "error", "--tb=short", "--pyargs", *names, *told]


def count(said, outcome):
    found = re.search(rf"(\d+) {outcome}", said.stdout)
    return int(found[1]) if found else 0


@thorough
def test_a_host_in_perl_keeps_all_rules():
    perl = shutil.which("perl")
    assert perl is not None, "this needs perl, which every Debian has; install it"
    options = [
        *("--host-arguments", json.dumps({"text": "to be"})),
        *("--host-failing-arguments", json.dumps({"text": ["no text"]})),
        *("--host-stream-tool", "count_words"),
        *("--host-stream-arguments", json.dumps({"text": "to be\nor not"})),
    ]
    command = [
        sys.executable,
        "-m",
        "pytest",
        *words([perl, EXAMPLES / "perl-host" / "count_words.pl"], options),
    ]
    said = subprocess.run(command, capture_output=True, text=True, check=False, timeout=110)

    assert (said.returncode, count(said, "passed")) == (0, 29), said.stdout


def test_the_node_host_keeps_all_rules(judge):
    tool = EXAMPLES / "js-echo-tool" / "src" / "index.js"
    said = judge([node_program(), HOST_SCRIPT, "--entry", tool], *NEITHER)

    assert (said.returncode, count(said, "passed")) == (0, 27), said.stdout


def test_the_bash_host_keeps_all_rules(judge):
    script = BASH / "moody.sh"
    said = judge(
        [shutil.which("bash"), BASH_HOST, "--file", script],
        *("--host-failing-arguments", json.dumps({"fail": True})),
        *("--host-stream-tool", "moody"),
    )

    assert (said.returncode, count(said, "passed")) == (0, 29), said.stdout


def test_the_python_host_keeps_all_rules(judge):
    said = judge(
        python_command(),
        *("--host-arguments", json.dumps({"value": "hi"})),
        *("--host-failing-arguments", json.dumps({"way": "raises_os_error"})),
        *("--host-stream-tool", "moody"),
        *("--host-stream-arguments", json.dumps({"first": "so far"})),
    )

    assert (said.returncode, count(said, "passed")) == (0, 29), said.stdout


def test_our_hosts_keep_the_rules_about_what_they_say_that_they_can_do(judge):
    tool = NODE / "extended_tool.mjs"
    command = [node_program(), HOST_SCRIPT, "--entry", tool]
    in_node = judge(command, "--host-extended", "--host-tool", "tell", rules=["test_features"])
    in_python = judge(python_command(), "--host-extended", rules=["test_features"])

    assert (in_node.returncode, count(in_node, "passed")) == (0, 11), in_node.stdout
    assert (in_python.returncode, count(in_python, "passed")) == (0, 9), in_python.stdout


@thorough
@pytest.mark.parametrize("language", ["python", "node"])
def test_a_host_that_could_be_evil_and_is_not_keeps_all_rules(judge, language, tmp_path):
    plugin = EvilToolPlugin("good", folder=tmp_path, language=language)
    stream = ("--host-stream-tool", "good_stream", "--host-stream-arguments", '{"parts": 3}')
    said = judge(plugin.command().argv, *stream, *NEVER_FAILS, "-m", "must")

    assert said.returncode == 0, said.stdout


@pytest.mark.parametrize(
    ("rudeness", "rule"),
    [
        ("no state from init", "test_wire::test_init_is_answered_with_the_state"),
        ("one schema", "test_wire::test_schemas_are_a_list_of_objects"),
        ("bare result", "test_wire::test_a_call_is_answered_with_a_result"),
        ("forgets the state", "test_wire::test_the_state_that_came_goes_back"),
        ("version 2", "test_wire::test_every_message_is_of_version_one_and_bears_a_known_id"),
        ("ids in ascii", "test_wire::test_an_id_comes_back_as_it_was"),
        ("answers twice", "test_wire::test_each_request_is_answered_once"),
        ("reads in chunks", "test_wire::test_requests_may_come_in_one_piece_or_byte_by_byte"),
        ("dies of the unknown", "test_wire::test_an_unknown_method_is_refused_and_the_host_lives"),
        ("own error names", "test_wire::test_an_unknown_method_is_refused_by_its_name"),
        ("prints", "test_wire::test_nothing_but_messages_is_on_stdout"),
        ("dies of rubbish", "test_wire::test_a_line_that_is_no_request_harms_nobody"),
        ("parts at last", "test_wire::test_parts_come_before_the_answer_and_bear_its_id"),
        ("outlives stdin", "test_lifecycle::test_it_ends_when_its_stdin_ends"),
        ("exits with 1", "test_lifecycle::test_it_ends_well_when_its_stdin_ends"),
        ("ignores sigterm", "test_lifecycle::test_sigterm_ends_it"),
        ("keeps answers back", "test_lifecycle::test_answers_are_not_kept_back"),
    ],
)
def test_who_breaks_a_rule_is_convicted_of_it_and_shown_the_talk(judge, rudeness, rule):
    module, name = rule.split("::")
    said = judge(
        [sys.executable, "-I", RUDE, rudeness],
        *("--host-stream-tool", "rude", "--host-patience", "1"),
        *("-k", name),
        rules=[module],
    )

    assert said.returncode == 1, said.stdout
    assert count(said, "failed") + count(said, "error") >= 1
    assert "the talk with the host" in said.stdout or name.endswith("is_answered_once")


def test_a_polite_host_of_the_same_make_is_convicted_of_nothing(judge):
    said = judge([sys.executable, "-I", RUDE, "nothing"], "--host-stream-tool", "rude", *NEVER_FAILS)

    assert said.returncode == 0, said.stdout


def test_rules_that_could_not_be_tested_are_named_and_the_run_does_not_pass(judge):
    said = judge([sys.executable, "-I", RUDE, "nothing"])

    assert (said.returncode, count(said, "skipped"), count(said, "failed")) == (77, 2, 0), said.stdout
    assert (
        "test_a_tool_that_fails_is_an_answer_and_the_host_lives: say --host-failing-arguments" in said.stdout
    )
    assert "test_parts_come_before_the_answer_and_bear_its_id: say --host-stream-tool" in said.stdout


@thorough
def test_a_broken_rule_is_what_is_told_of_a_run_that_could_not_test_another(judge):
    said = judge([sys.executable, "-I", RUDE, "answers twice"], "--host-patience", "1", rules=["test_wire"])

    assert said.returncode == 1


def test_rules_without_a_host_say_which_option_is_missing():
    command = [sys.executable, "-m", "pytest", "--pyargs", "callboard.chaos.conformance"]
    said = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    assert said.returncode == 4
    assert "--host-cmd" in said.stderr


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--host-cmd", "no-such-program x"), "there is no program 'no-such-program' that can be run"),
        (("--host-cmd", "python 'half"), "--host-cmd is no command line: No closing quotation"),
        (("--host-cmd", sys.executable, "--host-arguments", "{bad"), "--host-arguments is no JSON"),
        (
            ("--host-cmd", sys.executable, "--host-patience", "long"),
            "--host-patience is 'long'; it has to be",
        ),
    ],
)
def test_a_wrong_option_is_told_once_and_not_by_each_rule(pytester, monkeypatch, options, why):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    said = pytester.runpytest_inprocess("--pyargs", "callboard.chaos.conformance", *INSIDE, *options)

    assert (said.ret, said.outlines) == (4, [])
    assert why in said.stderr.str()
    assert len(said.errlines) <= 2


def test_the_last_words_of_a_host_stand_below_the_talk_each_line_inset(judge):
    said = judge(
        [sys.executable, "-c", "import sys; sys.exit('one\\n  two')"],
        *("-k", "test_init_is_answered"),
        rules=["test_wire"],
    )

    assert re.search(
        r"\n +E +its stderr ends with:\n +E +one\n +E +two\n", said.stdout.replace("\nE", "\n E")
    )
