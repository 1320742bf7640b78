"""C: restart types, with real processes."""

from __future__ import annotations

from boards import Recorder
from callboard.actors.board import Board
from callboard.supervision.restart.policy import RestartPolicy, RestartType
from leaks import no_leaks
from obedient_hosts import PATIENCE, UNHURRIED, add_obedient, obedient


def test_scenario_C6_an_end_that_follows_our_own_stop_is_no_crash_and_not_undone():
    with no_leaks(within=PATIENCE), Board() as board:
        events = Recorder(board)
        for restart in RestartType:
            for ending in ("exit:0", "exit:3", "exit:78"):
                name = f"{restart.value}-{ending[5:]}"
                policy = RestartPolicy(restart=restart)
                add_obedient(board, obedient(name, at_eof=ending), policy=policy, host={"ladder": UNHURRIED})
                board.order("park", name)
        events.wait("host_parked", 9, PATIENCE)
        states = {name: plugin["host"] for name, plugin in board.status()["plugins"].items()}

    assert events.of("host_crashed") == events.of("host_backoff") == []
    assert {(state["state"], state["generation"], state["crashes"]) for state in states.values()} == {
        ("parked", 1, 0)
    }
