"""What `callboard check` finds: all of it, each at its place, and nothing where nothing is wrong."""

from __future__ import annotations

import json
import sys

import pytest
from callboard import Callboard
from callboard.check.problems import problems_of
from callboard.config.configuration import read_configuration
from callboard.config.errors import ConfigurationError
from house_source import ROOT
from hypothesis import given
from hypothesis import strategies as st


def check(folder, value, name="agent.json"):
    file = folder / name
    file.write_text(value if isinstance(value, str) else json.dumps(value, indent=2))
    return problems_of(file)


def test_nothing_is_wrong_with_what_is_right(tmp_path):
    (tmp_path / "tool.mjs").write_text("")
    value = {
        "version": 1,
        "plugins": [{"node_tool": {"file": "tool.mjs"}, "deadline": 3}, "callboard.types.ToolResult"],
        "supervision": {"restart": "transient"},
    }

    assert check(tmp_path, value) == []


WRONG = {
    "$.verison": {"verison": 1},
    "$.profile": {"profile": "lax"},
    "$.start_deadline": {"start_deadline": 0},
    "$.calls.dedline": {"calls": {"dedline": 3}},
    "$.supervision.restart": {"supervision": {"restart": "always"}},
    "$.state.store": {"state": {"store": "redis"}},
    "$.hooks[1].event": {
        "hooks": [
            {"event": "tool:pre", "hook": "a.b"},
            {"event": "before", "hook": "a.b"},
            {"event": "tool:post", "hook": "a.b"},
        ]
    },
    "$.interop[0]": {"interop": ["nowhere"]},
    "$.approval.default": {"approval": {"default": "maybe"}},
    "$.agent.max_rounds": {"agent": {"max_rounds": 0}},
}


@given(st.sets(st.sampled_from(sorted(WRONG))))
def test_all_that_is_wrong_is_told_at_once(tmp_path_factory, wrong):
    value = {key: section for path in sorted(wrong) for key, section in WRONG[path].items()}

    found = check(tmp_path_factory.getbasetemp(), value)

    assert {problem.path for problem in found} == wrong
    assert len(found) == len(wrong)


def test_of_several_elements_of_a_list_each_keeps_its_number(tmp_path):
    right, wrong = {"event": "tool:pre", "hook": "a.b"}, {"event": "tool:pre", "hook": 3}

    found = check(tmp_path, {"hooks": [wrong["event"], right, {**right, "hook": 3}, right, {"event": "x"}]})

    assert {problem.path for problem in found} >= {"$.hooks[0]", "$.hooks[2].hook", "$.hooks[4]"}
    assert all(problem.path in problem.message for problem in found)


@pytest.mark.parametrize(
    ("entry", "profile", "remedy"),
    [
        ({"plugin": "json.B", "state_from": ""}, None, "a text"),
        ({"mcp": {"command": ["sh"]}, "state_from": "program"}, None, "Leave it out"),
        ({"plugin": "json.B", "claims": "none"}, None, "'all' or 'own'"),
        ({"plugin": "json.B", "claims": "all"}, "strict", "write 'own', or leave it out"),
        ({"mcp": {"command": ["sh"]}, "claims": "own"}, None, "Leave it out"),
        ({"mcp": {"command": ["sh"]}, "share": "x"}, None, "Leave it out"),
    ],
)
def test_an_option_that_cannot_hold_is_told_with_its_line_and_remedy(tmp_path, entry, profile, remedy):
    option = [*entry][1]
    (problem, *_) = [
        each for each in check(tmp_path, {"plugins": [entry], "profile": profile}) if option in each.path
    ]

    line = json.dumps({"plugins": [entry], "profile": profile}, indent=2).splitlines().index
    assert problem.path == f"$.plugins[0].{option}"
    assert problem.position.line == 1 + line(f'      "{option}": "{entry[option]}"')
    assert remedy in problem.message


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("sandbox", "bwrap"),
        ("sandbox", True),
        ("env", {"A": "b"}),
        ("inherit", ["A"]),
        ("secrets", {"A": {"env": "B"}}),
        ("share", True),
        ("limits", {"memory": "1GB"}),
        ("limits", {"cpu_seconds": 5}),
    ],
)
def test_what_only_a_process_can_be_given_is_refused_beside_a_url_by_the_check_and_by_the_start(
    tmp_path, option, value
):
    entry = {"mcp": {"url": "http://127.0.0.1:9/mcp"}, "name": "u", option: value}

    found = check(tmp_path, {"plugins": [entry]})
    with Callboard({"plugins": [entry]}) as board:
        failed = board.status()["failed"]

    inner = f".{next(iter(value))}" if option == "limits" else ""
    assert [problem.path for problem in found] == [f"$.plugins[0].{option}{inner}"]
    assert "Leave it out" in found[0].message
    assert [found[0].message in each["error"] for each in failed] == [True]


