"""Making the plan of a configuration.

It reads the manifests of folders that are there, asks repositories what their refs stand for (``git ls-remote``) and registries
what their versions do (``npm view``), under the same guards as fetching, and reads what was fetched before. It runs nothing of a plugin, fetches nothing and builds nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, assert_never

from ..base.errors import CallboardError, PluginLoadError
from ..config.plugin_options import options_of
from ..hosts.environment import host_environment
from ..hosts.hosted_source import HostedSource
from ..hosts.node.find import find_node
from ..hosts.node_packages.node_sources import npm_release_step, repository_step, require_installing
from ..hosts.node_packages.npm_release import NpmRegistry
from ..hosts.node_packages.prepare_node import decide, step_of
from ..hosts.packages.cache import PackageCache
from ..hosts.packages.command_runner import CommandRunner
from ..hosts.packages.conditions import conditions_of
from ..hosts.packages.git import fetched, resolve
from ..hosts.packages.package_errors import PackageError
from ..hosts.sandbox.containment import network_notes
from ..loading.loader import loader_of
from ..loading.node_loader import permissions_of
from ..loading.prefetch import spelled_out
from ..loading.python_packages import readiness_of
from ..plugins.contract.invocation import scope_of
from ..plugins.sources.mcp import McpSource
from ..plugins.sources.node_manifest import read_node_package
from ..plugins.sources.node_plan import Make, Refused
from ..plugins.sources.node_source import NodeFileSource, NodeGitSource, NodePackageSource
from ..plugins.sources.npm_source import NpmSource
from ..plugins.sources.python import read_python_package
from ..plugins.sources.python_source import InstalledSource, PythonObject, PythonPackageSource
from ..plugins.sources.source import InlineAddress
from ..sources.entry import parse_entry
from ..sources.kinds import spelled
from .inline_runs import shown_address
from .load_plan import Plan, PlannedPlugin, PlannedRun
from .runs import Runs, names_in_file

if TYPE_CHECKING:
    from pathlib import Path

    from ..config.configuration import Configuration
    from ..config.plugin_options import Options
    from ..hosts.packages.consent import Step
    from ..hosts.packages.git_refs import Resolved
    from ..plugins.sources.npm_source import Release
    from ..sources.kinds import PluginSource

_NOT_FETCHED = "what its package.json asks for is known when it is fetched; the commit says what that is"
_NOT_INSTALLED = "what it needs in turn is chosen by npm when it is installed, and kept; the integrity says what the package itself is"
_SHORT = "the short name of a commit is found out by fetching; write the whole one, which nobody can give another meaning"


class Planner:
    """Makes the plan of one configuration, and keeps what it was made from.

    Args:
        configuration: whose plan it is.

    Attributes:
        resolutions: what each repository was resolved to, or why it could not be.
        releases: the same of packages in registries.
        runs: tells what is asked about before an entry runs.
        plan: the plan.
    """

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._cache = PackageCache(configuration.plugin_cache_dir)
        self.resolutions: dict[NodeGitSource, Resolved | PackageError] = {}
        self.releases: dict[NpmSource, Release | PackageError] = {}
        self.runs: Runs = Runs(configuration)
        entries = [each for entry in configuration.plugins for each in spelled_out(entry)]
        self.plan: Plan = Plan(tuple(map(self._planned, entries)))

    def _planned(self, entry: Any) -> PlannedPlugin:
        called = spelled(entry)
        try:
            parsed = parse_entry(entry, self._configuration.base)
            options = options_of(parsed, self._configuration)
            steps, notes, folder = self._made(parsed.source, options)
            if (agreed := self.runs.step(entry, parsed.source, options)) is not None:
                steps = (*steps, agreed)
            notes = (*notes, *network_notes(options.confinement.sandbox))
            return PlannedPlugin(called, steps, self._run(parsed.source, options, folder), None, notes)
        except CallboardError as error:
            return PlannedPlugin(called, problem=str(error))
        except OSError as error:
            return PlannedPlugin(called, problem=f"{error.filename} cannot be read ({error.strerror})")

    def _made(
        self, source: PluginSource, options: Options
    ) -> tuple[tuple[Step, ...], tuple[str, ...], Path | None]:
        """What is made for a source, what cannot be known of it, and where it lies."""
        match source:
            case NodeGitSource():
                return self._repository(source, options)
            case NpmSource():
                return self._release(source, options)
            case NodePackageSource(directory):
                return (*self._package(directory, options, dated=True), directory)
            case PythonPackageSource(directory):
                package = read_python_package(directory)
                readiness = readiness_of(
                    package, options.isolate, self._configuration, options.confinement.sandbox
                )
                step = None if readiness is None else readiness.step()
                return () if step is None else (step,), (), directory
            case McpSource():
                return (), (), source.base / source.cwd if source.url is None else None
            case PythonObject() | InstalledSource():
                return (), (), None
            case NodeFileSource() | HostedSource():
                return (), (), source.folder()
            case _:
                assert_never(source)

    def _repository(
        self, source: NodeGitSource, options: Options
    ) -> tuple[tuple[Step, ...], tuple[str, ...], Path | None]:
        resolved = self._resolved(source)
        step = repository_step(source, resolved.commit, permissions_of(self._configuration, options))
        there = fetched(source, resolved, self._cache)
        if there is None:
            return (step,), (_SHORT, _NOT_FETCHED) if resolved.short else (_NOT_FETCHED,), None
        inner, notes = self._package(there.tree, options, dated=False)
        known = tuple(
            f"its package.json asks for {each.facts['install'] or 'no packages'}, {each.facts['build'] or 'no build'}"
            for each in inner
        )
        return (step,), (*known, *notes), there.tree

    def _resolved(self, source: NodeGitSource) -> Resolved:
        if source not in self.resolutions:
            seconds = self._configuration.plugin_policy.node_step_timeout
            try:
                with CommandRunner(seconds) as command_runner:
                    self.resolutions[source] = resolve(source, self._cache, command_runner)
            except PackageError as error:
                self.resolutions[source] = error
        found = self.resolutions[source]
        if isinstance(found, PackageError):
            raise found
        return found

    def _release(
        self, source: NpmSource, options: Options
    ) -> tuple[tuple[Step, ...], tuple[str, ...], Path | None]:
        permissions = permissions_of(self._configuration, options)
        require_installing(permissions, f"npm:{source.spec}")
        seconds = self._configuration.plugin_policy.node_step_timeout
        with CommandRunner(seconds, sandbox=options.confinement.sandbox) as command_runner:
            # A plan runs no program that came with the folder.
            node = find_node(None if self.runs.asks else self._configuration.node)
            registry = NpmRegistry(source, self._cache, command_runner, node, scripts=permissions.scripts)
            if source not in self.releases:
                try:
                    self.releases[source] = registry.resolve()
                except PackageError as error:
                    self.releases[source] = error
            found = self.releases[source]
            if isinstance(found, PackageError):
                raise found
            step = npm_release_step(source, found, permissions)
            there = registry.installed(found)
        if there is None:
            return (step,), (_NOT_INSTALLED,), None
        return (step,), (f"was installed before, with {', '.join(registry.packages(there))}",), there.tree

    def _package(
        self, directory: Path, options: Options, *, dated: bool
    ) -> tuple[tuple[Step, ...], tuple[str, ...]]:
        permissions = permissions_of(self._configuration, options)
        package = read_node_package(directory)
        decided = decide(package, permissions, dated=dated)
        match decided:
            case Refused(problem):
                raise PluginLoadError(f"the package {directory} {problem}", plugin=str(directory))
            case Make():
                return (step_of(package, decided, permissions),), ()
        return (), (decided.warning,) if decided.warning else ()

    def _run(self, source: PluginSource, options: Options, folder: Path | None) -> PlannedRun:
        loader, claims = loader_of(source), _claims(source, options)
        argv, inline = loader.argv(source, options, self._configuration), source.inline()
        if isinstance(inline, InlineAddress):
            return PlannedRun("elsewhere", (), None, (), address=shown_address(inline.url))
        where = None if folder is None else str(folder)
        if not argv:
            return PlannedRun("here", (), where, None, claims=claims)
        own = {*loader.variables(source, self._configuration), *names_in_file(inline)}
        sees = tuple(sorted(host_environment(os.environ, {**options.env, **dict.fromkeys(own, "")})))
        sandbox = conditions_of(options.confinement.sandbox, options.sandbox).get("run", False)
        return PlannedRun("host", argv, where, sees, sandbox, claims)


def _claims(source: PluginSource, options: Options) -> str | None:
    """Which calls it is asked about; ``None`` of a plugin that is asked about none."""
    if "claims" in source.refused():
        return None
    sandboxed = options.sandbox is not None or options.confinement.sandbox is not None
    return scope_of(options.tool.claims, sandboxed=sandboxed)
