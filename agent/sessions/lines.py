"""A session as lines of JSON: written, and read again whatever has become of them. Pure.

::

    {"callboard_session": 1, "id": "…", "metadata": {…}}
    {"role": "user", "content": "…"}
    {"role": "assistant", "content": "…", "metadata": {"tool_calls": […]}}

Each line is written at once, so a process that is killed leaves at most one torn line, the last: `Torn`.
Anything else that cannot be read is no tear but `Damage`. Reading sorts the two and loses neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...base.errors import JsonValueError
from ...base.files.versions import Versions
from ...base.json import dump_line, load_json
from ...base.validation import a_type
from .session import Session

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]

VERSIONS: Final[Versions[Json]] = Versions("the session", 1)
"""Of the format; the header says which."""

MAX_LINE_BYTES = 64 * 1024 * 1024
"""The longest line that is written or read."""


class Torn(NamedTuple):
    """The last line, which was not written to its end.

    Attributes:
        line: its number, from 1.
        text: what there is of it.
    """

    line: int
    text: bytes


class Damage(NamedTuple):
    """A line that was written to its end, and cannot be read.

    Attributes:
        line: its number, from 1.
        problem: what is wrong with it, as a sentence that begins with "it".
    """

    line: int
    problem: str


class SessionLines(NamedTuple):
    """What lines hold.

    Attributes:
        session: the session of all that can be read; ``None`` without a header that can.
        damage: the lines that cannot be read.
        torn: the torn line, if there is one.
        size: bytes before the torn line.
        ends: whether the last line has its end; one that lacks nothing else counts as whole.
    """

    session: Session | None
    damage: tuple[Damage, ...]
    torn: Torn | None
    size: int
    ends: bool


def header_line(session: Session) -> bytes:
    """Return the first line of a session's file. Raises `JsonValueError`."""
    header = {"callboard_session": VERSIONS.newest, "id": session.id, "metadata": session.metadata}
    return dump_line(header, what="session")


def message_line(message: Json) -> bytes:
    """Return the line of a message. Raises `JsonValueError`: it is not JSON, or too long for a line."""
    line = dump_line(message, what="message")
    if len(line) > MAX_LINE_BYTES:
        raise JsonValueError(
            f"a message is {len(line):,} bytes long; {MAX_LINE_BYTES:,} is the most", path="message"
        )
    return line


def session_lines(session: Session) -> bytes:
    """Return a whole session. Raises `JsonValueError`."""
    return header_line(session) + b"".join(map(message_line, session.messages))


def read_lines(data: bytes, file: Path | None = None) -> SessionLines:
    """Read a session's file.

    Args:
        data: all of it.
        file: its path, for errors.

    Raises:
        NewerVersion: its header is of a newer version.
    """
    *lines, tail = data.split(b"\n")
    header: Json | None = None
    messages: list[Json] = []
    damage: list[Damage] = []
    torn: Torn | None = None
    for number, line in enumerate([*lines, tail] if tail else lines, 1):
        value, problem = _read_line(line)
        if value is not None:
            value, problem = _header(value, file) if number == 1 else _message(value)
        if value is None and line is tail:
            torn = Torn(number, tail)
        elif value is None:
            damage.append(Damage(number, problem))
        elif number == 1:
            header = value
        else:
            messages.append(value)
    session = None if header is None else Session(header["id"], tuple(messages), _metadata(header))
    return SessionLines(session, tuple(damage), torn, len(data) - (len(tail) if torn else 0), not tail)


def _read_line(line: bytes) -> tuple[Json | None, str]:
    if len(line) > MAX_LINE_BYTES:
        return None, f"it is {len(line):,} bytes long; {MAX_LINE_BYTES:,} is the most"
    try:
        value = load_json(line)
    except JsonValueError as error:
        return None, f"it is {error}"
    if not isinstance(value, dict):
        return None, f"it is {a_type(value)}, and no object"
    return value, ""


def _header(value: Json, file: Path | None) -> tuple[Json | None, str]:
    try:
        VERSIONS.require(value.get("callboard_session"), file)
    except ValueError as error:
        return None, f"it is no header of a session: {error}"
    if not isinstance(value.get("id"), str):
        return None, "it is no header of a session: it has no id"
    return value, ""


def _message(value: Json) -> tuple[Json | None, str]:
    if not isinstance(value.get("role"), str):
        return None, "it has no role, so it is no message"
    return value, ""


def _metadata(header: Json) -> Json:
    metadata = header.get("metadata")
    return metadata if isinstance(metadata, dict) else {}
