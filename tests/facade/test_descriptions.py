"""What a plugin says of itself reaches whoever asks, wherever the plugin runs: its optional methods, all of them."""

from __future__ import annotations

import json

import pytest
from callboard import Callboard
from callboard.actors.threads.hook_pool import HookFailed
from callboard.agent.requests.request import compose_request
from callboard.plugins.contract.invocation import Invocation
from command_line import callboard, lines

IN_NODE = """
export default class {
  version = '1.2.3';
  init(config) { return { config }; }
  getToolSchemas() { return [{ type: 'function', function: { name: 'NAME', parameters: { type: 'object' } } }]; }
  executeTool() { return { success: true, result: 'done' }; }
  getConfigSchema() { return { type: 'object', properties: { depth: { type: 'integer' } } }; }
  getUiElements() { return [{ type: 'toggle', label: 'Deep' }]; }
  getTags(config, models) { return [`for ${config.model}`, ...models.map((model) => model.id)]; }
  requiredTags() { return ['supports_tools']; }
  forbiddenTags() { return ['offline']; }
  async isEnabled(config, tags, models, context) {
    if (config.broken) throw new RangeError('no flags');
    return config.model?.startsWith('gpt-5') ? tags.length * models.length * context.own === 2 : null;
  }
  formatToolResult(result, state) { return `${result.result} at ${state.config.depth}`; }
  formatToolCallPreview(name, args, state) { return `${name} ${args.value} at ${state.config.depth}`; }
  toDisplayFormat(text, result, state) { return { type: 'text', content: text, single_line: `${state.config.depth}` }; }
}
"""

IN_PYTHON = """
class Tool:
    version = "1.2.3"

    def init(self, config):
        return {"config": config}

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "NAME", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": "done"}

    def get_config_schema(self):
        return {"type": "object", "properties": {"depth": {"type": "integer"}}}

    def get_ui_elements(self):
        return [{"type": "toggle", "label": "Deep"}]

    def get_tags(self, config, models):
        return [f"for {config.get('model', 'undefined')}", *[model["id"] for model in models]]

    def required_tags(self):
        return ["supports_tools"]

    def forbidden_tags(self):
        return ["offline"]

    def is_enabled(self, config, tags, models, context):
        if config.get("broken"):
            raise ValueError("no flags")
        model = config.get("model") or ""
        return len(tags) * len(models) * context["own"] == 2 if model.startswith("gpt-5") else None

    def format_tool_result(self, result, state):
        return f"{result['result']} at {state['config']['depth']}"

    def format_tool_call_preview(self, tool_name, payload, state):
        return f"{tool_name} {payload['value']} at {state['config']['depth']}"

    def to_display_format(self, text, result, state):
        return {"type": "text", "content": text, "single_line": f"{state['config']['depth']}"}
"""

BARE = """
export default {
  init: () => ({}),
  getToolSchemas: () => [],
  executeTool: () => ({ success: true }),
  getTags: () => 'fast',
  formatToolResult: (result) => result.shown,
};
"""

ENVELOPE = {
    "type": "provider_native_tool_result",
    "format": "openai.chat_completions",
    "content": [{"type": "text", "text": "an image"}],
}

NAMES = ("node", "here", "isolated")

GATES = (
    ({"tags": ["supports_tools"]}, ""),
    ({}, "it requires the tag 'supports_tools', which is not in force"),
    (
        {"model": "gpt-5", "models": [{"id": "a"}], "own": 1},
        "",
    ),  # and of tags what the plugins themselves say
    ({"model": "gpt-5", "tags": ["supports_tools"]}, "its is_enabled said no"),
    ({"broken": True, "tags": ["supports_tools"]}, "Error: no flags"),
)
"""What a request has, and why nobody takes part in it."""


