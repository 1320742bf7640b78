"""A folder of sessions, one file each, named by their ids."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .file import SessionFile, SessionFileError, load_session

if TYPE_CHECKING:
    import os

    from .file import Loaded
    from .session import Session

_NAME: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}")


class SessionStore:
    """See the module.

    Args:
        folder: made when the first session is written.
        fsync: see `SessionFile`.
    """

    def __init__(self, folder: str | os.PathLike[str], *, fsync: bool = False) -> None:
        self.folder: Path = Path(folder)
        self._fsync = fsync

    def open(self, session: Session) -> SessionFile:
        """Return the file of a session, with all of its messages in it. Raises `SessionFileError`."""
        return SessionFile(self.path(session.id), session, fsync=self._fsync)

    def load(self, session_id: str) -> Loaded:
        """Read a session. Raises `SessionFileError`."""
        return load_session(self.path(session_id))

    def ids(self) -> list[str]:
        """The ids of all sessions, the one that was written last first."""
        files = sorted(self.folder.glob("*.jsonl"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
        return [file.name.removesuffix(".jsonl") for file in files]

    def path(self, session_id: str) -> Path:
        """Where a session is kept. Raises `SessionFileError`: its id would lead elsewhere."""
        if not _NAME.fullmatch(session_id):
            raise SessionFileError(
                f"the session id {session_id!r:.80} cannot be the name of a file; use letters, digits, '-', '_', '.'",
                file=self.folder,
            )
        return self.folder / f"{session_id}.jsonl"
