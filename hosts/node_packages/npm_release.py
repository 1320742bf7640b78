"""Packages from a registry of npm's: installed into the cache, one folder a release.

The registry is asked once for the hash of a version, and each time for what a tag stands for; when it does not answer, what the
tag stood for last is used, with a warning. What npm has installed is held to that hash before anything of it is run.

The package lies in ``node_modules``, with what it needs beside it, as its author tried it. npm chooses what it needs in turn when it
is installed, unless the package brings an ``npm-shrinkwrap.json``.
"""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.errors import JsonValueError, PluginLoadError
from ...base.foreign import Log
from ...base.json import load_json
from ...plugins.sources.node_manifest import NodePackage, read_node_package
from ...plugins.sources.npm_source import Release, is_integrity, is_version
from ..packages.cache import key_of
from ..packages.file_tree import refuse_links_out
from ..packages.package_errors import PackageError
from .npm import Npm
from .typescript import is_typescript

if TYPE_CHECKING:
    from ...plugins.sources.npm_source import NpmSource
    from ..node.find import NodeCandidate
    from ..packages.cache import Entry, PackageCache
    from ..packages.command_runner import CommandRunner

logger: Log = Log("callboard.packages")

_LOCK = Path("node_modules") / ".package-lock.json"
MOST_LOCK = 32 * 1024 * 1024
"""Bytes of the file in which npm says what it has installed."""


