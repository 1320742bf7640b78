"""A session on disk, appended to as the conversation goes on. The lines themselves: `lines`.

A torn last line is cut off when the file is opened to go on, and the opener is told. Damage before
that is an error that names the line, and nothing of the file is touched; `mend` takes out what cannot be
read, after it has put a copy of the whole file aside. Neither loses anything in silence.

A file belongs to one process at a time; nothing here locks it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ...base.errors import CallboardError, JsonValueError
from ...base.files.private_files import make_private_folder, open_private
from ...base.files.versions import NewerVersion
from .lines import header_line, message_line, read_lines, session_lines
from .repair import repair_session

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...interop.transcripts.repair_report import Repair
    from .lines import SessionLines, Torn
    from .session import Session

Json = dict[str, Any]

MAX_FILE_BYTES = 1024 * 1024 * 1024
"""The largest file that is read, and to which one may grow."""


if sys.platform == "win32":
    _AS_IT_IS = os.O_BINARY
else:
    _AS_IT_IS = 0


class SessionFileError(CallboardError):
    """A session cannot be read or written.

    Attributes:
        file: its path.
    """

    def __init__(self, message: str, *, file: Path) -> None:
        super().__init__(message)
        self.file = file


class SessionNewer(SessionFileError, NewerVersion):
    """A session was written by a newer Callboard; see `NewerVersion`."""

    file: Path

    def __init__(self, cause: NewerVersion, *, file: Path) -> None:
        NewerVersion.__init__(self, str(cause), file=file, found=cause.found, newest=cause.newest)


class SessionDamaged(SessionFileError):
    """A line is no message, and not because it was cut off: something else has been at the file.

    Attributes:
        line: number of the first such line, from 1.
    """

    def __init__(self, file: Path, line: int, problem: str) -> None:
        super().__init__(
            f"{file}, line {line}: {problem}. Nothing was changed; "
            "mend() takes out the lines that cannot be read, and keeps a copy of the file",
            file=file,
        )
        self.line = line


class Loaded(NamedTuple):
    """What a file holds.

    Attributes:
        session: the session, without what was torn.
        torn: the torn last line, if there is one; it is still in the file.
    """

    session: Session
    torn: Torn | None


class Mended(NamedTuple):
    """What `mend` did.

    Attributes:
        session: what the file holds now.
        removed: numbers of the lines that were taken out, from 1.
        repairs: what had to be done to the calls and results that are left.
        kept: where the file as it was has been put; ``None`` if nothing was wrong with it.
    """

    session: Session
    removed: tuple[int, ...]
    repairs: tuple[Repair, ...]
    kept: Path | None


def load_session(file: str | os.PathLike[str]) -> Loaded:
    """Read a session; the file is left as it is.

    Raises:
        SessionNewer: it was written by a newer Callboard.
        SessionDamaged: a line before the last is no message.
        SessionFileError: there is no such file, it has no header, or it is too large.
    """
    path = Path(file)
    lines = _lines_of(path, _bytes_of(path))
    return Loaded(_sound(lines, path), lines.torn)


def mend(file: str | os.PathLike[str]) -> Mended:
    """Take out the lines that cannot be read, and make good what that does to calls and results.

    If there is anything to do, a copy of the file is first put beside it, as ``….damaged-1`` or the next number.

    Raises:
        SessionNewer: it was written by a newer Callboard.
        SessionFileError: there is no such file, its header cannot be read, or it cannot be written.
    """
    path = Path(file)
    data = _bytes_of(path)
    lines = _lines_of(path, data)
    if lines.session is None:
        raise SessionFileError(f"{path} cannot be mended: it has no header that can be read", file=path)
    session, repairs = repair_session(lines.session)
    removed = tuple(damage.line for damage in lines.damage) + ((lines.torn.line,) if lines.torn else ())
    if not removed and not repairs:
        return Mended(session, (), (), None)
    kept = _free_name(path)
    try:
        _write_whole(kept, data)
        fresh = path.with_name(f"{path.name}.mending")
        _write_whole(fresh, session_lines(session))
        # rename(2) is atomic within a folder: a reader has the old file or the new one, and `_write_whole` has synced it.
        fresh.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from error
    return Mended(session, removed, repairs, kept)


class SessionFile:
    """A session's file, open to be appended to. Use it as a context manager, or `close` it.

    Args:
        file: its path; made, with its folder, if there is none.
        session: whose file it is. If there is one already, it has to hold the beginning of this session, and
            only what it lacks is written.
        fsync: have each message on the disk, and not only with the system, before `append` returns.

    Attributes:
        path: the path.
        torn: the line that was cut off its end, if there was one.
        written: how many messages it holds.

    Raises:
        SessionNewer: it was written by a newer Callboard.
        SessionDamaged: a line before the last is no message.
        SessionFileError: it cannot be read or written, or holds another conversation.
    """

    def __init__(self, file: str | os.PathLike[str], session: Session, *, fsync: bool = False) -> None:
        self.path: Path = Path(file)
        self.torn: Torn | None = None
        self.written: int = 0
        self._fsync = fsync
        self._size = 0
        self._fd = -1
        try:
            make_private_folder(self.path.parent)
            self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _AS_IT_IS, 0o600)
            self._find_place(session)
            self.extend(session.messages[self.written :])
        except OSError as error:
            self.close()
            raise _unwritable(self.path, error) from error
        except BaseException:  # an interrupt too may leave no file open
            self.close()
            raise

    def append(self, message: Json) -> None:
        """Write one message, by one write. If that fails, the file is as it was.

        Raises:
            SessionFileError: it is not JSON, too long, or the disk does not take it.
        """
        try:
            self._write(message_line(message))
        except JsonValueError as error:
            raise SessionFileError(
                f"cannot write the session {self.path}: {error}", file=self.path
            ) from error
        self.written += 1

    def extend(self, messages: Iterable[Json]) -> None:
        """Write several messages. Raises as `append`."""
        for message in messages:
            self.append(message)

    def close(self) -> None:
        """Close the file; what was appended is in it."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _find_place(self, session: Session) -> None:
        """Bring the file to where messages can be appended: behind a header, at the beginning of a line."""
        lines = _lines_of(self.path, _bytes_of(self.path))
        self.torn, self._size = lines.torn, lines.size
        if lines.torn is not None:
            os.ftruncate(self._fd, lines.size)
        if not lines.size:
            try:
                self._write(header_line(session))
            except JsonValueError as error:
                raise SessionFileError(
                    f"the metadata of session {session.id}: {error}", file=self.path
                ) from error
            return
        there = _sound(lines, self.path)
        self.written = len(there.messages)
        if there.id != session.id or there.messages != session.messages[: self.written]:
            raise SessionFileError(
                f"{self.path} holds {self.written} messages of {there.id!r} that session {session.id!r} does not "
                "begin with; load it and go on with that, or choose another file",
                file=self.path,
            )
        if not lines.ends and lines.torn is None:
            self._write(b"\n")

    def _write(self, line: bytes) -> None:
        if self._size + len(line) > MAX_FILE_BYTES:
            raise SessionFileError(f"{self.path} would grow beyond {MAX_FILE_BYTES:,} bytes", file=self.path)
        try:
            done = os.write(self._fd, line)
            while done < len(line):  # the disk had room for a part of it; the next write says why
                done += os.write(self._fd, line[done:])
            if self._fsync:
                os.fsync(self._fd)
        except OSError as error:
            # What is half written goes: the next append would otherwise make one damaged line of two.
            os.ftruncate(self._fd, self._size)
            raise _unwritable(self.path, error) from error
        self._size += len(line)


def _lines_of(path: Path, data: bytes) -> SessionLines:
    try:
        return read_lines(data, path)
    except NewerVersion as error:
        raise SessionNewer(error, file=path) from None


def _sound(lines: SessionLines, path: Path) -> Session:
    if lines.damage:
        raise SessionDamaged(path, *lines.damage[0])
    if lines.session is None:
        raise SessionFileError(f"{path} is no session: it has no header", file=path)
    return lines.session


def _bytes_of(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise SessionFileError(f"{path} has {size:,} bytes; {MAX_FILE_BYTES:,} is the most", file=path)
        return path.read_bytes()
    except OSError as error:
        raise SessionFileError(f"cannot read the session {path}: {error.strerror}", file=path) from error


def _write_whole(path: Path, data: bytes) -> None:
    with open(path, "wb", opener=open_private) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _free_name(path: Path) -> Path:
    number = 1
    while (kept := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return kept


def _unwritable(path: Path, error: OSError) -> SessionFileError:
    return SessionFileError(f"cannot write the session {path}: {error.strerror}", file=path)
