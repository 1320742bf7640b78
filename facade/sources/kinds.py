"""All kinds of plugin sources: the one list of them, and every spelling of a source read into one frozen value.

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
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ..base.errors import PluginLoadError
from ..base.suggestions import meant
from ..hosts.bash.source import SPELLING as BASH
from ..hosts.command.source import SPELLING as COMMAND
from ..hosts.hosted_source import HostedSource
from ..plugins.sources.git_url import without_secrets
from ..plugins.sources.mcp import SPELLING as MCP
from ..plugins.sources.mcp import McpSource
from ..plugins.sources.node_source import NodeFileSource, NodeGitSource, NodePackageSource
from ..plugins.sources.node_spelling import SPELLING as NODE
from ..plugins.sources.npm_source import NpmSource
from ..plugins.sources.python_source import SPELLING as PYTHON
from ..plugins.sources.python_source import InstalledSource, PythonObject, PythonPackageSource
from ..plugins.sources.source import SourceProblem, Spelling, UnderKey, located

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PluginSource = (
    PythonObject
    | PythonPackageSource
    | InstalledSource
    | NodeFileSource
    | NodePackageSource
    | NodeGitSource
    | NpmSource
    | McpSource
    | HostedSource
)
"""Every source is one of these; a kind whose plugin runs in a plain host derives from `HostedSource`."""

SPELLINGS: Final[tuple[Spelling[PluginSource], ...]] = (NODE, PYTHON, BASH, COMMAND, MCP)

_UNDER_KEYS: Final[dict[str, UnderKey[PluginSource]]] = {
    each.under_key.key: each.under_key for each in SPELLINGS if each.under_key is not None
}
_PREFIXES: Final[dict[str, Callable[[str, Path], PluginSource]]] = {
    prefix: parse for each in SPELLINGS for prefix, parse in each.prefixes.items()
}

_PLUGIN: Final = "plugin"

SOURCE_KEYS: Final = frozenset({_PLUGIN, *_UNDER_KEYS})
"""The keys of a mapping that say where a plugin comes from."""

_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")


def parse_source(spelling: str | Mapping[str, Any], base: Path) -> PluginSource:
    """Read one plugin source; a mapping may hold further keys, which are not looked at.

    Args:
        spelling: as in the table above.
        base: what relative paths are relative to.

    Raises:
        PluginLoadError: it is no source; says what is wrong and what was probably meant.
    """
    try:
        return _parse_text(spelling, base) if isinstance(spelling, str) else _parse_entry(spelling, base)
    except SourceProblem as problem:
        text = spelled(spelling)
        raise PluginLoadError(f"the plugin source {text!r} {problem}", plugin=text) from None


def _parse_entry(entry: Mapping[str, Any], base: Path) -> PluginSource:
    keys = SOURCE_KEYS & entry.keys()
    if len(keys) != 1:
        *first, last = (repr(key) for key in (_PLUGIN, *_UNDER_KEYS))
        raise SourceProblem(f"needs exactly one of the keys {', '.join(first)} and {last}")
    (key,) = keys
    if key != _PLUGIN:
        return _UNDER_KEYS[key].parse(entry[key], base)
    text = entry[_PLUGIN]
    if not isinstance(text, str):
        raise SourceProblem(f"has {text!r} as {_PLUGIN!r}; it has to be a text")
    return _parse_text(text, base)


def _parse_text(text: str, base: Path) -> PluginSource:
    prefix, colon, rest = text.partition(":")
    if not colon:
        if _DOTTED.fullmatch(text):
            return PythonObject(text)
        kinds = ", ".join(f"{each}:" for each in _PREFIXES)
        raise SourceProblem(
            "is neither a dotted path such as 'my_package.my_module.MyTool' nor begins with a kind, "
            f"which is one of {kinds}{_proposed(text, base)}"
        )
    if prefix not in _PREFIXES:
        known = [f"{each}:" for each in _PREFIXES]
        raise SourceProblem(f"begins with {prefix + ':'!r}; {meant(prefix + ':', known)}")
    if not rest:
        raise SourceProblem(f"has nothing after {prefix + ':'!r}")
    return _PREFIXES[prefix](rest, base)


def _proposed(text: str, base: Path) -> str:
    """What was probably meant by a path without a kind, as the end of a sentence. Only here is a file looked at, since only the error depends on it."""
    if not text:
        return ""
    place = located(text, base)
    try:
        found = next(filter(None, (each.proposed(text, place) for each in SPELLINGS)), None)
    except (OSError, ValueError):  # too long for a path, or with a NUL
        return ""
    return "" if found is None else f"; did you mean {found}?"


def spelled(entry: Any) -> str:
    """What an entry is called before its plugin has a name: its source, without the options.

    Args:
        entry: whatever stands in the place of one; what is no source is shown as it is.
    """
    match entry:
        case str(text) | {"plugin": str(text)}:
            prefix, _, url = text.partition(":")
            return f"{prefix}:{without_secrets(url)}" if prefix == "node+git" else text
        case Mapping():
            for key, under_key in _UNDER_KEYS.items():
                if key in entry and (name := under_key.name(entry)) is not None:
                    return name
    return f"{entry!r:.200}"
