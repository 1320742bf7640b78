"""Session files: what was written is there, whatever stopped the writer, and nothing is lost in silence."""

from __future__ import annotations

import os

import pytest
from callboard.agent.sessions.file import SessionDamaged, SessionFile, SessionFileError, load_session, mend
from callboard.agent.sessions.lines import read_lines, session_lines
from callboard.agent.sessions.session import Session, new_message
from conversations import answers, breaches, chat_call, says
from hypothesis import given
from hypothesis import strategies as st

SESSION = Session(
    "s-1",
    (
        new_message("user", "räume auf\n"),
        says("gern", chat_call("tidy", "a", '{"x":"\\u2028"}')),
        answers("a"),
        says("fertig"),
    ),
    {"title": "one"},
)
WHOLE = session_lines(SESSION)


def test_a_session_comes_back_as_it_was_written(tmp_path):
    path = tmp_path / "folder" / "s.jsonl"

    before = os.umask(0)
    try:
        with SessionFile(path, SESSION, fsync=True) as file:
            file.append(new_message("user", "danke"))
    finally:
        os.umask(before)

    loaded = load_session(path)
    assert loaded.session == SESSION.with_message(new_message("user", "danke"))
    assert loaded.torn is None
    assert [oct(made.stat().st_mode & 0o777) for made in (path, path.parent)] == ["0o600", "0o700"]


def test_what_is_there_already_is_not_written_again(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(WHOLE)
    longer = SESSION.with_message(new_message("user", "danke"))

    with SessionFile(path, longer) as file:
        pass

    assert file.written == 5
    assert path.read_bytes() == session_lines(longer)


@given(st.integers(0, len(WHOLE)))
def test_wherever_a_writer_is_killed_the_messages_before_are_there_and_the_torn_line_is_told(cut):
    lines = read_lines(WHOLE[:cut])

    whole = WHOLE[:cut].count(b"\n")
    kept = 0 if lines.session is None else len(lines.session.messages) + 1
    assert lines.damage == ()
    assert kept == whole + (1 if lines.torn is None and not lines.ends else 0)
    assert lines.session is None or lines.session.messages == SESSION.messages[: kept - 1]
    assert lines.torn is None or WHOLE[:cut] == WHOLE[: lines.size] + lines.torn.text


@given(st.binary(max_size=200), st.integers(0, len(WHOLE)))
def test_whatever_is_in_a_file_reading_it_sorts_it_and_raises_nothing(rubbish, place):
    lines = read_lines(WHOLE[:place] + rubbish)

    assert lines.session is not None or lines.damage or lines.torn or not (place or rubbish)


@pytest.mark.parametrize("cut", [-1, -2, -30, 5])
def test_a_torn_line_is_cut_off_by_who_goes_on_and_the_file_is_whole_again(tmp_path, cut):
    path = tmp_path / "s.jsonl"
    path.write_bytes(WHOLE[:cut])

    with SessionFile(path, SESSION) as file:
        pass

    assert path.read_bytes() == WHOLE
    assert (file.torn is None) == (cut == -1)


def test_damage_before_the_end_is_named_by_its_line_and_nothing_is_touched(tmp_path):
    path = tmp_path / "s.jsonl"
    lines = WHOLE.split(b"\n")
    lines[2] = b"\0" * 20
    path.write_bytes(b"\n".join(lines))

    for reading in (lambda: load_session(path), lambda: SessionFile(path, SESSION)):
        with pytest.raises(SessionDamaged, match="line 3: it is not JSON") as caught:
            reading()
        assert caught.value.line == 3

    assert path.read_bytes() == b"\n".join(lines)


def test_mending_keeps_a_copy_aside_and_leaves_a_lawful_history(tmp_path):
    path = tmp_path / "s.jsonl"
    lines = WHOLE.split(b"\n")
    lines[2] = b'{"role"'  # the message that called: its result answers nothing now
    damaged = b"\n".join(lines) + b'{"torn'
    path.write_bytes(damaged)

    mended = mend(path)

    assert mended.removed == (3, 6)
    assert [str(each.code) for each in mended.repairs] == ["orphan_result"]
    assert mended.kept is not None
    assert mended.kept.read_bytes() == damaged
    assert load_session(path) == (mended.session, None)
    assert breaches(mended.session.messages) == []
    assert mend(path) == (mended.session, (), (), None)


@pytest.mark.parametrize(
    "content", [b"", b"{}\n", b'{"callboard_session":2,"id":"x"}\n', b"[]\n", b'{"callb']
)
def test_what_is_no_session_is_refused(tmp_path, content):
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)

    with pytest.raises(SessionFileError):
        load_session(path)


def test_another_conversation_is_not_written_over(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(WHOLE)

    with pytest.raises(SessionFileError, match="holds 4 messages of 's-1'"):
        SessionFile(path, Session("s-1", (new_message("user", "something else"),)))

    assert path.read_bytes() == WHOLE


def test_a_message_that_cannot_be_written_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "s.jsonl"

    with SessionFile(path, SESSION) as file, pytest.raises(SessionFileError, match=r"message\.content"):
        file.append({"role": "user", "content": {1}})

    assert path.read_bytes() == WHOLE


def test_a_file_that_cannot_be_opened_is_named(tmp_path):
    with pytest.raises(SessionFileError, match="cannot write"):
        SessionFile(tmp_path, SESSION)
    with pytest.raises(SessionFileError, match="cannot read"):
        load_session(tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []
