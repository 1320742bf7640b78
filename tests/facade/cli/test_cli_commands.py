"""The other commands, and what all of them have in common."""

from __future__ import annotations

import subprocess
import sys

import pytest
from callboard.cli.app import COMMANDS, OPTIONAL, command_line
from callboard.cli.doctor.plugin_checks import judge
from click.testing import CliRunner
from command_line import ECHO, EXAMPLES, PACED, callboard, lines, on_a_terminal, write_config
from programs import PROGRAMS


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    return write_config(tmp_path_factory.mktemp("cli"), ECHO, "callboard.demo.python_tools.Sums")


# What they have in common


def test_help_says_a_line_for_each_command():
    said = CliRunner().invoke(command_line, ["--help"]).output

    commands = said.split("Commands:")[1].splitlines()
    assert [line.split()[0] for line in commands if line.strip()] == [
        "run",
        "demo",
        "mcp",
        "chat",
        "chaos",
        "new",
        "dev",
        "inspect",
        "check",
        "schema",
        "plan",
        "trust",
        "tools",
        "call",
        "convert",
        "crash",
        "doctor",
        "npm",
        "cache",
        "completion",
    ]
    assert all(len(line.split()) > 4 for line in commands if line.strip())


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_said_of_a_command_is_what_it_says_of_itself(name):
    assert COMMANDS[name][1] == command_line.commands[name].get_short_help_str(100)


def test_the_help_of_all_imports_none_of_them():
    program = (
        "import sys; from callboard.cli.app import main; main(['--help']); "
        "sys.stderr.write(' '.join(sorted(sys.modules)))"
    )

    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert [name for name in ended.stderr.split() if name.startswith("callboard.cli.commands")] == []
    assert "callboard.actors.board" not in ended.stderr.split()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_given_what_completes_in_it(shell):
    said = callboard("completion", shell)
    completed = callboard(
        env={
            "_CALLBOARD_COMPLETE": f"{shell}_complete",
            "COMP_WORDS": "callboard do",
            "COMP_CWORD": "do" if shell == "fish" else "1",
        }
    )

    assert said.returncode == 0
    assert "_CALLBOARD_COMPLETE" in said.stdout
    assert "doctor" in completed.stdout
    assert "demo" not in completed.stdout


@pytest.mark.parametrize(
    "command",
    ["run", "demo", "chaos", "new", "dev", "inspect", "tools", "call", "convert", "doctor", "cache"],
)
def test_every_command_has_help_and_the_common_options(command):
    result = CliRunner().invoke(command_line, [command, "--help"])

    assert result.exit_code == 0
    assert "--debug" in result.output
    assert "--verbose" in result.output


def test_the_version_is_told():
    assert callboard("--version").stdout.startswith("callboard ")


@pytest.mark.parametrize("arguments", [[], ["fly"], ["run"], ["demo", "--calls", "3"], ["call", "x"]])
def test_a_wrong_command_line_ends_with_2(arguments):
    assert CliRunner().invoke(command_line, arguments).exit_code == 2


@pytest.mark.parametrize("package", ["click", "rich"])
def test_without_its_packages_the_command_line_says_what_to_install(package):
    program = (
        f"import sys; sys.modules[{package!r}] = None\nfrom callboard.__main__ import main; sys.exit(main())"
    )

    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert ended.returncode == 2
    assert ended.stderr == (
        f"callboard: the command line needs the package {package!r}; run: pip install click rich\n"
    )


def test_a_command_whose_package_is_not_there_says_what_to_install_and_harms_no_other(monkeypatch):
    monkeypatch.setitem(COMMANDS, "tools", ("lacks:tools", "The tools."))
    monkeypatch.setitem(OPTIONAL, "callboard", "all-of-it")

    refused = CliRunner().invoke(command_line, ["tools", "--json", "x"], standalone_mode=False)
    listed = CliRunner().invoke(command_line, ["--help"])

    remedy = "needs the package 'callboard'; run: pip install all-of-it"
    assert (refused.return_value, refused.stderr) == (2, f"callboard: 'callboard tools' {remedy}\n")
    assert listed.exit_code == 0


@pytest.mark.parametrize("command", ["run", "tools"])
def test_a_configuration_that_is_not_there_is_told_in_a_sentence(command, tmp_path):
    ended = callboard(command, str(tmp_path / "no.json"))

    assert ended.returncode == 2
    assert ended.stderr.startswith("callboard: cannot read the configuration")
    assert len(ended.stderr.splitlines()) == 1


def test_debug_shows_the_traceback_before_and_after_the_command(tmp_path):
    missing = str(tmp_path / "no.json")

    for arguments in (["--debug", "tools", missing], ["tools", missing, "--debug"]):
        ended = callboard(*arguments)
        assert "Traceback" in ended.stderr
        assert ended.returncode == 2


def test_a_required_plugin_that_cannot_be_loaded_is_a_wrong_configuration(tmp_path):
    config = write_config(tmp_path, {"plugin": "no.such.Tool", "required": True})

    ended = callboard("tools", config)

    assert ended.returncode == 2
    assert "cannot load plugin no.such.Tool" in ended.stderr


