"""MCP servers as plugins: an entry of ours, which may also be what another client of MCP has in its file.

    {"mcp": {"command": ["npx", "-y", "@modelcontextprotocol/server-filesystem", "./data"], "id": "files"}}
    {"mcp": {"command": "uvx", "args": ["mcp-server-git"], "env": {"TOKEN": "${env:GIT_TOKEN}"}, "type": "stdio"}}

No shell reads the words. Texts may hold placeholders, in the spellings of VS Code, Cursor and Claude Code; they are filled where the server is
loaded:

| placeholder | is filled with |
|---|---|
| ``${env:NAME}``, ``${NAME}`` | the variable; a ``${NAME:-word}`` without one with the word |
| ``${workspaceFolder}`` | the folder of the file |
| ``${workspaceFolderBasename}`` | its name |
| ``${userHome}`` | the home of the user |
| ``${pathSeparator}``, ``${/}`` | what separates the parts of a path |
| ``${input:NAME}`` | nothing: only its client asks a person for it |

What is wrong is said as the rest of a sentence about the entry.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen
from ...base.suggestions import meant
from .program import SourceProblem, is_word, name_of_command

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

OURS = frozenset({"command", "args", "cwd", "env", "envFile", "id", "revision", "roots"})

CLIENTS = frozenset(
    {"alwaysAllow", "autoApprove", "description", "disabled", "headers", "icon", "timeout", "type", "url"}
)
"""Keys of other clients. ``type`` and ``disabled`` are honoured; the others are the client's own affair, or not supported."""


@frozen
class McpSource:
    """An MCP server that is spoken to over its pipes. Texts may hold placeholders.

    Attributes:
        command: its words; the first is a name that is looked up on PATH, or, with a slash in it, a path.
        base: the folder of the configuration.
        id: the plugin's name.
        cwd: where it runs, relative to ``base``.
        env: variables that it gets.
        env_file: a file of more of them, relative to ``base``.
        revision: the revision of MCP to speak; found out if ``None``.
        roots: folders that it may work in, if it asks; relative to ``base``.
    """

    command: tuple[str, ...]
    base: Path
    id: str
    cwd: str = "."
    env: tuple[tuple[str, str], ...] = ()
    env_file: str | None = None
    revision: str | None = None
    roots: tuple[str, ...] = ()


def parse_mcp(value: Any, base: Path) -> McpSource:
    """Read what stands under the key ``mcp``.

    Raises:
        SourceProblem: it is no such mapping, is disabled, or is not spoken to over pipes; says what was probably meant.
    """
    if not isinstance(value, dict):
        raise SourceProblem("has an 'mcp' that is no mapping")
    for key in value:
        if key not in OURS | CLIENTS:
            raise SourceProblem(f"has the unknown key {key!r} in 'mcp'; {meant(str(key), OURS)}")
    if value.get("disabled") is True:
        raise SourceProblem("is disabled where it is configured")
    if "url" in value or value.get("type", "stdio") != "stdio":
        raise SourceProblem("is a server over HTTP; Callboard speaks to servers over their pipes only so far")
    for key in ("cwd", "id", "revision", "envFile"):
        if key in value and (not is_word(value[key]) or not value[key]):
            raise SourceProblem(f"has {value[key]!r:.100} as {key!r} of 'mcp'; it has to be a text")
    words = _words(value)
    return McpSource(
        words,
        base.absolute(),
        value.get("id") or name_of_command(words),
        value.get("cwd", "."),
        _variables(value.get("env", {})),
        value.get("envFile"),
        value.get("revision"),
        _list(value, "roots", "folders"),
    )


def _words(value: dict[str, Any]) -> tuple[str, ...]:
    command = value.get("command")
    words = [command] if isinstance(command, str) else command
    if not isinstance(words, list | tuple) or not words or not all(map(is_word, words)) or not words[0]:
        raise SourceProblem(
            f"has {command!r:.100} as 'command' of 'mcp'; it has to be a program, or a list of words without NUL"
        )
    return (*words, *_list(value, "args", "words"))


def _list(value: dict[str, Any], key: str, what: str) -> tuple[str, ...]:
    words = value.get(key, [])
    if not isinstance(words, list | tuple) or not all(map(is_word, words)):
        raise SourceProblem(
            f"has {words!r:.100} as {key!r} of 'mcp'; it has to be a list of {what} without NUL"
        )
    return tuple(words)


def _variables(env: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(env, dict) or not all(is_word(name) and is_word(value) for name, value in env.items()):
        raise SourceProblem("has an 'env' in 'mcp' that is no mapping of names to texts without NUL")
    return tuple(env.items())


_PLACEHOLDER = re.compile(r"\$\{(?P<kind>env:|input:)?(?P<name>[^${}:]+|/)(?::-(?P<default>[^{}]*))?\}")


class Unfilled(ValueError):
    """A placeholder that cannot be filled; says which, why, and what to do.

    Attributes:
        name: what it names.
    """

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(problem)
        self.name = name


def fill(text: str, environment: Mapping[str, str], folder: Path, home: Path, separator: str) -> str:
    """The text with its placeholders filled. What was filled in is not read again.

    Args:
        text: of a client's file.
        environment: the variables that may be filled in.
        folder: where the file is.
        home: that of the user.
        separator: what separates the parts of a path.

    Raises:
        Unfilled: a variable is not set, or a person would have to be asked.
    """
    known = {
        "workspaceFolder": str(folder),
        "workspaceFolderBasename": folder.name,
        "userHome": str(home),
        "pathSeparator": separator,
        "/": separator,
    }

    def filled(found: re.Match[str]) -> str:
        kind, name, default = found["kind"], found["name"], found["default"]
        if kind == "input:":
            raise Unfilled(
                name,
                f"needs the input {name!r}, for which only its own client asks; write ${{env:NAME}} in its place, and set that variable",
            )
        if kind is None and name in known:
            return known[name]
        if name in environment:
            return environment[name]
        if default is not None:
            return default
        raise Unfilled(name, f"needs the variable {name!r}, which is not set; set it")

    return _PLACEHOLDER.sub(filled, text)
