"""`callboard chaos`: one's own tools under load while their hosts are killed, as somebody runs it."""

from __future__ import annotations

import json
import sys

import pytest
from command_line import EXAMPLES, callboard, lines, on_a_terminal
from leaks import no_leaks

TEXT = """
export default {
  name: 'text',
  init: () => ({ calls: 0 }),
  getToolSchemas: () => [{ type: 'function', function: { name: 'upper', parameters: {
    type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } } }],
  executeTool: (name, { text, day }, state) => {
    state.calls += 1;
    return { success: true, result: (text ?? day).toUpperCase() };
  },
};
"""
DATED = """
  { type: 'function', function: { name: 'dated', parameters: {
    type: 'object', properties: { day: { type: 'string', format: 'date' } }, required: ['day'] } } },
"""
ECHO = f"path:{EXAMPLES / 'python-echo-tool'}"
NOT_TESTED = 77


def configured(folder, *plugins, text=TEXT, **supervision):
    (folder / "text.mjs").write_text(text)
    supervision = {"backoff": {"first": 0.0, "min": 0.01, "max": 0.1}, "intensity": 50, **supervision}
    plugins = plugins or ({"node_tool": {"file": "text.mjs", "id": "text"}}, ECHO)
    file = folder / "agent.json"
    file.write_text(json.dumps({"plugins": plugins, "supervision": supervision}))
    return str(file)


@pytest.fixture
def config(tmp_path):
    return configured(tmp_path)


@pytest.fixture
def dated(tmp_path):
    """As `config`; one of the tools takes what cannot be drawn."""
    return configured(
        tmp_path, text=TEXT.replace("getToolSchemas: () => [", f"getToolSchemas: () => [{DATED}")
    )


def reported(*arguments):
    """The exit status, and the report as JSON."""
    ended = callboard("chaos", *arguments, "--json")
    (report,) = lines(ended.stdout)
    return ended.returncode, report


def standings(report):
    return {check["rule"]: check["standing"] for check in report["checks"]}


def test_every_call_is_accounted_for_and_every_rule_is_tested_and_holds(config):
    with no_leaks():
        status, report = reported(config, "--calls", "200", "--kills", "6", "--seed", "3")

    assert (status, report["standing"]) == (0, "held"), report["checks"]
    assert report["ok"]
    assert set(standings(report).values()) == {"held"}
    assert report["not_tested"] == []
    assert report["submitted"] == report["answered"] >= 202
    assert report["crashes"] == len(report["every_crash"])
    assert report["left"] == {"processes": [], "threads": [], "descriptors": []}


@pytest.mark.parametrize("calls", [4, 200])
def test_so_many_hosts_are_killed_as_are_asked_for(config, calls):
    status, report = reported(
        config, "--calls", str(calls), "--kills", "7", "--faults", "kill,segv", "--seed", "3"
    )

    assert (status, report["kills"]["came"]) == (0, 7), report["not_tested"]
    assert report["crashes"] == sum(report["faults"].values()) == 7


def test_what_does_not_kill_counts_as_no_kill(config):
    _, report = reported(
        config, "--calls", "100", "--kills", "3", "--faults", "kill,garbage,duplicate", "--seed", "2"
    )

    assert report["kills"]["came"] == report["faults"]["SIGKILL"] == 3
    assert sum(report["faults"].values()) > 3


def test_a_restart_budget_that_is_spent_is_waited_for_until_a_stable_generation_has_given_it_back(tmp_path):
    config = configured(tmp_path, intensity=2, stable_for=0.1)

    status, report = reported(config, "--calls", "20", "--kills", "4", "--faults", "kill")

    assert (status, report["kills"]["came"], report["crashes"]) == (0, 4, 4), report["not_tested"]


def test_kills_that_a_restart_budget_does_not_bear_are_said_to_be_missing(tmp_path):
    config = configured(tmp_path, intensity=1, stable_for=900, period=900)

    status, report = reported(config, "--calls", "20", "--kills", "3", "--faults", "kill")

    assert (status, report["standing"], report["kills"]["came"]) == (NOT_TESTED, "not tested", 1)
    assert "budget" in report["kills"]["missed"]["text"]
    assert any("1 of 3 kills came true" in gap for gap in report["not_tested"])


def test_without_a_number_there_are_as_many_kills_as_the_restart_budgets_bear(tmp_path):
    config = configured(tmp_path, intensity=2, stable_for=900, period=900)

    status, report = reported(config, "--calls", "60")

    assert (status, report["kills"]) == (0, {"wanted": 2, "came": 2, "missed": {}}), report["not_tested"]


