"""A recording of what went between Callboard and its hosts, read from its lines. Pure.

The first line says that it is a recording, and of which version. Each later one is an `Entry`: a message, a line of stderr, or
the beginning or the end of a generation.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from ..base.errors import CallboardError, JsonValueError
from ..base.files.versions import NewerVersion, Versions
from ..base.frozen import frozen
from ..base.json import load_json

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Json = dict[str, Any]

STARTED, SENT, RECEIVED, STDERR, ENDED = KINDS = ("started", "sent", "received", "stderr", "ended")


class NoRecording(CallboardError):
    """A file is not what `callboard inspect --record` writes."""


class RecordingNewer(NoRecording, NewerVersion):
    """A recording was made by a newer Callboard; see `NewerVersion`."""


VERSIONS: Final[Versions[Json]] = Versions("the recording", 1, newer=RecordingNewer)


@frozen
class Entry:
    """One thing that was heard.

    Attributes:
        at: seconds since the recording began.
        host: whose.
        generation: which of its generations.
        kind: one of `KINDS`.
        message: of what was sent or received, if it is JSON; ``None`` otherwise.
        text: what else it is: a line of stderr, a stray line, how the generation ended.
    """

    at: float
    host: str
    generation: int
    kind: str
    message: Json | None = None
    text: str = ""

    @property
    def as_json(self) -> Json:
        """The entry, without what is empty."""
        return {key: value for key, value in asdict(self).items() if value not in (None, "")}


def is_recording(line: bytes) -> bool:
    """Whether a file that begins with this line is one."""
    try:
        first = load_json(line)
    except JsonValueError:
        return False
    return isinstance(first, dict) and "recording" in first


def read_recording(lines: Iterable[bytes], file: Path | None = None) -> list[Entry]:
    """Read a recording.

    Args:
        lines: of the recording.
        file: that they are in, for errors.

    Raises:
        RecordingNewer: it is of a newer version.
        NoRecording: it is none, or has a line that is no entry; names the line.
    """
    entries: list[Entry] = []
    for number, line in enumerate(lines, 1):
        if number == 1:
            _check_header(line, file)
            continue
        try:
            entries.append(_entry(load_json(line)))
        except (JsonValueError, TypeError, ValueError) as error:
            raise NoRecording(f"line {number} is no part of a recording: {error}") from error
    if not entries:
        raise NoRecording("nothing was recorded; 'callboard inspect CONFIG --record FILE' makes recordings")
    return entries


def _check_header(line: bytes, file: Path | None) -> None:
    if not is_recording(line):
        raise NoRecording("it is no recording; 'callboard inspect CONFIG --record FILE' makes them")
    try:
        VERSIONS.require(load_json(line)["recording"], file)
    except ValueError as error:
        raise NoRecording(f"it is no recording: {error}") from error


def _entry(value: Any) -> Entry:
    entry = Entry(**value)
    if entry.kind not in KINDS:
        raise ValueError(f"there is no kind {entry.kind!r:.40}")
    if entry.message is not None and not isinstance(entry.message, dict):
        raise ValueError("a message is an object")
    return entry