class NpmRegistry:
    """The registries of npm's user, for one package.

    Args:
        source: the package.
        cache: where it is installed.
        command_runner: where npm is run.
        node: the Node that npm runs on, and the package will.
        scripts: what is installed may run scripts.
    """

    def __init__(
        self,
        source: NpmSource,
        cache: PackageCache,
        command_runner: CommandRunner,
        node: NodeCandidate,
        *,
        scripts: bool,
    ) -> None:
        assert node.path is not None
        self._source = source
        self._cache = cache
        self._command_runner = command_runner
        self._major = str(node.version[0]) if node.version else "unknown"
        self._npm = Npm(node.path, command_runner, source.spec)
        self._scripts = scripts
        self._note = key_of("npm", source.name)

    def resolve(self) -> Release:
        """What the source names now; the registry is asked if that is not known, and nothing is fetched.

        Raises:
            PackageError: there is no such package or version, its hash is not told, or the registry cannot be reached.
        """
        source = self._source
        if source.integrity is not None:
            return Release(source.version, source.integrity)
        known = self._known()
        if known is not None and source.fixed:
            return known
        try:
            return self._ask()
        except PackageError as error:
            if known is None or self.installed(known) is None:
                raise
            logger.warning("what was fetched last is used, version %s, for %s", known.version, error)
            return known

    def installed(self, release: Release) -> Entry | None:
        """What was installed before of a release, or ``None``. Raises `PackageError`: others may have changed the cache."""
        found = self._cache.find("packages", self._key(release))
        return found if found is not None and self._is_whole(found) else None

    def install(self, release: Release) -> tuple[NodePackage, Entry]:
        """The package, installed.

        Raises:
            PackageError: it cannot be installed, is another than was named, or has no tools that Node runs.
        """
        entry = self.installed(release) or self._cache.make(
            "packages", self._key(release), lambda tree: self._work(tree, release), self._is_whole
        )
        if self._source.integrity is None and release != self._known():
            kept = {"version": release.version, "integrity": release.integrity}
            self._cache.keep_note(self._note, lambda known: {**known, self._source.version: kept})
        return self._read(entry.tree), entry

    def packages(self, entry: Entry) -> list[str]:
        """What was installed with it, as ``name@version``."""
        return sorted(
            f"{path.rpartition('node_modules/')[2]}@{each.get('version')}"
            for path, each in _locked(entry.tree).items()
            if isinstance(each, dict)
        )

    def _key(self, release: Release) -> str:
        how = f"{self._scripts} {self._command_runner.sandbox!r}"
        return key_of(
            *("npm", self._source.name, release.version, release.integrity, how),
            *(self._major, platform.system(), platform.machine()),
        )

    def _known(self) -> Release | None:
        match self._cache.note(self._note).get(self._source.version):
            case {"version": str(version), "integrity": str(integrity)}:
                return Release(version, integrity)
            case _:  # nothing, or what somebody has damaged
                return None

    def _ask(self) -> Release:
        source = self._source
        logger.info("%s: asking the registry", source.spec)
        said = self._npm.view(source.spec, "version", "dist.integrity")
        try:
            found = load_json(said)
        except JsonValueError:
            found = None  # npm says nothing of a version that is not there
        match found:
            case {"version": str(version), "dist.integrity": str(integrity)} if is_version(version):
                strongest = next(filter(is_integrity, integrity.split()), None)
            case {"version": str(version)} if is_version(version):
                strongest = None
            case _:
                raise self._error(
                    "the registry has no such version; correct it, or see 'npm view' for those that there are"
                )
        if source.fixed and version != source.version:
            raise self._error(f"the registry answers with version {version!r}; see what it serves")
        if strongest is None:
            raise self._error(
                "the registry tells no SHA-512 of it, so that what comes cannot be held to anything; "
                "use a registry that does"
            )
        return Release(version, strongest)

    def _work(self, tree: Path, release: Release) -> dict[str, Any]:
        spec = f"{self._source.name}@{release.version}"
        logger.info("%s: npm install", spec)
        self._npm.add(tree, spec)
        locked = _locked(tree).get(f"node_modules/{self._source.name}")
        found = locked.get("integrity") if isinstance(locked, dict) else None
        if found != release.integrity:
            raise self._error(
                f"the hash of what was fetched is {found}, and not {release.integrity}; see what the registry serves, or correct "
                "'integrity'"
            )
        package = self._read(tree)
        if outside := [name for name in package.outside if name in package.dependencies]:
            raise self._error(
                f"it depends on {', '.join(outside)} by a path, which only its author has; tell its author"
            )
        refuse_links_out(tree, self._shown)
        if self._scripts:  # after that: until then nothing of it has been run
            self._npm.rebuild(tree)
            refuse_links_out(tree, self._shown)
        return {
            "name": package.name,
            "version": release.version,
            "source": self._shown,
            "integrity": release.integrity,
        }

    def _read(self, tree: Path) -> NodePackage:
        folder = tree / "node_modules" / self._source.name
        try:
            package = read_node_package(folder)
        except PluginLoadError as error:  # its user knows the name, and not where it lies in the cache
            said = str(error).replace(f"{folder}{os.sep}", "").replace(str(folder), self._shown)
            said = said.replace(f"{tree}{os.sep}", "")
            raise self._error(said) from error
        for tool in package.tools:
            entry = tool.entry.relative_to(folder.resolve()).as_posix()
            if is_typescript(tool.entry):
                raise self._error(
                    f"tool {tool.id!r} has the entry {entry}, which is TypeScript: Node takes out no types in node_modules; its author has "
                    "to publish the JavaScript that its build makes"
                )
            if not tool.entry.is_file():
                raise self._error(
                    f"tool {tool.id!r} has no {entry}; its author has to build it before it is published, and to name it in 'files'"
                )
        return package

    def _is_whole(self, entry: Entry) -> bool:
        try:
            self._read(entry.tree)
        except PluginLoadError:
            return False
        return True

    @property
    def _shown(self) -> str:
        return f"npm:{self._source.spec}"

    def _error(self, problem: str) -> PackageError:
        return PackageError(f"{self._shown}: {problem}", plugin=self._shown)


def _locked(tree: Path) -> dict[str, Any]:
    """What npm says that it has installed, by path; nothing if that cannot be read."""
    try:
        with (tree / _LOCK).open("rb") as file:
            content = file.read(MOST_LOCK + 1)
        packages = load_json(content)["packages"] if len(content) <= MOST_LOCK else {}
    except (OSError, JsonValueError, KeyError, TypeError):
        return {}
    return packages if isinstance(packages, dict) else {}
