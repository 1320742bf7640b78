"""What is not ours may raise whatever it likes: it kills no thread, and costs nobody an answer."""

from __future__ import annotations

import pytest
from foreign_borders import BORDERS
from foreign_scene import KINDS
from leaks import no_leaks


@pytest.mark.timeout(120)
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("scene", BORDERS.values(), ids=BORDERS)
def test_what_foreign_code_raises_costs_nobody_else_an_answer(scene, kind):
    with no_leaks():
        scene(kind)
