"""The guide to tool plugins, "Tool state and enablement", rule by rule.

The examples stand here as in the guide, with `agent_core` replaced by `callboard`.
"""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from boards import add_node
from callboard import AgentCore, Callboard, ContractError, PluginLoadError
from callboard.actors.plugins.config_schema import ConfigMisfit
from requests_of import CHAT, CUSTOM, Extension, Named, offered, request_of
from tools import schema, tool_call


@pytest.fixture
def core():
    with AgentCore() as core:
        yield core


# State shape


class StateShape(Named):
    def init(self, config: dict[str, Any]) -> dict[str, Any]:
        return {
            "config": config,
            "max_bytes": int(config.get("max_bytes", 1024 * 1024)),
        }


def test_state_is_what_init_returned_reaches_the_execution_hooks_and_leaves_the_config_the_callers(core):
    config = {"max_bytes": "7"}
    core.register_tool(StateShape, config=config)

    (message,) = core.execute_tool_calls([tool_call("named")], config={})

    assert json.loads(message["content"]) == {"config": {"max_bytes": "7"}, "max_bytes": 7}
    assert config == {"max_bytes": "7"}


def test_state_is_explicit_and_serializable_or_the_plugin_is_refused(core):
    class Holds(Named):
        def init(self, config):
            return {"client": object()}

    with pytest.raises(ContractError, match=r"init\.client is of type object"):
        core.register_tool(Holds)


# Preparation and prepared data


class Remote(Named):
    prepared_in: threading.Thread | None = None

    def init(self, config: dict[str, Any]) -> dict[str, Any]:
        return {"config": config}

    def prepare(
        self,
        config: dict[str, Any],
        state: dict[str, Any],
        *,
        context: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        remote_schema = self._discover_remote_schema(config)
        return {
            "schemas": [remote_schema],
            "runtime_key": "remote:primary",
        }

    def get_tool_schemas(
        self,
        state: dict[str, Any],
        *,
        prepared: dict[str, Any] | None = None,
    ) -> list[dict[str, Any]]:
        return list((prepared or {}).get("schemas") or [])

    def format_tool_call_preview(self, tool_name, payload, state, *, prepared=None):
        return prepared["runtime_key"]

    def execute_tool(self, tool_name, payload, state, *, prepared=None, context=None):
        return {"success": True, "result": prepared["runtime_key"]}

    def _discover_remote_schema(self, config):
        self.prepared_in = threading.current_thread()
        return schema(config["remote"])


def test_prepared_data_is_made_by_prepare_and_consumed_by_the_cheap_hooks_that_ask_for_it(core):
    plugin = Remote()
    core.register_tool(plugin, config={"remote": "found"})

    request = request_of(core, {}, CHAT)
    (message,) = core.execute_tool_calls([tool_call("found")], config={})

    assert offered(request) == ["found"]
    assert message["content"] == "remote:primary"
    assert plugin.prepared_in is not threading.current_thread()


def test_prepare_async_may_be_what_a_plugin_has():
    class Asynchronous(Remote):
        prepare = None

        async def prepare_async(self, config, state, *, context=None):
            return {"schemas": [schema("awaited")], "runtime_key": sorted(context)}

    with AgentCore() as core:
        core.register_tool(Asynchronous)
        (message,) = core.execute_tool_calls([tool_call("awaited")], config={})

    assert message["content"] == '["config","core","tool_runtime","trigger_source"]'


def test_prepared_data_stays_serializable_and_the_path_of_what_is_not_is_named(core):
    class Live(Remote):
        def _discover_remote_schema(self, config):
            return {**schema("found"), "handle": threading.Lock()}

    with pytest.raises(PluginLoadError, match=r"prepare\.schemas\[0\]\.handle is of type lock"):
        core.register_tool(Live)


def test_long_lived_clients_belong_in_the_tool_runtime_of_the_context(core):
    class Client(Remote):
        def prepare(self, config, state, *, context=None):
            context["tool_runtime"].get("remote:primary", lambda: ["connected"])
            return {"schemas": [schema("found")], "runtime_key": "remote:primary"}

        def execute_tool(self, tool_name, payload, state, *, prepared=None, context=None):
            client = context["tool_runtime"].get(prepared["runtime_key"], list)
            return {"success": True, "result": client}

    core.register_tool(Client)

    (message,) = core.execute_tool_calls([tool_call("found")], config={})

    assert message["content"] == '["connected"]'


# Tags and enablement


class Tagged(Named):
    def required_tags(self) -> list[str]:
        return ["supports_tools"]

    def is_enabled(
        self,
        config: dict[str, Any],
        tags: list[str],
        models: list[dict[str, Any]],
        context: dict[str, Any],
    ) -> bool | None:
        model = str(config.get("model") or "")
        if model.startswith("gpt-5"):
            return True
        return None


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({}, "it requires the tag 'supports_tools', which is not in force"),
        ({"tags": ["supports_tools"]}, None),
        ({"model": "gpt-5-mini"}, None),
        (
            {"model": "gpt-4", "tags": ["other"]},
            "it requires the tag 'supports_tools', which is not in force",
        ),
    ],
)
def test_a_tool_is_offered_by_model_or_by_tags_and_its_absence_has_a_reason(core, config, why):
    core.register_tool(Tagged("tagged"))
    core.register_tool(Named("always"))

    request = request_of(core, config, CHAT)

    assert offered(request) == (["always"] if why else ["tagged", "always"])
    assert [(one.plugin, one.tool, one.reason) for one in request.refused] == (
        [("tagged", None, why)] if why else []
    )


