"""Every command before a pipe: text unless `--json` asks for NDJSON, and a reader that goes away ends it quietly."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from callboard.hosts.packages.cache import PackageCache
from command_line import (
    ECHO,
    ENVIRONMENT,
    EXAMPLES,
    PATIENCE,
    callboard,
    command,
    lines,
    ndjson,
    write_config,
)
from leaks import no_leaks
from thorough import every

READER_GONE = 141
LIGHT = f"path:{EXAMPLES / 'python-echo-tool'}"
CHAT = {"id": "c", "type": "function", "function": {"name": "echo", "arguments": '{"value": "x"}'}}
SCHEMA = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}

REPORTS = {
    "tools": ("tools", "{light}"),
    "tools --format": ("tools", "{light}", "--format", "openai.responses.function"),
    "tools --describe": ("tools", "{light}", "--describe"),
    "call": ("call", "{light}", "echo", "value=hello"),
    "chaos": ("chaos", "{config}", "--calls", "20", "--kills", "1", "--seed", "1"),
    "demo": ("demo", "--calls", "50", "--kills", "1", "--seed", "1"),
    "doctor": ("doctor", "{light}"),
    "inspect": ("inspect", "{config}"),
    "inspect a recording": ("inspect", "{recording}"),
    "inspect --replay": ("inspect", "{config}", "--replay", "{recording}"),
    "dev": ("dev", "{config}"),
    "cache list": ("cache", "list", "{light}"),
    "cache clean": ("cache", "clean", "{light}"),
    "new": ("new", "bash", "{folder}/made"),
    "convert --list": ("convert", "--list"),
    "chat": ("chat", "--demo", "--fast", "--message", "How far is Bergen from Oslo?"),
}
"""Commands that report: text unless `--json`."""

DATA = {
    "run": (("run", "{config}"), ndjson([CHAT])),
    "convert": (("convert", "--to", "openai.responses"), ndjson([SCHEMA])),
}
"""Commands whose output is data: NDJSON, always."""

TYPED = "echo value=hello\n" * 3


@pytest.fixture
def places(tmp_path):
    """What the commands of the tables are about."""
    config = write_config(tmp_path, ECHO, plugin_cache_dir="./cache")
    light = tmp_path / "light.json"
    light.write_text(json.dumps({"plugins": [LIGHT], "plugin_cache_dir": "./cache"}))
    PackageCache(tmp_path / "cache").place("packages", "0123abcd").mkdir(parents=True)
    recording = tmp_path / "traffic.ndjson"
    entry = {"at": 0.1, "host": "echo", "generation": 1, "kind": "sent"}
    asked = {"v": 1, "id": "1-1", "method": "init", "params": {"config": {}}}
    answer = {"v": 1, "id": "1-1", "ok": True, "result": {"value": {"calls": 0}}}
    recording.write_text(
        ndjson(
            [
                {"recording": 1},
                entry | {"kind": "started"},
                entry | {"message": asked},
                entry | {"kind": "received", "message": answer},
            ]
        )
    )
    return {"config": config, "light": str(light), "recording": str(recording), "folder": str(tmp_path)}


def words(pattern, places):
    return [word.format(**places) for word in pattern]


def with_a_reader_that_has_gone(arguments, text):
    ours, theirs = os.pipe()
    os.close(ours)
    process = subprocess.Popen(
        command(*arguments),
        stdin=subprocess.PIPE,
        stdout=theirs,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    os.close(theirs)
    _, said = process.communicate(text.encode(), timeout=PATIENCE)
    return process.returncode, said.decode()


@pytest.mark.parametrize(
    "name", every(5, [*REPORTS, "call --json", "inspect --json", "dev --json", "chaos --json"])
)
def test_a_reader_that_goes_away_ends_a_report_quietly_and_as_sigpipe_would(places, name):
    report = name.removesuffix(" --json")
    with no_leaks():
        status, said = with_a_reader_that_has_gone(
            [*words(REPORTS[report], places), *name[len(report) :].split()], TYPED
        )

    assert (status, said) == (READER_GONE, "")


@pytest.mark.parametrize("name", DATA)
def test_a_reader_that_goes_away_ends_what_writes_data_quietly_and_as_sigpipe_would(places, name):
    pattern, text = DATA[name]
    with no_leaks():
        status, said = with_a_reader_that_has_gone(words(pattern, places), text)

    assert (status, said) == (READER_GONE, "")


@pytest.mark.parametrize("arguments", every(3, [("--help",), ("--version",), ("chaos", "--help")]))
def test_a_reader_that_goes_away_ends_a_help_text_quietly_and_as_sigpipe_would(arguments):
    assert with_a_reader_that_has_gone(arguments, "") == (READER_GONE, "")


def test_a_reader_that_goes_away_ends_an_inspection_that_waits_for_input(places):
    with no_leaks():
        process = subprocess.Popen(
            command("inspect", places["config"]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(TYPED.encode())
        process.stdin.flush()  # and stdin stays open: nothing but the lost reader can end it
        status = process.wait(PATIENCE)
        assert process.stderr is not None
        said = process.stderr.read()
        process.stdin.close()
        process.stderr.close()

    assert (status, said) == (READER_GONE, b"")


def test_an_error_that_nobody_reads_is_none_of_its_own(tmp_path):
    ours, theirs = os.pipe()
    os.close(ours)
    process = subprocess.Popen(
        command("tools", str(tmp_path / "nowhere.json")), stdout=theirs, stderr=theirs, env=ENVIRONMENT
    )
    os.close(theirs)

    assert process.wait(PATIENCE) == 2


def is_ndjson(text):
    try:
        return bool(text) and all(isinstance(value, dict) for value in lines(text))
    except json.JSONDecodeError:
        return False


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_text_unless_json_is_asked_for(places, name):
    as_text = callboard(*words(REPORTS[name], places), text=TYPED)
    places = {**places, "folder": places["folder"] + "/another"}
    as_json = callboard(*words(REPORTS[name], places), "--json", text=TYPED)

    assert as_text.stdout
    assert not is_ndjson(as_text.stdout)
    assert "\x1b" not in as_text.stdout
    assert is_ndjson(as_json.stdout), as_json.stdout
    assert as_text.returncode == as_json.returncode


@pytest.mark.parametrize("name", DATA)
def test_data_is_ndjson_always(places, name):
    pattern, text = DATA[name]

    assert is_ndjson(callboard(*words(pattern, places), text=text).stdout)


def test_a_pipe_has_room_for_all_of_a_line(tmp_path):
    long = "word " * 60
    tool = tmp_path / "long.mjs"
    tool.write_text(
        "export default { name: 'long', init: () => ({}), getToolSchemas: () => [{ type: 'function', function: "
        f"{{ name: 'long', description: '{long}', parameters: {{ type: 'object' }} }} }}], "
        "executeTool: () => ({ success: true, result: 1 }) };"
    )
    config = write_config(tmp_path, {"node_tool": {"file": str(tool), "id": "long"}})

    shown = callboard("tools", config, env={"COLUMNS": ""}).stdout

    assert long.strip() in shown
