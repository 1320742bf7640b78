"""Every fragment of a configuration in the specification, as it stands there, with real files around it.

Of the packages' own names `agent_core` is `callboard` here, and nothing else is changed. What the guides' provider asks is a
server on this machine; that is its module's business, as in the guide, and stands in no configuration.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest
from callboard import AgentCore, Callboard, ConfigurationError
from callboard.authoring.replay_server import ReplayServer
from callboard.providers import ProviderError
from command_line import ENVIRONMENT, PATIENCE, command
from node_packages import committed, tool, write
from programs import NODE, ROOT
from tools import Tool, tool_call

ECHO = NODE / "spec_echo_tool.mjs"
MY_TOOL = ROOT / "examples" / "python-echo-tool" / "src" / "python_echo_tool" / "echo_tool.py"

PROVIDER = """
import os

from callboard.providers import OpenAIChatProvider


class OpenAICompatibleProvider(OpenAIChatProvider):
    name = "openai_compatible"

    def init(self, config):
        return super().init({"base_url": os.environ["SERVER"], **config})
"""

STEP_3 = """
{
  "plugin_cache_dir": "~/.crystal/cache/plugins",
  "plugins": [
    "plugins.openai_provider.OpenAICompatibleProvider",
    "path:../my-tools"
  ],
  "provider": "openai_compatible",
  "model": "gpt-4o-mini"
}
"""

FRAGMENTS = {
    "001 policy": (
        """{ "plugin_policy": { "node_install_deps": true, "node_build": true,
                                "node_allow_install_scripts": false } }""",
        {},
    ),
    "001 path": ('{"plugins": [{ "node_tool": { "path": "./plugins/my-js-tools" } }]}', {"echo": "echo"}),
    "001 git": (
        '{"plugins": [{ "node_tool": { "git": "https://github.com/acme/my-js-tools.git", "ref": "v0.1.0" } }]}',
        {"echo": "echo"},
    ),
    "001 file": (
        '{"plugins": [{ "node_tool": { "file": "./tools/my_tool.js", "id": "my_tool" } }]}',
        {"my_tool": "echo"},
    ),
    "001 single file": (
        """{ "plugins": [ { "node_tool": { "file": "./plugins/js-single-file-tool/UpperTool.ts",
                                           "id": "js_single_file_tool" } } ] }""",
        {"js_single_file_tool": "upper"},
    ),
    "002 step 3": (STEP_3, {"echo_tool": "echo"}),
}
"""Each fragment, and its tools by their plugins."""

SHORTCUTS = """
{
  "plugins": [
    "node:./plugins/my-js-tools",
    "node+git:https://github.com/acme/my-js-tools.git#v0.1.0"
  ]
}
"""

NODE_MANIFEST = """
{
  "name": "my-js-tools",
  "version": "0.1.0",
  "type": "module",
  "main": "dist/index.js",
  "scripts": {
    "build": "esbuild src/index.ts --bundle --platform=node --format=esm --outdir=dist"
  },
  "agent": {
    "kinds": ["tools"],
    "tools": [
      { "id": "echo", "entry": "dist/index.js", "export": "echoTool" }
    ]
  }
}
"""

TWO_TOOLS = """
{
  "agent": {
    "tools": [
      { "id": "echo", "entry": "dist/index.js", "export": "echoTool" },
      { "id": "reverse", "entry": "dist/index.js", "export": "reverseTool" }
    ]
  }
}
"""

PYTHON_MANIFEST = """
{
  "entries": ["my_tools.my_tool.MyTool"],
  "subdirectory": "."
}
"""

UPPER = """
export default class UpperTool {
  init(config: object): object {
    return { config };
  }
  getToolSchemas(): object[] {
    return [{ type: "function", function: { name: "upper", parameters: { type: "object" } } }];
  }
  executeTool(name: string, args: { value: string }): object {
    return { success: true, result: args.value.toUpperCase() };
  }
}
"""


@pytest.fixture
def app(tmp_path, monkeypatch):
    """The folder of an application, with all that the fragments name around it. Its configuration is ``agent.json``."""
    folder = tmp_path / "app"
    package = write(folder / "plugins" / "my-js-tools", {"package.json": NODE_MANIFEST})
    (package / "dist").mkdir()
    shutil.copy(ECHO, package / "dist" / "index.js")
    write(folder, {"plugins/js-single-file-tool/UpperTool.ts": UPPER, "tools/my_tool.js": ECHO.read_text()})
    write(folder, {"plugins/__init__.py": "", "plugins/openai_provider.py": PROVIDER})
    code = MY_TOOL.read_text().replace("class EchoTool", "class MyTool")
    layout = {
        "agent_plugin.json": PYTHON_MANIFEST,
        "src/my_tools/__init__.py": "",
        "src/my_tools/my_tool.py": code,
    }
    write(tmp_path / "my-tools", layout)
    shutil.copytree(package, tmp_path / "repositories" / "my-js-tools.git")
    committed(tmp_path / "repositories" / "my-js-tools.git", "v0.1.0")
    settings = tmp_path / "gitconfig"
    settings.write_text(f'[url "{tmp_path}/repositories/"]\n\tinsteadOf = https://github.com/acme/\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    for name in ("plugins", "plugins.openai_provider", "my_tools", "my_tools.my_tool"):
        unknown(monkeypatch, name)
    return folder


def unknown(monkeypatch, name):
    """A module of that name is imported anew, from the test's own folder, and is gone with it."""
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, name)


