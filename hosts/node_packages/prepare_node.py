"""A Node package made ready to run: where it is when it can, else from a copy in the cache, installed and built.

The copy's key is made of the package's own files, what is done to it, and the Node and machine it is done for; so it is
made once, and made anew when any of that changes.
"""

from __future__ import annotations

import platform
import shutil
import time
from dataclasses import field
from typing import TYPE_CHECKING, Any

from ...base.errors import PluginLoadError
from ...base.foreign import Log
from ...base.frozen import frozen
from ...plugins.sources.manifest_file import read_manifest_file
from ...plugins.sources.node_manifest import NodePackage, read_node_package
from ...plugins.sources.node_plan import AsItIs, Make, Plan, Refused, plan
from ..packages.cache import key_of
from ..packages.consent import Step, npm_step
from ..packages.file_tree import NPM_SETTINGS, copy_own_files, fingerprint, links_out, refuse_links_out
from ..packages.package_errors import PackageError
from .esbuild import get_esbuild
from .inner_manifests import inner_manifests
from .node_facts import LOCKS, read_facts
from .npm import Npm

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ..node.find import NodeCandidate
    from ..packages.cache import Entry, PackageCache
    from ..packages.command_runner import CommandRunner
    from ..packages.consent import Consent
    from .esbuild import Esbuild

logger: Log = Log("callboard.packages")


@frozen
class Permissions:
    """What may be done to a package; the policy of the configuration.

    Attributes:
        install: install its dependencies.
        build: run its build.
        scripts: let dependencies run scripts while they are installed.
        conditions: what it is built and run in; see `conditions`.
    """

    install: bool = True
    build: bool = True
    scripts: bool = False
    conditions: Mapping[str, Any] = field(default_factory=dict)


@frozen
class Ready:
    """A package that can be run.

    Attributes:
        source: the folder or the repository that it comes from, for people.
        package: as its manifest says, where it is run from.
        entry: the cache's, which is to be kept as long as it runs; ``None`` when it runs where it is.
        around: the folder that has what it needs too; its own if ``None``.
    """

    source: str
    package: NodePackage
    entry: Entry | None
    around: Path | None = None

    @property
    def root(self) -> Path:
        """All that it runs from lies in there."""
        return self.around or self.package.directory


def make_ready(
    directory: Path,
    permissions: Permissions,
    *,
    cache: PackageCache,
    command_runner: CommandRunner,
    node: Callable[[], NodeCandidate],
    dated: bool = True,
    called: str | None = None,
    consent: Consent | None = None,
) -> Ready:
    """See to it that a package can run.

    Args:
        directory: the package; nothing in it is changed.
        permissions: what may be done.
        cache: where it is done.
        command_runner: where programs are run for it.
        node: finds the Node that it is to run on; asked only if something has to be done.
        dated: the times of its files mean something.
        called: what its user knows it by, if that is not the folder: it was fetched, and no link may lead out of it.
        consent: asked before anything is made; nobody is if ``None``.

    Raises:
        PluginLoadError: its manifest cannot be used.
        PackageError: it cannot be installed or built, or may not be, or nobody has agreed to it.
        HostStartError: there is no Node to do it with.
    """
    package = read_node_package(directory)
    source = called or str(directory)
    try:
        if called is None:
            for link in links_out(directory, whole=False):
                logger.warning(
                    "%s: the link %r leads out of the package; in a sandbox it is refused", package.name, link
                )
        decided = decide(package, permissions, dated=dated)
        match decided:
            case Refused(problem):
                raise PackageError(f"the package {source} {problem}", plugin=source)
            case AsItIs(warning):
                if warning:
                    logger.warning("%s: %s", package.name, warning)
                return Ready(source, package, None)
        step = None
        if consent is not None:
            step = step_of(package, decided, permissions)
            consent.require(step, source)
        files = fingerprint(directory)
    except OSError as error:
        raise PackageError(
            f"{error.filename or directory} cannot be read ({error.strerror}); make it readable",
            plugin=str(directory),
        ) from error
    making = _Making(
        source, package, files, decided, permissions, node(), command_runner, called is not None, step
    )
    entry = making.find(cache)
    return Ready(source, read_node_package(entry.tree), entry)


def decide(package: NodePackage, permissions: Permissions, *, dated: bool) -> Plan:
    """What has to be done to a package. Raises `PackageError`, `OSError`: its files cannot be looked at."""
    facts = read_facts(package, dated=dated)
    return plan(facts, may_install=permissions.install, may_build=permissions.build)