@pytest.fixture
def config(tmp_path):
    """One plugin, written in JavaScript, in Python in a host, and in Python in this process; and one that says nearly nothing."""
    (tmp_path / "node.mjs").write_text(IN_NODE.replace("NAME", "node"))
    (tmp_path / "bare.mjs").write_text(BARE)
    plugins = [{"node_tool": {"file": "./node.mjs", "id": "node"}, "config": {"depth": 3}}]
    for name in ("here", "isolated"):  # both with a module of one name: neither is in the other's way
        folder = tmp_path / name
        folder.mkdir()
        (folder / "cb_describing.py").write_text(IN_PYTHON.replace("NAME", name))
        (folder / "agent_plugin.json").write_text(json.dumps({"entries": ["cb_describing.Tool"]}))
        options = {"name": name, "isolate": name == "isolated", "config": {"depth": 3}}
        plugins.append({"plugin": f"path:./{name}", **options})
    plugins.append({"node_tool": {"file": "./bare.mjs"}})
    file = tmp_path / "agent.json"
    file.write_text(json.dumps({"plugins": plugins}))
    return file


def shown(adapter, state):
    invocation = Invocation("run", {"value": "x"}, "object")
    result = {"success": True, "result": "done"}
    formatted = adapter.format_result(result, state)
    return adapter.preview(invocation, state), formatted, adapter.display(formatted, result, state)


def who_takes_part(board, *, own=0, tags=(), models=(), **config):
    """Which tools are offered in a request, and why the others are not."""
    config = {"tags": list(tags), "models": list(models), **config}
    request = compose_request(board, None, [], config, context={"own": own, "core": board})
    return [tool.tool_name for tool in request.tools], {one.plugin: one.reason for one in request.refused}


def test_every_optional_method_reaches_who_asks_wherever_the_plugin_runs(config):
    models = [{"id": "small"}, {"id": "large"}]

    with Callboard(config) as board:
        described = [board.describe(name, config={"model": "gpt-5"}, models=models) for name in NAMES]
        formatted = [board.board.queries.run_hook(name, shown) for name in NAMES]
        gates = [who_takes_part(board.board, **gate) for gate, _ in GATES]
        with pytest.raises(HookFailed, match=r"get_tags has to return a list of strings; it returned a str"):
            board.describe("bare")
        bare = board.board.queries.run_hook(
            "bare", lambda adapter, _: (adapter.required_tags(), adapter.get_config_schema())
        )
        envelope, other = (
            board.board.queries.run_hook(
                "bare", lambda adapter, _, each=each: adapter.format_result({"shown": each}, {})
            )
            for each in (ENVELOPE, {"text": "an object"})
        )

    expected = {
        "version": "1.2.3",
        "config_schema": {"type": "object", "properties": {"depth": {"type": "integer"}}},
        "ui_elements": [{"type": "toggle", "label": "Deep"}],
        "tags": ["for gpt-5", "small", "large"],
        "required_tags": ["supports_tools"],
        "forbidden_tags": ["offline"],
    }
    assert [{key: each[key] for key in expected} for each in described] == [expected] * 3
    assert [each["plugin"] for each in described] == list(NAMES)
    said = ("run x at 3", "done at 3", {"type": "text", "content": "done at 3", "single_line": "3"})
    assert formatted == [said] * 3
    for (_, why), (offered, reasons) in zip(GATES, gates, strict=True):
        assert offered == ([] if why else list(NAMES))
        assert all(why in reasons[name] if why else name not in reasons for name in NAMES)
    assert bare == ([], None)
    assert (envelope, other) == (ENVELOPE, '{"text":"an object"}')


def test_the_command_line_tells_what_plugins_say_of_themselves(config):
    rows = lines(callboard("tools", "--json", str(config), "--describe").stdout)

    assert [(row["plugin"], row.get("tags")) for row in rows] == [
        *((name, ["for undefined"]) for name in NAMES),
        ("bare", None),
    ]
    assert "get_tags has to return a list of strings" in rows[-1]["error"]
