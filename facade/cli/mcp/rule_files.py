"""The files in which a client keeps what it allows and denies: found, read, and rewritten or restored with what moves."""

from __future__ import annotations

import os
import sys
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen
from ...config.json_text import JsonTextError, raw, read
from ...mcp_clients.client_file import ClientFileError, read_file
from ...mcp_clients.rule_texts import change_rules, joined, restored
from ...trust.runs import is_users_own
from .changing import OtherFile

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from ...mcp_clients.client import Client
    from ...mcp_clients.rules import Moved, Rewritten, RuleLists

_CODE = "claude-code"
_MOST_PROJECTS = 500

_SHARED_BY_ALL = {
    "linux": "/etc/claude-code/managed-settings.json",
    "darwin": "/Library/Application Support/ClaudeCode/managed-settings.json",
    "win32": r"C:\Program Files\ClaudeCode\managed-settings.json",
}
_SAMPLES = 3
_OF_PATTERNS = frozenset("*?[")
"""Characters that make a pattern of a name in ``tools.allow``."""


@frozen
class Rewriting:
    """What becomes of the rules of a client.

    Attributes:
        others: the files.
        notes: what restores them, by file.
        held: servers that must not move, each with the reason.
        later: the tools of servers that may offer no others.
        said: what is said of it.
    """

    others: tuple[OtherFile, ...] = ()
    notes: Mapping[str, Sequence[dict[str, Any]]] = field(default_factory=dict)
    held: Mapping[str, str] = field(default_factory=dict)
    later: Mapping[str, list[str]] = field(default_factory=dict)
    said: tuple[str, ...] = ()


class RuleFiles:
    """The files of rules of one client.

    Args:
        client: whose.
        file: its own file.
        text: what stands in that.
        record: the notes of an earlier time, by file.

    Raises:
        JsonTextError: the notes cannot be read.
    """

    def __init__(self, client: Client, file: Path, text: str, record: Mapping[str, Sequence[Any]]) -> None:
        self._client = client
        self._record = record
        self._unread: list[str] = []
        self._disabled = _disabled(text) if client.name == _CODE else {}
        self._texts: list[tuple[Path, RuleLists, str, bool]] = []
        for place, lists, ours in _places(client, file, text):
            try:
                found = read_file(place)
                if found is None or not isinstance(read(found), dict):
                    continue
                for path in lists.paths:
                    raw(found, path)  # which refuses what could not be changed
                self._texts.append((place, lists, found, ours))
            except (ClientFileError, JsonTextError) as error:
                said = str(error) if isinstance(error, ClientFileError) else f"{place} {error}"
                self._unread.append(f"  rules  {said}; what stands there is not rewritten")

    def rewritten(self, moved: Moved, servers: Mapping[str, Any]) -> Rewriting:
        """Rewrite all rules for what moves.

        Args:
            moved: what moves, with its tools.
            servers: their entries.
        """
        found = _Found([*self._names(moved), *self._unread])
        there = {str(file) for file, *_ in self._texts}
        found.notes |= {file: notes for file, notes in self._record.items() if file not in there}
        found.held |= {
            server: f"it is disabled in {folder}"
            for server, folder in self._disabled.items()
            if server in servers
        }
        for file, lists, text, ours in self._texts:
            own = restored(text, lists, self._record.get(str(file), ())) if ours else text
            change = change_rules(own, lists, moved)
            for path, one in change.found:
                found.said += [
                    f"  rules  {rule!r} in {file} stays as it is: {why}" for rule, why in one.unsaid
                ]
                found.held |= dict.fromkeys(one.held, f"{file} denies tools of it")
                if not ours:
                    found.leave(file, one, denies=path in lists.denying)
                elif one.later:
                    found.limit(file, one.later, moved, servers)
            if ours:
                found.notes[str(file)] = change.notes
                found.others.append(OtherFile(file, text, joined(text, change.after, lists), change.after))
        return Rewriting(tuple(found.others), found.notes, found.held, found.later, tuple(found.said))

    def restored(self) -> Rewriting:
        """Take it all back."""
        others, said = [], list(self._unread)
        for file, lists, text, ours in self._texts:
            kept = self._record.get(str(file), ())
            if ours and kept:
                after = restored(text, lists, kept)
                others.append(OtherFile(file, text, joined(text, after, lists), after))
        there = {str(file) for file, *_ in self._texts}
        said += [
            f"  rules  {file} is not there any more; nothing is restored in it"
            for file in self._record
            if file not in there
        ]
        return Rewriting(tuple(others), said=tuple(said))

    def _names(self, moved: Moved) -> Iterator[str]:
        """What becomes of full names."""
        write = self._client.rules[0][1].grammar.write if self._client.rules else "{}: {}".format
        for server in dict.fromkeys(tool.server for tool in moved.tools):
            tools = [tool for tool in moved.tools if tool.server == server]
            for tool in tools[:_SAMPLES]:
                yield f"  name   {write(server, tool.own)} becomes {write(moved.board, tool.served)}"
            if len(tools) > _SAMPLES:
                yield f"  name   and so on, for {len(tools) - _SAMPLES} more of {server}"
        if moved.tools and self._client.elsewhere:
            yield f"  rules  {self._client.elsewhere}"


