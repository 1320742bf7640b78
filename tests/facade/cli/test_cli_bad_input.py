"""What somebody gets wrong who sees the command line for the first time: told in a sentence, and before any work."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import callboard, lines, write_config
from interrupts import interruptible
from leaks import no_leaks

UPPER = """
export default {
  init: () => ({}),
  getToolSchemas: () => [{ type: 'function', function: { name: 'upper', parameters: {
    type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } } }],
  executeTool: (name, { text }) => ({ success: true, result: text.toUpperCase() }),
};
"""


@pytest.fixture
def upper(tmp_path):
    (tmp_path / "upper.mjs").write_text(UPPER)
    return write_config(tmp_path, {"node_tool": {"file": "upper.mjs"}})


# Options


@pytest.mark.parametrize("arguments", [("call", "x", "upper"), ("chaos", "x"), ("demo",)])
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("5s", "'5s' is no number of seconds, such as 0.5"),
        ("nan", "it is nan; it has to be more than 0 seconds"),
        ("-1", "it is -1; it has to be more than 0 seconds"),
    ],
)
def test_what_is_no_time_is_refused_as_such(arguments, text, why):
    option = "--seconds" if arguments == ("demo",) else "--deadline"

    ended = callboard(*arguments, option, text)

    assert ended.returncode == 2
    assert why in ended.stderr


@pytest.mark.parametrize("option", ["--html", "--json-file"])
def test_a_report_that_could_not_be_written_is_refused_before_the_tools_are_called(upper, tmp_path, option):
    ended = callboard("chaos", upper, option, str(tmp_path / "nowhere" / "report"))

    assert (ended.returncode, ended.stdout) == (2, "")
    assert f"there is no folder {tmp_path / 'nowhere'}" in ended.stderr


@pytest.mark.parametrize(
    "command", [("chaos", "{}", "--html"), ("chaos", "{}", "--json-file"), ("schema", "--output")]
)
def test_a_report_is_refused_at_once_in_a_folder_that_takes_no_files(upper, command):
    ended = callboard(*(word.format(upper) for word in command), "/proc/report")

    assert (ended.returncode, ended.stdout) == (2, "")
    assert "cannot write /proc/report: No such file or directory" in ended.stderr


def test_a_report_that_is_there_stays_as_it_is_until_the_end(upper, tmp_path):
    there, new = tmp_path / "there.html", tmp_path / "new.json"
    there.write_text("kept")

    ended = callboard("chaos", upper, "--html", str(there), "--json-file", str(new), "--faults", "none")

    assert ended.returncode == 2
    assert there.read_text() == "kept"
    assert not new.exists()


def test_only_a_page_that_was_written_is_the_whole_story(upper, tmp_path):
    written, full = (
        callboard("chaos", upper, "--calls", "5", "--kills", "0", "--html", file).stdout
        for file in (str(tmp_path / "r.html"), "/dev/full")
    )

    assert "The whole story: " in written
    assert "The same again: " in full
    assert "The whole story: " not in full


def test_a_report_that_cannot_be_written_in_the_end_costs_no_result(upper):
    ended = callboard("chaos", upper, "--calls", "5", "--kills", "0", "--json", "--html", "/dev/full")

    assert ended.returncode == 1
    assert lines(ended.stdout)[0]["standing"] == "not tested"  # no kill was asked for
    assert ended.stderr == "callboard: cannot write /dev/full: No space left on device\n"


def test_arguments_that_should_come_from_an_empty_stdin_are_missed(upper):
    ended = callboard("call", upper, "upper", "-")

    assert ended.returncode == 2
    assert "there is nothing on stdin" in ended.stderr


# The configuration


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("[]", "the configuration is []; it has to be an object"),
        ('{"plugin": []}', "unknown key 'plugin'; did you mean 'plugins'?"),
        (
            '{"calls": {"deadline": 0}}',
            "$.calls.deadline is 0.0; it has to be more than 0 seconds, or null",
        ),
        ('{"calls": {"mailbox_size": 0}}', "$.calls.mailbox_size is 0; it has to be at least 1"),
        ('{"calls": {"max_line_bytes": 10}}', "$.calls.max_line_bytes is 10; it has to be at least 4,096"),
        ('{"calls": {"flight_recorder": 999}}', "$.calls.flight_recorder is 999; it has to be at most 256"),
        ('{"start_deadline": 0}', "$.start_deadline is 0; no host starts in no time"),
    ],
)
def test_a_configuration_under_which_nothing_could_run_is_refused(tmp_path, written, said):
    (tmp_path / "agent.json").write_text(written)

    ended = callboard("tools", str(tmp_path / "agent.json"))

    assert (ended.returncode, ended.stdout) == (2, "")
    assert said in ended.stderr


@pytest.mark.parametrize("command", ["tools", "check"])
def test_a_configuration_that_is_no_text_is_told_so(tmp_path, command):
    file = tmp_path / "agent.json"
    file.write_bytes(b'{"plugins": ["\xff\x00"]}')

    ended = callboard(command, str(file))

    assert "it is no text in UTF-8: byte 14 is no part of one" in ended.stdout + ended.stderr
    assert "surrogates" not in ended.stdout + ended.stderr


def test_a_folder_in_place_of_a_state_store_is_told_as_one(tmp_path):
    ended = callboard("tools", write_config(tmp_path, state=str(tmp_path)))

    assert ended.returncode == 2
    assert f"the state store {tmp_path} cannot be opened: it is a folder; name a file" in ended.stderr


@pytest.mark.parametrize(
    ("entry", "called", "said"),
    [
        ({"plugin": "node:./none", "config": {"key": "s3cret"}}, "node:./none", "does not exist"),
        (
            {"node_tool": {"file": "upper.mjs"}, "standby": 2},
            "upper.mjs",
            "'standby' of plugin upper.mjs is 2",
        ),
        ({"node_tool": {"path": "tools"}, "limits": {"memory": "x"}}, "node:tools", "the option 'limits'"),
        (3, "3", "the plugin entry 3 is neither a text nor a mapping"),
        (3.5, "3.5", "the plugin entry 3.5 is neither a text nor a mapping"),
        (None, "None", "the plugin entry None is neither a text nor a mapping"),
        (True, "True", "the plugin entry True is neither a text nor a mapping"),
        (
            [["plugin", "json.JSONDecoder"]],
            "[['plugin', 'json.JSONDecoder']]",
            "the plugin entry [['plugin', 'json.JSONDecoder']] is neither a text nor a mapping",
        ),
    ],
)
def test_a_plugin_that_was_not_loaded_is_called_by_its_source_and_tells_no_options(
    tmp_path, entry, called, said
):
    ended = callboard("tools", "--json", write_config(tmp_path, entry))

    (row,) = lines(ended.stdout)
    assert (ended.returncode, row["plugin"]) == (1, called)
    assert said in row["error"]
    assert "{" not in row["error"]


@pytest.mark.parametrize("command", ["call", "chaos", "doctor", "inspect"])
def test_a_plugin_entry_that_is_no_entry_is_named_by_each_command(tmp_path, command):
    config = write_config(tmp_path, 3)
    more = ["add", "{}"] if command == "call" else []

    ended = callboard(command, config, *more)

    assert re.search(
        "the plugin (entry|source) 3 is neither a text nor a mapping", ended.stdout + ended.stderr
    )
    assert "Traceback" not in ended.stderr
    assert ended.returncode != 70


def test_a_syntax_error_in_javascript_is_told_with_its_place(tmp_path):
    (tmp_path / "bad.mjs").write_text("export default {\n  init() {{\n};\n")

    ended = callboard("tools", "--json", write_config(tmp_path, {"node_tool": {"file": "bad.mjs"}}))

    (row,) = lines(ended.stdout)
    assert row["error"].startswith("it cannot start: loading it failed: SyntaxError: ")
    assert f"({tmp_path / 'bad.mjs'}:" in row["error"]


# Output, and the end


@pytest.mark.parametrize("arguments", [("tools",), ("call", "upper", "text=a"), ("doctor",)])
def test_output_that_cannot_be_written_is_told_in_a_sentence(upper, arguments):
    name, *rest = arguments

    ended = callboard(name, upper, *rest, into=Path("/dev/full"))

    assert ended.returncode == 1
    assert ended.stderr == "callboard: cannot write the output: No space left on device\n"


def test_an_interrupt_while_the_command_line_is_imported_ends_it_without_a_traceback():
    program = """
import os, signal, sys

class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == "rich":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupted())
import callboard.__main__
"""
    with interruptible():
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stderr) == (-signal.SIGINT, "")


def test_counts_of_one_are_singular(upper):
    with no_leaks():
        found = {line["what"]: line["detail"] for line in lines(callboard("doctor", "--json", upper).stdout)}

    assert found["configuration"].endswith(", 1 plugin")
    assert found["open files"].endswith("for 1 host")
    assert json.dumps(found).count("1 hosts") == 0
