"""The command line asks at a terminal, and never where there is none."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from callboard.cli.approval.question import read_choice
from callboard.cli.approval.terminal import TerminalApprover
from callboard.plugins.hooks.approval import Answer, Question
from command_line import ENVIRONMENT, callboard, command, lines, write_config
from programs import PROGRAMS

PLAIN = ("Allow", "Allow always", "Deny")
OWN = ("Allow once", "Not today")

TOOL = """
class Write:
    name = "write_file"
    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "write_file", "parameters": {"type": "object"}}}]
    def execute_tool(self, tool_name, arguments, state):
        return {"success": True, "result": arguments}
"""


def question(**facts: Any) -> Question:
    given = {"prompt": "Run t?", "tool_name": "t", "tool_call_id": "1", "tool_input": {"x": 1}}
    return Question(**{**given, **facts})


@pytest.mark.parametrize(
    ("typed", "options", "choice"),
    [
        ("y", PLAIN, "Allow"),
        (" YES \n", PLAIN, "Allow"),
        ("a", PLAIN, "Allow always"),
        ("allow always", PLAIN, "Allow always"),
        ("n", PLAIN, "Deny"),
        ("", PLAIN, None),
        ("1", PLAIN, None),
        ("1", OWN, "Allow once"),
        ("not today", OWN, "Not today"),
        ("y", OWN, None),
        ("3", OWN, None),
    ],
)
def test_an_option_is_typed_by_its_key_or_in_its_words(typed, options, choice):
    assert read_choice(typed, options) == choice


def test_the_end_of_the_input_is_no_answer_and_lines_without_a_question_are_not_taken(capsys):
    approver = TerminalApprover()

    taken = approver.put("y")
    approver.put(None)

    assert not taken
    assert approver.ask(question()) == Answer(allowed=False, reason="nothing was answered")
    assert "Run t?" in capsys.readouterr().err


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    folder = tmp_path_factory.mktemp("approval")
    (folder / "write_tool.py").write_text(TOOL)
    (folder / "agent_plugin.json").write_text('{"entries": ["write_tool.Write"]}')
    return write_config(folder, f"path:{folder}", approval={"ask": ["write*"]})


def test_without_a_terminal_the_default_holds_and_stderr_says_so(config):
    called = callboard("call", "--json", config, "write_file", "x=1")
    ran = callboard("run", config, text=json.dumps({"id": "1", "name": "write_file", "arguments": {}}) + "\n")

    assert called.returncode == 1
    assert lines(called.stdout)[0]["code"] == "denied"
    assert "wants 'write_file' approved; there is no terminal to ask on: denied" in called.stderr
    assert lines(ran.stdout)[0]["metadata"]["failure"] == {"code": "denied", "outcome": "not_sent"}


def on_terminal(arguments: list[str], typed: list[tuple[bytes, bytes]]) -> tuple[list[Any], str]:
    """Run a command with a terminal for stdin and stderr; type each line once its cue is seen."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command(*arguments), stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, env=ENVIRONMENT
    )
    os.close(theirs)
    shown, seen = b"", 0
    for cue, line in typed:
        while cue not in shown[seen:]:
            shown += os.read(ours, 65536)
        seen = shown.index(cue, seen) + len(cue)
        os.write(ours, line)
    out, _ = process.communicate(timeout=50)
    os.close(ours)
    return lines(out), shown.decode()


def test_a_call_asks_at_the_terminal_until_it_is_answered(config):
    out, shown = on_terminal(
        ["call", "--json", config, "write_file", "x=1"],
        [(b"else deny): ", b"what?\n"), (b"none of them", b"y\n")],
    )

    assert out == [{"success": True, "result": {"x": "1"}}]
    seen = shown.replace("\r\n", "\n")
    assert "? Run write_file?\n  because   the configuration asks about 'write*'\n" in seen
    assert '  │ {\n  │   "x": "1"\n  │ }\n' in seen
    assert "asked for the first time" in seen
    assert f"from path:{Path(config).parent}" in seen.replace("\n  ↳         ", "")


def test_a_yes_to_what_was_not_shown_is_none(config):
    out, shown = on_terminal(
        ["call", "--json", config, "write_file", "x=" + "1 " * 2000],
        [
            (b"page 1 of 3", b"y\n"), (b"no yes before all is shown", b"\n"), (b"page 2 of 3", b"a\n"),
            (b"no yes before all is shown", b"\n"), (b"[y] Allow", b"y\n"),
        ],
    )  # fmt: skip

    assert out == [{"success": True, "result": {"x": "1 " * 2000}}]
    assert shown.count("1") >= 2000


def test_a_no_needs_no_more_than_the_first_page(config):
    out, _ = on_terminal(
        ["call", "--json", config, "write_file", "x=" + "1 " * 2000], [(b"page 1 of 3", b"n\n")]
    )

    assert out[0]["code"] == "denied"


def test_a_form_of_a_server_is_filled_in_at_the_terminal(tmp_path):
    server = PROGRAMS / "python" / "mcp_asking_server.py"
    config = write_config(tmp_path, {"mcp": {"command": [sys.executable, str(server)]}})
    fields = {"name": {"type": "string"}, "color": {"type": "string", "enum": ["red", "green"]}}
    asked = {"message": "Who?", "requestedSchema": {"type": "object", "properties": fields}}
    arguments = {"method": "elicitation/create", "params": asked}

    out, shown = on_terminal(
        ["call", "--trust", "--json", config, "ask", json.dumps(arguments)],
        [
            (b"a text", b"Ann\n"),
            (b"of the list", b"3\n"),
            (b"one of the choices", b"2\n"),
            (b"[y] send", b"y\n"),
        ],
    )

    assert json.loads(out[0]["result"]) == [
        {"action": "accept", "content": {"name": "Ann", "color": "green"}}
    ]
    assert '"mcp_asking_server"' in shown


def test_what_is_typed_between_calls_is_the_answer_while_a_question_is_open(config):
    calls = [
        json.dumps({"id": str(n), "name": "write_file", "arguments": {"n": n}}).encode() + b"\n"
        for n in (1, 2)
    ]
    out, _ = on_terminal(
        ["run", config], [(b"", calls[0]), (b"else deny): ", b"a\n" + calls[1]), (b'"n": 2', b"\x04")]
    )

    assert [json.loads(message["content"]) for message in out] == [{"n": 1}, {"n": 2}]
