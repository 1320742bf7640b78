"""MCP servers as plugins: an entry of ours, which may also be what another client of MCP has in its file.

    {"mcp": {"command": ["npx", "-y", "@modelcontextprotocol/server-filesystem", "./data"], "id": "files"}}
    {"mcp": {"command": "uvx", "args": ["mcp-server-git"], "env": {"TOKEN": "${env:GIT_TOKEN}"}, "type": "stdio"}}
    {"mcp": {"url": "https://tools.example.org/mcp", "headers": {"Authorization": "Bearer ${env:TOKEN}"}}}

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
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...base.frozen import frozen
from ...base.suggestions import meant
from .mcp_values import read_flag, read_list, read_pairs, read_renamed
from .source import (
    InlineAddress,
    InlineCommand,
    Source,
    SourceProblem,
    Spelling,
    UnderKey,
    is_word,
    name_of_command,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

OURS = frozenset(
    {
        "args", "command", "cwd", "env", "envFile", "headers", "id", "oauth", "pin", "prefix", "result_limit", "revision", "roots",
        "tools", "transport", "trust_annotations", "url",
    }
)  # fmt: skip

PINS = ("off", "tell", "withhold")
"""What becomes of tools that are not declared as they were kept."""

LEAST_RESULT = 1024
"""Bytes; less than that would be all note and no result."""

TOOLS = frozenset({"allow", "deny", "rename"})

OAUTH = frozenset({"callback_port", "client_id", "client_secret", "scopes"})

_PORTS = range(1, 65536)

_SPELLINGS = {"callbackPort": "callback_port", "clientId": "client_id", "clientSecret": "client_secret"}
"""Of other clients."""

CLIENTS = frozenset(
    {"alwaysAllow", "autoApprove", "description", "disabled", "disabledTools", "icon", "timeout", "type"}
)
"""Keys of other clients. ``type``, ``disabled`` and ``disabledTools`` are honoured; the others are the client's own affair, or not supported."""


OF_PROCESSES = ("command", "args", "cwd", "env", "envFile")
"""Keys that only a server which is started here can have."""

OVER_HTTP = frozenset({"http", "streamable-http", "streamableHttp", "streamable_http"})
"""What clients call the transport of a server that has a ``url``."""

OVER_SSE = "sse"
"""What they call the older one."""

STATELESS = "2026-07-28"
"""The revision that has no older transport."""