class _Found:
    """What is found of all files."""

    def __init__(self, said: list[str]) -> None:
        self.others: list[OtherFile] = []
        self.notes: dict[str, Sequence[dict[str, Any]]] = {}
        self.held: dict[str, str] = {}
        self.later: dict[str, list[str]] = {}
        self.said = said

    def leave(self, file: Path, one: Rewritten, *, denies: bool) -> None:
        """A file that others share is not changed: what it denies does not move."""
        if denies:
            self.held |= dict.fromkeys(one.touched, f"{file} denies tools of it, and others share that file")
        else:
            self.said += [
                f"  rules  {rule!r} in {file} is not rewritten: others share that file"
                for rule in one.removed
            ]

    def limit(self, file: Path, servers: Collection[str], moved: Moved, entries: Mapping[str, Any]) -> None:
        """A pattern denies what a server may get later, too: it offers nothing but what it has now."""
        for server in sorted(servers):
            tools = [tool.own for tool in moved.tools if tool.server == server]
            if not tools or "tools" in entries[server] or any(_OF_PATTERNS & {*tool} for tool in tools):
                self.held[server] = f"a pattern in {file} denies tools of it"
            else:
                self.later[server] = tools
                self.said.append(
                    f"  rules  {server} offers no tools but those that it has now: a pattern in {file} denies others, too"
                )


def _places(client: Client, file: Path, text: str) -> Iterator[tuple[Path, RuleLists, bool]]:
    """Yield each file of rules, its lists, and whether it is this user's to change."""
    usual = client.file(sys.platform, Path.home(), os.environ)
    own = is_users_own(file)
    for path, lists in client.rules:
        place = file.parent / path
        shared = client.name == _CODE and "local" not in place.name
        yield place, lists, own or not (shared or _is_led_away(place, file.parent))
        if not own and usual.parent != file.parent:
            yield usual.parent / path, lists, False
    if client.name != _CODE:
        return
    lists = client.rules[0][1]
    yield Path(_SHARED_BY_ALL.get(sys.platform, _SHARED_BY_ALL["linux"])), lists, False
    for project in _projects(text) if own else ():
        if project != file.parent:
            local = project / ".claude" / "settings.local.json"
            yield local, lists, not _is_led_away(local, project)
            yield project / ".claude" / "settings.json", lists, False


def _is_led_away(file: Path, folder: Path) -> bool:
    """Whether a file below a folder, which may have come from anybody, is a link, or lies in one."""
    return any(
        each.is_symlink() for each in (file, *file.parents) if each.is_relative_to(folder) and each != folder
    )


def _projects(text: str) -> dict[Path, Any]:
    """The folders in which a user of Claude Code has worked, as its file names them, with what stands there of each."""
    given = read(text) if text.strip("\ufeff \t\r\n") else {}
    projects = given.get("projects") if isinstance(given, dict) else None
    named = [(Path(key), value) for key, value in projects.items()] if isinstance(projects, dict) else []
    return dict([each for each in named if each[0].is_absolute()][:_MOST_PROJECTS])


def _disabled(text: str) -> dict[str, Path]:
    """The servers that a user of Claude Code has switched off in a folder, with the first of those: behind a board they would be on."""
    found: dict[str, Path] = {}
    for folder, project in _projects(text).items():
        names = project.get("disabledMcpServers") if isinstance(project, dict) else None
        for name in names if isinstance(names, list) else ():
            if isinstance(name, str):
                found.setdefault(name, folder)
    return found
