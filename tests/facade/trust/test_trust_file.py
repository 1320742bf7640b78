"""The file of what is trusted is its user's alone, and a damaged one trusts nothing."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace

import pytest
from callboard.hosts.packages.consent import Step
from callboard.trust.trust_file import MOST, MOST_BYTES, MOST_CONDITIONS, TrustFile, TrustNotKept, trust_file


def step(name: str) -> Step:
    return Step("git", {"url": name, "commit": "c"}, {})


@pytest.fixture
def kept(tmp_path):
    return TrustFile(tmp_path / "state" / "callboard" / "trust.json")


def test_what_is_added_is_trusted_from_then_on(kept):
    kept.add([step("a")])
    kept.add([step("b")])

    assert TrustFile(kept.file).digests() == {step("a").digest, step("b").digest}


RECORDS = {
    b"7": "record",
    b"{}": "no conditions",
    b'{"conditions": {}}': "one condition",
    b'{"conditions": [7]}': "conditions",
    b'{"conditions": [{"run": {}}]}': "no kind",
    b'{"conditions": [{"run": {"kind": "none"}}]}': "kind",
    b'{"conditions": [{"run": {"kind": "bwrap", "network": 7}}]}': "switch",
    b'{"conditions": [{"run": {"kind": "bwrap", "read": [7]}}]}': "path",
    b'{"conditions": [{"run": {"kind": "bwrap", "read": 7}}]}': "paths",
}


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"\xff\xfe", b'{"version": 0, "trusted": {}}', b'{"version": 1, "trusted": {"x": {}}}',
        b'{"version": 1, "trusted": ["a"]}', b" " * (MOST_BYTES + 1), b"[" * 100_000,
        *(b'{"version": 2, "trusted": {"%s": %s}}' % (b"a" * 64, each) for each in RECORDS),
    ],
    ids=["empty", "cut", "list", "no text", "version", "no digest", "no object", "large", "deep", *RECORDS.values()],
)  # fmt: skip
def test_a_damaged_file_trusts_nothing_and_that_is_told(kept, content, caplog):
    kept.add([step("a")])
    kept.file.write_bytes(content)

    with caplog.at_level(logging.WARNING, "callboard"):
        assert kept.digests() == frozenset()

    assert str(kept.file) in caplog.text
    kept.add([step("b")])
    assert kept.digests() == {step("b").digest}


@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_a_folder_that_others_may_write_in_trusts_nothing(kept, mode):
    kept.add([step("a")])
    kept.file.parent.chmod(mode)

    assert kept.digests() == frozenset()
    with pytest.raises(TrustNotKept):
        kept.add([step("b")])


def test_a_file_that_others_may_change_trusts_nothing(kept):
    kept.add([step("a")])
    kept.file.chmod(0o666)

    assert kept.digests() == frozenset()


def test_what_is_added_at_the_same_time_is_all_kept(kept):
    adding = [threading.Thread(target=kept.add, args=([step(str(number))],)) for number in range(8)]
    for each in adding:
        each.start()
    for each in adding:
        each.join()

    assert len(kept.digests()) == 8


def test_the_oldest_are_forgotten_before_the_file_grows_without_end(kept):
    kept.add([step("oldest")])
    kept.add(step(str(number)) for number in range(MOST))

    assert len(kept.digests()) == MOST
    assert step("oldest").digest not in kept.digests()


def test_the_oldest_are_forgotten_before_the_file_is_too_large_to_be_read(kept):
    long = {"run": {"kind": "bwrap", "read": ["/" + "a" * (MOST_BYTES // 4)]}}
    steps = [replace(step(str(number)), conditions=long) for number in range(6)]

    for each in steps:
        kept.add([each])

    assert steps[-1].digest in kept.trusted(steps)
    assert steps[0].digest not in kept.trusted(steps)


def test_the_oldest_conditions_of_a_step_are_forgotten_first(kept):
    runs = [{"run": {"kind": "bwrap", "read": [f"/{number}"]}} for number in range(MOST_CONDITIONS + 1)]
    steps = [replace(step("a"), conditions=each) for each in runs]

    for each in steps:
        kept.add([each])

    assert kept.trusted(steps) == {each.digest for each in steps[1:]}


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "state").write_text("a file")

    with pytest.raises(TrustNotKept):
        TrustFile(tmp_path / "state" / "trust.json").add([step("a")])


def test_only_an_absolute_state_folder_is_one():
    assert str(trust_file({"XDG_STATE_HOME": "/s"})) == "/s/callboard/trust.json"
    assert trust_file({"XDG_STATE_HOME": "s"}).is_absolute()
