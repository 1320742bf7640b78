"""`callboard chaos`: one's own tools under load while their hosts are killed, as somebody runs it."""

from __future__ import annotations

import json

import pytest
from command_line import EXAMPLES, callboard, lines, on_a_terminal
from leaks import no_leaks

TEXT = """
export default {
  name: 'text',
  init: () => ({}),
  getToolSchemas: () => [{ type: 'function', function: { name: 'upper', parameters: {
    type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } } },
    { type: 'function', function: { name: 'dated', parameters: {
    type: 'object', properties: { day: { type: 'string', format: 'date' } }, required: ['day'] } } }],
  executeTool: (name, { text, day }) => ({ success: true, result: (text ?? day).toUpperCase() }),
};
"""


@pytest.fixture
def config(tmp_path):
    (tmp_path / "text.mjs").write_text(TEXT)
    supervision = {"backoff": {"first": 0.0, "min": 0.01, "max": 0.1}, "intensity": 50}
    plugins = [{"node_tool": {"file": "text.mjs", "id": "text"}}, f"path:{EXAMPLES / 'python-echo-tool'}"]
    file = tmp_path / "agent.json"
    file.write_text(json.dumps({"plugins": plugins, "supervision": supervision}))
    return str(file)


def test_every_call_is_accounted_for_and_the_rules_hold(config):
    with no_leaks():
        ended = callboard("chaos", config, "--calls", "200", "--kills", "6", "--seed", "3", "--json")

    (report,) = lines(ended.stdout)
    assert ended.returncode == 0, report["checks"]
    assert report["ok"]
    assert report["submitted"] == report["answered"] == 202
    assert sum(report["faults"].values()) == len(report["schedule"]["entries"]) == 6
    assert report["crashes"] == len(report["every_crash"])
    assert report["left_out"] == {"dated": "$.properties.day: format is not understood"}
    assert report["left"] == {"processes": [], "threads": [], "descriptors": []}


def test_the_same_seed_makes_the_same_plan(config):
    def planned():
        (report,) = lines(
            callboard("chaos", config, "--calls", "40", "--kills", "4", "--seed", "8", "--json").stdout
        )
        return report["schedule"]

    assert planned() == planned()


def test_it_says_what_was_proved_and_writes_the_page(config, tmp_path):
    page, report = tmp_path / "page.html", tmp_path / "report.json"
    ended = callboard(
        "chaos", config, "--calls", "60", "--kills", "2", "--seed", "5", "--html", str(page),
        "--json-file", str(report),
    )  # fmt: skip

    assert ended.returncode == 0, ended.stdout
    assert "✓ each call ends once" in ended.stdout
    assert "· runs as often as it may" in ended.stdout
    assert "'dated' was not called" in ended.stdout
    assert f"The same again: callboard chaos {config} --seed 5 --calls 60 --kills 2" in ended.stdout
    assert "All rules hold." in page.read_text()
    assert json.loads(report.read_text())["submitted"] == 62


def test_calls_from_a_file_are_made_instead(config, tmp_path):
    calls = tmp_path / "calls.ndjson"
    wires = [
        {"type": "function_call", "call_id": "a", "name": "upper", "arguments": {"text": "hello"}},
        {"id": "b", "type": "function", "function": {"name": "dated", "arguments": '{"day": "today"}'}},
    ]
    calls.write_text("\n".join(json.dumps(wire) for wire in wires))

    ended = callboard("chaos", config, "--calls", "30", "--kills", "1", "--call-file", str(calls), "--json")

    (report,) = lines(ended.stdout)
    assert report["ok"]
    assert report["left_out"] == {}
    assert report["by_plugin"]["text"]["success"] > 0


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--faults", "kil"], "there is no fault 'kil'"),
        (["--faults", ","], "no fault is named"),
    ],
)
def test_what_is_wrong_with_the_options_is_said(config, options, why):
    ended = callboard("chaos", config, *options)

    assert ended.returncode == 2
    assert why in ended.stderr


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there is no call in it"),
        ("[1]", "line 1 is no call"),
        ("{", "line 1 is"),
        ('{"type": "function_call", "name": "lower", "arguments": {}}', "call 1 of the file is for 'lower'"),
    ],
)
def test_what_is_wrong_with_a_file_of_calls_is_said(config, tmp_path, text, why):
    calls = tmp_path / "calls.ndjson"
    calls.write_text(text)

    ended = callboard("chaos", config, "--call-file", str(calls))

    assert ended.returncode == 2
    assert why in ended.stderr


def test_a_plugin_that_does_not_come_up_is_named_and_the_others_are_tested(config, tmp_path):
    (tmp_path / "text.mjs").write_text("export default { name: 'text' };")

    ended = callboard("chaos", config, "--calls", "20", "--kills", "2", "--json")

    (report,) = lines(ended.stdout)
    assert (ended.returncode, report["submitted"]) == (0, 21)
    assert "ExportError" in report["left_out"]["text"]


def test_a_configuration_without_tools_has_nothing_to_call(tmp_path):
    config = tmp_path / "empty.json"
    config.write_text("{}")

    ended = callboard("chaos", str(config))

    assert ended.returncode == 2
    assert "there is no tool that could be called" in ended.stderr


def test_on_a_terminal_there_is_a_picture_and_a_summary(config):
    status, shown = on_a_terminal("chaos", config, "--calls", "200", "--kills", "4")

    assert status == 0
    assert "crashes" in shown
    assert "all rules hold" in shown


def test_it_says_what_was_not_loaded_and_that_there_was_no_host_to_harm(tmp_path):
    file = tmp_path / "agent.json"
    echo = f"path:{EXAMPLES / 'python-echo-tool'}"
    file.write_text(json.dumps({"plugins": [echo, "node:./nowhere"]}))
    ended = callboard("chaos", str(file), "--calls", "10", "--kills", "3", "--seed", "5")

    assert ended.returncode == 0, ended.stdout
    assert "No fault was done: none of the tools that were called runs in a host." in ended.stdout
    assert "node:./nowhere could not be loaded: " in ended.stdout