SLEEPY = (
    TEXT.replace(
        "{ text: { type: 'string' } }, required: ['text']", "{ naps: { enum: [0, 30] } }, required: ['naps']"
    )
    .replace(
        "executeTool: (name, { text, day }, state) => {",
        """executeTool: async (name, { naps }, state, emit, { signal }) => {
    await new Promise((done) => { setTimeout(done, naps * 1000).unref(); signal.onabort = done; });
    const text = '';""",
    )
    .replace("text ?? day", "text")
)


@pytest.mark.parametrize("seed", [2, 3])
def test_the_last_call_to_a_plugin_is_one_that_has_gone_well_before(tmp_path, seed):
    tool = {"node_tool": {"file": "text.mjs", "id": "text"}, "concurrency": 2}
    config = configured(tmp_path, tool, text=SLEEPY)

    status, report = reported(
        config, "--calls", "12", "--kills", "1", "--faults", "kill", "--deadline", "1", "--seed", str(seed)
    )

    assert report["by_plugin"]["text"].keys() >= {"success", "deadline_exceeded"}
    assert standings(report)["works after the faults"] == "held"
    assert status == 0


def test_what_several_calls_at_once_cannot_keep_to_is_said_and_is_no_gap(tmp_path):
    config = configured(tmp_path, {"node_tool": {"file": "text.mjs", "id": "text"}, "concurrency": 4})

    status, report = reported(config, "--calls", "60", "--kills", "2", "--seed", "1")
    shown = callboard("chaos", config, "--calls", "60", "--kills", "2", "--seed", "1").stdout

    cannot = {rule for rule, came in standings(report).items() if came == "cannot apply"}
    assert cannot == {"counts without a gap", "calls begin in order", "one call at a time"}
    assert (status, report["standing"], report["not_tested"]) == (0, "held", [])
    assert "  cannot apply: every tool may run several calls at once" in shown
    assert "all rules hold" in shown


def test_tools_that_run_in_no_host_are_held_to_all_but_the_rules_of_hosts(tmp_path):
    status, report = reported(configured(tmp_path, ECHO), "--calls", "30")

    assert (status, report["kills"]["wanted"]) == (0, 0), report["not_tested"]
    held = {rule for rule, came in standings(report).items() if came == "held"}
    assert held >= {"each answer is its call's", "runs as often as it may", "counts without a gap"}


def test_without_a_kill_what_comes_after_one_was_not_tested(config):
    status, report = reported(config, "--calls", "10", "--kills", "0")

    assert (status, report["standing"]) == (NOT_TESTED, "not tested")
    assert standings(report)["works after the faults"] == "not tested"
    assert standings(report)["each call ends once"] == "held"


def test_a_tool_that_cannot_be_called_was_not_tested(dated):
    status, report = reported(dated, "--calls", "40", "--kills", "1")

    assert (status, report["standing"]) == (NOT_TESTED, "not tested")
    assert report["left_out"] == {"dated": "$.properties.day: format is not understood"}
    assert any("'dated'" in gap for gap in report["not_tested"])


def test_the_same_seed_makes_the_same_plan(config):
    def planned():
        (report,) = lines(
            callboard("chaos", config, "--calls", "40", "--kills", "4", "--seed", "8", "--json").stdout
        )
        return report["schedule"]

    assert planned() == planned()


def test_it_says_what_was_proved_and_what_was_not_and_writes_the_page(dated, tmp_path):
    config = dated
    page, report = tmp_path / "page.html", tmp_path / "report.json"
    ended = callboard(
        "chaos", config, "--calls", "60", "--kills", "2", "--seed", "5", "--html", str(page),
        "--json-file", str(report),
    )  # fmt: skip

    assert ended.returncode == NOT_TESTED, ended.stdout
    assert "✓ each call ends once" in ended.stdout
    assert "✓ runs as often as it may" in ended.stdout
    assert "'dated' was not called" in ended.stdout
    assert "all rules hold" not in ended.stdout
    assert f"The same again: callboard chaos {config} --seed 5 --calls 60 --kills 2" in ended.stdout
    assert "Not everything was tested." in page.read_text()
    assert "&#x27;dated&#x27; was not called" in page.read_text()
    assert json.loads(report.read_text())["submitted"] >= 62


def test_calls_from_a_file_are_made_instead(dated, tmp_path):
    calls = tmp_path / "calls.ndjson"
    wires = [
        {"type": "function_call", "call_id": "a", "name": "upper", "arguments": {"text": "hello"}},
        {"id": "b", "type": "function", "function": {"name": "dated", "arguments": '{"day": "today"}'}},
    ]
    calls.write_text("\n".join(json.dumps(wire) for wire in wires))

    status, report = reported(dated, "--calls", "30", "--kills", "1", "--call-file", str(calls))

    assert status == 0
    assert report["ok"], report["not_tested"]
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


