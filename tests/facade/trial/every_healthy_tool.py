"""`callboard chaos` finds nothing wrong with any example, any template and MCP servers of others; `make test-kit` has it tried.

Not collected by `make test`: it takes minutes, and the servers are not there. It is run with Callboard from a wheel.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import callboard
import pytest
from healthy_tools import amiss, every_example, every_template, servers_of_others, tried

if TYPE_CHECKING:
    from healthy_tools import Healthy

ALL = [*every_example(), *every_template(), *servers_of_others()]
SEEDS = {1: 11, 4: 14}
"""By concurrency."""


def test_what_is_tried_is_installed_and_is_not_this_checkout() -> None:
    assert "site-packages" in Path(callboard.__file__).parts


@pytest.mark.parametrize("concurrency", SEEDS)
@pytest.mark.parametrize("one", ALL, ids=[one.name for one in ALL])
@pytest.mark.timeout(300)
def test_it_is_found_healthy(one: Healthy, concurrency: int, tmp_path: Path) -> None:
    status, report = tried(one, tmp_path, concurrency=concurrency, seed=SEEDS[concurrency])

    assert (status, amiss(report)) == (0, [])
