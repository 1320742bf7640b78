"""The strict profile: one key sets the strongest there is, and nothing else in the configuration may weaken it."""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from callboard import Callboard
from callboard.config.configuration import read_configuration
from callboard.config.errors import ConfigurationError
from callboard.config.plugin_options import options_of
from callboard.sources.entry import parse_entry
from command_line import EXAMPLES
from node_packages import built, tool, write
from tools import tool_call

STRICT = {"profile": "strict"}


def test_strict_has_nothing_built_and_bounds_what_is_sent():
    configuration = read_configuration(STRICT)

    policy, calls = configuration.plugin_policy, configuration.calls
    assert (policy.node_build, policy.node_allow_install_scripts, policy.python_allow_builds) == (False,) * 3
    assert (calls.validate, calls.max_line_bytes, calls.max_stray_lines) == (True, 4 * 1024 * 1024, 1_000)


@pytest.mark.parametrize(
    "entry",
    [
        "a.b.C",
        "path:./a",
        "entry_point:a",
        "node:./a",
        "node+git:./a",
        {"node_tool": {"file": "a.mjs"}},
        "bash:./a",
        {"host": {"command": ["a"], "protocol": "thp/1"}},
        {"mcp": {"command": ["a"]}},
        {"plugin": "node:./a", "sandbox": True},
        {"plugin": "node:./a", "sandbox": {"network": True}},
    ],
)
def test_each_kind_of_source_begins_with_the_strongest_there_is(tmp_path, entry):
    configuration = read_configuration(STRICT)

    options = options_of(parse_entry(entry, tmp_path), configuration)

    if sys.platform == "linux":
        assert options.confinement.sandbox is not None
        assert options.isolate
    assert options.host.limits.memory == 512 * 1024 * 1024
    assert options.tool.claims == (None if isinstance(entry, dict) and "mcp" in entry else "own")


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("$.plugin_policy.node_build", {"plugin_policy": {"node_build": True}}),
        ("$.plugin_policy.node_allow_install_scripts", {"plugin_policy": {"node_allow_install_scripts": True}}),
        ("$.plugin_policy.python_allow_builds", {"plugin_policy": {"python_allow_builds": True}}),
        ("$.calls.validate", {"calls": {"validate": False}}),
        ("$.calls.deadline", {"calls": {"deadline": None}}),
        ("$.calls.max_line_bytes", {"calls": {"max_line_bytes": 1 << 30}}),
        ("$.calls.max_stray_lines", {"calls": {"max_stray_lines": None}}),
        ("$.plugins[0].sandbox", {"plugins": [{"plugin": "node:./a", "sandbox": False}]}),
        ("$.plugins[0].sandbox", {"plugins": [{"plugin": "node:./a", "sandbox": {"child_processes": True}}]}),
        ("$.plugins[0].sandbox", {"plugins": [{"plugin": "node:./a", "sandbox": {"addons": True}}]}),
        ("$.plugins[0].sandbox", {"plugins": [{"plugin": "node:./a", "sandbox": {"kind": "node"}}]}),
        ("$.plugins[0].sandbox", {"plugins": [{"plugin": "node:./a", "sandbox": {"kind": "bwrap", "seccomp": False}}]}),
        ("$.plugins[1].isolate", {"plugins": ["a.b", {"plugin": "a.b", "isolate": False}]}),
        ("$.plugins[0].share", {"plugins": [{"plugin": "node:./a", "share": True}]}),
        ("$.plugins[0].validate", {"plugins": [{"plugin": "a.b", "validate": {"x": False}}]}),
        ("$.plugins[0].claims", {"plugins": [{"plugin": "node:./a", "claims": "all"}]}),
        ("$.plugins[0].limits", {"plugins": [{"plugin": "a.b", "limits": {"memory": None}}]}),
        ("$.plugins[0].limits", {"plugins": [{"plugin": "a.b", "limits": {"memory_hard": "8GB"}}]}),
        ("$.plugins[0].deadline", {"plugins": [{"plugin": "a.b", "deadline": 86_400}]}),
    ],
)  # fmt: skip
def test_what_weakens_the_profile_is_refused_by_its_name(path, given):
    with pytest.raises(ConfigurationError) as caught:
        read_configuration(STRICT | given)

    assert caught.value.paths == (path,)


def test_all_that_weakens_it_is_named_at_once():
    with pytest.raises(ConfigurationError) as caught:
        read_configuration({**STRICT, "calls": {"validate": False}, "plugin_policy": {"node_build": True}})

    assert set(caught.value.paths) == {"$.calls.validate", "$.plugin_policy.node_build"}


