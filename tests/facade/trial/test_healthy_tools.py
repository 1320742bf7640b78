"""`callboard chaos` finds nothing wrong with tools in which nothing is wrong: one of each kind; `make test-kit` tries all."""

from __future__ import annotations

import pytest
from healthy_tools import amiss, echoing_server, example, template, tried

KINDS = {
    "scripts": example("bash-tools"),
    "node": template("node"),
    "python here": template("python"),
    "python": template("python").isolated(),
    "a program": example("perl-host"),
    "mcp": echoing_server(),
}


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_a_healthy_tool_is_found_healthy_whether_it_runs_one_call_at_a_time_or_several(
    kind, concurrency, tmp_path
):
    status, report = tried(KINDS[kind], tmp_path, concurrency=concurrency, seed=1)

    assert (status, amiss(report)) == (0, [])
    assert report["submitted"] == report["answered"] > 60