def step_of(
    package: NodePackage, decided: Make, permissions: Permissions, folder: Path | None = None
) -> Step:
    """What is done to a package, for a `Consent`; of a copy of it, ``folder`` is what it was copied from."""
    directory = package.directory
    locks = [file.read_bytes() for name in LOCKS if (file := directory / name).is_file()]
    manifest = read_manifest_file(directory, "package.json", "write one")
    inner = inner_manifests(directory, manifest)
    return npm_step(
        package,
        manifest,
        b"".join(locks) if locks else None,
        decided,
        scripts=permissions.scripts,
        folder=str((folder or directory).absolute()),
        conditions={**permissions.conditions, **({"manifests": inner} if inner else {})},
    )


@frozen
class _Making:
    source: str
    package: NodePackage
    files: str
    plan: Make
    permissions: Permissions
    node: NodeCandidate
    command_runner: CommandRunner
    fetched: bool
    step: Step | None

    def find(self, cache: PackageCache) -> Entry:
        major = str(self.node.version[0]) if self.node.version else "unknown"
        how = f"{self.plan!r} {self.permissions.scripts} {self.fetched} {self.command_runner.sandbox!r}"
        key = key_of(self.files, how, major, platform.system(), platform.machine())
        found = cache.find("packages", key)
        if found is not None and self._is_whole(found):
            return found
        lent = self._lent(cache)  # before: who makes an entry cannot make another meanwhile
        return cache.make("packages", key, lambda tree: self._work(tree, lent), self._is_whole)

    def _lent(self, cache: PackageCache) -> Esbuild | None:
        """esbuild, for a build that takes it to be there, as the authoring guide's own does."""
        wanted = self.plan.build and self.package.wants_esbuild and self.permissions.install
        if not wanted or shutil.which("esbuild") is not None:
            return None
        assert self.node.path is not None
        return get_esbuild(cache, self.command_runner, self.node.path, user=self.source, refusal=None)

    def _work(self, tree: Path, lent: Esbuild | None) -> dict[str, Any]:
        name, source = self.package.name, self.source
        assert self.node.path is not None
        began = time.monotonic()
        self._copy(tree)
        if (self.package.directory / NPM_SETTINGS).exists():
            logger.warning(
                "%s: its %s is not used: npm goes by your own; what the package needs of it belongs in there",
                name,
                NPM_SETTINGS,
            )
        npm = Npm(self.node.path, self.command_runner, source)
        if self.plan.install is not None:
            logger.info("%s: npm %s", name, self.plan.install.value)
            npm.install(
                tree, self.plan.install, for_build=self.plan.for_build, scripts=self.permissions.scripts
            )
        if self.fetched:
            refuse_links_out(tree, source)
        if self.plan.build:
            logger.info("%s: npm run build", name)
            npm.build(tree, lent=None if lent is None else lent.programs)
            if self.fetched:
                refuse_links_out(tree, source)
        missing = read_node_package(tree).missing_entries()
        if self.plan.build and missing:  # a build that leaves out one tool has failed
            made = missing[0].entry.relative_to(tree.resolve())
            raise PackageError(
                f"tool {missing[0].id!r} of {source}: its build made no {made}; correct 'entry' or the build",
                plugin=source,
            )
        logger.info("%s: ready after %.1f s", name, time.monotonic() - began)
        return {"name": name, "version": self.package.version, "source": source}

    def _copy(self, tree: Path) -> None:
        """Copy the package; what was changed meanwhile must not be kept under the key of what it was before."""
        try:
            copy_own_files(self.package.directory, tree)
            whole = fingerprint(tree) == self.files and self._is_agreed_to(tree)
        except FileNotFoundError:
            whole = False
        if not whole:
            raise PackageError(
                f"{self.source} was changed while it was copied; load it again", plugin=self.source
            )

    def _is_agreed_to(self, tree: Path) -> bool:
        """Whether the copy asks for what was agreed to: the package may have been changed since then."""
        if self.step is None:
            return True
        copy = step_of(read_node_package(tree), self.plan, self.permissions, self.package.directory)
        return copy.digest == self.step.digest

    def _is_whole(self, entry: Entry) -> bool:
        """Whether nobody has taken a tool's module out of it."""
        never = () if self.plan.build else self.package.missing_entries()
        try:
            missing = read_node_package(entry.tree).missing_entries()
        except PluginLoadError:
            return False
        return {tool.id for tool in missing} <= {tool.id for tool in never}
