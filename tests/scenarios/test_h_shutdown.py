"""H: shutdown, with fake lives on a manual clock."""

from __future__ import annotations

import subprocess
import sys

from callboard.hosts.process_tree.tree_kill import alive, created, end_session
from callboard.supervision.messages import ShutDown
from fake_children import PATIENCE, TalkingChild, a_house


def test_scenario_H5_declared_children_stop_in_reverse_and_dynamic_ones_together_under_one_deadline():
    with a_house() as house:
        house.group("inner")
        house.family("a", "b", group="inner")
        house.family("c")
        dynamic = [
            house.add(TalkingChild(house, f"d{number}-", obedient=number % 2 == 0, dynamic=True))
            for number in range(20)
        ]
        started = len(house.log)

        promise = house.ask(ShutDown("enough", within=5.0))
        house.settle()
        together = house.log[started:]
        for child in dynamic[1:-1:2]:
            house.crash(child)
        house.advance(4.9)
        waiting = house.log[started:]
        house.crash(dynamic[-1])
        left = promise.get(timeout=PATIENCE)

        assert together == waiting == [f"-d{number}-1" for number in reversed(range(20))]
        assert house.log[started + 20 :] == ["-c1", "-b1", "-a1"]
        assert (left, house.waits()) == ((), [])


def test_scenario_H9_a_pid_that_belongs_to_another_process_by_now_is_sent_no_signal():
    stranger = subprocess.Popen([sys.executable, "-I", "-c", "input()"], stdin=subprocess.PIPE)
    with stranger:
        earlier = created(stranger.pid) - 1.0  # when the host of that pid was created, which is long gone

        left = end_session(stranger.pid, earlier, [(stranger.pid, earlier)], mark="of the host")

        assert left == []
        assert alive(stranger.pid)
        assert stranger.poll() is None