# tools


def test_the_resources_of_mcp_servers_are_listed(tmp_path):
    server = {"command": [sys.executable, str(PROGRAMS / "python" / "mcp_server.py"), "shares"]}
    config = write_config(tmp_path, ECHO, {"mcp": server, "name": "notes"})

    ended = callboard("tools", "--trust", "--json", "--resources", config)

    said = [(each["plugin"], each.get("uri") or each.get("uriTemplate")) for each in lines(ended.stdout)]
    assert said == [("notes", "note://one"), ("notes", "note://two"), ("notes", "note://{name}")]
    assert ended.returncode == 0


def test_tools_are_listed_with_where_they_run(config):
    ended = callboard("tools", "--json", config)

    rows = {row["tool"]: row for row in lines(ended.stdout)}
    assert ended.returncode == 0
    assert rows["echo"]["runs_in"] == "host"
    assert rows["echo"]["state"] == "ready"
    assert rows["echo"]["description"] == "Echo back the provided value."
    assert rows["add_numbers"] == {
        "tool": "add_numbers",
        "plugin": "sums",
        "runs_in": "thread",
        "available": True,
        "description": "Add numbers.",
    }


def test_what_did_not_come_up_is_listed_too(tmp_path):
    (tmp_path / "bad.mjs").write_text("export default {")
    config = write_config(tmp_path, {"node_tool": {"file": "bad.mjs", "id": "bad"}}, "node:./nowhere")

    ended = callboard("tools", "--json", config)

    bad, nowhere = lines(ended.stdout)
    assert ended.returncode == 1
    assert (bad["plugin"], bad["state"], bad["tool"]) == ("bad", "parked", None)
    assert "SyntaxError" in bad["error"]
    assert nowhere["plugin"] == "node:./nowhere"
    assert "does not exist" in nowhere["error"]


def test_schemas_are_written_in_the_format_that_is_asked_for(config):
    ended = callboard("tools", "--json", config, "--format", "openai.responses.function")

    schemas = lines(ended.stdout)
    assert {schema["name"] for schema in schemas} == {"echo", "add_numbers"}
    assert all(schema["type"] == "function" for schema in schemas)


def test_an_unknown_format_is_refused_with_the_nearest(config):
    ended = callboard("tools", config, "--format", "openai.response.function")

    assert ended.returncode == 2
    assert "did you mean 'openai.responses.function'?" in ended.stderr


def test_on_a_terminal_tools_are_a_table(config):
    status, shown = on_a_terminal("tools", config)

    assert status == 0
    assert "description" in shown
    assert "ready" in shown
    assert "{" not in shown


def test_json_is_written_on_a_terminal_when_asked_for(config):
    _, shown = on_a_terminal("tools", config, "--json")

    assert {row["plugin"] for row in lines(shown)} == {"echo", "sums"}


# call


def test_one_call_writes_its_parts_and_its_result(config):
    ended = callboard("call", "--json", config, "echo", "value=hello")

    assert lines(ended.stdout) == [
        {"part": {"message": "working..."}},
        {"success": True, "result": {"value": "hello", "calls": 1}},
    ]
    assert ended.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "text"), [(['{"value": "x"}'], ""), (["-"], '{"value": "x"}'), (['value:="x"'], "")]
)
def test_arguments_come_as_json_from_stdin_or_as_pairs(config, arguments, text):
    ended = callboard("call", "--json", config, "echo", *arguments, text=text)

    assert lines(ended.stdout)[-1]["result"]["value"] == "x"


def test_a_call_that_fails_ends_with_1(config):
    ended = callboard("call", "--json", config, "ecko")

    (result,) = lines(ended.stdout)
    assert result["code"] == "unknown_tool"
    assert ended.returncode == 1


def test_a_call_has_the_deadline_it_is_given(tmp_path):
    ended = callboard("call", "--json", write_config(tmp_path, PACED), "paced", "--deadline", "0.2")

    assert lines(ended.stdout)[-1]["code"] == "deadline_exceeded"
    assert ended.returncode == 1


def test_a_tool_of_raw_text_is_given_the_text_as_it_is(tmp_path):
    (tmp_path / "agent_plugin.json").write_text('{"entries": ["shouting_plugin.Shout"]}')
    (tmp_path / "shouting_plugin.py").write_text(
        """
class Shout:
    name = "shout"
    def get_tool_schemas(self, state):
        return [{"type": "custom", "name": "shout"}]
    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": payload.upper()}
"""
    )
    config = write_config(tmp_path, f"path:{tmp_path}")

    shouted = callboard("call", "--json", config, "shout", "{not json}")
    refused = callboard("call", config, "shout", "two", "words")

    assert lines(shouted.stdout) == [{"success": True, "result": "{NOT JSON}"}]
    assert refused.returncode == 2


