"""What a board keeps on the disk is for its owner alone, whatever the umask says."""

from __future__ import annotations

import os

import pytest
from callboard.actors.state.sqlite import SqliteStore
from callboard.actors.state.store import Saved


@pytest.fixture(autouse=True)
def open_mask():
    before = os.umask(0)
    yield
    os.umask(before)


def test_the_states_of_tools_are_their_owners_alone(tmp_path):
    store = SqliteStore(tmp_path / "state.db")
    try:
        store.save("tool", Saved(b'{"secret":1}', 1, 1))
        modes = {file.name: oct(file.stat().st_mode & 0o777) for file in tmp_path.iterdir()}
    finally:
        store.close()

    assert "state.db-wal" in modes
    assert set(modes.values()) == {"0o600"}
