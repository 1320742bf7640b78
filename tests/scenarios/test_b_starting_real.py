"""B: starting, with real processes."""

from __future__ import annotations

import json

import psutil
import pytest
from boards import Recorder
from callboard import Callboard
from callboard.actors.board import Board
from callboard.base.errors import PluginLoadError
from callboard.supervision.restart.policy import RestartPolicy
from leaks import TEST_MARK, no_leaks
from obedient_hosts import PATIENCE, add_obedient, obedient, run

JAVASCRIPT = """
import { appendFileSync } from 'node:fs';
appendFileSync('spawned', 'NAME ');
if ('NAME' === 'b') throw new Error('b has no heart');
export default {
  init: () => ({}),
  getToolSchemas: () => [{ type: 'function', function: { name: 'NAME', parameters: { type: 'object' } } }],
  executeTool: () => ({ success: true, result: 'NAME' }),
};
"""


def test_scenario_B2_one_that_cannot_start_keeps_the_next_from_being_started_and_takes_the_first_down(
    tmp_path,
):
    for name in "abc":
        (tmp_path / f"{name}.mjs").write_text(JAVASCRIPT.replace("NAME", name))
    entries = [
        {"node_tool": {"file": f"{name}.mjs", "id": name}, "required": True, "group": "all", "env": TEST_MARK}
        for name in "abc"
    ]
    groups = {"all": {"strategy": "rest_for_one", "start": "in_order"}}
    config = tmp_path / "agent.json"
    config.write_text(json.dumps({"plugins": entries, "supervision": {"groups": groups}}))

    with no_leaks(within=PATIENCE), pytest.raises(PluginLoadError, match=r"'b'.*b has no heart") as caught:
        Callboard(config).start()

    assert caught.value.plugin == "b"
    assert (tmp_path / "spawned").read_text().split() == ["a", "b"]


def test_scenario_B6_a_host_that_never_answers_is_ended_with_its_tree_and_counts_as_a_failed_start():
    pids = []
    with no_leaks(within=PATIENCE), Board() as board:
        events = Recorder(board)
        board.subscribe(lambda _: pids.extend(_descendants()), {"host_starting"})
        policy = RestartPolicy(intensity=1, cool_down=1000)
        plugin = obedient(init="silent", child="apart")
        add_obedient(board, plugin, policy=policy, required=False, host={"start_deadline": 1.0})
        events.wait("host_parked")
        status = board.status()["plugins"]["obey"]["host"]
        refused = run(board)

    assert [event.facts["exit"] for event in events.of("host_crashed")] == ["start_timeout"] * 2
    assert (status["state"], status["restarts"]) == ("parked", 1)
    assert refused["code"] in {"host_unavailable", "unknown_tool"}


def _descendants() -> list[int]:
    return [process.pid for process in psutil.Process().children(recursive=True)]
