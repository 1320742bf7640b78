"""The files in which other clients of MCP keep their servers, read as a configuration. Pure.

Claude Desktop, Claude Code, Cursor and others have ``mcpServers``, VS Code has ``servers``: a mapping of names to servers. What else stands in
such a file is for its client.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

NAMES = ("mcpServers", "servers")
"""Keys under which servers stand."""


def servers_of(given: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The servers of a client's file, by name; ``None`` of what is none."""
    if "plugins" in given:
        return None
    found = next((given[name] for name in NAMES if name in given), None)
    return found if isinstance(found, dict) else None


def as_configuration(servers: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of a board that runs these servers, but for those that are disabled, and boards of ours: it may be one of them."""
    entries = []
    for name, server in servers.items():
        if isinstance(server, dict) and (server.get("disabled") is True or runs_callboard(server)):
            continue
        entries.append(_entry(server, name))
    return {"plugins": entries}


INHERIT = "inherit"
"""The option of an entry of ours that a server in a client's file may have too, where nothing stands beside it."""


def _entry(server: Any, name: str) -> dict[str, Any]:
    if not isinstance(server, dict) or INHERIT not in server:
        return {"mcp": server, "name": name}
    rest = {key: value for key, value in server.items() if key != INHERIT}
    return {"mcp": rest, "name": name, INHERIT: server[INHERIT]}


def runs_callboard(server: Any) -> bool:
    """Whether an entry of a client's file is a board of ours: one that served itself would never end."""
    return board_of(server) is not None


def board_of(server: Any) -> tuple[str, ...] | None:
    """The words behind ``callboard mcp`` in an entry of a client's file: a configuration, as a rule, and options; ``None`` of another server."""
    if not isinstance(server, dict):
        return None
    words = [word for word in [server.get("command"), *_list(server.get("args"))] if isinstance(word, str)]
    names = [PurePath(word.replace("\\", "/")).name.removesuffix(".exe") for word in words]
    pairs = list(zip(names, words[1:], strict=False))
    return tuple(words[pairs.index(_COMMAND) + 2 :]) if _COMMAND in pairs else None


_COMMAND = ("callboard", "mcp")


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
