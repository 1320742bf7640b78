"""What stands around a result of MCP in each era. Pure."""

from __future__ import annotations

from typing import Any, Final

from ..base.version import __version__
from ..hosts.mcp.revision import STATELESS

Json = dict[str, Any]

SERVER: Final = {"name": "callboard", "version": __version__}

_SERVER_INFO: Final = "io.modelcontextprotocol/serverInfo"


def completed(result: Json, *, handshake: bool) -> Json:
    """Return a result of ours as the client's era has it: in the stateless one it says what it is, and whose."""
    if handshake:
        return result
    meta = {**result.get("_meta", {}), _SERVER_INFO: SERVER}
    kind = {} if "resultType" in result else {"resultType": "complete"}
    return {**kind, **result, "_meta": meta}


def fresh_for(result: Json, fresh: int, *, handshake: bool) -> Json:
    """Return a result that the client may keep for so many milliseconds, as far as its era knows that."""
    return result if handshake else {**result, "ttlMs": fresh, "cacheScope": "private"}


def introduction(capabilities: Json, instructions: str | None, revision: str) -> Json:
    """Return the result of ``initialize``, or of ``server/discover`` in the stateless era."""
    said: Json = {} if instructions is None else {"instructions": instructions}
    if revision == STATELESS:
        found = {"supportedVersions": [STATELESS], "capabilities": capabilities, **said}
        return completed(fresh_for(found, 0, handshake=False), handshake=False)
    return {"protocolVersion": revision, "capabilities": capabilities, "serverInfo": SERVER, **said}
