"""Plugins that run in Node: a file, a package in a folder, a package of a repository."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, assert_never

from ..actors.hosting.host_registry import Share
from ..base.errors import PluginLoadError
from ..hosts.node.tool import HOST_SCRIPT, NodeToolPlugin
from ..hosts.node_packages.node_sources import NodeSources
from ..hosts.node_packages.prepare_node import Permissions, Ready
from ..hosts.node_packages.typescript import is_typescript
from ..hosts.packages.conditions import conditions_of
from ..hosts.packages.file_tree import refuse_links_out
from ..plugins.adapter.adapter import PluginAdapter
from ..plugins.sources.node_manifest import NodeToolEntry, read_node_package
from ..plugins.sources.node_source import NodeFileSource, NodeGitSource, NodePackageSource
from ..plugins.sources.node_spelling import AnyNodeSource
from ..plugins.sources.npm_source import NpmSource
from .loaded import Loaded, NotLoaded, apart
from .source_loader import Loader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..config.configuration import Configuration
    from ..config.plugin_options import Options
    from .loaded import Made


def _load(
    source: AnyNodeSource, options: Options, configuration: Configuration
) -> Iterator[Made | NotLoaded]:
    match source:
        case NodeFileSource(file, plugin_id, export):
            if not file.is_file():
                raise PluginLoadError(f"plugin {plugin_id!r}: no such file: {file}", plugin=plugin_id)
            tool = NodeToolEntry(plugin_id, file, export)
            yield _load_node(tool, _sources(configuration, options), options, configuration)
        case NodePackageSource(directory):
            sources = _sources(configuration, options)
            yield from _load_package(sources.folder(directory), sources, options, configuration)
        case NodeGitSource():
            sources = _sources(configuration, options)
            yield from _load_package(sources.repository(source), sources, options, configuration)
        case NpmSource():
            sources = _sources(configuration, options)
            yield from _load_package(sources.release(source), sources, options, configuration)
        case _:
            assert_never(source)


def _argv(source: AnyNodeSource, configuration: Configuration) -> tuple[str, ...]:
    node = configuration.node or "node"
    match source:
        case NodeFileSource(file):
            return (node, str(HOST_SCRIPT), str(file))
        case NodePackageSource(directory):
            modules = dict.fromkeys(str(tool.entry) for tool in read_node_package(directory).tools)
            return (node, str(HOST_SCRIPT), *modules)
        case NodeGitSource():
            return (node, source.identity())
        case NpmSource():
            return (node, f"npm:{source.spec}")
        case _:
            assert_never(source)


class NodeLoader(Loader[AnyNodeSource]):
    """See the module."""

    def load(
        self, source: AnyNodeSource, options: Options, configuration: Configuration
    ) -> Iterator[Made | NotLoaded]:
        return _load(source, options, configuration)

    def takes_long(self, source: AnyNodeSource, _: bool | None, __: Configuration) -> bool:
        return not isinstance(source, NodeFileSource) or is_typescript(source.file)

    def host(self, _: AnyNodeSource, __: bool | None, ___: Configuration) -> str:
        return "node"

    def argv(self, source: AnyNodeSource, _: Options, configuration: Configuration) -> tuple[str, ...]:
        return _argv(source, configuration)

    def variables(self, _: AnyNodeSource, __: Configuration) -> frozenset[str]:
        return frozenset()


LOADER = NodeLoader()


def _sources(configuration: Configuration, options: Options) -> NodeSources:
    return NodeSources(
        configuration.plugin_cache_dir,
        permissions_of(configuration, options),
        seconds=configuration.plugin_policy.node_step_timeout,
        node=configuration.node,
        consent=configuration.consent,
        sandbox=options.confinement.sandbox,
    )


def permissions_of(configuration: Configuration, options: Options) -> Permissions:
    """What may be done for a Node package: by the policy of its configuration, in the sandbox of its options."""
    policy = configuration.plugin_policy
    conditions = conditions_of(options.confinement.sandbox, options.sandbox, configuration.node)
    return Permissions(
        policy.node_install_deps, policy.node_build, policy.node_allow_install_scripts, conditions
    )


def _load_package(
    ready: Ready, sources: NodeSources, options: Options, configuration: Configuration
) -> Iterator[Made | NotLoaded]:
    package = ready.package
    options = options.of_several(len(package.tools))
    for tool in package.tools:
        yield apart(partial(_load_node, tool, sources, options, configuration, ready))


def _load_node(
    tool: NodeToolEntry,
    sources: NodeSources,
    options: Options,
    configuration: Configuration,
    ready: Ready | None = None,
) -> Loaded:
    if ready is not None:
        ready.package.require_entry(tool)
    root = ready.root if ready else tool.entry.parent
    if options.sandbox is not None or options.confinement.sandbox is not None:  # Node follows them
        refuse_links_out(root, ready.source if ready else str(tool.entry))
    module = sources.module(tool.entry, ready.package.directory if ready else None)
    plugin = NodeToolPlugin(
        options.called(tool.id),
        tool.entry,
        export=tool.export,
        env=options.env,
        node=configuration.node,
        version=ready.package.version if ready else "0",
        module=module.path,
        compiled=sources.compiled,
        sandbox=options.sandbox,
        confinement=options.confinement,
        root=ready.root if ready else None,
        holds=(ready, module),
    )
    share = None
    if options.share is None and ready is not None and len(ready.package.tools) > 1 and plugin.sharing():
        share = Share(options.name or ready.package.name, of=str(ready.package.directory))
    lasting = module.entry is not None or (ready is not None and ready.entry is not None)
    return Loaded(PluginAdapter(plugin), plugin, options, share, lasting=lasting)
