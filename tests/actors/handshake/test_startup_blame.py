"""Who is left out of a shared host that did not come up, and for how long."""

from __future__ import annotations

import pytest
from callboard.actors.handshake.startup_blame import Suspects

ALL = ["a", "b", "c"]


@pytest.mark.parametrize(
    ("coming", "living", "alone", "left_out", "one_by_one"),
    [
        (["a"], ALL, True, ["a"], False),  # it can have been nobody else
        (["a", "b"], ALL, True, [], True),  # the next generation tells who
        (["a"], ALL, False, [], True),  # calls were under way too
        ([], ALL, True, [], False),  # nobody was coming in
        (["a"], ["a"], True, [], False),  # there is nobody to protect
    ],
)
def test_who_is_left_out_and_what_the_next_generation_does(coming, living, alone, left_out, one_by_one):
    suspects = Suspects(60.0)

    another = suspects.ruined(coming, living, "exit code 1", 0.0, alone=alone)

    assert list(suspects.left_out) == left_out
    assert suspects.one_by_one is one_by_one
    assert another is bool(left_out or one_by_one)


def test_one_by_one_a_culprit_is_found_and_the_others_come_in_together_again():
    suspects = Suspects(60.0)
    suspects.ruined(ALL, ALL, "exit code 1", 0.0, alone=True)

    suspects.ruined(["b"], ALL, "exit code 1", 1.0, alone=True)
    wanted = suspects.wanted(ALL, 2.0)
    suspects.came_up()

    assert wanted == ["a", "c"]
    assert not suspects.one_by_one


def test_who_is_left_out_gets_another_chance_after_a_while_and_by_hand_at_once():
    suspects = Suspects(60.0)
    suspects.ruined(["a"], ALL, "exit code 1", 0.0, alone=True)

    assert suspects.wanted(ALL, 59.0) == ["b", "c"]
    assert suspects.wanted(ALL, 60.0) == ALL
    suspects.ruined(["a"], ALL, "exit code 1", 61.0, alone=True)
    suspects.pardon()
    assert suspects.wanted(ALL, 62.0) == ALL


def test_the_last_who_is_there_is_never_left_out():
    suspects = Suspects(60.0)
    suspects.ruined(["a"], ["a", "b"], "exit code 1", 0.0, alone=True)

    another = suspects.ruined(["b"], ["a", "b"], "exit code 1", 0.0, alone=True)

    assert not another
    assert suspects.wanted(["a", "b"], 1.0) == ["b"]
    assert suspects.wanted(["a"], 1.0) == ["a"]  # if the others have gone, it comes in after all
