"""Modules of a configuration that cannot be loaded when a board starts."""

from __future__ import annotations

import logging

import pytest
from callboard import Callboard
from leaks import no_leaks


@pytest.mark.parametrize(
    ("program", "said"),
    [
        pytest.param("export const x = ;", "SyntaxError", id="syntax"),
        pytest.param("import 'nowhere-at-all'; export class T {}", "nowhere-at-all", id="import"),
        pytest.param("throw new Error('not today')", "not today", id="raises"),
    ],
)
def test_a_module_that_cannot_be_loaded_at_start_is_in_failed_and_in_the_log(tmp_path, caplog, program, said):
    (tmp_path / "broken.mjs").write_text(program)
    entry = {"node_tool": {"file": str(tmp_path / "broken.mjs"), "id": "broken"}}

    with no_leaks(), caplog.at_level(logging.WARNING, "callboard"), Callboard({"plugins": [entry]}) as board:
        (failed,) = board.failed
        status = board.status()

    assert failed.plugin == "broken"
    assert said in failed.error
    assert [one["plugin"] for one in status["failed"]] == ["broken"]
    assert status["plugins"]["broken"]["available"] is False
    assert [record.name for record in caplog.records if said in record.getMessage()] == ["callboard"]