def test_a_plugin_that_does_not_come_up_was_not_tested_and_the_others_are(tmp_path):
    other = {"node_tool": {"file": "other.mjs", "id": "other"}}
    config = configured(tmp_path, {"node_tool": {"file": "text.mjs", "id": "text"}}, other)
    (tmp_path / "other.mjs").write_text("export default { name: 'other' };")

    status, report = reported(config, "--calls", "20", "--kills", "2")

    assert (status, report["standing"], report["submitted"] >= 21) == (NOT_TESTED, "not tested", True)
    assert "ExportError" in report["left_out"]["other"]
    assert set(standings(report).values()) == {"held"}
    assert any("'other'" in gap for gap in report["not_tested"])


def test_a_plugin_that_is_missing_was_not_tested(tmp_path):
    config = configured(tmp_path, {"node_tool": {"file": "text.mjs", "id": "text"}}, "node:./nowhere")

    status, report = reported(config, "--calls", "20", "--kills", "2")

    assert (status, set(standings(report).values())) == (NOT_TESTED, {"held"})
    assert any("node:./nowhere" in gap for gap in report["not_tested"])


def test_a_configuration_without_tools_has_tested_nothing_and_tells_its_seed(tmp_path):
    config = tmp_path / "empty.json"
    config.write_text("{}")

    ended = callboard("chaos", str(config), "--seed", "5")
    status, report = reported(str(config))

    assert (ended.returncode, status) == (NOT_TESTED, NOT_TESTED)
    assert "there is no tool that could be called" in ended.stdout
    assert f"The same again: callboard chaos {config} --seed 5" in ended.stdout
    assert isinstance(report["seed"], int)
    assert {rule for rule, came in standings(report).items() if came != "not tested"} == {
        "nothing left behind"
    }


def test_a_trial_that_came_to_no_end_tells_its_seed(tmp_path):
    config = configured(tmp_path, {"node_tool": {"file": "nowhere.mjs"}, "required": True})

    ended = callboard("chaos", config, "--seed", "5")

    assert ended.returncode == 2
    assert f"the same again: callboard chaos {config} --seed 5" in ended.stderr


def test_on_a_terminal_there_is_a_picture_and_a_summary(config):
    status, shown = on_a_terminal("chaos", config, "--calls", "200", "--kills", "4")

    assert status == 0
    assert "crashes" in shown
    assert "all rules hold" in shown


def test_it_says_that_there_was_no_host_to_harm(tmp_path):
    ended = callboard("chaos", configured(tmp_path, ECHO), "--calls", "10", "--kills", "3", "--seed", "5")

    assert ended.returncode == NOT_TESTED, ended.stdout
    assert (
        "0 of 3 kills came true: none of the tools that were called runs in a process of its own"
        in ended.stdout
    )
    assert "not everything was tested" in ended.stdout


SICK = """
import itertools, json, os, sys

SCHEMA = {'type': 'function', 'function': {'name': 'sick', 'parameters': {'type': 'object'}}}
VALUES = {'init': {}, 'get_tool_schemas': [SCHEMA], 'execute_tool': {'success': True, 'result': 1}}
runs = itertools.count(1)

for line in sys.stdin:
    request = json.loads(line)
    method, reply = request['method'], {'v': 1, 'id': request['id']}
    if method in VALUES:
        reply |= {'ok': True, 'result': {'value': VALUES[method], 'state': {}}}
    else:
        reply |= {'ok': False, 'error': {'type': 'MethodNotFound', 'detail': method, 'stack': ''}}
    print(json.dumps(reply), flush=True)
    if method == 'execute_tool':
        run = next(runs)
        if run % 5 == 0:
            print('no message', json.dumps(reply), sep='\\n', flush=True)
        if run == 20:
            os._exit(4)
"""


def test_faults_of_a_hosts_own_are_counted_beside_the_rules_which_judge_the_board(tmp_path):
    (tmp_path / "sick.py").write_text(SICK)
    sick = {"host": {"command": [sys.executable, "sick.py"], "protocol": "thp/1"}, "name": "sick"}
    config = configured(tmp_path, {"node_tool": {"file": "text.mjs", "id": "text"}}, sick)
    arguments = (config, "--trust", "--calls", "100", "--kills", "2", "--faults", "kill", "--seed", "3")

    shown = callboard("chaos", *arguments)
    _, report = reported(*arguments)

    (line,) = [line for line in shown.stdout.splitlines() if line.startswith(" Own faults")]
    assert "callboard.chaos.conformance" in line
    assert "'sick'" in line
    assert "'text'" not in line
    assert report["own_faults"].keys() == {"sick"}
    own = report["own_faults"]["sick"]
    assert own["crashes"] >= 1
    assert own["protocol"] >= 2
    assert own["crashes"] + report["kills"]["came"] <= report["crashes"]