REVISIONS = (STATELESS, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""What may be asked for as ``revision``; newest first."""

IDLE = {"alwaysAllow": "approval", "autoApprove": "approval", "timeout": "deadline"}
"""Keys of other clients that have no effect here though their authors rely on one, and what to write in a configuration of ours instead."""


@frozen
class McpSource(Source):
    """An MCP server that is spoken to over its pipes, or over HTTP if it has a ``url``. Texts may hold placeholders.

    Attributes:
        command: its words; the first is a name that is looked up on PATH, or, with a slash in it, a path.
        base: the folder of the configuration.
        id: the plugin's name.
        cwd: where it runs, relative to ``base``.
        env: variables that it gets.
        env_file: a file of more of them, relative to ``base``.
        revision: the revision of MCP to speak; found out if ``None``.
        roots: folders that it may work in, if it asks; relative to ``base``.
        allow: patterns of the tools that are offered; ``None`` for all of them, empty for none.
        deny: patterns of tools that are not offered.
        rename: names of tools, and under which they are offered instead.
        prefix: what stands before the names; ``True`` for the plugin's name, ``False`` for none, ``None`` for one if other servers have the
            same names.
        idle: keys of `IDLE` that it has.
        result_limit: the most bytes of a result; the default of the session if ``None``.
        trust_annotations: what it says of its tools decides whether a call may be sent again.
        pin: one of `PINS`; ``None`` for what the profile says.
        url: where it is; then ``command`` is empty.
        headers: of each request to it; their values are secrets.
        older: it has the transport of 2024-11-05 only.
        client_id, client_secret, scopes, callback_port: of ``oauth``: what is said of us where it wants a login.
    """

    command: tuple[str, ...]
    base: Path
    id: str
    cwd: str = "."
    env: tuple[tuple[str, str], ...] = ()
    env_file: str | None = None
    revision: str | None = None
    roots: tuple[str, ...] = ()
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    rename: tuple[tuple[str, str], ...] = ()
    prefix: str | bool | None = None
    trust_annotations: bool = False
    url: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    idle: tuple[str, ...] = ()
    result_limit: int | None = None
    client_id: str | None = None
    client_secret: str | None = None
    scopes: tuple[str, ...] = ()
    callback_port: int | None = None
    pin: str | None = None
    older: bool = False

    def identity(self) -> str:
        return f"mcp:{self.id}"

    def folder(self) -> None:
        return None

    def missing(self, _: Collection[str]) -> Iterator[str]:
        """Look at absolute paths alone: a name is looked up, and a placeholder is filled in, when the server is started."""
        import shutil  # noqa: PLC0415 - only `check` asks what is missing

        program = self.command[0] if self.command else ""
        if Path(program).is_absolute() and "${" not in program and shutil.which(program) is None:
            yield f"there is no program {program!r} that can be run; install it, or correct 'command'"

    def strict(self) -> Mapping[str, Any] | None:
        return {} if self.url is None else None

    def refused(self) -> Mapping[str, str]:
        return _REFUSED if self.url is None else {**_REFUSED, **dict.fromkeys(_OF_PROCESSES, _ELSEWHERE)}

    def inline(self) -> InlineCommand | InlineAddress:
        if self.url is not None:
            return InlineAddress(self.url, tuple(name for name, _ in self.headers))
        variables = tuple(name for name, _ in self.env)
        return InlineCommand(self.command, self.base, self.base / self.cwd, variables, self.env_file)


_REFUSED: Final = {
    "claims": "an MCP server is never asked whose call it is",
    "share": "an MCP server has its host to itself",
    "state_from": "an MCP server has no state that is kept",
}
_OF_PROCESSES: Final = (
    "env", "inherit", "limits.cpu_seconds", "limits.descriptors", "limits.memory", "limits.memory_hard", "sandbox", "secrets",
)  # fmt: skip
_ELSEWHERE: Final = "it is for servers that are started here, and this one is reached by its 'url'"


def parse_mcp(value: Any, base: Path) -> McpSource:
    """Read what stands under the key ``mcp``.

    Raises:
        SourceProblem: it is no such mapping, is disabled, or is reached by a transport that is not spoken; says what was probably meant.
    """
    if not isinstance(value, dict):
        raise SourceProblem("has an 'mcp' that is no mapping")
    for key in value:
        if key not in OURS | CLIENTS:
            raise SourceProblem(f"has the unknown key {key!r} in 'mcp'; {meant(str(key), OURS)}")
    if value.get("disabled") is True:
        raise SourceProblem("is disabled where it is configured")
    kind = _kind(value)
    url = _url(value, kind)
    for key in ("cwd", "id", "revision", "envFile"):
        if key in value and (not is_word(value[key]) or not value[key]):
            raise SourceProblem(f"has {value[key]!r:.100} as {key!r} of 'mcp'; it has to be a text")
    revision = value.get("revision")
    if revision is not None and revision not in REVISIONS:
        raise SourceProblem(
            f"has {revision!r:.100} as 'revision' of 'mcp'; it has to be one of: {', '.join(REVISIONS)}"
        )
    if url is None and value.get("headers"):
        raise SourceProblem("has 'headers' in 'mcp', which are for a server with a 'url'; leave them out")
    words = _words(value) if url is None else ()
    tools = _tools(value.get("tools", {}))
    return McpSource(
        words,
        base.absolute(),
        value.get("id") or (name_of_command(words) if url is None else _name_of_url(url)),
        value.get("cwd", "."),
        read_pairs(value, "env"),
        value.get("envFile"),
        revision,
        read_list(value, "roots", "folders"),
        read_list(tools, "allow", "patterns") if "allow" in tools else None,
        (*read_list(tools, "deny", "patterns"), *read_list(value, "disabledTools", "names")),
        read_renamed(tools.get("rename", {})),
        _prefix(value.get("prefix")),
        read_flag(value, "trust_annotations"),
        url,
        read_pairs(value, "headers"),
        idle=tuple(key for key in IDLE if value.get(key)),
        result_limit=_bytes(value.get("result_limit")),
        pin=_pin(value),
        older=kind == OVER_SSE,
        **_oauth(value.get("oauth", {}), over_http=url is not None),
    )


def _kind(value: dict[str, Any]) -> Any:
    """What an entry calls the transport of its server."""
    kind = value.get("transport", value.get("type", "stdio" if "url" not in value else "http"))
    if "transport" in value and "type" in value and value["type"] != kind:
        raise SourceProblem(
            f"has {kind!r:.100} as 'transport' of 'mcp' beside {value['type']!r:.100} as 'type'; leave one out"
        )
    if kind == OVER_SSE and value.get("revision") == STATELESS:
        raise SourceProblem(
            f"has {STATELESS!r} as 'revision' of 'mcp', which knows no 'sse'; leave one of them out"
        )
    return kind


def _url(value: dict[str, Any], kind: Any) -> str | None:
    """The address of a server over HTTP; ``None`` of one that is started here."""
    url = value.get("url")
    if url is None and kind == "stdio":
        return None
    if kind not in OVER_HTTP and kind != OVER_SSE:
        key = "transport" if "transport" in value else "type"
        raise SourceProblem(f"has {kind!r:.100} as {key!r} of 'mcp'; with a 'url' it can be 'http' or 'sse'")
    for key in OF_PROCESSES:
        if value.get(key):
            raise SourceProblem(
                f"has {key!r} in 'mcp' beside 'url'; a server over HTTP is not started here. Leave one out"
            )
    if not is_word(url) or not url or "@" in url.partition("//")[2].partition("/")[0]:
        # Not said in the error: what is before an @ is a password.
        raise SourceProblem(
            "has a 'url' in 'mcp' that is no address without a user in it; write one such as 'https://example.org/mcp', and "
            "credentials in 'headers'"
        )
    return str(url)


def _oauth(value: Any, *, over_http: bool) -> dict[str, Any]:
    """What is said of us where a server wants a login, by the names of the source. A server's file may have the spellings of other clients."""
    if not isinstance(value, dict):
        raise SourceProblem("has an 'oauth' in 'mcp' that is no mapping")
    if value and not over_http:
        raise SourceProblem("has 'oauth' in 'mcp', which is for a server with a 'url'; leave it out")
    said = {_SPELLINGS.get(str(key), str(key)): each for key, each in value.items()}
    for key in said:
        if key not in OAUTH:
            raise SourceProblem(f"has the unknown key {key!r} in 'oauth' of 'mcp'; {meant(key, OAUTH)}")
    for key in ("client_id", "client_secret"):
        if key in said and (not is_word(said[key]) or not said[key]):
            raise SourceProblem(f"has a {key!r} in 'oauth' of 'mcp' that is no text")
    if "client_secret" in said and "client_id" not in said:
        raise SourceProblem("has a 'client_secret' in 'oauth' of 'mcp' without a 'client_id'")
    scopes = said.get("scopes", [])
    said["scopes"] = read_list(
        {"scopes": scopes.split() if isinstance(scopes, str) else scopes}, "scopes", "scopes"
    )
    port = said.get("callback_port")
    if port is not None and (not isinstance(port, int) or isinstance(port, bool) or port not in _PORTS):
        raise SourceProblem(f"has {port!r:.100} as 'callback_port' in 'oauth' of 'mcp'; it has to be a port")
    return said


def _name_of_url(url: str) -> str:
    """What a server is called that has no name: its host."""
    host = re.sub(
        r"[^A-Za-z0-9_.-]", "", url.partition("//")[2].partition("/")[0].partition(":")[0].partition("?")[0]
    )
    return host or "mcp"


def _tools(value: Any) -> dict[str, Any]:
    if value in ("*", ["*"]):  # as some clients say that all are offered
        return {}
    if not isinstance(value, dict):
        raise SourceProblem(
            f"has {value!r:.100} as 'tools' of 'mcp'; it has to be a mapping with {', '.join(sorted(TOOLS))}"
        )
    for key in value:
        if key not in TOOLS:
            raise SourceProblem(f"has the unknown key {key!r} in 'tools' of 'mcp'; {meant(str(key), TOOLS)}")
    return value


def _prefix(value: Any) -> str | bool | None:
    if value is None or isinstance(value, bool) or (isinstance(value, str) and _PREFIX.fullmatch(value)):
        return value
    raise SourceProblem(
        f"has {value!r:.100} as 'prefix' of 'mcp'; it has to be true, false, or 1 to 32 letters, digits, '-' or '_'"
    )


def _pin(value: dict[str, Any]) -> str | None:
    if "pin" in value and value["pin"] not in PINS:
        raise SourceProblem(
            f"has {value['pin']!r:.100} as 'pin' of 'mcp'; it has to be one of: {', '.join(PINS)}"
        )
    return value.get("pin")


def _bytes(value: Any) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= LEAST_RESULT):
        return value
    raise SourceProblem(
        f"has {value!r:.100} as 'result_limit' of 'mcp'; it has to be a number of bytes, at least {LEAST_RESULT}"
    )


