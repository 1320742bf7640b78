"""B: starting, with real processes."""

from __future__ import annotations

import psutil
from boards import Recorder
from callboard.actors.board import Board
from callboard.supervision.policy import RestartPolicy
from leaks import no_leaks
from obedient_hosts import PATIENCE, add_obedient, obedient, run


def test_scenario_B6_a_host_that_never_answers_is_ended_with_its_tree_and_counts_as_a_failed_start():
    pids = []
    with no_leaks(within=PATIENCE), Board() as board:
        events = Recorder(board)
        board.subscribe(lambda _: pids.extend(_descendants()), {"host_starting"})
        policy = RestartPolicy(intensity=1, cool_down=1000)
        plugin = obedient(init="silent", child="apart")
        add_obedient(board, plugin, policy=policy, required=False, host={"start_deadline": 1.0})
        status = board.status()["plugins"]["obey"]["host"]
        refused = run(board)

    assert [event.facts["exit"] for event in events.of("host_crashed")] == ["start_timeout"] * 2
    assert (status["state"], status["restarts"]) == ("parked", 1)
    assert refused["code"] in {"host_unavailable", "unknown_tool"}


def _descendants() -> list[int]:
    return [process.pid for process in psutil.Process().children(recursive=True)]