def test_on_a_terminal_a_result_is_shown_to_be_read(config):
    status, shown = on_a_terminal("call", config, "echo", "value=hello")
    failed, told = on_a_terminal("call", config, "ecko")

    assert status == 0
    assert "✓" in shown
    assert failed == 1
    assert "✗" in told
    assert "unknown_tool" in told


@pytest.mark.parametrize(
    ("words", "status"),
    [(("inspect",), 0), (("dev",), 0), (("run",), 0), (("tools",), 1), (("doctor",), 1), (("plan",), 1)],
)
def test_a_plugin_that_is_left_out_fails_the_commands_that_report_on_plugins(tmp_path, words, status):
    (tmp_path / "echo.sh").write_text("# @tool Says a word.\necho said\n")
    config = write_config(tmp_path, "path:./nothere", {"bash_tool": {"file": "echo.sh"}})

    assert callboard(*words, config).returncode == status


# doctor


def test_the_doctor_finds_a_well_machine_well(config):
    ended = callboard("doctor", "--json", config)

    findings = lines(ended.stdout)
    assert ended.returncode == 0
    assert not [finding for finding in findings if finding["status"] == "FAIL"]
    assert {"Python", "packages", "Node host", "open files", "configuration", "plugin echo"} <= {
        finding["what"] for finding in findings
    }
    assert any("this one is used" in finding["detail"] for finding in findings)


def test_the_doctor_says_what_to_do_without_node():
    ended = callboard("doctor", "--json", env={"CALLBOARD_NODE": "/nonexistent"})

    (failed,) = [finding for finding in lines(ended.stdout) if finding["status"] == "FAIL"]
    assert failed["what"] == "Node (CALLBOARD_NODE)"
    assert failed["remedy"]
    assert ended.returncode == 1


def test_the_doctor_looks_at_every_plugin_whatever_the_others_are(tmp_path):
    (tmp_path / "bad.mjs").write_text("throw new TypeError('boom');")
    bad = {"node_tool": {"file": "bad.mjs", "id": "bad"}, "required": True}
    config = write_config(tmp_path, bad, "node:./nowhere", f"node:{EXAMPLES / 'js-class-tool'}")

    ended = callboard("doctor", "--json", config)

    plugins = [finding for finding in lines(ended.stdout) if finding["what"].startswith("plugin")]
    assert {finding["what"]: finding["status"] for finding in plugins} == {
        "plugin": "FAIL",
        "plugin bad": "FAIL",
        "plugin fill_template": "ok",
    }
    assert "boom" in next(finding["detail"] for finding in plugins if finding["what"] == "plugin bad")
    assert ended.returncode == 1


def test_the_doctor_names_a_mistake_in_the_configuration(tmp_path):
    ended = callboard("doctor", "--json", write_config(tmp_path, calls={"dedline": 1}))

    (failed,) = [finding for finding in lines(ended.stdout) if finding["status"] == "FAIL"]
    assert "did you mean 'deadline'?" in failed["detail"]
    assert failed["remedy"] == "correct $.calls.dedline"


def test_a_javascript_tool_that_prints_harms_nothing(tmp_path):
    (tmp_path / "loud.mjs").write_text(
        """
import { writeSync } from 'node:fs';
export default {
  name: 'loud',
  init: () => { writeSync(1, 'not a message\\n'); console.log('nor this'); return {}; },
  getToolSchemas: () => [],
  executeTool: () => ({ success: true }),
};
"""
    )
    config = write_config(tmp_path, {"node_tool": {"file": "loud.mjs", "id": "loud"}})

    ended = callboard("doctor", "--json", config)

    (finding,) = [finding for finding in lines(ended.stdout) if finding["what"] == "plugin loud"]
    assert finding["status"] == "ok"
    assert "nothing but messages" in finding["detail"]


LAST = """Error: connect ECONNREFUSED 127.0.0.1:6399
    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1607:16)
    at async runServer (file:///srv/index.js:240:9)
"""
HOST = {"state": "ready", "generation": 1, "crashes": 0, "counts": {}}


@pytest.mark.parametrize(
    ("plugin", "status", "said"),
    [
        ({}, "ok", "in this process"),
        ({"host": HOST}, "ok", "its host is ready"),
        ({"host": HOST | {"counts": {"stray": 3}}}, "warn", "printed 3 lines"),
        ({"host": HOST | {"crashes": 1, "generation": 2}}, "warn", "at start 2"),
        ({"host": HOST, "problem": "a name is taken"}, "FAIL", "a name is taken"),
        (
            {"host": HOST | {"state": "parked", "why": "no Node", "last_crash": None}},
            "FAIL",
            "parked: no Node",
        ),
        (
            {"host": HOST | {"state": "starting", "why": "", "last_crash": {"stderr": LAST}}},
            "FAIL",
            "its host is starting; its last words: Error: connect ECONNREFUSED 127.0.0.1:6399",
        ),
    ],
)
def test_what_the_board_says_of_a_plugin_is_judged(plugin, status, said):
    (finding,) = judge("x", {"tools": ["x"], **plugin})

    assert finding.status == status
    assert said in finding.detail
