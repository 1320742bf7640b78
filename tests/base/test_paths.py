"""Paths without links."""

from __future__ import annotations

from callboard.base.paths import resolved


def test_a_link_that_leads_to_itself_stays_as_it_is(tmp_path):
    folder = tmp_path.resolve()
    (folder / "link").symlink_to(folder / "link")

    assert resolved(folder / "link") == folder / "link"
