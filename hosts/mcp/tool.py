"""An MCP server as a plugin: the command line that runs it, and the session that it is spoken to in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...plugins.results.provider_native import make_provider_native_tool_result
from ..command.tool import CommandToolPlugin
from ..sandbox.confinement import FREE, Confinement
from .revision import HANDSHAKES, REVISIONS, STATELESS
from .session import Session, Stage

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence


_CLIENT = {"name": "callboard", "version": "0.1.0"}


class McpToolPlugin(CommandToolPlugin):
    """The tools of one MCP server that is spoken to over its pipes.

    Args:
        name: the plugin's name, unique on its board.
        command: the program and its arguments.
        cwd, base, env, confinement: as `CommandToolPlugin`.
        revision: the revision to speak, such as ``2025-11-25``; found out if ``None``.
        roots: addresses of folders (``file:///…``) that the server may work in, if it asks.
    """

    kind = "mcp"

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        cwd: str | os.PathLike[str] | None = None,
        base: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        revision: str | None = None,
        roots: Sequence[str] = (),
        confinement: Confinement = FREE,
    ) -> None:
        if revision is not None and revision not in REVISIONS:
            raise ValueError(f"no such revision of MCP: {revision!r:.40}; known are {', '.join(REVISIONS)}")
        super().__init__(name, command, cwd=cwd, base=base, env=env, extended=True, confinement=confinement)
        self._revision = revision
        self._roots = tuple(roots)
        self._session: Session | None = None
        self.dialect = self._new_session

    def _new_session(self) -> Session:
        self._session = Session(_CLIENT, revision=self._next_revision(), roots=self._roots)
        return self._session

    def _next_revision(self) -> str | None:
        """What to begin the next life with.

        A server of the handshake era may end, or say nothing, when it is asked what it does not know; so a life that got no further
        than that question is followed by one that begins with the handshake, and so is one that has shaken hands.
        """
        last = self._session
        if self._revision is not None or last is None:
            return self._revision
        if last.stage is Stage.DISCOVERING:
            return HANDSHAKES[0]
        return None if last.revision == STATELESS else last.revision

    def format_tool_result(self, result: dict[str, Any], state: dict[str, Any]) -> Any:
        """The blocks of a result that is more than text, as they are; ``None`` of any other."""
        content = result.get("content")
        if not isinstance(content, list):
            return None
        return make_provider_native_tool_result(format="mcp.2025_11_25.tool", content={"content": content})