@pytest.mark.parametrize(
    "given",
    [
        {"calls": {"max_line_bytes": 65_536, "deadline": 5.0}},
        {"plugin_policy": {"node_install_deps": False}},
        {"plugins": [{"plugin": "node:./a", "sandbox": {"read": ["/data"]}, "limits": {"memory": "64MB"}}]},
        {"plugins": [{"plugin": "node:./a", "sandbox": {"network": "outside"}}]},
    ],
)
def test_what_is_stricter_still_or_declared_is_taken(given):
    assert read_configuration(STRICT | given).profile == "strict"


@pytest.mark.parametrize("value", ["Strict", "none", "", 1, True, ["strict"], {}])
def test_an_unknown_profile_is_refused(value):
    with pytest.raises(ConfigurationError) as caught:
        read_configuration({"profile": value})

    assert caught.value.path == "$.profile"


def test_a_program_that_loads_more_is_held_to_it_too(tmp_path):
    file = write(tmp_path, {"where.mjs": tool()}) / "where.mjs"
    source = {"node_tool": {"file": str(file)}}

    with Callboard(STRICT) as board:
        for weak in ({"child_processes": True}, False):
            with pytest.raises(ConfigurationError, match=r"\$\.sandbox"):
                board.load(source, sandbox=weak)
        assert board.load(source)


def test_what_would_have_to_be_built_is_refused(tmp_path):
    built(tmp_path / "tools")

    with Callboard({**STRICT, "plugins": [f"node:{tmp_path / 'tools'}"]}) as board:
        (failed,) = board.failed

    assert "'node_build' is off" in str(failed.error)
    assert not (tmp_path / "tools" / "dist").exists()


def test_a_node_tool_reads_no_file_that_is_not_declared(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    reading = "(await import('node:fs')).readFileSync(" + json.dumps(str(secret)) + ", 'utf8')"
    module = tool(result=reading).replace("executeTool: ()", "executeTool: async ()")
    file = write(tmp_path / "tools", {"where.mjs": module}) / "where.mjs"

    with Callboard({**STRICT, "plugins": [{"node_tool": {"file": str(file)}}]}) as board:
        result = board.execute({"type": "function_call", "call_id": "1", "name": "where", "arguments": {}})

    assert result["success"] is False
    assert "secret" not in str(result.get("result"))


PACKAGES = {
    "js-echo-tool": ("node:", "echo", {"value": "x"}),
    "js-class-tool": ("node:", "fill_template", {"template": "x"}),
    "js-fs-tools": ("node:", "read_file", {"file_path": str(EXAMPLES / "js-fs-tools" / "package.json")}),
    "js-multi-tools": ("node:", "reverse", {"text": "x"}),
    "template-js-multi-tools": ("node:", "count_words", {"text": "x"}),
    "python-echo-tool": ("path:", "echo", {"value": "x"}),
    "template-python-tools": ("path:", "count_words", {"text": "x"}),
    "bash-tools": ("bash:", "count", {"text": "x"}),
    "perl-host": ("agent.json", "count_words", {"text": "x"}),
}
"""Each example that is a plugin: how it is loaded, and a call of a tool of it."""

ALLOWED = str(EXAMPLES / "js-fs-tools")
MORE = {"js-fs-tools": {"config": {"allowed_paths": [ALLOWED]}, "sandbox": {"read": [ALLOWED]}}}
"""What an example has to be told in any configuration, and what it may read in this one."""


def test_every_example_that_is_a_plugin_is_in_the_list():
    assert PACKAGES.keys() == {
        each.name for each in EXAMPLES.iterdir() if each.is_dir() and each.name[0] not in "._"
    }


@pytest.mark.parametrize("name", PACKAGES)
def test_the_strict_profile_runs_the_examples(name, tmp_path):
    prefix, called, arguments = PACKAGES[name]
    if prefix == "agent.json":
        config = json.loads((EXAMPLES / name / "agent.json").read_text())
        shutil.copytree(EXAMPLES / name, tmp_path / name)
        file = tmp_path / name / "agent.json"
        file.write_text(json.dumps(config | STRICT))
        configured = str(file)
    else:
        configured = {**STRICT, "plugins": [{"plugin": f"{prefix}{EXAMPLES / name}", **MORE.get(name, {})}]}

    with Callboard(configured) as board:
        assert board.failed == []
        assert all(each.available for each in board.tools())
        assert board.execute(tool_call(called, **arguments))["success"]
        assert all("host" in each for each in board.status()["plugins"].values())


def test_a_bound_is_said_in_whole_numbers_of_its_unit():
    with pytest.raises(ConfigurationError, match=r"max_line_bytes has to be a number, at most 4,194,304$"):
        read_configuration(STRICT | {"calls": {"max_line_bytes": 1 << 30}})
