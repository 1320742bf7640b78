"""From where a Node plugin is said to be to modules on disk that can run."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...base.errors import PluginLoadError
from ...plugins.sources.git_url import without_secrets
from ..node.find import find_node
from ..packages.cache import PackageCache
from ..packages.command_runner import CommandRunner
from ..packages.consent import Step, git_step, release_step
from ..packages.git import check_out, resolve
from ..packages.package_errors import PackageError
from .npm_release import NpmRegistry
from .prepare_node import Permissions, Ready, make_ready
from .typescript import Module, TypeScript, is_typescript

if TYPE_CHECKING:
    from pathlib import Path

    from ...plugins.sources.node_source import NodeGitSource
    from ...plugins.sources.npm_source import NpmSource, Release
    from ..packages.consent import Consent
    from ..sandbox.bwrap import SystemSandbox


def repository_step(source: NodeGitSource, commit: str, permissions: Permissions) -> Step:
    """What is done for a repository at a commit, for a `Consent`."""
    return git_step(
        source,
        commit,
        install=permissions.install,
        build=permissions.build,
        scripts=permissions.scripts,
        conditions=permissions.conditions,
    )


def npm_release_step(source: NpmSource, found: Release, permissions: Permissions) -> Step:
    """What is done for a package of a registry, for a `Consent`."""
    return release_step(
        source,
        found.version,
        found.integrity,
        scripts=permissions.scripts,
        conditions=permissions.conditions,
    )


def require_installing(permissions: Permissions, source: str) -> None:
    """Raise `PackageError` if no package of a registry may be installed."""
    if not permissions.install:
        raise PackageError(
            f"{source} is installed by npm, and 'node_install_deps' is off; turn it on, or name a folder that has the package",
            plugin=source,
        )


class NodeSources:
    """Makes packages and modules ready, from folders, repositories and single files.

    Args:
        cache: the folder that everything is made in.
        permissions: what may be done to packages.
        seconds: how long each step of it may take.
        node: the Node program; looked up if ``None``.
        consent: asked before anything is fetched, installed or built; nobody is if ``None``.
        sandbox: what the plugin may use that all this is for; it is done in a sandbox then.
    """

    def __init__(
        self,
        cache: Path,
        permissions: Permissions,
        *,
        seconds: float,
        node: str | None,
        consent: Consent | None = None,
        sandbox: SystemSandbox | None = None,
    ) -> None:
        self._cache = PackageCache(cache)
        self._permissions = permissions
        self._seconds = seconds
        self._node = partial(find_node, node)
        self._consent = consent
        self._sandbox = sandbox

    @property
    def compiled(self) -> Path | None:
        """Where Node may keep what it has compiled; ``None`` if nowhere."""
        return self._cache.compiled

    def module(self, file: Path, root: Path | None = None) -> Module:
        """What is to be run for a module: itself, unless it is TypeScript that this Node does not run.

        Args:
            file: the module.
            root: its package, if it is of one.

        Raises:
            PackageError: it cannot be made ready; see `TypeScript.ready`.
            HostStartError: it is TypeScript, and there is no Node to run it.
        """
        if not is_typescript(file):
            return Module(file)
        with CommandRunner(self._seconds, sandbox=self._sandbox) as command_runner:
            compiler = TypeScript(
                self._cache, command_runner, self._node(), may_fetch=self._permissions.install, root=root
            )
            return compiler.ready(file)

    def folder(self, directory: Path) -> Ready:
        """The package in a folder. Raises as `make_ready`."""
        with CommandRunner(self._seconds, sandbox=self._sandbox) as command_runner:
            return make_ready(
                directory,
                self._permissions,
                cache=self._cache,
                command_runner=command_runner,
                node=self._node,
                consent=self._consent,
            )

    def release(self, source: NpmSource) -> Ready:
        """The package in a registry. Raises as `NpmRegistry` does."""
        shown = f"npm:{source.spec}"
        require_installing(self._permissions, shown)
        with CommandRunner(self._seconds, sandbox=self._sandbox) as command_runner:
            registry = NpmRegistry(
                source, self._cache, command_runner, self._node(), scripts=self._permissions.scripts
            )
            found = (self._consent.release(source) if self._consent else None) or registry.resolve()
            if self._consent is not None:
                self._consent.require(npm_release_step(source, found, self._permissions), shown)
            package, entry = registry.install(found)
        return Ready(shown, package, entry, around=entry.tree)

    def repository(self, source: NodeGitSource) -> Ready:
        """The package in a repository. Raises as `resolve`, `check_out` and `make_ready`."""
        with CommandRunner(self._seconds, sandbox=self._sandbox) as command_runner:
            resolved = self._consent.resolved(source) if self._consent else None
            resolved = resolved or resolve(source, self._cache, command_runner)
            if self._consent is not None:  # which is for all that is done to it: the commit says what that is
                self._consent.require(
                    repository_step(source, resolved.commit, self._permissions), without_secrets(source.url)
                )
            entry = check_out(source, resolved, self._cache, command_runner)
            shown = without_secrets(source.url)
            try:
                ready = make_ready(
                    entry.tree,
                    self._permissions,
                    cache=self._cache,
                    command_runner=command_runner,
                    node=self._node,
                    dated=False,
                    called=shown,
                )
            except PluginLoadError as error:  # its user knows the address, and not where it lies in the cache
                error.args = (str(error).replace(str(entry.tree), shown),)
                error.plugin = shown
                raise
        return Ready(shown, ready.package, ready.entry or entry)
