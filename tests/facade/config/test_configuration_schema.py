"""The schema of configurations: it is that of the tables, and says no and yes as the readers do."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import jsonschema_rs
import pytest
from callboard.base.errors import CallboardError
from callboard.config.configuration import read_configuration, unknown_of
from callboard.config.json_text import read
from callboard.sources.entry import parse_entry
from configuration_schema import SHIPPED, configuration_schema, text
from house_source import ROOT, project_files

SCHEMA = configuration_schema()
CHECK = jsonschema_rs.validator_for(SCHEMA)

FILES = sorted(
    path
    for path in (*project_files(".json"), *project_files(".toml"))
    if path.relative_to(ROOT).parts[0] in ("examples", "facade") and '"plugins"' in path.read_text()
    if "mcpServers" not in path.read_text() and not path.name.endswith(("schema.json", "agent_plugin.json"))
)


def test_what_is_shipped_is_what_the_tables_make():
    assert SHIPPED.read_text() == text(), "write it anew: python tests/support/configuration_schema.py"


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_configuration_of_the_project_fits(file):
    value = tomllib.loads(file.read_text()) if file.suffix == ".toml" else read(file.read_text())

    assert [error.message for error in CHECK.iter_errors(value)] == []


RIGHT = [
    {},
    {"version": 1, "$schema": "x", "plugins": ["path:./a", {"plugin": "a.B", "name": None, "deadline": 0.5}]},
    {"plugins": [{"node_tool": {"git": "https://a.b/c", "submodules": True}, "sandbox": {"read": ["a"]}}]},
    {"plugins": [{"host": {"command": ["a"], "protocol": "thp/1"}, "restart": {"backoff": {"min": 1}}}]},
    {"plugins": [{"mcp": {"command": "a", "autoApprove": []}, "limits": {"memory": "1GB", "calls": 5}}]},
    {"plugins": [{"plugin": "a.B", "breaker": True, "reload": {"watch": True}, "validate": {"x": False}}]},
    {
        "supervision": {
            "restart": "transient",
            "groups": {"g": {"strategy": "one_for_all", "intensity": None}},
        }
    },
    {"calls": {"deadline": None, "max_stray_lines": None}, "load_deadline": None, "state": "a.db"},
    {"agent": {"provider": {"type": "openai_chat", "model": "m"}, "tags": ["a"]}},
    {"agent": {"provider": {"type": "my.Provider", "anything": 1}}},
    {"hooks": [{"event": "tool:pre", "hook": "a.b"}], "approval": {"ask": ["x*"], "default": "allow"}},
    {"provider": None, "model": "m", "models": [{"id": "m"}]},
    {"profile": "strict", "app": {"x": 1}, "interop": ["a.b"]},
]

WRONG: list[dict[str, Any]] = [
    {"plugin": []},
    {"version": 2},
    {"version": "1"},
    {"plugins": {}},
    {"plugins": [{"name": "a"}]},
    {"plugins": [{"plugin": "a.B", "bash_tool": {"path": "x"}}]},
    {"plugins": [{"plugin": "a.B", "dedline": 1}]},
    {"plugins": [{"plugin": "a.B", "deadline": 0}]},
    {"plugins": [{"plugin": "a.B", "deadline": "1"}]},
    {"plugins": [{"plugin": "a.B", "concurrency": 0}]},
    {"plugins": [{"plugin": "a.B", "standby": 2}]},
    {"plugins": [{"plugin": "a.B", "env": {"A": 1}}]},
    {"plugins": [{"plugin": "a.B", "env": {"A=": "1"}}]},
    {"plugins": [{"plugin": "a.B", "while_down": "wait"}]},
    {"plugins": [{"host": {"command": "a b", "protocol": "thp/1"}}]},
    {"plugins": [{"host": {"command": ["a"]}}]},
    {"plugins": [{"host": {"command": ["a"], "protocol": "thp/9"}}]},
    {"plugins": [{"bash_tool": {"path": "a", "file": "b"}}]},
    {"plugins": [{"node_tool": {"file": "a", "exprot": "b"}}]},
    {"supervision": {"restart": "always"}},
    {"supervision": {"backoff": {"mni": 1}}},
    {"supervision": {"intensity": -1}},
    {"supervision": {"intensity": 1.5}},
    {"supervision": {"never_restart_on": ["oom", 3]}},
    {"supervision": {"groups": {"g": {"strategie": "one_for_all"}}}},
    {"calls": {"deadline": "1"}},
    {"calls": {"validate": 1}},
    {"plugin_policy": {"node_build": "yes"}},
    {"start_deadline": 0},
    {"load_deadline": 0},
    {"names": "short"},
    {"list_ttl": -1},
    {"list_ttl": 86_401},
    {"list_ttl": "5 min"},
    {"state": {"store": "redis"}},
    {"state": {"synchronous": "off"}},
    {"agent": {"provider": {"type": "openai_chat", "modle": "m"}}},
    {"agent": {"max_rounds": 0}},
    {"hooks": [{"event": "tool:pre"}]},
    {"hooks": [{"event": "tool:before", "hook": "a.b"}]},
    {"approval": {"ask": "x"}},
    {"approval": {"timeout": 0}},
    {"interop": ["a"]},
    {"provider": 3},
    {"models": ["a"]},
    {"profile": "lax"},
    {"app": []},
]


def refused(configuration):
    """Whether a reader refuses it."""
    try:
        read = read_configuration(configuration)
        for entry in read.plugins:
            parse_entry(entry, read.base)
    except CallboardError:
        return True
    return False


@pytest.mark.parametrize("configuration", RIGHT, ids=json.dumps)
def test_what_the_readers_take_fits(configuration):
    assert not refused(configuration)
    assert [error.message for error in CHECK.iter_errors(configuration)] == []


@pytest.mark.parametrize("configuration", WRONG, ids=json.dumps)
def test_what_the_readers_refuse_by_its_shape_does_not_fit(configuration):
    assert refused(configuration)
    assert not CHECK.is_valid(configuration)


def objects(schema, path="$"):
    """Each object of the schema whose keys are known: where it stands, and its schema."""
    schema = SCHEMA["$defs"]["entry"] if "$ref" in schema else schema
    if schema.get("additionalProperties") is False:
        yield path, schema
    for key, value in schema.get("properties", {}).items():
        yield from objects(value, f"{path}.{key}")
    for each in schema.get("anyOf", []):
        yield from objects(each, path)
    if isinstance(items := schema.get("items"), dict):
        yield from objects(items, f"{path}[]")


def test_every_object_says_which_keys_it_has():
    """The list of unknown keys and the schema come from the same tables; a key of the one is a key of the other."""
    found = dict(objects(SCHEMA))

    assert {"$", "$.plugins[]", "$.plugins[].restart.backoff", "$.agent.provider"} <= found.keys()
    for path, schema in found.items():
        if path.endswith((".mcp", ".secrets")):  # the reader of the source looks at their keys
            continue
        keys = dict.fromkeys([*schema["properties"], "no_such_key"], None)
        if "kind" in keys:
            keys["kind"] = schema["properties"]["kind"]["const"]
        value: Any = keys
        for step in reversed(path.removeprefix("$").replace("[]", ".[]").split(".")[1:]):
            value = [value] if step == "[]" else {step: value}
        if path.startswith("$.agent.provider"):
            value["agent"]["provider"]["type"] = "openai_chat"
        unknown = unknown_of(value)
        assert [each.path for each in unknown if "no_such_key" in each.path] == [
            each.path for each in unknown
        ]
        assert len(unknown) == 1, path