@pytest.fixture
def server(monkeypatch):
    script = [{"when": "echo", "steps": [{"calls": [{"name": "echo", "arguments": {"value": "hello"}}]}, {"text": "{result}"}]},
              {"steps": [{"text": "You said: {user}"}]}]  # fmt: skip
    with ReplayServer(script) as server:
        monkeypatch.setenv("SERVER", server.url)
        yield server


def configured(app, text):
    (app / "agent.json").write_text(text if isinstance(text, str) else json.dumps(text))
    return Callboard(app / "agent.json")


def said(core, text="well", config=None):
    """What is said last in a turn."""
    session = core.add_message(core.create_session(), "user", text)
    *_, done = core.run(session, config or {})
    return done["session"].messages[-1]["content"]


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_each_fragment_of_a_configuration_runs_as_it_stands(app, fragment):
    text, tools = FRAGMENTS[fragment]
    with configured(app, text) as board:
        results = {name: board.execute(tool_call(name, value="a")) for name in tools.values()}

        assert board.failed == []
        assert {tool.plugin_name: tool.tool_name for tool in board.tools()} == tools
    assert all(result["success"] for result in results.values())


def test_two_spellings_of_one_package_are_one_plugin_and_the_second_is_told_what_to_write(app):
    with configured(app, SHORTCUTS) as board:
        (failed,) = board.failed

        assert board.execute(tool_call("echo", value="a"))["success"]
    assert failed.source == "node+git:https://github.com/acme/my-js-tools.git#v0.1.0"
    assert '"name": "my-js-tools"' in failed.error


def test_a_manifest_of_two_tools_is_read_as_it_stands(app):
    code = tool("echo", "'a'").replace("default", "const echoTool =") + tool("reverse", "'b'").replace(
        "default", "const reverseTool ="
    )
    write(app / "two", {"package.json": TWO_TOOLS, "dist/index.js": code})

    with configured(app, {"plugins": ["node:./two"]}) as board:
        assert [tool.plugin_name for tool in board.tools()] == ["echo", "reverse"]
        assert board.execute(tool_call("reverse"))["result"] == "b"


# A provider among the plugins


def test_a_board_tells_of_a_provider_and_runs_the_tools(app, server):
    with configured(app, STEP_3) as board:
        status = board.status()

        assert status["failed"] == []
        assert status["providers"] == [
            {
                "name": "openai_compatible",
                "kind": "provider",
                "source": "plugins.openai_provider.OpenAICompatibleProvider",
            }
        ]
        assert list(status["plugins"]) == ["echo_tool"]
    assert server.requests == []


def test_a_core_on_the_board_asks_the_configured_provider_for_the_configured_model(app, server):
    with configured(app, STEP_3) as board, AgentCore(board) as core:
        answer = said(core, "echo")

    assert answer == "hello"
    assert [request.body["model"] for request in server.requests] == ["gpt-4o-mini"] * 2
    assert [each["function"]["name"] for each in server.requests[0].body["tools"]] == ["echo"]


def test_a_request_may_ask_for_another_model(app, server):
    with configured(app, STEP_3) as board, AgentCore(board) as core:
        said(core, config={"model": "another"})

    assert server.requests[0].body["model"] == "another"


def test_the_agent_of_a_board_asks_it_too(app, server):
    with configured(app, STEP_3) as board, board.agent() as agent:
        *_, done = agent.run(agent.session(), "echo")

    assert done["session"].messages[-1]["content"] == "hello"
    assert server.requests[0].body["model"] == "gpt-4o-mini"
    assert agent.config == {"provider": "openai_compatible", "model": "gpt-4o-mini"}


