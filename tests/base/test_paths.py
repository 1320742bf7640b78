"""Paths without links, and without dots."""

from __future__ import annotations

import pytest
from callboard.base.paths import resolved, without_dots


def test_a_link_that_leads_to_itself_stays_as_it_is(tmp_path):
    folder = tmp_path.resolve()
    (folder / "link").symlink_to(folder / "link")

    assert resolved(folder / "link") == folder / "link"


@pytest.mark.parametrize(
    ("said", "meant"),
    {
        "board/../own/tool": "own/tool",
        "board/nowhere/../../own": "own",
        "link/../own": "far/own",
        "link/inner": "link/inner",
        "own/a..b": "own/a..b",
        "board\0/../own": "board\0/../own",
    }.items(),
)
def test_dots_go_to_the_folder_above_as_the_system_has_it(said, meant, tmp_path):
    folder = tmp_path.resolve()
    (folder / "far" / "inner").mkdir(parents=True)
    (folder / "link").symlink_to(folder / "far" / "inner")

    assert without_dots(folder / said) == folder / meant
    assert without_dots(folder.joinpath(*[".."] * 99, "own")) == folder.parents[-1] / "own"
