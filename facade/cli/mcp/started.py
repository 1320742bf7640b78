"""The servers of a client's file, started once to see which of them come up behind Callboard, and with which tools."""

from __future__ import annotations

import json
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal

from ...base.frozen import frozen
from ...callboard import Callboard
from ...hosts.mcp_http.exchange import OTHER_CREDENTIALS
from ...mcp_clients.rules import Moved, Tool
from ...sources.kinds import spelled
from ..doctor.finding import counted
from ..doctor.plugin_checks import judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ...actors.catalog.catalog import ToolDescriptor
    from ...config.configuration import Configuration

_OF_OPEN_FOLDERS = ("${workspaceFolder}", "${workspaceFolderBasename}")
"""Placeholders for the folder that a client has open, which a board does not know."""


@frozen
class Started:
    """What became of one server.

    Attributes:
        name: in the client's file.
        state: ``up``; ``down`` if it did not come up; ``stays`` if it cannot run here.
        why: why it is not up.
        tools: of one that is up: the names that a client sees, with the server's own name of each, and all others that it may get.
    """

    name: str
    state: Literal["up", "down", "stays"]
    why: str = ""
    tools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def start_all(configuration: Configuration) -> list[Started]:
    """Start the servers of a configuration side by side, as they would run behind Callboard; list their tools, and stop them.

    What they offer is kept as a served board keeps it, so that names are settled before their first start behind Callboard.

    Args:
        configuration: of a client's file, held to what its user trusts.
    """
    entries = [_unpinned(entry) for entry in configuration.plugins]
    open_ = {entry["name"]: _for_a_folder(entry["mcp"]) for entry in entries}
    board = Callboard()
    board.configuration = replace(
        configuration, plugins=tuple(entry for entry in entries if not open_[entry["name"]]), served=True
    )
    with board:
        status, tools = board.status(), board.tools()
    return [
        Started(entry["name"], "stays", open_[entry["name"]])
        if open_[entry["name"]]
        else _judged(entry, status, [tool for tool in tools if tool.plugin_name == entry["name"]])
        for entry in entries
    ]


def _unpinned(entry: Any) -> dict[str, Any]:
    """The same entry, of whose server nothing is kept: it is only looked at."""
    server = entry["mcp"]
    return {**entry, "mcp": {"pin": "off", **server} if isinstance(server, dict) else server}


def _for_a_folder(server: Any) -> str:
    """Why a server needs its client; nothing if it does not say so."""
    texts = json.dumps(server)
    named = next((each for each in _OF_OPEN_FOLDERS if each in texts), None)
    return "" if named is None else f"it needs {named}, the folder that its client has open"


def _judged(entry: Any, status: Mapping[str, Any], tools: Iterable[ToolDescriptor]) -> Started:
    name = entry["name"]
    plugin = status["plugins"].get(name)
    if plugin is None:
        errors = [each["error"] for each in status["failed"] if each["source"] == spelled(entry)]
        return Started(name, "stays", "; ".join(errors) or "it cannot be loaded here")
    finding = next(iter(judge(name, plugin)))
    if finding.status == "FAIL":
        wants_login = OTHER_CREDENTIALS in finding.detail and not _says_who(entry["mcp"])
        return Started(name, "stays" if wants_login else "down", finding.detail)
    return Started(name, "up", tools={tool.tool_name: tool.known_as for tool in tools})


def _says_who(server: Any) -> bool:
    """Whether an entry over HTTP has credentials of its own, so that its client has no login there."""
    headers = server.get("headers")
    return isinstance(headers, dict) and any(str(name).lower() == "authorization" for name in headers)


def lines_of(started: Iterable[Started], stays: Mapping[str, str], file: Path) -> Iterator[str]:
    """What is said of them before the question, a line each; and of those that stay in the client's file, with the reason."""
    for each in started:
        if each.state == "up":
            yield f"  ok     {each.name}: {counted(len(each.tools), 'tool')}"
        elif each.name not in stays:
            yield f"  FAIL   {each.name} does not come up here, and moves all the same: {each.why}"
    for name, why in stays.items():
        yield f"  stays  {name} is left in {file}: {why}"


def moved_of(started: Iterable[Started], servers: Mapping[str, Any], board: str) -> Moved:
    """What moves, with its tools.

    Args:
        started: what became of those that were started.
        servers: the entries of those that move.
        board: the name of the board's entry.
    """
    known = {each.name: each for each in started}
    tools = [
        Tool(name, names[0] if names else served, served, names)
        for name in servers
        if name in known and known[name].state == "up"
        for served, names in known[name].tools.items()
    ]
    down = {name for name in servers if name in known and known[name].state != "up"}
    empty = {
        name for name in servers if name in known and known[name].state == "up" and not known[name].tools
    }
    return Moved(
        board, tuple(tools), frozenset(down), frozenset(servers.keys() - known.keys()), frozenset(empty)
    )


_APPROVALS = ("alwaysAllow", "autoApprove")


@frozen
class Approvals:
    """What entries of a client's file allow by lists of their own, behind the board.

    Attributes:
        lists: of the board's entry, by their keys: the names that tools have there.
        said: what is not carried over, with the reason and what to do, a line each.
    """

    lists: Mapping[str, list[str]]
    said: tuple[str, ...] = ()


def approvals_of(started: Sequence[Started], servers: Mapping[str, Any]) -> Approvals:
    """What becomes of the lists by which entries allow tools: never more is allowed than before.

    Args:
        started: what became of the servers that were started.
        servers: the entries of those that move.
    """
    moved = moved_of(started, servers, "")
    lists: dict[str, list[str]] = {}
    said = []
    for name, server in servers.items():
        for key in _APPROVALS:
            allowed = server.get(key) if isinstance(server, dict) else None
            if allowed is None:
                continue
            rules = allowed if isinstance(allowed, list) else [allowed]
            for rule in rules:
                whose, listed = f"{rule!r:.100} under {key!r} of {name!r:.100}", isinstance(allowed, list)
                # No set: a rule of a file may be an object, which has no hash.
                tools = [tool for tool in moved.tools if tool.server == name and rule in ("*", tool.own)]
                sure = [
                    tool for tool in tools if listed and not moved.unknown and not moved.is_contested(tool)
                ]
                if sure:
                    found = lists.setdefault(key, [])
                    found += [tool.served for tool in sure if tool.served not in found]
                if why := "it is no list" if not listed else _not_carried(rule, name, tools, moved):
                    how = "is carried over in part" if sure else "is not carried over"
                    said.append(f"  rules  {whose} {how}: {why}")
                elif rule == "*":
                    number = counted(len(sure), "tool")
                    said.append(
                        f"  rules  {whose} becomes the list of its {number}; its client asks about later ones"
                    )
    return Approvals(lists, tuple(said))


def _not_carried(rule: Any, server: str, tools: Sequence[Tool], moved: Moved) -> str:
    """Return why a rule of a server's own list is not carried over, and what to do; empty if it is."""
    if not isinstance(rule, str):
        return "it is no name of a tool"
    again = "its client asks about it. Say --install again when {} is up"
    if server in moved.unknown | moved.off:
        return f"{server} did not come up, so that its tools are not known; {again.format(server)}"
    if not tools:
        return "the server lists no such tool. Take it out of the list, or say --install again when it does"
    if moved.unknown:
        down = ", ".join(sorted(moved.unknown))
        return f"{down} did not come up, and may have a tool of the same name; {again.format(down)}"
    if contested := [tool.served for tool in tools if moved.is_contested(tool)]:
        names = ", ".join(contested)
        return f"another server has such a tool too ({names}), and either may get the name; its client asks about it"
    return ""
