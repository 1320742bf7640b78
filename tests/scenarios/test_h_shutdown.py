"""H: shutdown, with fake lives on a manual clock."""

from __future__ import annotations

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