@pytest.mark.parametrize(
    ("option", "value"),
    [("sandbox", False), ("env", {}), ("share", False), ("secrets", {}), ("limits", {"calls": 5})],
)
def test_what_asks_for_no_process_may_stand_beside_a_url(tmp_path, option, value):
    entry = {"mcp": {"url": "http://127.0.0.1:9/mcp"}, "name": "u", option: value}

    assert check(tmp_path, {"plugins": [entry]}) == []


@pytest.mark.parametrize(
    ("first", "second", "place"),
    [
        ({"mcp": {"command": "sh"}, "name": "a"}, {"mcp": {"command": "sh"}, "name": "a"}, ".name"),
        ({"mcp": {"command": "sh", "id": "a"}}, {"mcp": {"url": "http://x/mcp", "id": "a"}}, ".mcp.id"),
        ({"mcp": {"command": "sh"}}, {"mcp": {"command": "sh"}}, ""),
        ({"mcp": {"command": "sh"}, "name": "a"}, {"mcp": {"command": "a"}}, ""),
    ],
)
def test_two_servers_of_one_name_are_told_at_the_second_one(tmp_path, first, second, place):
    other = {"mcp": {"command": "sh", "id": "other"}}

    found = check(tmp_path, {"plugins": [first, other, second]})

    assert [problem.path for problem in found] == [f"$.plugins[2]{place}"]
    assert "$.plugins[0]" in found[0].message
    assert "write another 'name'" in found[0].message


def test_every_option_of_every_entry_is_looked_at(tmp_path):
    entries = [
        {"plugin": "json.B", "concurrency": 0, "dedline": 3, "restart": {"intensty": 3}},
        {"plugin": "json.B", "group": "nobody", "restart": {"intensity": -1}},
        {"node_tool": {"file": "gone.mjs"}, "standby": 2},
        {"host": {"command": ["no-such-program"], "protocol": "thp/1"}},
        {"host": {"command": "sh", "protocol": "thp/1"}},
        "pth:./x",
        "path:./x",
        3,
    ]

    found = check(tmp_path, {"plugins": entries})

    assert [problem.path for problem in found] == [
        "$.plugins[0].concurrency",
        "$.plugins[0].dedline",
        "$.plugins[0].restart.intensty",
        "$.plugins[1].group",
        "$.plugins[2]",
        "$.plugins[2].standby",
        "$.plugins[3]",
        "$.plugins[4]",
        "$.plugins[5]",
        "$.plugins[6]",
        "$.plugins[7]",
    ]


def test_a_name_that_is_no_text_is_told_once(tmp_path):
    found = check(tmp_path, {"plugins": [{"mcp": {"command": "sh"}, "name": ["a"]}]})

    assert [problem.path for problem in found] == ["$.plugins[0].name"]


