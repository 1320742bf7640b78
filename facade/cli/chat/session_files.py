"""Where a conversation is kept: in a file that the user named, in the folder of the configuration, or nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...agent.sessions.file import SessionFile, SessionFileError, load_session
from ..ui.streams import complain

if TYPE_CHECKING:
    from pathlib import Path

    from ...agent.sessions.session import Session
    from ...configured_agent import Agent


class Keeping:
    """See the module. What the configuration has is the agent's own business, and only told of here.

    Args:
        agent: whose conversation it is.
        file: that the user named; ``None`` for none.
    """

    def __init__(self, agent: Agent, file: Path | None) -> None:
        self._agent = agent
        self._path = file
        self._file: SessionFile | None = None

    def begin(self) -> Session:
        """Return the conversation of the file, or a new one.

        Raises:
            SessionFileError: the file cannot be read, or is no session.
        """
        if self._path is None or not self._path.exists() or not self._path.stat().st_size:
            return self._agent.session()
        session, torn = load_session(self._path)
        if torn is not None:
            complain(f"{self._path}: line {torn.line} was cut off, and is left out")
        return session

    def keep(self, session: Session) -> None:
        """Have all of a conversation in its file.

        Raises:
            SessionFileError: it cannot be written, or holds another conversation.
        """
        if self._path is None:
            return
        if self._file is None:
            self._file = SessionFile(self._path, session)
        self._file.extend(session.messages[self._file.written :])

    def move(self, path: Path, session: Session) -> None:
        """Keep a conversation in another file from now on. Raises as `keep`; then all is as it was."""
        other = SessionFile(path, session)
        self.close()
        self._path, self._file = path, other

    def begin_anew(self, session: Session) -> Path | None:
        """Keep another conversation in the same place; the file as it was stays beside it, and its path is returned."""
        if self._path is None or not self._path.exists():
            return None
        self.close()
        number = 1
        while (aside := self._path.with_name(f"{self._path.name}.before-{number}")).exists():
            number += 1
        try:
            self._path.rename(aside)
        except OSError as error:
            raise SessionFileError(
                f"cannot put {self._path} aside: {error.strerror}", file=self._path
            ) from error
        self.keep(session)
        return aside

    def where(self, session: Session) -> Path | None:
        """Where the conversation is kept; ``None`` for nowhere."""
        if self._path is not None:
            return self._path
        folder = self._agent.settings.session_dir
        return None if folder is None else self._agent.core.sessions.path(session.id)

    def close(self) -> None:
        """Close the file."""
        file, self._file = self._file, None
        if file is not None:
            file.close()
