"""Keys of a configuration that nobody reads are refused, all at once, before anything is started."""

from __future__ import annotations

import json

import pytest
from callboard import Callboard, ConfigurationError, read_configuration

TOOL = {"node_tool": {"file": "tool.mjs"}}

PLACES = [
    ("$.plguins", "plugins"),
    ("$.plugin_policy.node_biuld", "node_build"),
    ("$.calls.dedline", "deadline"),
    ("$.state.pth", "path"),
    ("$.supervision.intensty", "intensity"),
    ("$.supervision.backoff.mxa", "max"),
    ("$.supervision.groups.g.stratgy", "strategy"),
    ("$.agent.sytem", "system"),
    ("$.agent.provider.base_ulr", "base_url"),
    ("$.agent.provider.timeout.conect", "connect"),
    ("$.hooks[0].prioritee", "priority"),
    ("$.approval.aks", "ask"),
    ("$.plugins[0].concurency", "concurrency"),
    ("$.plugins[0].node_tool.fil", "file"),
    ("$.plugins[0].restart.perod", "period"),
    ("$.plugins[0].restart.backoff.mni", "min"),
    ("$.plugins[0].limits.memroy", "memory"),
    ("$.plugins[0].sandbox.reed", "read"),
    ("$.plugins[0].breaker.failurs", "failures"),
    ("$.plugins[0].quarantine.crashs", "crashes"),
    ("$.plugins[0].reload.wacth", "watch"),
    ("$.plugins[1].bash_tool.pth", "path"),
    ("$.plugins[2].host.comand", "command"),
]
"""Where a key is misspelt, and what was meant."""

WRONG = {
    "plguins": [],
    "plugins": [
        {
            "node_tool": {"file": "tool.mjs", "fil": ""},
            "concurency": 2,
            "restart": {"perod": 1, "backoff": {"mni": 1}},
            "limits": {"memroy": "1MB"},
            "sandbox": {"reed": []},
            "breaker": {"failurs": 1},
            "quarantine": {"crashs": 1},
            "reload": {"wacth": True},
        },
        {"bash_tool": {"path": "x", "pth": ""}},
        {"host": {"command": ["x"], "protocol": "thp/1", "comand": []}},
    ],
    "plugin_policy": {"node_biuld": True},
    "calls": {"dedline": 1},
    "state": {"path": "s", "pth": "s"},
    "supervision": {"intensty": 1, "backoff": {"mxa": 1}, "groups": {"g": {"stratgy": ""}}},
    "agent": {
        "sytem": "",
        "provider": {"type": "openai_chat", "base_ulr": "", "timeout": {"conect": 1}},
    },
    "hooks": [{"event": "tool:pre", "hook": "a.b", "prioritee": 1}],
    "approval": {"aks": []},
}


def test_all_keys_that_nobody_reads_are_told_at_once_each_with_the_nearest_known_one(tmp_path):
    file = tmp_path / "agent.json"
    file.write_text(json.dumps(WRONG))

    with pytest.raises(ConfigurationError) as caught:
        Callboard(file)

    assert sorted(caught.value.paths) == sorted(path for path, _ in PLACES)
    assert caught.value.path == caught.value.paths[0]
    assert caught.value.file == str(file)
    assert str(caught.value).startswith(f"{file}: ")
    for path, nearest in PLACES:
        line = next(line for line in str(caught.value).splitlines() if repr(path.rpartition(".")[2]) in line)
        assert f"did you mean {nearest!r}?" in line, path


@pytest.mark.parametrize("key", ["provider", "model", "models", "plugin_cache_dir", "summarizer_agent"])
def test_keys_of_the_documents_are_known_at_the_top(key):
    value = [{}] if key == "models" else "some"

    configuration = read_configuration({key: value})

    assert configuration.written[key] == value


def test_what_is_the_applications_own_stands_under_app_and_is_handed_on_untouched():
    own = {"plguins": 1, "any": {"thing": [None]}}

    configuration = read_configuration({"app": own})

    assert configuration.written["app"] == own


def test_the_section_of_the_application_is_an_object():
    with pytest.raises(ConfigurationError) as caught:
        read_configuration({"app": "mine"})

    assert caught.value.path == "$.app"


def test_a_key_near_to_none_is_told_of_the_section_for_what_is_the_applications_own():
    with pytest.raises(ConfigurationError, match=r"'app'"):
        read_configuration({"zzzzzzzz": 1})


@pytest.mark.parametrize(
    "given",
    [
        {"plugins": [{**TOOL, "config": {"plguins": 1}, "env": {"X": "y"}, "validate": {"t": True}}]},
        {"plugins": [{**TOOL, "breaker": True, "quarantine": False, "sandbox": True, "reload": True}]},
        {"agent": {"provider": {"type": "my_package.MyProvider", "of_its": "own"}}},
        {"agent": {"provider": {"type": "openai_chat", "extra": {"a": 1}, "headers": {"x": "y"}}}},
        {"supervision": {"groups": {"any name": {"strategy": "one_for_all"}}}},
    ],
)
def test_names_that_are_free_are_nobodys_keys(given):
    assert read_configuration(given).written == given


def test_a_key_that_is_no_text_is_refused_like_any_other():
    with pytest.raises(ConfigurationError) as caught:
        read_configuration({7: 1, None: 2})

    assert caught.value.paths == ("$.7", "$.None")
