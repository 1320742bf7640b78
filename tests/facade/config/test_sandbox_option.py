"""The option `sandbox`, as a configuration gives it."""

from __future__ import annotations

import json

import pytest
from callboard import Callboard, ConfigurationError, PluginLoadError
from callboard.hosts.node.tool import NodeToolPlugin

READER = """
import { readFileSync } from 'node:fs';
export default {
  init: () => ({}),
  getToolSchemas: () => [{ type: 'function', function: { name: 'read', parameters: { type: 'object' } } }],
  executeTool: (name, { path }) => ({ success: true, result: readFileSync(path, 'utf8') }),
};
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "tool").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "note").write_text("a note")
    (tmp_path / "secret").write_text("a secret")
    (tmp_path / "tool" / "reader.mjs").write_text(READER)
    return tmp_path / "tool" / "reader.mjs"


def call(path):
    return {"type": "function_call", "call_id": "1", "name": "read", "arguments": {"path": str(path)}}


def test_a_tool_in_a_sandbox_reads_what_it_may_and_its_errors_say_what_it_may_not(file):
    folder = file.parents[1]
    with Callboard() as board:
        board.load({"node_tool": {"file": str(file)}}, sandbox={"read": [str(folder / "data")]})

        read = board.execute(call(folder / "data" / "note"))
        refused = board.execute(call(folder / "secret"))

    assert read == {"success": True, "result": "a note"}
    assert (refused["code"], "has been restricted" in refused["error"]) == ("tool_raised", True)


@pytest.mark.parametrize(
    ("source", "sandbox", "why"),
    [
        ("node", {"reads": []}, "unknown key 'reads' in the option 'sandbox'; did you mean 'read'?"),
        ("node", {"read": "x"}, "the option 'sandbox': 'read' is 'x'; it has to be a list of paths"),
        ("python", True, "the option 'sandbox' of this kind is for plugins that run in Node"),
    ],
)
def test_a_sandbox_that_cannot_be_is_refused_and_not_ignored(file, source, sandbox, why):
    spelled = {"node_tool": {"file": str(file)}} if source == "node" else "collections.OrderedDict"

    with Callboard() as board, pytest.raises(ConfigurationError) as caught:
        board.load(spelled, sandbox=sandbox)

    assert why in str(caught.value)


@pytest.mark.parametrize(("name", "logged"), [("root", True), ("node_modules/root", False)])
def test_a_link_that_leads_out_of_the_folder_is_named_and_no_plugin_with_it_runs_in_a_sandbox(
    file, name, logged, caplog
):
    link = file.parent / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to("/")
    (file.parent / "package.json").write_text(json.dumps({
        "name": "reader", "version": "1.0.0", "type": "module",
        "agent": {"tools": [{"id": "reader", "entry": "./reader.mjs"}]},
    }))  # fmt: skip

    with Callboard() as board:
        for spelled in (f"node:{file.parent}", {"node_tool": {"file": str(file)}}):
            with pytest.raises(PluginLoadError, match=f"the link '{name}'"):
                board.load(spelled, sandbox=True)
        board.load(f"node:{file.parent}")
        free = board.execute(call(file.parents[1] / "secret"))

    assert free == {"success": True, "result": "a secret"}
    assert (f"the link '{name}'" in caplog.text) == logged


@pytest.mark.parametrize("options", [{"sandbox": "bwrap"}, {"secrets": {"TOKEN": {"env": "HOME"}}}])
def test_what_a_plugin_that_was_made_before_cannot_be_given_is_refused_and_not_ignored(file, options):
    with Callboard() as board, pytest.raises(ConfigurationError) as caught:
        board.register(NodeToolPlugin("reader", file), **options)

    assert caught.value.path == f"$.{next(iter(options))}"


def test_a_plugin_in_a_sandbox_of_the_systems_is_kept_in_a_host(file):
    with Callboard() as board, pytest.raises(ConfigurationError) as caught:
        board.load("collections.OrderedDict", sandbox="bwrap", isolate=False)

    assert caught.value.path == "$.sandbox"
