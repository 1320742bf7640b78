"""The tools of a Node package: ``package.json#agent.tools``, read into frozen values.

Reading does not ask whether an entry file is there: a package may have to be built first. That is
`NodePackage.missing_entries`, asked after the build.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from ...base.errors import PluginLoadError
from ...base.frozen import frozen
from ...base.paths import resolved
from ...base.suggestions import meant
from .manifest_file import inside, read_manifest_file

if TYPE_CHECKING:
    from pathlib import Path

MAX_TOOLS = 1_000
"""Tools of one package; each becomes a plugin of its own."""

_FILE = "package.json"
_KEYS = frozenset({"id", "entry", "source", "export"})
_EXAMPLE = '{"agent": {"tools": [{"id": "echo", "entry": "dist/index.js"}]}}'


@frozen
class NodeToolEntry:
    """One tool plugin of a package.

    Attributes:
        id: the plugin's name; unique in its package.
        entry: the module, an absolute path inside the package; it may not exist yet. What it is built of, if the
            package says so, has it, and is not installed in ``node_modules``.
        export: which export is the tool; the default export if ``None``.
    """

    id: str
    entry: Path
    export: str | None


@frozen
class NodePackage:
    """A Node package that offers tools.

    Attributes:
        directory: where it is.
        name: its name in ``package.json``, or that of its directory.
        version: as it says, or ``"0"``.
        tools: at least one.
        builds: it has a ``build`` script.
        wants_esbuild: that calls esbuild, which is none of its dependencies.
        has_dependencies: it needs other packages to run or to be built.
        dependencies: the packages that it needs to run.
        outside: those of all that are named by a path which leads out of the package.
    """

    directory: Path
    name: str
    version: str
    tools: tuple[NodeToolEntry, ...]
    builds: bool
    has_dependencies: bool
    wants_esbuild: bool = False
    dependencies: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()

    def missing_entries(self) -> tuple[NodeToolEntry, ...]:
        """Return the tools whose module is not there."""
        return tuple(tool for tool in self.tools if not tool.entry.is_file())

    def require_entry(self, tool: NodeToolEntry) -> None:
        """Make sure that a tool's module is there.

        Raises:
            PluginLoadError: it is not; says whether a build may be what is missing.
        """
        if tool.entry.is_file():
            return
        remedy = "build the package (npm run build)" if self.builds else "correct 'entry', or add the file"
        raise PluginLoadError(
            f"tool {tool.id!r} of {self.directory} has no module: "
            f"{tool.entry} {'is a folder' if tool.entry.is_dir() else 'does not exist'}; {remedy}",
            plugin=str(self.directory),
        )


def read_node_package(directory: Path) -> NodePackage:
    """Read a package's manifest.

    Raises:
        PluginLoadError: there is no manifest, it lists no tools, or lists them in another way than
            ``{"id", "entry", "source"?, "export"?}``, twice by one id, or with an entry outside the package.
    """
    manifest = read_manifest_file(directory, _FILE, f"name a Node package that has one with {_EXAMPLE}")
    agent = manifest.get("agent")
    tools = agent.get("tools") if isinstance(agent, dict) else None
    if not isinstance(tools, list) or not tools:
        raise _refused(directory, f"lists no tools under agent.tools; add them, as in {_EXAMPLE}")
    if len(tools) > MAX_TOOLS:
        raise _refused(
            directory, f"lists {len(tools):,} tools; {MAX_TOOLS:,} is the most, so make it several packages"
        )
    entries = tuple(_entry(directory, index, tool) for index, tool in enumerate(tools))
    for each, times in Counter(entry.id for entry in entries).items():
        if times > 1:
            raise _refused(directory, f"has two tools of the id {each!r}; give each its own")
    scripts = manifest.get("scripts")
    build = scripts.get("build") if isinstance(scripts, dict) else None
    name, version = manifest.get("name"), manifest.get("version")
    needed = {key: _dependencies(directory, manifest, key) for key in _DEPENDENCIES}
    return NodePackage(
        directory,
        name if isinstance(name, str) and name else directory.resolve().name,
        version if isinstance(version, str) and version else "0",
        entries,
        builds=build is not None,
        has_dependencies=any(needed.values()),
        wants_esbuild=_calls_esbuild(build) and not any("esbuild" in names for names in needed.values()),
        dependencies=tuple(needed["dependencies"]),
        outside=tuple(
            each for by_name in needed.values() for each, at in by_name.items() if _leads_out(directory, at)
        ),
    )


_DEPENDENCIES = ("dependencies", "devDependencies", "optionalDependencies")


def _dependencies(directory: Path, manifest: dict[str, Any], key: str) -> dict[str, str]:
    found = manifest.get(key) or {}
    if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
        raise _refused(
            directory, f"has {found!r:.100} as {key}; it has to be an object of names and versions"
        )
    return found


def _calls_esbuild(script: Any) -> bool:
    return isinstance(script, str) and re.search(r"(?:^|[;&|(]\s*|\bnpx\s+)esbuild\s", script) is not None


def _leads_out(directory: Path, version: str) -> bool:
    """Whether a dependency is a folder beside the package, or one that only a workspace around it knows."""
    if version.startswith("workspace:"):
        return True
    path = re.match(r"(?:file:|link:|portal:)(?://)?|(?=\.{1,2}/)", version)
    if path is None:
        return False
    root = directory.resolve()
    return not resolved(root / version[path.end() :]).is_relative_to(root)


def _entry(directory: Path, index: int, tool: Any) -> NodeToolEntry:
    where = f"agent.tools[{index}]"
    if not isinstance(tool, dict):
        raise _refused(directory, f"has {tool!r:.100} as {where}; it has to be an object")
    for key, value in tool.items():
        if key not in _KEYS:
            raise _refused(directory, f"has the unknown key {key!r} in {where}; {meant(key, _KEYS)}")
        if not isinstance(value, str) or not value:
            raise _refused(
                directory, f"has {value!r:.100} as {where}.{key}; it has to be a text that is not empty"
            )
    for key in ("id", "entry"):
        if key not in tool:
            raise _refused(directory, f"has no {key!r} in {where}; add it")
    entry = inside(directory, tool["entry"], directory / _FILE, f"{where}.entry")
    if "source" in tool and "node_modules" not in directory.resolve().parts:
        source = inside(directory, tool["source"], directory / _FILE, f"{where}.source")
        entry = source if source.is_file() else entry
    return NodeToolEntry(tool["id"], entry, tool.get("export"))


def _refused(directory: Path, problem: str) -> PluginLoadError:
    return PluginLoadError(f"{directory / _FILE} {problem}", plugin=str(directory))
