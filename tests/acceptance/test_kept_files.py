"""Files that other versions of Callboard have written: older ones are read, newer ones are refused by name and left alone."""

from __future__ import annotations

import json
import shutil
import sqlite3
from typing import TYPE_CHECKING

import pytest
from callboard.actors.state.sqlite import SqliteStore
from callboard.actors.state.store import Saved, StateStoreError
from callboard.agent.sessions.file import SessionFile, SessionFileError, load_session, mend
from callboard.agent.sessions.session import Session
from callboard.authoring.recording_format import NoRecording, read_recording
from callboard.base.files.versions import NewerVersion
from callboard.chaos.record import ScheduleError
from callboard.chaos.schedule import Schedule
from callboard.hosts.packages.consent import Step
from callboard.trust.trust_file import TrustFile, TrustNotKept
from programs import PROGRAMS

if TYPE_CHECKING:
    from pathlib import Path

KEPT = PROGRAMS / "kept_files"
VERSIONS = sorted(path.name for path in KEPT.iterdir() if (path / "trust.json").exists())
STEP = Step("git", {"url": "https://example.org/tools.git", "commit": "c" * 40}, {"ref": "v1"})


@pytest.fixture(params=VERSIONS)
def kept(request, tmp_path):
    """The files of one version, as their owner's alone."""
    folder = shutil.copytree(KEPT / request.param, tmp_path / "kept")
    for path in (folder, *folder.iterdir()):
        path.chmod(0o700 if path.is_dir() else 0o600)
    return folder


def test_a_state_store_of_each_version_is_read(kept):
    store = SqliteStore(kept / "state.db")
    states = [store.load(name) for name in ("Counting", "counter", "notes")]
    store.close()

    known = {state._replace(source=None) for state in states if state is not None}
    assert states.count(None) == 1
    assert {state.source for state in states if state is not None} in (
        {None},
        {"python:kept_tools.Counting", "python:kept_tools.Noting"},
    )
    assert known == {Saved(b'{"calls":3}', 4, 1), Saved(b'{"calls":2}', 2, 0)}


def test_a_session_of_each_version_is_read_and_goes_on(kept):
    loaded = load_session(kept / "session.jsonl")
    more = loaded.session.with_message({"role": "user", "content": "And on."})

    SessionFile(kept / "session.jsonl", more).close()

    assert loaded.torn is None
    assert [message["role"] for message in loaded.session.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert load_session(kept / "session.jsonl").session == more


def test_a_recording_of_each_version_is_read(kept):
    entries = read_recording((kept / "recording.ndjson").read_bytes().splitlines())

    calls = [entry.message for entry in entries if entry.kind == "sent" and entry.message]
    assert [call["method"] for call in calls].count("execute_tool") == 2
    assert {entry.generation for entry in entries} == {1}


def test_a_fault_schedule_of_each_version_means_the_same(kept):
    schedule = Schedule.from_json((kept / "schedule.json").read_bytes())

    told = [entry.trigger.as_dict("on") for entry in schedule.entries]
    assert told == [
        {"on": "call", "n": 3, "generation": 2},
        {"on": "byte", "n": 100, "generation": 2},
        {"on": "frame", "n": 4, "way": "out", "generation": 2},
        {"on": "call", "n": 1},
        {"on": "spawn", "n": 5},
    ]
    assert Schedule.from_json(schedule.to_json()) == schedule


def test_what_was_trusted_in_each_version_is_trusted_and_stays_so(kept):
    file = TrustFile(kept / "trust.json")

    file.add([Step("npm", {"folder": "tools"}, {})])

    assert len(file.digests()) == 2
    assert STEP.digest in file.digests()


def newer_state(folder: Path) -> Path:
    connection = sqlite3.connect(folder / "state.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    return folder / "state.db"


def newer_text(name: str, key: str):
    def make(folder: Path) -> Path:
        first, _, rest = (folder / name).read_text().partition("\n")
        (folder / name).write_text(json.dumps(json.loads(first) | {key: 99}) + "\n" + rest)
        return folder / name

    return make


def newer_torn_session(folder: Path) -> Path:
    file = newer_text("session.jsonl", "callboard_session")(folder)
    file.write_bytes(file.read_bytes() + b'{"role": "us')
    return file


SESSION = Session("session", ())
NEWER = {
    "a state store": (newer_state, SqliteStore, StateStoreError),
    "a session that is read": (
        newer_text("session.jsonl", "callboard_session"),
        load_session,
        SessionFileError,
    ),
    "a session that goes on": (newer_torn_session, lambda file: SessionFile(file, SESSION), SessionFileError),
    "a session that is mended": (newer_torn_session, mend, SessionFileError),
    "a recording": (
        newer_text("recording.ndjson", "recording"),
        lambda file: read_recording(file.read_bytes().splitlines()),
        NoRecording,
    ),
    "a fault schedule": (
        newer_text("schedule.json", "format"),
        lambda file: Schedule.from_json(file.read_bytes()),
        ScheduleError,
    ),
    "the trust": (
        newer_text("trust.json", "version"),
        lambda file: TrustFile(file).add([STEP]),
        TrustNotKept,
    ),
}


@pytest.mark.parametrize("kind", NEWER)
def test_a_newer_file_is_refused_by_name_and_left_as_it_was(kept, kind):
    make, use, error = NEWER[kind]
    file = make(kept)
    before = file.read_bytes()

    with pytest.raises(NewerVersion, match="version 99 of its format") as refused:
        use(file)

    assert isinstance(refused.value, error)
    assert refused.value.found == 99
    assert refused.value.newest < 99
    assert file.read_bytes() == before
    assert [path.name for path in kept.iterdir() if path.name.startswith(f"{file.name}.")] in (
        [],
        [f"{file.name}.lock"],
    )


def test_a_newer_trust_file_trusts_nothing_and_says_why(kept, caplog):
    file = newer_text("trust.json", "version")(kept)

    assert TrustFile(file).digests() == frozenset()
    assert "has version 99 of its format" in caplog.text


def test_a_refused_state_store_may_be_opened_by_another_program_at_once(kept):
    file = newer_state(kept)

    for _ in range(2):
        with pytest.raises(NewerVersion):
            SqliteStore(file)