def test_the_command_line_lists_the_tools_and_talks_to_the_model(app, server):
    (app / "agent.json").write_text(STEP_3)
    environment = {**ENVIRONMENT, "PYTHONPATH": str(app), "SERVER": server.url}

    def run(*words):
        return subprocess.run(
            command(*words),
            env=environment,
            cwd=app,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    tools = run("tools", "agent.json", "--json")
    chat = run("chat", "agent.json", "--message", "echo", "--model", "small", "--json")

    rows = [json.loads(line) for line in tools.stdout.splitlines()]
    assert (tools.returncode, tools.stderr) == (0, "")
    assert {row["plugin"]: row["tool"] for row in rows} == {"echo_tool": "echo", "openai_compatible": None}
    assert chat.returncode == 0, chat.stderr
    assert server.requests[-1].body["model"] == "small"


def test_a_provider_has_the_configuration_and_the_name_of_its_entry(app, server):
    provider = {
        "plugin": "plugins.openai_provider.OpenAICompatibleProvider",
        "config": {"model": "m"},
        "name": "mine",
    }

    with configured(app, {"plugins": [provider]}) as board, AgentCore(board) as core:
        said(core)

        assert [each["name"] for each in board.status()["providers"]] == ["mine"]
    assert server.requests[0].body["model"] == "m"


def test_an_option_of_tools_is_refused_for_a_provider(app):
    entry = {"plugin": "plugins.openai_provider.OpenAICompatibleProvider", "concurrency": 3}

    with configured(app, {"plugins": [entry]}) as board:
        assert "'concurrency' is for tools" in board.failed[0].error
        assert board.status()["providers"] == []


@pytest.mark.usefixtures("server")
def test_what_provider_names_has_to_be_there(app):
    config = {**json.loads(STEP_3), "provider": "openai_compatibel"}

    with configured(app, config) as board:
        with AgentCore(board) as core, pytest.raises(ProviderError, match="configuration of the board"):
            list(core.send_request_stream(core.add_message(core.create_session(), "user", "x"), {}))
        with pytest.raises(ConfigurationError, match=r"did you mean 'openai_compatible'\?") as caught:
            board.agent()

    assert caught.value.path == "$.provider"
    assert caught.value.file == str(app / "agent.json")


def test_a_shipped_provider_is_chosen_by_its_type_and_the_model_alone():
    with (
        Callboard({"provider": "openai_compatible", "model": "gpt-4o-mini"}) as board,
        board.agent() as agent,
    ):
        assert agent.config == {"provider": "openai_compatible", "model": "gpt-4o-mini"}


TWO_PROVIDERS = """
class One:
    name = "one"
    def init(self, config): return {"config": config}
    def send_request_stream(self, native_messages, state): yield {"type": "text", "text": self.name}
    def close(self): CLOSED.append(self.name)

class Two(One):
    name = "two"

class Extension:
    name = "adds"
    def initialize_request(self, native_messages, state, *, context=None):
        SEEN.append(context["config"].get("model"))

CLOSED, SEEN = [], []
lent = One()
"""


@pytest.mark.parametrize("said_there", [None, "two"])
def test_of_several_providers_one_is_named_and_extensions_hold_for_it(app, said_there, monkeypatch):
    name = f"two_providers_{said_there}"
    write(app, {f"{name}.py": TWO_PROVIDERS})
    unknown(monkeypatch, name)
    config = {
        "plugins": [f"{name}.{each}" for each in ("One", "Two", "Extension")],
        "provider": said_there or "one",
        "model": "m",
    }

    with configured(app, config) as board:
        with AgentCore(board) as core:
            core.register_tool(Tool(lambda _a, _s: {"success": True}, "t"))
            answers = [said(core), said(core, config={"provider": "one"})]
        module = sys.modules[name]
        while_it_runs = list(module.CLOSED)

    assert answers == [said_there or "one", "one"]
    models = ["m", None if said_there else "m"]
    assert models == module.SEEN
    assert (while_it_runs, sorted(module.CLOSED)) == ([], ["one", "two"])


def test_several_providers_of_which_none_is_named_are_no_choice(app, monkeypatch):
    write(app, {"unnamed_providers.py": TWO_PROVIDERS})
    unknown(monkeypatch, "unnamed_providers")

    with (
        configured(app, {"plugins": ["unnamed_providers.One", "unnamed_providers.Two"]}) as board,
        pytest.raises(ConfigurationError, match="one, two"),
    ):
        board.agent()


def test_a_provider_that_is_an_object_already_has_an_owner_who_closes_it(app, monkeypatch):
    write(app, {"lent_providers.py": TWO_PROVIDERS})
    unknown(monkeypatch, "lent_providers")

    with configured(app, {"plugins": ["lent_providers.lent"]}) as board, AgentCore(board) as core:
        assert said(core) == "one"

    assert sys.modules["lent_providers"].CLOSED == []


def test_a_package_may_have_tools_and_providers_which_all_bear_its_name(app, monkeypatch):
    code = TWO_PROVIDERS + "\n" + MY_TOOL.read_text().replace("from __future__ import annotations", "")
    manifest = json.dumps({"entries": ["mixed_package.One", "mixed_package.EchoTool"]})
    write(app / "mixed", {"agent_plugin.json": manifest, "mixed_package.py": code})
    unknown(monkeypatch, "mixed_package")

    with configured(app, {"plugins": [{"plugin": "path:./mixed", "name": "ours"}]}) as board:
        assert board.failed == []
        assert [each.name for each in board.providers] == ["ours.one"]
        assert [tool.plugin_name for tool in board.tools()] == ["ours.echo_tool"]

    assert sys.modules["mixed_package"].CLOSED == ["one"]


def test_what_is_neither_a_tool_nor_a_provider_is_told_as_before(app):
    write(app, {"neither_of_both.py": "class Neither:\n    name = 'n'\n"})

    with configured(app, {"plugins": ["neither_of_both.Neither"]}) as board:
        assert len(board.failed) == 1
        assert board.status()["providers"] == []
