"""The guide to Node tool plugins, lived through from the outside: its echo tool in every form of its configuration.

The tool is the guide's own, to the letter but for its types; the package around it is the guide's layout.
"""

from __future__ import annotations

import json
import shutil

import pytest
from callboard import AgentCore, Callboard
from node_packages import committed
from programs import NODE, ROOT
from thorough import every
from tools import tool_call

ECHO = NODE / "spec_echo_tool.mjs"
EXAMPLES = ROOT / "examples"

MANIFEST = {
    "name": "my-js-tools",
    "version": "0.1.0",
    "type": "module",
    "main": "dist/index.js",
    "scripts": {
        "build": "esbuild src/index.ts --bundle --platform=node --format=esm --outdir=dist",
    },
    "agent": {
        "kinds": ["tools"],
        "tools": [{"id": "echo", "entry": "dist/index.js", "export": "echoTool"}],
    },
}


@pytest.fixture
def app(tmp_path, monkeypatch):
    """A folder with the guide's package, a single file, and an application's configuration to write.

    The guide's repository is one on this machine: by git's own settings, so that its address stands as in the guide.
    """
    package = tmp_path / "plugins" / "my-js-tools"
    (package / "dist").mkdir(parents=True)
    (package / "package.json").write_text(json.dumps(MANIFEST))
    shutil.copy(ECHO, package / "dist" / "index.js")
    (tmp_path / "tools").mkdir()
    shutil.copy(ECHO, tmp_path / "tools" / "my_tool.js")
    shutil.copytree(package, tmp_path / "repositories" / "my-js-tools.git")
    committed(tmp_path / "repositories" / "my-js-tools.git", "v0.1.0")
    settings = tmp_path / "gitconfig"
    settings.write_text(f'[url "{tmp_path}/repositories/"]\n\tinsteadOf = https://github.com/acme/\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    return tmp_path


def configured(app, entry, **more):
    """A board of the configuration, with a cache that is empty."""
    file = app / "agent.json"
    file.write_text(json.dumps({"plugins": [entry], "plugin_cache_dir": "./cache", **more}))
    return Callboard(file)


FORMS = [
    {"node_tool": {"path": "./plugins/my-js-tools"}},
    {"node_tool": {"git": "https://github.com/acme/my-js-tools.git", "ref": "v0.1.0"}},
    {"node_tool": {"file": "./tools/my_tool.js", "id": "my_tool"}},
    "node:./plugins/my-js-tools",
    "node+git:https://github.com/acme/my-js-tools.git#v0.1.0",
]
NAMES = ["path", "git", "file", "shortcut", "git shortcut"]


@pytest.mark.parametrize(
    ("entry", "plugin"), list(zip(FORMS, ["echo", "echo", "my_tool", "echo", "echo"], strict=True)), ids=NAMES
)
def test_the_echo_tool_runs_in_every_form_of_configuration_by_the_id_of_its_entry(app, entry, plugin):
    with configured(app, entry) as board:
        assert board.failed == []
        names = [(tool.plugin_name, tool.tool_name) for tool in board.tools()]
        call = board.submit(tool_call("echo", value="hello"))
        parts = list(call.parts())
        result = call.result()

    assert names == [(plugin, "echo")]
    assert parts == [{"message": "working..."}]
    assert result == {"success": True, "result": {"value": "hello", "calls": 1}}


def test_the_policy_of_the_guide_is_read(app):
    policy = {"node_install_deps": True, "node_build": True, "node_allow_install_scripts": False}

    with configured(app, "node:./plugins/my-js-tools", plugin_policy=policy) as board:
        assert board.configuration.plugin_policy.node_allow_install_scripts is False
        assert [tool.tool_name for tool in board.tools()] == ["echo"]


GUIDE = NODE / "spec_echo_tool.ts"


@pytest.mark.parametrize(
    ("spelling", "dependencies"),
    every(2, [("node+git:", {"devDependencies": {"esbuild": "^0.28.0"}}), ("node:", {})]),
)
def test_the_package_of_the_guide_is_installed_and_built_from_its_typescript(
    tmp_path, spelling, dependencies
):
    package = tmp_path / "my-js-tools"
    (package / "src").mkdir(parents=True)
    (package / "package.json").write_text(json.dumps({**MANIFEST, **dependencies}))
    (package / "src" / "index.ts").write_text('export * from "./EchoTool";\n')
    shutil.copy(GUIDE, package / "src" / "EchoTool.ts")
    committed(package)

    with configured(tmp_path, f"{spelling}./my-js-tools") as board:
        assert board.failed == []
        assert board.execute(tool_call("echo", value="hello"))["result"] == {"value": "hello", "calls": 1}

    assert not (package / "dist").exists()
    assert not (package / "node_modules").exists()


def test_a_single_file_of_typescript_runs_without_a_manifest(tmp_path):
    (tmp_path / "plugins" / "js-single-file-tool").mkdir(parents=True)
    shutil.copy(GUIDE, tmp_path / "plugins" / "js-single-file-tool" / "UpperTool.ts")
    entry = {"node_tool": {"file": "./plugins/js-single-file-tool/UpperTool.ts", "id": "js_single_file_tool"}}

    with configured(tmp_path, entry) as board:
        assert board.failed == []
        result = board.execute(tool_call("echo", value="hello"))
        names = [tool.plugin_name for tool in board.tools()]

    assert (names, result["result"]["value"]) == (["js_single_file_tool"], "hello")


def test_a_package_that_is_not_built_and_may_not_be_says_so(app):
    (app / "plugins" / "my-js-tools" / "dist" / "index.js").unlink()

    with configured(app, "node:./plugins/my-js-tools", plugin_policy={"node_build": False}) as board:
        (failed,) = board.failed

    assert "is not built, and 'node_build' is off; run npm run build there" in failed.error


def test_the_core_makes_messages_as_the_tool_formats_them(app):
    with configured(app, "node:./plugins/my-js-tools") as board, AgentCore(board=board) as core:
        part, message = core.iter_tool_messages([tool_call("echo", "call_1", value="hello")], config={})
        (failed,) = core.execute_tool_calls([tool_call("reverse", "call_2")], config={})

    assert part == {"part": {"message": "working..."}, "tool_call_id": "call_1", "tool_name": "echo"}
    assert message == {
        "role": "tool",
        "content": "Echo: hello",
        "toolResult": {"type": "tool_result", "text": "Echo: hello"},
        "metadata": {
            "tool_call_id": "call_1",
            "tool_name": "echo",
            "tool_plugin": "echo",
            "display": {"type": "text", "content": "Echo: hello", "single_line": "echo hello"},
        },
    }
    assert failed["metadata"]["failure"]["code"] == "unknown_tool"


def test_state_goes_round_with_every_call(app):
    with configured(app, "node:./plugins/my-js-tools") as board:
        counts = [board.execute(tool_call("echo", value="again"))["result"]["calls"] for _ in range(3)]

    assert counts == [1, 2, 3]


NAMED = """
export class OtherTool {
  version = "0.1.0";
  init(config) { return { config }; }
  getToolSchemas() {
    return [{ type: "function", function: { name: "where", parameters: { type: "object" } } }];
  }
  executeTool() { return { success: true, result: "here" }; }
}
"""


def test_an_entry_may_name_an_export(tmp_path):
    file = tmp_path / "named.mjs"
    file.write_text(NAMED)

    with Callboard() as board:
        board.load({"node_tool": {"file": str(file), "id": "named", "export": "OtherTool"}})
        result = board.execute(tool_call("where"))

    assert result == {"success": True, "result": "here"}


def test_one_package_exposes_several_tools():
    with Callboard() as board:
        board.load(f"node:{EXAMPLES / 'js-multi-tools'}")
        result = board.execute(tool_call("reverse", text="abc"))
        names = [tool.tool_name for tool in board.tools()]

    assert sorted(names) == ["count_words", "echo", "reverse"]
    assert result["result"] == {"text": "cba"}


def test_a_tool_refuses_paths_that_its_configuration_does_not_allow(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("callboard\n")
    (tmp_path / "secret.txt").write_text("secret\n")

    with Callboard() as board:
        board.load(f"node:{EXAMPLES / 'js-fs-tools'}", config={"allowed_paths": [str(tmp_path / "notes")]})
        allowed = board.execute(tool_call("read_file", file_path="a.txt"))
        refused = board.execute(tool_call("read_file", file_path="../secret.txt"))

    assert allowed["success"]
    assert not refused["success"]
    assert "code" not in refused
