"""Plugins that run in Node: a file, a package in a folder, a package of a repository."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..actors.hosting.host_registry import Share
from ..base.errors import PluginLoadError
from ..hosts.node.tool import NodeToolPlugin
from ..hosts.node_packages.node_sources import NodeSources
from ..hosts.node_packages.prepare_node import Permissions, Ready
from ..hosts.node_packages.typescript import is_typescript
from ..hosts.packages.conditions import conditions_of
from ..hosts.packages.file_tree import refuse_links_out
from ..plugins.adapter.adapter import PluginAdapter
from ..plugins.npm.npm_source import NpmSource
from ..plugins.sources.node_manifest import NodeToolEntry
from ..plugins.sources.source import NodeFileSource, NodeGitSource, NodePackageSource
from .loaded import Loaded, NotLoaded, apart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..config.configuration import Configuration
    from ..config.plugin_options import Options
    from .loaded import Made


NodeSource = NodeFileSource | NodePackageSource | NodeGitSource | NpmSource


def load(source: NodeSource, options: Options, configuration: Configuration) -> Iterator[Made | NotLoaded]:
    """See `loading.Loader`."""
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


def takes_long(source: NodeSource, _: bool | None, __: Configuration) -> bool:
    """See `loading.Loader`."""
    return not isinstance(source, NodeFileSource) or is_typescript(source.file)


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