def _words(value: dict[str, Any]) -> tuple[str, ...]:
    command = value.get("command")
    words = [command] if isinstance(command, str) else command
    if not isinstance(words, list | tuple) or not words or not all(map(is_word, words)) or not words[0]:
        raise SourceProblem(
            f"has {command!r:.100} as 'command' of 'mcp'; it has to be a program, or a list of words without NUL"
        )
    return (*words, *read_list(value, "args", "words"))


_PREFIX = re.compile(r"[A-Za-z0-9_-]{1,32}")


def _name(entry: Mapping[str, Any]) -> str:
    match entry:
        case {"mcp": _, "name": str(name)} | {"mcp": {"id": str(name)}}:
            return f"mcp:{name}"
        case {"mcp": {"command": str(program)}} | {"mcp": {"command": [str(program), *_]}}:
            return f"mcp:{program}"
    return "mcp"  # its variables and headers are nobody's business


def _not_proposed(_: str, __: Path) -> None:
    """No path leads to a server."""


_TEXT: Final = {"type": "string", "minLength": 1}

SPELLING: Final[Spelling[McpSource]] = Spelling(
    under_key=UnderKey(
        "mcp",
        {
            "type": "object",
            "properties": {key: {} for key in sorted(OURS | CLIENTS)}
            | dict.fromkeys(("url", "cwd", "id", "envFile"), _TEXT),
            "additionalProperties": False,
        },
        parse_mcp,
        _name,
    ),
    prefixes={},
    proposed=_not_proposed,
    templates=(),
)
