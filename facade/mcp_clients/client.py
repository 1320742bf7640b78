"""The clients of MCP that are known: where each keeps its servers, under which key, and what an entry looks like. Pure.

Where the files are is as the clients' own pages say; another place can always be named.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.frozen import frozen
from ..config.mcp_servers import INHERIT
from ..plugins.placeholders import named_in
from .rules import CLAUDE_CODE, CURSOR, CURSOR_CLI, RuleLists

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

Json = dict[str, Any]


@frozen
class Client:
    """One client.

    Attributes:
        name: as it is said on the command line.
        title: as people call it.
        key: the key of its file under which servers stand.
        mac, windows, linux: the file, below the user's home; on Windows below ``%APPDATA%`` if it begins with it.
        typed: whether an entry says that it is spoken to over its pipes.
        fills: whether it fills ``${env:NAME}`` in its file.
        rules: files in which it keeps rules, below the folder of its own file.
        elsewhere: what it keeps of that where no file says it, for people.
    """

    name: str
    title: str
    key: str
    mac: str
    windows: str
    linux: str
    typed: bool = False
    fills: bool = False
    rules: tuple[tuple[str, RuleLists], ...] = ()
    elsewhere: str = ""

    def file(self, system: str, home: Path, environ: Mapping[str, str]) -> Path:
        """The file of a user, which need not be there.

        Args:
            system: as ``sys.platform``.
            home: the user's.
            environ: for ``APPDATA`` and ``XDG_CONFIG_HOME``.
        """
        if system == "win32":
            return _below(self.windows, "%APPDATA%", environ.get("APPDATA"), home / "AppData/Roaming", home)
        if system == "darwin":
            return home / self.mac
        return _below(self.linux, ".config", environ.get("XDG_CONFIG_HOME"), home / ".config", home)

    def entry(self, words: Sequence[str], env: Mapping[str, str] | None = None) -> Json:
        """What stands in the file for a server that these words run, with these variables."""
        kind = {"type": "stdio"} if self.typed else {}
        variables = {"env": dict(env)} if env else {}
        return {**kind, "command": words[0], "args": list(words[1:]), **variables}


_LOCATED = ("CALLBOARD_NODE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
"""Where Callboard looks for what is its own: what is trusted, fetched and logged."""

_LISTS = ("PATH", "PYTHONPATH")

_OF_WINDOWS = ("COMSPEC", "PATHEXT")


def entry_environment(environ: Mapping[str, str], system: str) -> dict[str, str]:
    """The variables that go into an entry of ours: with them a board that is started from a desktop finds what one in this shell does.

    None of them is a secret. Folders that are relative to the present one are left out.

    Args:
        environ: of the shell.
        system: as ``sys.platform``.
    """
    found = {}
    for name in _LISTS:
        folders = environ.get(name, "").split(os.pathsep)
        absolute = dict.fromkeys(folder for folder in folders if Path(folder).is_absolute())
        found[name] = os.pathsep.join(absolute)
    found |= {name: environ.get(name, "") for name in _LOCATED if Path(environ.get(name, "")).is_absolute()}
    if system == "win32":
        found |= {name: environ.get(name, "") for name in _OF_WINDOWS}
    return {name: value for name, value in found.items() if value}


def placeholders_of(servers: Collection[Any], environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that servers are filled from or inherit, as a client fills them into an entry of ours; of those that are set here.

    No value of theirs is written.
    """
    names = {name.removeprefix("env:") for server in servers for name in named_in(server, of_clients=True)}
    for server in servers:
        given = server.get(INHERIT) if isinstance(server, dict) else None
        names |= {name for name in given if isinstance(name, str)} if isinstance(given, list) else set()
    return {name: f"${{env:{name}}}" for name in sorted(names) if name in environ and name not in _LISTS}


def _below(path: str, folder: str, said: str | None, usual: Path, home: Path) -> Path:
    if not path.startswith(folder + "/"):
        return home / path
    return (Path(said) if said else usual) / path.removeprefix(folder + "/")


_SETTINGS = RuleLists(
    CLAUDE_CODE, (("permissions", "allow"),), (("permissions", "deny"), ("permissions", "ask"))
)
_CLI = RuleLists(CURSOR_CLI, (("permissions", "allow"),), (("permissions", "deny"),))
_ASKS_ANEW = "keeps in its own storage which tools run without a question; it asks anew"


CLIENTS = {
    client.name: client
    for client in (
        Client(
            "claude",
            "Claude Desktop",
            "mcpServers",
            "Library/Application Support/Claude/claude_desktop_config.json",
            "%APPDATA%/Claude/claude_desktop_config.json",
            ".config/Claude/claude_desktop_config.json",
            elsewhere=f"Claude Desktop {_ASKS_ANEW}",
        ),
        Client(
            "claude-code",
            "Claude Code",
            "mcpServers",
            ".claude.json",
            ".claude.json",
            ".claude.json",
            rules=((".claude/settings.json", _SETTINGS), (".claude/settings.local.json", _SETTINGS)),
            elsewhere="lists of tools of agents, skills and commands (.claude/agents/*.md and the like) and options of the command line are not "
            "rewritten",
        ),
        Client(
            "cursor",
            "Cursor",
            "mcpServers",
            ".cursor/mcp.json",
            ".cursor/mcp.json",
            ".cursor/mcp.json",
            fills=True,
            rules=(
                ("permissions.json", RuleLists(CURSOR, (("mcpAllowlist",),))),
                ("cli-config.json", _CLI),
                ("cli.json", _CLI),
            ),
            elsewhere="Cursor keeps the list of its settings, which holds without permissions.json, in its own storage",
        ),
        Client(
            "vscode",
            "VS Code",
            "servers",
            "Library/Application Support/Code/User/mcp.json",
            "%APPDATA%/Code/User/mcp.json",
            ".config/Code/User/mcp.json",
            typed=True,
            fills=True,
            elsewhere=f"VS Code {_ASKS_ANEW}, and tools that modes and prompts name (fs/read) are not rewritten",
        ),
        Client(
            "windsurf",
            "Windsurf",
            "mcpServers",
            ".codeium/windsurf/mcp_config.json",
            ".codeium/windsurf/mcp_config.json",
            ".codeium/windsurf/mcp_config.json",
            fills=True,
            elsewhere=f"Windsurf {_ASKS_ANEW}",
        ),
    )
}
"""By name."""