def test_provider_capabilities_put_tags_in_force_and_so_do_tools(core):
    class Flags(Named):
        def get_tags(self, config, models):
            return [f"has_{models[0]['id']}", *config["flags"]]

    class Feature(Named):
        def required_tags(self):
            return ["has_m", "beta"]

        def forbidden_tags(self):
            return ["offline"]

    core.register_tool(Tagged("gated"))
    core.register_tool(Feature("feature"))
    core.register_tool(Flags("flags"))
    config = {"tags": ["given"], "models": [{"id": "m"}]}

    on = request_of(core, {**config, "flags": ["beta"]}, CHAT, tags=["supports_tools"])
    off = request_of(core, {**config, "flags": ["offline", "beta"]}, CHAT)

    assert on.tags == ("given", "supports_tools", "has_m", "beta")
    assert offered(on) == ["gated", "feature", "flags"]
    assert offered(off) == ["flags"]
    assert [one.reason for one in off.refused] == [
        "it requires the tag 'supports_tools', which is not in force",
        "it forbids the tag 'offline', which is in force",
    ]


def test_is_enabled_sees_the_requests_configuration_tags_models_and_context(core):
    seen = []

    class Looks(Named):
        def is_enabled(self, config, tags, models, context):
            seen.append((config, tags, models, context["core"], threading.current_thread()))
            return False

    core.register_tool(Looks)
    config = {"model": "m", "tags": ["t"], "models": [{"id": "m"}]}

    request = request_of(core, config, CHAT)

    assert seen[0][:4] == (config, ["t"], [{"id": "m"}], core)
    assert seen[0][4] is not threading.current_thread()
    assert [one.reason for one in request.refused] == ["its is_enabled said no"]


def test_a_plugin_that_cannot_say_whether_it_is_enabled_is_not_offered_and_the_others_are(core):
    class Breaks(Named):
        def is_enabled(self, config, tags, models, context):
            raise OSError("no flags")

    class Odd(Named):
        def get_tags(self, config, models):
            return "supports_tools"

    core.register_tool(Breaks("breaks"))
    core.register_tool(Odd("odd"))
    core.register_tool(Named("works"))

    request = request_of(core, {}, CHAT)

    assert offered(request) == ["works"]
    reasons = {one.plugin: one.reason for one in request.refused}
    assert "is_enabled raised OSError: no flags" in reasons["breaks"]
    assert "get_tags has to return a list of strings" in reasons["odd"]


def test_tools_take_part_just_like_other_plugin_kinds_such_as_extensions(core):
    core.register_tool(Named())
    extension = Extension(CUSTOM)

    without = request_of(core, {}, CHAT, extensions=[extension])
    with_it = request_of(core, {}, CHAT, tags=["supports_responses"], extensions=[extension])

    assert without.extensions == ()
    assert without.schema_target_formats == (CHAT,)
    assert [one.reason for one in without.refused] == [
        "it requires the tag 'supports_responses', which is not in force"
    ]
    assert with_it.schema_target_formats == (CUSTOM, CHAT)


# Configuration, described by the plugin


class Configured(Named):
    def init(self, config):
        self.initialised = config
        return {}

    def get_config_schema(self):
        return {
            "type": "object",
            "properties": {
                "roots": {"type": "array", "items": {"type": "string"}},
                "depth": {"type": "integer"},
            },
            "required": ["roots"],
            "additionalProperties": False,
        }

    def get_ui_elements(self):
        return [{"type": "toggle", "label": "Deep"}]


