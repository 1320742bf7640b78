from __future__ import annotations

import os
import signal
import threading

import pytest
from callboard import Callboard, ConfigurationError, read_configuration
from callboard.supervision.restart.policy import RestartPolicy
from callboard.supervision.restart.spec import GroupSpec
from house_source import ROOT
from leaks import TEST_MARK, no_leaks

ECHO = {"plugin": f"node:{ROOT / 'examples' / 'js-echo-tool'}"}
PATIENCE = 30.0
TOOL = """
export default {
  init: () => ({}),
  getToolSchemas: () => [{ type: 'function', function: { name: '%s', parameters: { type: 'object' } } }],
  executeTool: () => ({ success: true, result: process.pid }),
};
"""


def groups(given):
    return read_configuration({"supervision": {"groups": given}}).groups


def test_groups_are_read_and_outer_ones_come_first():
    read = groups({
        "inner": {"strategy": "one_for_all", "group": "outer", "start": "in_order"},
        "outer": {"intensity": 3, "period": 10, "on_limit": "stop", "restart": "transient", "cool_down": 5},
    })  # fmt: skip

    assert read == (
        GroupSpec("outer", intensity=3, period=10, on_limit="stop", restart="transient", cool_down=5),
        GroupSpec("inner", strategy="one_for_all", parent="outer", start="in_order"),
    )


def test_what_stands_beside_the_groups_is_the_policy_of_all_hosts():
    read = read_configuration({"supervision": {"groups": {"g": {}}, "never_restart_on": ["code:78"]}})

    assert (read.groups, read.supervision) == (
        (GroupSpec("g"),),
        RestartPolicy(never_restart_on=("code:78",)),
    )


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([], r"\$.supervision.groups is \[\]; it has to be an object"),
        ({"g": 1}, r"\$.supervision.groups.g is 1; it has to be an object with a name"),
        ({"": {}}, "it has to be an object with a name"),
        ({"g": {"strateg": "x"}}, "did you mean 'strategy'?"),
        ({"g": {"strategy": "x"}}, "has to be one of: one_for_one, one_for_all, rest_for_one"),
        ({"g": {"strategy": 1}}, r"\$.supervision.groups.g.strategy is 1; it has to be a text"),
        ({"g": {"period": "x"}}, "it has to be a number of seconds"),
        ({"g": {"period": 0}}, "it must be more than 0 seconds"),
        ({"g": {"intensity": 1.5}}, "it has to be a whole number, or null"),
        ({"g": {"group": "h"}}, "there is no such group, there are: 'g'"),
        ({"g": {"group": "g"}}, "cannot be in itself"),
        ({"g": {"group": "h"}, "h": {"group": "g"}}, "goes round in a ring: g in h in g"),
    ],
)
def test_a_group_that_makes_no_sense_is_refused_by_its_path(given, says):
    with pytest.raises(ConfigurationError, match=says):
        groups(given)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("oom", "has to be a list of texts"),
        (["explosion"], "names 'explosion'; an end is one of: cancel, clean, code, hang"),
        (["requested"], "names 'requested'"),
    ],
)
def test_ends_that_there_are_not_are_refused(given, says):
    with pytest.raises(ConfigurationError, match=says):
        read_configuration({"supervision": {"never_restart_on": given}})


def test_a_plugin_of_a_group_that_there_is_not_is_refused():
    with Callboard({"supervision": {"groups": {"g": {}}}}) as board:
        with pytest.raises(ConfigurationError, match="the option 'group' is 'h'; there is no such group"):
            board.load(ECHO, group="h")

        assert board.status()["plugins"] == {}


def test_hosts_of_a_group_are_restarted_together_and_the_status_shows_it(tmp_path):
    plugins = []
    for name in ("index", "search", "alone"):
        file = tmp_path / f"{name}.mjs"
        file.write_text(TOOL % name)
        plugins.append({"node_tool": {"file": str(file), "id": name}, "env": TEST_MARK})
    for plugin in plugins[:2]:
        plugin["group"] = "editor"
    config = {"supervision": {"groups": {"editor": {"strategy": "one_for_all"}}}, "plugins": plugins}

    with no_leaks(within=PATIENCE), Callboard(config) as board:
        back, told = threading.Semaphore(0), []
        board.subscribe(
            lambda event: told.append((event.subject, event.facts["members"])), ["group_restarting"]
        )
        board.subscribe(lambda _: back.release(), ["host_ready"])
        os.kill(board.status()["plugins"]["index"]["host"]["pid"], signal.SIGKILL)
        assert all(back.acquire(timeout=PATIENCE) for _ in range(2))
        status = board.status()
        results = [board.execute(call(name)) for name in ("index", "search", "alone")]

    hosts = {name: plugin["host"] for name, plugin in status["plugins"].items()}
    assert {name: (host["generation"], host["crashes"], host["group"]) for name, host in hosts.items()} == {
        "index": (2, 1, "editor"),
        "search": (2, 0, "editor"),
        "alone": (1, 0, None),
    }
    assert status["groups"]["editor"]["members"] == ["index", "search"]
    assert (status["groups"]["editor"]["state"], told) == ("running", [("editor", ["index", "search"])])
    assert [result["success"] for result in results] == [True] * 3


def call(name):
    return {"type": "function_call", "call_id": name, "name": name, "arguments": {}}
