"""What is not ours may raise whatever it likes: it kills no thread, and costs nobody an answer."""

from __future__ import annotations

import pytest
from foreign_borders import BORDERS
from foreign_scene import KINDS
from leaks import no_leaks
from thorough import each_once


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("scene", "kind"),
    [
        pytest.param(BORDERS[border], KINDS[kind], id=f"{border}-{kind}")
        for border, kind in each_once(BORDERS, KINDS)
    ],
)
def test_what_foreign_code_raises_costs_nobody_else_an_answer(scene, kind):
    with no_leaks():
        scene(kind)