MISFITS = {
    "$.roots[1]": {"roots": ["a", 2]},
    "$.depth": {"roots": [], "depth": "deep"},
    "$": {},
    "$.roots": {"roots": {1, 2}},
}


@pytest.mark.parametrize(("path", "config"), MISFITS.items(), ids=MISFITS)
def test_a_configuration_that_does_not_fit_is_refused_by_its_path_before_init(core, path, config):
    plugin = Configured()

    with pytest.raises(ConfigMisfit, match="plugin 'named': its configuration does not fit: ") as caught:
        core.register_tool(plugin, config=config)

    assert caught.value.path == path
    assert not hasattr(plugin, "initialised")
    assert core.board.tools() == []


def test_a_configuration_that_fits_is_used_and_user_interface_elements_are_passed_through(core):
    core.register_tool(Configured, config={"roots": ["."]})
    core.register_tool(Named("silent"))

    assert offered(request_of(core, {}, CHAT)) == ["named", "silent"]
    assert core.board.queries.ui_elements() == {"named": [{"type": "toggle", "label": "Deep"}]}


# The same of a tool in JavaScript

IN_NODE = """
export default class {
  init(config) { return { config }; }
  getToolSchemas(state) {
    const targets = state.config._tool_schema_target_formats ?? [];
    if (targets.includes('openai.responses.custom.tool_schema')) return [{ type: 'custom', name: 'node_tool' }];
    return [{ type: 'function', function: { name: 'node_tool', parameters: { type: 'object' } } }];
  }
  executeTool(name, args, state) { return { success: true, result: Object.keys(state.config) }; }
  getConfigSchema() { return { type: 'object', properties: { depth: { type: 'integer' } }, required: ['depth'] }; }
  getUiElements() { return [{ type: 'toggle', label: 'Deep' }]; }
  getTags(config, models) { return config.flag ? ['flagged'] : []; }
  requiredTags() { return ['flagged']; }
  forbiddenTags() { return ['offline']; }
}
"""


def test_a_tool_in_javascript_takes_part_like_any_other_and_nothing_live_crosses_to_it(core, tmp_path):
    file = tmp_path / "tool.mjs"
    file.write_text(IN_NODE)
    add_node(core.board, file, name="node", config={"depth": 1})
    gone = threading.Event()

    plain = request_of(core, {}, CHAT)
    flagged = request_of(core, {"flag": True}, CHAT)
    custom = request_of(core, {"flag": True}, CUSTOM)
    offline = request_of(core, {"flag": True, "tags": ["offline"]}, CHAT)
    (message,) = core.execute_tool_calls([tool_call("node_tool")], {}, context={"live": object()})
    core.board.subscribe(lambda _: gone.set(), ["host_parked"])
    core.board.order("park", "node")
    assert gone.wait(20.0)
    parked = request_of(core, {"flag": True}, CHAT)

    assert [one.reason for one in plain.refused] == ["it requires the tag 'flagged', which is not in force"]
    assert [tool.schema["type"] for tool in flagged.tools] == ["function"]
    assert [tool.schema["type"] for tool in custom.tools] == ["custom"]
    assert [one.reason for one in offline.refused] == ["it forbids the tag 'offline', which is in force"]
    assert message["content"] == '["depth"]'
    assert core.board.state_of("node") == {"config": {"depth": 1}}
    assert parked.tools == ()
    assert "host 'node' is not running" in parked.refused[0].reason


def test_a_tool_in_javascript_is_held_to_its_schema_of_the_configuration(tmp_path):
    file = tmp_path / "tool.mjs"
    file.write_text(IN_NODE)
    source = {"node_tool": {"file": str(file), "id": "node"}}

    with Callboard({"plugins": [{**source, "config": {"depth": "deep"}}]}) as board:
        failed = [one.error for one in board.failed]
        with pytest.raises(ConfigMisfit) as caught:
            board.load(source, config={"depth": 1.5})
        with pytest.raises(ConfigMisfit, match=r"'depth' \(an integer\) is missing"):
            board.load(source)
        board.load(source, config={"depth": 1})
        elements = board.ui_elements()

    assert failed == [
        "plugin 'node': its configuration does not fit: $.depth: 'depth' has to be an integer, and is \"deep\""
    ]
    assert caught.value.path == "$.depth"
    assert elements == {"node": [{"type": "toggle", "label": "Deep"}]}
