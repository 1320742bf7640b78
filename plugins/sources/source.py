"""Where a plugin comes from: every spelling of a plugin source, read into one frozen value.

| spelling | value |
|---|---|
| ``"package.module.PluginClass"`` | `PythonObject` |
| ``"path:DIRECTORY"`` | `PythonPackageSource` |
| ``"entry_point:NAME"``, ``"entry_point:*"`` | `InstalledSource` |
| ``"node:DIRECTORY"``, ``{"node_tool": {"path": DIRECTORY}}`` | `NodePackageSource` |
| ``"node+git:URL#REF"``, ``{"node_tool": {"git": URL, "ref": REF, "submodules": BOOL}}`` | `NodeGitSource` |
| ``"npm:NAME@VERSION"``, ``{"node_tool": {"npm": "NAME@VERSION", "integrity": "sha512-…"}}`` | `NpmSource` |
| ``{"node_tool": {"file": FILE, "id": ID}}`` | `NodeFileSource` |
| ``{"host": {"command": [WORD, …], "protocol": "thp/1", "cwd": DIRECTORY, "id": ID}}`` | `CommandSource` |
| ``{"mcp": {"command": [WORD, …], …}}`` or ``{"mcp": {"url": …}}``, or as other clients of MCP have it | `McpSource` |
| ``"bash:PATH"``, ``{"bash_tool": {"path": DIRECTORY}}``, ``{"bash_tool": {"file": FILE, "id": ID}}`` | `BashSource` |
| ``{"plugin": SPELLING}`` | that of the spelling; for an entry that has options |

Reading looks at no file, but to say what was meant by a path without a kind, and to see where ``..`` leads: relative paths are
made absolute and lose their ``..``, and whether something is there is for the loader to find out.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

from ...base.errors import PluginLoadError
from ...base.frozen import frozen
from ...base.paths import at_home
from ...base.suggestions import meant
from ..npm.npm_source import NpmSource, read_npm_source
from .git_url import address_problem, is_local, ref_problem, without_secrets
from .mcp import McpSource, parse_mcp
from .program import (
    BashSource,
    CommandSource,
    SourceProblem,
    bash_source,
    located,
    parse_bash,
    parse_command,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@frozen
class PythonObject:
    """A class or an instance in an importable module, by its dotted path."""

    path: str


@frozen
class PythonPackageSource:
    """A directory with an ``agent_plugin.json``."""

    directory: Path


@frozen
class InstalledSource:
    """A plugin that an installed distribution offers, by the name of its entry point; ``*`` for all of them."""

    name: str


@frozen
class NodePackageSource:
    """A directory with a ``package.json`` that lists tools."""

    directory: Path


@frozen
class NodeGitSource:
    """A repository that holds a Node package.

    Attributes:
        url: its address, or the absolute path of one on this machine.
        ref: a branch, a tag or a commit; the default branch if ``None``.
        submodules: those of the repository are fetched too.
    """

    url: str
    ref: str | None = None
    submodules: bool = False


@frozen
class NodeFileSource:
    """A single JavaScript or TypeScript file.

    Attributes:
        file: the module.
        id: the plugin's name; that of the file, without its suffix, unless it is given.
        export: which export is the tool; the default export if ``None``.
    """

    file: Path
    id: str
    export: str | None = None


PluginSource = (
    PythonObject
    | PythonPackageSource
    | InstalledSource
    | NodePackageSource
    | NodeGitSource
    | NpmSource
    | NodeFileSource
    | CommandSource
    | BashSource
    | McpSource
)

SOURCE_KEYS = frozenset({"plugin", "node_tool", "bash_tool", "host", "mcp"})
"""The keys of a mapping that say where a plugin comes from."""

_KEYS_SAID = "'plugin', 'node_tool', 'bash_tool', 'host' and 'mcp'"

_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")
NODE_KEYS = {
    "path": {"path"},
    "git": {"git", "ref", "submodules"},
    "npm": {"npm", "integrity"},
    "file": {"file", "id", "export"},
}


def parse_source(spelling: str | Mapping[str, Any], base: Path) -> PluginSource:
    """Read one plugin source; a mapping may hold further keys, which are not looked at.

    Args:
        spelling: as in the table above.
        base: what relative paths are relative to.

    Raises:
        PluginLoadError: it is no source; says what is wrong and what was probably meant.
    """
    if isinstance(spelling, str):
        return _parse_text(spelling, base)
    if len(SOURCE_KEYS & spelling.keys()) != 1:
        raise _refused(spelling, f"needs exactly one of the keys {_KEYS_SAID}")
    if "node_tool" in spelling:
        return _parse_node_tool(spelling["node_tool"], base, spelling)
    try:
        if "host" in spelling:
            return parse_command(spelling["host"], base)
        if "bash_tool" in spelling:
            return parse_bash(spelling["bash_tool"], base)
        if "mcp" in spelling:
            return parse_mcp(spelling["mcp"], base)
    except SourceProblem as problem:
        raise _refused(spelling, str(problem)) from None
    text = spelling["plugin"]
    if not isinstance(text, str):
        raise _refused(spelling, f"has {text!r} as 'plugin'; it has to be a text")
    return _parse_text(text, base)


def _parse_text(text: str, base: Path) -> PluginSource:
    prefix, colon, rest = text.partition(":")
    if not colon:
        if _DOTTED.fullmatch(text):
            return PythonObject(text)
        raise _refused(
            text,
            f"is neither a dotted path such as 'my_package.my_module.MyTool' nor {_KIND_SAID}{_proposed(text, base)}",
        )
    if prefix not in _PREFIXES:
        raise _refused(
            text, f"begins with {prefix + ':'!r}; {meant(prefix + ':', [p + ':' for p in _PREFIXES])}"
        )
    if not rest:
        raise _refused(text, f"has nothing after {prefix + ':'!r}")
    if prefix == "node+git":
        url, _, ref = rest.partition("#")
        return _git(text, url, ref or None, base)
    if prefix == "npm":
        return _npm(text, rest)
    if prefix == "entry_point":
        return InstalledSource(rest)
    if prefix == "bash":
        return bash_source(rest, base)
    directory = located(rest, base)
    return PythonPackageSource(directory) if prefix == "path" else NodePackageSource(directory)


_PREFIXES = ("path", "entry_point", "node", "node+git", "npm", "bash")
_KIND_SAID = f"begins with a kind, which is one of {', '.join(f'{prefix}:' for prefix in _PREFIXES)}"
_BY_FILE = {"agent_plugin.json": "path", "package.json": "node"}
"""The kind of a folder that has such a file."""


def _proposed(text: str, base: Path) -> str:
    """What was probably meant by a path without a kind, as the end of a sentence. Only here is a file looked at, since only the error depends on it."""
    if not text:
        return ""
    place = located(text, base)
    try:
        kind = next((kind for file, kind in _BY_FILE.items() if (place / file).is_file()), None)
        if place.is_file() and place.suffix in _SCRIPTS:
            return f"; did you mean {{'node_tool': {{'file': {text!r}}}}}?"
        if kind is None and (place.is_dir() or place.is_file()):
            kind = "bash" if place.suffix == ".sh" or any(place.glob("*.sh")) else None
    except (OSError, ValueError):  # too long for a path, or with a NUL
        kind = None
    return "" if kind is None else f"; did you mean '{kind}:{text}'?"


_SCRIPTS = frozenset({".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"})


def _parse_node_tool(value: Any, base: Path, entry: Any) -> PluginSource:
    if not isinstance(value, dict):
        raise _refused(entry, "has a 'node_tool' that is no mapping")
    kinds = NODE_KEYS.keys() & value.keys()
    if len(kinds) != 1:
        known = {key for keys in NODE_KEYS.values() for key in keys}
        hints = [f"{key!r}: {meant(key, known)}" for key in value if key not in known]
        hint = f" ({'; '.join(hints)})" if hints else ""
        raise _refused(
            entry, f"has a 'node_tool' without exactly one of 'path', 'git', 'npm' and 'file'{hint}"
        )
    kind = kinds.pop()
    _require_keys(entry, value, kind)
    if kind == "path":
        return NodePackageSource(located(value["path"], base))
    if kind == "git":
        return _git(entry, value["git"], value.get("ref"), base, submodules=value.get("submodules", False))
    if kind == "npm":
        return _npm(entry, value["npm"], value.get("integrity"))
    file = located(value["file"], base)
    return NodeFileSource(file, value.get("id") or file.stem, value.get("export"))


def _require_keys(entry: Any, value: dict[str, Any], kind: str) -> None:
    for key, item in value.items():
        if key not in NODE_KEYS[kind]:
            raise _refused(
                entry, f"has the unknown key {key!r} in 'node_tool'; {meant(key, NODE_KEYS[kind])}"
            )
        if key == "submodules":
            if not isinstance(item, bool):
                raise _refused(entry, f"has {item!r} as {key!r} of 'node_tool'; it has to be true or false")
        elif not isinstance(item, str) or not item:
            raise _refused(entry, f"has {item!r} as {key!r} of 'node_tool'; it has to be a text")


def _git(entry: Any, url: str, ref: str | None, base: Path, *, submodules: bool = False) -> NodeGitSource:
    if not url:
        raise _refused(entry, "has no repository address before '#'")
    for word, problem in ((url, address_problem(url)), (ref, ref_problem(ref) if ref else None)):
        if problem is not None:
            raise _refused(entry, f"has {word!r}, which {problem}")
    return NodeGitSource(str(base.absolute() / at_home(url)) if is_local(url) else url, ref, submodules)


def _npm(entry: Any, text: str, integrity: str | None = None) -> NpmSource:
    try:
        return read_npm_source(text, integrity)
    except ValueError as problem:
        raise _refused(entry, str(problem)) from None


def _refused(spelling: Any, problem: str) -> PluginLoadError:
    text = spelled(spelling)
    return PluginLoadError(f"the plugin source {text!r} {problem}", plugin=text)


def spelled(entry: Any) -> str:
    """What an entry is called before its plugin has a name: its source, without the options.

    Args:
        entry: whatever stands in the place of one; what is no source is shown as it is.
    """
    match entry:
        case str(text) | {"plugin": str(text)}:
            prefix, _, url = text.partition(":")
            return f"{prefix}:{without_secrets(url)}" if prefix == "node+git" else text
        case {"node_tool": tool} if (said := _spelled_node(tool)) is not None:
            return said
        case {"bash_tool": {"path": str(path)} | {"file": str(path)}}:
            return f"bash:{path}"
        case {"mcp": _, "name": str(name)} | {"mcp": {"id": str(name)}}:
            return f"mcp:{name}"
        case {"mcp": {"command": str(program)}} | {"mcp": {"command": [str(program), *_]}}:
            return f"mcp:{program}"
        case {"mcp": _}:  # whose variables and headers are nobody's business
            return "mcp"
        case {"host": _, "name": str(name)} | {"host": {"id": str(name)}}:
            return f"host:{name}"
        case {"host": {"command": [*words]}} if words and all(isinstance(word, str) for word in words):
            return shlex.join(words)
    return f"{entry!r:.200}"


def _spelled_node(tool: Any) -> str | None:
    match tool:
        case {"file": str(file)}:
            return file
        case {"path": str(path)}:
            return f"node:{path}"
        case {"git": str(url)}:
            return f"node+git:{without_secrets(url)}"
        case {"npm": str(name)}:
            return f"npm:{name}"
    return None
