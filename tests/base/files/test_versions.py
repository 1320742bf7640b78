"""The rule for files of ours that say which version of their format they have."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from callboard.base.files.copies import keep_copy
from callboard.base.files.versions import NewerVersion, Versions
from hypothesis import given
from hypothesis import strategies as st

THREE = Versions("the ledger", 3, (lambda text: f"{text}, 1 to 2", lambda text: f"{text}, 2 to 3"))


@pytest.mark.parametrize(
    ("found", "content"),
    [(3, "kept"), (2, "kept, 2 to 3"), (1, "kept, 1 to 2, 2 to 3")],
)
def test_a_content_goes_through_each_version_between_its_own_and_the_newest(found, content):
    assert THREE.migrated("kept", THREE.require(found)) == content


@given(newest=st.integers(1, 20), found=st.integers(1, 40))
def test_a_version_is_migrated_once_by_each_later_step_or_refused(newest, found):
    steps = tuple(lambda seen, step=step: [*seen, step] for step in range(1, newest))
    versions = Versions("the ledger", newest, steps)

    if found > newest:
        with pytest.raises(NewerVersion):
            versions.require(found)
    else:
        assert versions.migrated([], versions.require(found)) == list(range(found, newest))


def test_a_newer_version_is_refused_by_name_with_what_is_read():
    with pytest.raises(
        NewerVersion, match=r"the ledger /tmp/x has version 4 .* up to 3; .* was changed"
    ) as newer:
        THREE.require(4, Path("/tmp/x"))

    assert (newer.value.file, newer.value.found, newer.value.newest) == (Path("/tmp/x"), 4, 3)


@pytest.mark.parametrize("found", [0, -1, True, "3", 2.0, None])
def test_what_is_no_version_is_not_taken_for_a_newer_one(found):
    with pytest.raises(ValueError, match="no version of its format"):
        THREE.require(found)


def test_a_copy_is_private_and_replaces_none_that_is_there(tmp_path):
    file = tmp_path / "ledger"
    file.write_bytes(b"first")
    first = keep_copy(file, 1)
    file.write_bytes(b"second")

    second = keep_copy(file, 1)

    assert (first.name, first.read_bytes()) == ("ledger.version-1", b"first")
    assert (second.name, second.read_bytes()) == ("ledger.version-1-2", b"second")
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    assert file.read_bytes() == b"second"


def test_a_copy_that_fails_half_way_leaves_nothing(tmp_path):
    file = tmp_path / "ledger"
    file.write_bytes(b"all")

    def half(copy):
        copy.write_bytes(b"a")
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        keep_copy(file, 1, half)

    assert list(tmp_path.iterdir()) == [file]


def test_what_a_program_left_that_died_over_a_copy_is_in_no_ones_way(tmp_path):
    file = tmp_path / "ledger"
    file.write_bytes(b"all")
    (tmp_path / "ledger.copying").write_bytes(b"a")

    assert keep_copy(file, 2).read_bytes() == b"all"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["ledger", "ledger.version-2"]
