"""`callboard dev`: a plugin is called, changed, and called again, from a pipe and from a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
from contextlib import suppress

import pytest
from callboard.authoring.call_syntax import Asked, NotUnderstood, Order, read_typed
from callboard.authoring.create import create
from callboard.authoring.locate import NothingThere, configuration_at, folders_of
from command_line import ENVIRONMENT, PATIENCE, callboard, command, start
from node_packages import tool, write

# What is typed


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", None),
        (" \t\n", None),
        ("echo", Asked("echo", "")),
        ("  echo  value=hello \n", Asked("echo", "value=hello")),
        ('echo {"value": "a b"}', Asked("echo", '{"value": "a b"}')),
        ("/help", Order("help", "")),
        ("/schema  echo", Order("schema", "echo")),
        ("/", Order("", "")),
    ],
)
def test_a_line_is_a_call_or_a_command(line, said):
    assert read_typed(line) == said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ()),
        ("a=1  b:=2", ("a=1", "b:=2")),
        ("a='x y' b=\"it's\"", ("a=x y", "b=it's")),
        ('{"a": "it\'s  one"}', ('{"a": "it\'s  one"}',)),
    ],
)
def test_arguments_are_cut_as_a_shell_cuts_them_and_an_object_is_one_piece(text, words):
    assert Asked("tool", text).words == words


def test_a_quote_without_an_end_is_told():
    with pytest.raises(NotUnderstood, match="no closing quotation; close the quote"):
        _ = Asked("tool", "a='b").words


# Where it is


def test_a_place_is_a_folder_a_configuration_or_a_module(tmp_path):
    create("node", tmp_path / "whole")
    create("python", tmp_path / "bare")
    (tmp_path / "bare" / "agent.json").unlink()
    write(tmp_path, {"one.mjs": tool(), "both.json": {"plugins": ["node:whole", "path:bare", "node:whole"]}})

    found = {name: configuration_at(tmp_path / name) for name in ("whole", "bare", "one.mjs", "both.json")}

    assert found["whole"].plugins == ("node:.",)
    assert found["bare"].plugins == (f"path:{tmp_path / 'bare'}",)
    assert found["one.mjs"].plugins == ({"node_tool": {"file": str(tmp_path / "one.mjs")}},)
    assert list(folders_of(found["whole"], tmp_path / "whole")) == [tmp_path / "whole"]
    assert list(folders_of(found["both.json"], tmp_path / "both.json")) == [tmp_path]


def test_where_nothing_is_a_plugin_is_proposed(tmp_path):
    for place in (tmp_path, tmp_path / "no"):
        with pytest.raises(NothingThere, match="'callboard new' writes a plugin to begin with"):
            configuration_at(place)


# At work


@pytest.fixture
def place(tmp_path):
    """A tool in JavaScript, which counts its calls, and one in Python, each of a template."""
    create("node", tmp_path / "my-js")
    create("python", tmp_path / "my-py")
    write(
        tmp_path,
        {
            "my-py/agent_plugin.json": {"entries": ["my_py.count_words_tool.CountWordsTool"]},
            "my-js/agent.json": {
                "plugins": [{"node_tool": {"file": "src/echo.js", "export": "echoTool"}}, "path:../my-py"]
            },
        },
    )
    return tmp_path


def test_plugins_are_called_changed_and_called_again(place):
    source, module = place / "my-js/src/echo.js", place / "my-py/src/my_py/count_words_tool.py"
    script, code = source.read_text(), module.read_text()
    process = start("dev", "--json", str(place / "my-js"))

    def told(key):
        return next(value for line in process.stdout if key in (value := json.loads(line)))

    def ask(line, key):
        process.stdin.write(line.encode() + b"\n")
        process.stdin.flush()
        return told(key)

    with process:
        loaded = told("tools")
        first = ask("echo value=a", "result")
        source.write_text(
            script.replace(
                "emit(", "console.log('now'); if (args.value === 'hang') await new Promise(() => {}); emit("
            )
        )
        again = told("tools")
        said = ask('echo {"value": "b"}', "stderr")
        second = told("result")
        ask("echo value=hang", "stderr")
        process.send_signal(signal.SIGINT)
        hung = told("result")
        module.write_text(code.replace("text.split()", "__import__('os')._exit(3)"))
        told("tools")
        died = ask("count_words text=x", "result")
        write(place, {"my-js/src/echo.js": script + "}", "my-py/src/my_py/count_words_tool.py": code})
        broken = told("tools")
        former = ask("echo value=c", "result")
        counted = ask("count_words text='to be'", "result")
        wrong = [ask(line, "error") for line in ("count_words x", "/stat x", "/schema no", "count_words 'a")]
        schema, states = ask("/schema count_words", "told"), ask("/state", "told")
        process.stdin.write(b"/quit\n")
        rest, errors = process.communicate(timeout=PATIENCE)

    assert loaded == {"tools": ["echo", "count_words"], "problems": [], "changed": []}
    assert first["result"]["result"] == {"value": "a", "calls": 1}
    assert (first["content"], first["state"]) == ("a", {"greeting": "", "calls": 1})
    assert again == loaded | {"changed": ["src/echo.js"]}
    assert said == {"stderr": "now", "host": "echo"}
    assert second["result"]["result"] == {"value": "b", "calls": 2}
    assert hung["result"]["code"] == "cancelled"
    assert died["result"]["code"] == "host_crashed"
    assert broken["tools"] == ["echo", "count_words"]
    assert "SyntaxError: Unexpected token '}'" in broken["problems"][0]
    assert former["result"]["result"] == {"value": "c", "calls": 3}
    assert counted["content"] == "2 words"
    says = ("name=text", "no command '/stat'; did you mean 'state'?", "no tool 'no'", "close the quote")
    assert all(part in line["error"] for part, line in zip(says, wrong, strict=True)), wrong
    assert schema["told"]["function"]["name"] == "count_words"
    assert states["told"] == {"echo": {"greeting": "", "calls": 3}, "count_words_tool": {}}
    assert (rest, errors, process.returncode) == (b"", b"", 1)


def test_somebody_at_a_terminal_sees_what_comes_of_a_call(tmp_path):
    write(tmp_path, {"words.mjs": tool("count_words", "{words: 2}")})
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command("dev", str(tmp_path / "words.mjs")), stdin=theirs, stdout=theirs, stderr=theirs,
        env=ENVIRONMENT | {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"},
    )  # fmt: skip
    os.close(theirs)
    shown = ""

    def until(text):
        nonlocal shown
        while text not in shown:
            shown += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", os.read(ours, 65536).decode())

    until("Ctrl-D leaves")
    os.write(ours, b"count\t\r")
    until('the model reads {"words":2}')
    os.write(ours, b"/quit\r")
    with suppress(OSError):  # how a terminal tells its end
        until("nothing that comes")
    status = process.wait(PATIENCE)
    os.close(ours)

    assert "count_words  (" in shown
    assert status == 0


def test_what_cannot_be_run_ends_with_2(tmp_path):
    ended = callboard("dev", str(tmp_path))

    assert ended.returncode == 2
    assert ended.stderr.startswith(f"callboard: {tmp_path} has none of agent.json, package.json")
