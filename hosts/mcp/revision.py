"""The two eras of MCP: revisions that begin with a handshake, and those in which every request stands alone. Pure.

Up to 2025-11-25 a client says once who it is and what it can do (``initialize``). From 2026-07-28 on it says so with each
request, and may ask the server what it is (``server/discover``).
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Final, NamedTuple

from ..mcp_tasks.server_tasks import EXTENSION
from ..protocol.call_params import TRACE
from ..protocol.description import PROTOCOL
from .results import said_by

HANDSHAKES: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Newest first; the first is what is offered."""

STATELESS: Final = "2026-07-28"

REVISIONS: Final = (STATELESS, *HANDSHAKES)


class Stage(Enum):
    """How far a session has come."""

    NEW = "new"
    DISCOVERING = "discovering"
    SHAKING_HANDS = "shaking hands"
    OPEN = "open"
    REFUSED = "refused"


_META = "io.modelcontextprotocol/"


def envelope(
    client: dict[str, Any], capabilities: dict[str, Any], level: str | None = None
) -> dict[str, Any]:
    """What stands under ``_meta`` of each request in the stateless era; ``level`` of what the server is to log, if it is."""
    return {
        f"{_META}protocolVersion": STATELESS,
        f"{_META}clientInfo": client,
        f"{_META}clientCapabilities": {**capabilities, "extensions": {EXTENSION: {}}},
        **({} if level is None else {f"{_META}logLevel": level}),
    }


def initialize_params(revision: str, client: dict[str, Any], capabilities: dict[str, Any]) -> dict[str, Any]:
    """The params of the handshake."""
    return {"protocolVersion": revision, "clientInfo": client, "capabilities": capabilities}


def agreed_by_discovery(result: Any, *, handshake: bool = False) -> str | None:
    """The revision to go on with after ``server/discover``; ``None`` if there is none that both know.

    A result that names none is of a server that has some answer for all that it does not know.

    Args:
        result: of the server.
        handshake: whether the handshake era is spoken if the server speaks both.
    """
    supported = result.get("supportedVersions") if isinstance(result, dict) else None
    if not isinstance(supported, list):
        return HANDSHAKES[0]
    wanted = (*HANDSHAKES, STATELESS) if handshake else REVISIONS
    return next((revision for revision in wanted if revision in supported), None)


class Opened(NamedTuple):
    """The session is open, in this revision."""

    revision: str


class ShakeHands(NamedTuple):
    """The handshake of this revision follows."""

    revision: str


class NotOpened(NamedTuple):
    """There is no session; says why."""

    problem: str


def after_discovery(
    wanted: str | None, result: Any, error: dict[str, Any] | None, *, handshake: bool = False
) -> Opened | ShakeHands | NotOpened:
    """What follows from the answer to ``server/discover``.

    Args:
        wanted: the revision that the entry asks for, if any.
        result: of the server; ``None`` with an error.
        error: of the server; ``None`` with a result.
        handshake: as in `agreed_by_discovery`; ignored if the entry asks for a revision.
    """
    agreed = (
        None if error is not None else agreed_by_discovery(result, handshake=handshake and wanted is None)
    )
    if agreed == STATELESS:
        return Opened(STATELESS)
    if wanted == STATELESS:
        said = said_by(error) if error is not None else "it speaks other revisions only"
        return NotOpened(f"the server does not speak {STATELESS}, which 'revision' asks for: {said}")
    if agreed is not None or error is not None:
        return ShakeHands(agreed or HANDSHAKES[0])
    return NotOpened("the server speaks no revision of MCP that Callboard knows")


def after_handshake(result: Any, error: dict[str, Any] | None) -> Opened | NotOpened:
    """What follows from the answer to ``initialize``."""
    if error is not None:
        return NotOpened(f"the server refuses the handshake: {said_by(error)}")
    agreed = result.get("protocolVersion") if isinstance(result, dict) else None
    if agreed not in HANDSHAKES:
        return NotOpened(f"the server speaks MCP {agreed!r:.40}; known are {', '.join(REVISIONS)}")
    return Opened(str(agreed))


def server_name(result: dict[str, Any]) -> tuple[str, str]:
    """The server's name and version, of the result of a handshake or of a discovery; empty where it does not say."""
    info = result.get("serverInfo")
    if not isinstance(info, dict):
        meta = result.get("_meta")
        info = meta.get(f"{_META}serverInfo") if isinstance(meta, dict) else None
    if not isinstance(info, dict):
        return "", ""
    name, version = info.get("name"), info.get("version")
    return name if isinstance(name, str) else "", version if isinstance(version, str) else ""


def description(server: tuple[str, str]) -> dict[str, Any]:
    """What a host with this server, its name and version, says of itself to the board."""
    name, version = server
    return {
        "protocol": PROTOCOL,
        "host": {"name": name or "mcp", "version": version},
        "features": ["ack", "cancel"],
        "methods": ["init", "get_tool_schemas", "execute_tool"],
        "wants": [TRACE, "key"],
        "version": version,
        "objects_only": True,
    }