def test_what_a_plugin_is_loaded_from_is_looked_for(tmp_path):
    for folder, text in {
        "node": {
            "agent": {"tools": [{"id": "here", "entry": "here.js"}, {"id": "gone", "entry": "gone.js"}]}
        },
        "built": {"scripts": {"build": "tsc"}, "agent": {"tools": [{"id": "made", "entry": "made.js"}]}},
        "empty": {},
    }.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "package.json").write_text(json.dumps(text))
    (tmp_path / "node" / "here.js").touch()
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "mine.py").touch()
    (tmp_path / "python" / "agent_plugin.json").write_text('{"entries": ["mine.Tool", "yours.Tool"]}')
    entries = {
        "node:node": "gone.js",
        "node:built": None,
        "node:empty": "lists no tools",
        "path:python": "yours.Tool",
        "path:empty": "agent_plugin.json",
        "mine.Other": None,
        "no_such.module.Thing": "no module 'no_such'",
        "json.decoder.JSONDecoder": None,
    }

    found = check(tmp_path, {"plugins": list(entries)})

    expected = [(f"$.plugins[{at}]", said) for at, said in enumerate(entries.values()) if said is not None]
    assert [problem.path for problem in found] == [path for path, _ in expected]
    for problem, (_, said) in zip(found, expected, strict=True):
        assert said in problem.message


@pytest.mark.parametrize(
    ("agent", "path"),
    [
        ({"agent": {"provider": {"type": "openai_chat"}}}, "$.agent.provider"),
        ({"provider": "anthropic"}, "$.provider"),
        ({"agent": {"provider": {"type": "openai_chat", "model": "m"}}}, None),
        ({"agent": {"provider": "openai_chat"}, "model": "m"}, None),
        ({"agent": {"provider": "of.Mine"}}, None),
        ({"agent": {}}, None),
    ],
)
def test_a_shipped_provider_needs_a_model(tmp_path, agent, path):
    assert [problem.path for problem in check(tmp_path, agent)] == ([] if path is None else [path])


@pytest.mark.parametrize(
    ("written", "paths"),
    [
        ({"provider": 3, "model": [], "models": 3}, ["$.provider", "$.models"]),
        ({"provider": "openai_compatible", "model": 3}, ["$.model"]),
        ({"provider": "openai_compatible", "model": None}, ["$.provider"]),
        ({"models": ["a"]}, ["$.models"]),
        ({"agent": {"provider": "anthropic"}, "model": ""}, ["$.model"]),
        (
            {"agent": {"provider": {"type": "anthropic", "model": 3, "base_url": 7, "timeout": "x"}}},
            ["$.agent.provider.model", "$.agent.provider.base_url", "$.agent.provider.timeout"],
        ),
        ({"agent": {"provider": {"type": "anthropic", "model": "${env:M}", "base_url": "${env:U}/v1"}}}, []),
        ({"agent": {"provider": {"type": "of.Mine", "model": 3}}}, []),
        ({"provider": "mine", "model": [], "models": [{"id": "a"}]}, []),
    ],
)
def test_what_no_provider_could_be_asked_by_is_found(tmp_path, written, paths):
    found = check(tmp_path, written)

    assert sorted(problem.path for problem in found) == sorted(paths)
    assert all(problem.message for problem in found)


def test_one_fault_of_an_entry_is_one_problem_at_its_key(tmp_path):
    entries = [
        {"plugn": "json.B"},
        {"plugin": "json.B", "limits": {"memory": "x"}},
        {"host": {"command": ["sh"], "protocol": "thp/1"}, "limits": {"overlap": False}, "standby": 1},
    ]

    found = check(tmp_path, {"plugins": entries, "calls": {"deadline": 0}})

    assert {problem.path for problem in found} == {
        "$.plugins[0].plugn",
        "$.plugins[1].limits",
        "$.plugins[2].limits.overlap",
        "$.calls.deadline",
    }
    assert len(found) == 4


def test_a_place_is_a_line_and_a_column_of_the_file(tmp_path):
    in_json = check(tmp_path, '// mine\n{\n  "calls": {\n    "dedline": 3 } }')
    in_toml = check(tmp_path, "# mine\n[calls]\ndedline = 3\n", "agent.toml")
    broken = check(tmp_path, '{\n "a": }')

    assert [problem.position for problem in (*in_json, *in_toml)] == [(4, 5), (3, 1)]
    assert [problem.position.line for problem in broken] == [2]


def test_the_file_of_another_client_is_looked_at_too(tmp_path):
    value = {"mcpServers": {"files": {"command": "no-such-program", "env": {"A": 3}}}}

    assert [problem.path for problem in check(tmp_path, value)] == ["$.plugins[0]"]


def test_nothing_is_started_installed_or_fetched(tmp_path):
    (tmp_path / "mine.py").write_text("raise SystemExit('it was imported')")
    (tmp_path / "agent_plugin.json").write_text('{"entries": ["mine.Tool"]}')
    there = {"mine.py", "agent_plugin.json", "agent.json"}
    entries = ["path:.", "mine.Tool", "npm:left-pad@1.0.0", "node+git:https://nowhere.invalid/x"]

    assert check(tmp_path, {"plugins": entries, "hooks": [{"event": "tool:pre", "hook": "mine.gate"}]}) == []
    assert {path.name for path in tmp_path.iterdir()} == there


def test_a_file_that_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(ConfigurationError):
        problems_of(tmp_path / "gone.json")


@pytest.mark.parametrize(
    "file", sorted((ROOT / "examples").rglob("agent.json")), ids=lambda path: path.parent.name
)
def test_nothing_is_wrong_with_the_examples(file):
    assert problems_of(file) == []


TWICE = {
    '{"plugins": ["a.B"],\n "plugins": []}': ("$.plugins", (1, 2), "line 2 column 2"),
    '{"plugins": [{"plugin": "a.B", // first\n "plugin": "c.D"}]}': (
        "$.plugins[0].plugin",
        (1, 15),
        "line 2 column 2",
    ),
    '{"calls": {"deadline": 1, "deadl\\u0069ne": 2}}': ("$.calls.deadline", (1, 12), "line 1 column 27"),
}


@pytest.mark.parametrize("text", TWICE)
def test_a_key_that_stands_twice_is_refused_with_both_places_at_the_start_too(tmp_path, text):
    path, position, second = TWICE[text]

    (problem,) = check(tmp_path, text)
    with pytest.raises(ConfigurationError) as refused:
        read_configuration(tmp_path / "agent.json")

    assert (problem.path, problem.position) == (path, position)
    assert second in problem.message
    assert (refused.value.path, second in str(refused.value)) == (path, True)


def test_a_key_with_a_dot_is_not_the_path_that_it_spells(tmp_path):
    text = '{"plugins": [{"plugin": "callboard.types.ToolResult", "config": {"a.b": 1, "a": {"b": 2}}}]}'

    assert check(tmp_path, text) == []


def test_each_fault_under_a_profile_is_one_problem_at_its_own_place(tmp_path):
    (tmp_path / "tool.mjs").write_text("")
    weak = {
        "profile": "strict",
        "plugin_policy": {"node_build": True},
        "calls": {"validate": False, "dedline": 3},
        "plugins": [
            {"node_tool": {"file": "tool.mjs"}, "sandbox": False, "deadline": 9999, "dedline": 3},
            {"mcp": {"command": sys.executable, "pin": "off"}},
        ],
    }

    found = check(tmp_path, weak)

    assert {problem.path for problem in found} == {
        "$.plugin_policy.node_build",
        "$.calls.validate",
        "$.calls.dedline",
        "$.plugins[0].sandbox",
        "$.plugins[0].deadline",
        "$.plugins[0].dedline",
        "$.plugins[1].mcp.pin",
    }
    assert len(found) == len({problem.position for problem in found}) == 7
    assert not [problem for problem in found if "\n" in problem.message]


def test_an_mcp_server_whose_absolute_command_is_not_there_is_named_with_its_line_and_what_to_do(tmp_path):
    file = tmp_path / "board.json"
    gone = tmp_path / "gone"
    there = {"name": "there", "mcp": {"command": "/bin/sh"}}
    later = {"name": "later", "mcp": {"command": "${HOME}/gone"}}
    entries = [there, later, {"name": "gone", "mcp": {"command": str(gone)}}]
    file.write_text(json.dumps({"plugins": entries}, indent=1))

    (problem,) = problems_of(file)

    assert problem.path == "$.plugins[2]"
    assert (
        problem.message
        == f"there is no program {str(gone)!r} that can be run; install it, or correct 'command'"
    )
