"""From a plugin's entry to plugins that are ready to run: one entry may bring several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from .actors.lodgings import Share
from .hosts.bash_tool import BashToolPlugin
from .hosts.command_tool import CommandToolPlugin
from .hosts.hosted_tool import HostedToolPlugin
from .hosts.node_tool import NodeToolPlugin
from .hosts.packages.ready import Permissions, Ready
from .hosts.packages.sources import NodeSources
from .hosts.python_origin import PythonOrigin, origin_of
from .hosts.python_tool import PythonToolPlugin
from .loading_here import load_here
from .options import Options, complete
from .plugins.adapter import PluginAdapter
from .plugins.bash_package import require_scripts
from .plugins.entry import parse_entry
from .plugins.entry_points import ALL, find_installed, installed_names
from .plugins.errors import PluginLoadError
from .plugins.frozen import frozen
from .plugins.manifest import NodeToolEntry
from .plugins.program_source import BashSource, CommandSource
from .plugins.python_plan import Place
from .plugins.python_source import load_package_entry, load_python_object, read_python_package
from .plugins.source import (
    InstalledSource,
    NodeFileSource,
    NodeGitSource,
    NodePackageSource,
    PluginSource,
    PythonObject,
    PythonPackageSource,
    spelled,
)
from .python_packages import ready_to_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from .configuration import Configuration
    from .hosts.packages.environments import Environment

EVERYBODY = "shared"
"""The host of all plugins whose ``share`` is just true."""


@frozen
class Loaded:
    """One plugin, ready to be put on a board.

    Attributes:
        adapter: the plugin, with all defaults.
        hosted: the proxy of its host, or ``None`` if it runs in this process.
        options: how it is run.
        share: the host that it shares with others, or ``None``.
        entry: what it was loaded from, to be loaded again; ``None`` of one that somebody had at hand.
        lasting: what it runs lies in the cache, and stays as it is whatever becomes of its source.
    """

    adapter: PluginAdapter
    hosted: HostedToolPlugin | None
    options: Options
    share: Share | None = None
    entry: Any = None
    lasting: bool = False


def entry_of(source: Any, config: Mapping[str, Any] | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """What `Callboard.load` was asked for, as a configuration would write it; it is required, unless it says otherwise.

    Raises:
        PluginLoadError: the source is neither a text nor a mapping.
    """
    if isinstance(source, str):
        source = {"plugin": source}
    if not isinstance(source, Mapping):
        raise PluginLoadError(
            f"the plugin source {spelled(source)} is neither a text nor a mapping; an object or a class is for 'register'",
            plugin=spelled(source),
        )
    entry = {"required": True, **source, **options}
    return entry if config is None else entry | {"config": config}


def load_entry(entry: str | Mapping[str, Any], configuration: Configuration) -> list[Loaded]:
    """Find and read the plugins of an entry; nothing is started yet.

    Raises:
        PluginLoadError: a source cannot be found or read, or an option is unknown or wrong.
        ContractError: what was found is no plugin.
        ConfigurationError: the entry's restart policy is wrong.
    """
    parsed = parse_entry(dict(entry) if isinstance(entry, Mapping) else entry, configuration.base)
    options = complete(parsed.options, configuration)
    if not isinstance(parsed.source, NodeFileSource | NodePackageSource | NodeGitSource):
        options.require_nothing_of_node()
    return [replace(_placed(one), entry=entry) for one in _load(parsed.source, options, configuration)]


def _load(source: PluginSource, options: Options, configuration: Configuration) -> Iterator[Loaded]:
    match source:
        case PythonObject() | PythonPackageSource() | InstalledSource():
            yield from _load_python(source, options, configuration)
        case NodeFileSource(file, plugin_id, export):
            if not file.is_file():
                raise PluginLoadError(f"plugin {plugin_id!r}: no such file: {file}", plugin=plugin_id)
            tool = NodeToolEntry(plugin_id, file, export)
            yield _load_node(tool, _sources(configuration), options, configuration)
        case NodePackageSource(directory):
            sources = _sources(configuration)
            yield from _load_package(sources.folder(directory), sources, options, configuration)
        case NodeGitSource():
            sources = _sources(configuration)
            yield from _load_package(sources.repository(source), sources, options, configuration)
        case CommandSource():
            program = CommandToolPlugin(
                options.name or source.id,
                source.command,
                cwd=source.directory,
                base=source.base,
                env=options.env,
                extended=source.extended,
            )
            yield Loaded(PluginAdapter(program), program, options)
        case BashSource(path, plugin_id):
            require_scripts(path)
            scripts = BashToolPlugin(options.name or plugin_id, path, env=options.env)
            yield Loaded(PluginAdapter(scripts), scripts, options)


def _sources(configuration: Configuration) -> NodeSources:
    policy = configuration.plugin_policy
    return NodeSources(
        configuration.plugin_cache_dir,
        Permissions(policy.node_install_deps, policy.node_build, policy.node_allow_install_scripts),
        seconds=policy.node_step_timeout,
        node=configuration.node,
    )


def _load_package(
    ready: Ready, sources: NodeSources, options: Options, configuration: Configuration
) -> Iterator[Loaded]:
    package = ready.package
    if options.name is not None and len(package.tools) > 1:
        raise PluginLoadError(
            f"{ready.source} has {len(package.tools)} tools, which cannot all go by {options.name!r}; "
            "leave out 'name'",
            plugin=options.name,
        )
    for tool in package.tools:
        yield _load_node(tool, sources, options, configuration, ready)


def _load_node(
    tool: NodeToolEntry,
    sources: NodeSources,
    options: Options,
    configuration: Configuration,
    ready: Ready | None = None,
) -> Loaded:
    module = sources.module(tool.entry)
    plugin = NodeToolPlugin(
        options.name or tool.id,
        tool.entry,
        export=tool.export,
        env=options.env,
        node=configuration.node,
        version=ready.package.version if ready else "0",
        module=module.path,
        compiled=sources.compiled,
        sandbox=options.sandbox,
        root=ready.package.directory if ready else None,
        holds=(ready, module),
    )
    share = None
    if options.share is None and ready is not None and len(ready.package.tools) > 1 and plugin.sharing():
        share = Share(ready.package.name, of=str(ready.package.directory))
    lasting = module.entry is not None or (ready is not None and ready.entry is not None)
    return Loaded(PluginAdapter(plugin), plugin, options, share, lasting=lasting)


def _placed(one: Loaded) -> Loaded:
    """The same plugin, to be put into the host that its options say."""
    word = one.options.share
    return replace(one, share=Share(EVERYBODY if word is True else word)) if word else one


def _load_python(
    source: PythonObject | PythonPackageSource | InstalledSource,
    options: Options,
    configuration: Configuration,
) -> Iterator[Loaded]:
    match source:
        case PythonObject(path) if options.isolate:
            yield _isolated(PythonOrigin(path), options)
        case PythonObject(path):
            yield _here(partial(load_python_object, path), path, options, configuration)
        case InstalledSource(name):
            if name == ALL and options.name is not None:
                raise PluginLoadError(
                    f"the plugins that are installed cannot all go by {options.name!r}; leave out 'name'",
                    plugin=options.name,
                )
            for each in installed_names() if name == ALL else [name]:
                found = find_installed(each)
                if options.isolate:
                    yield _isolated(PythonOrigin(found.path), options, name=found.name)
                else:
                    load = partial(load_python_object, found.path)
                    yield _here(load, found.path, options, configuration)
        case PythonPackageSource(directory):
            package = read_python_package(directory)
            place, environment = ready_to_run(package, options.isolate, configuration)
            for entry in package.entries:
                if place is Place.HERE:
                    load = partial(load_package_entry, package, entry)
                    yield _here(load, entry, options, configuration)
                else:
                    origin = PythonOrigin(entry, package=str(directory))
                    yield _isolated(origin, options, environment=environment)


def load_registered(plugin: Any, options: Options) -> Loaded:
    """Make a plugin that somebody has at hand ready, to be run where it has to be or where it is wanted.

    Raises:
        PluginLoadError: it is to run in a host, which cannot get hold of it.
        ContractError: it is no plugin.
    """
    options.require_nothing_of_node()  # a `NodeToolPlugin` is given its own
    if isinstance(plugin, HostedToolPlugin):
        adapter = PluginAdapter(plugin, name=options.name)
        return _placed(Loaded(adapter, plugin, options.of_required()))
    if options.isolate:
        said = getattr(plugin, "name", None)
        name = said if isinstance(said, str) and said else None
        return _placed(_isolated(origin_of(plugin), options.of_required(), name=name))
    options.require_nothing_of_hosts()
    adapter = PluginAdapter(plugin, name=options.name, config=options.config)
    return Loaded(adapter, None, options.of_required())


def _isolated(
    origin: PythonOrigin,
    options: Options,
    *,
    name: str | None = None,
    environment: Environment | None = None,
) -> Loaded:
    """A Python plugin in a host of its own. Its code is not loaded here, so it goes by what is known without."""
    called = options.name or name or origin.path.rpartition(".")[2]
    plugin = PythonToolPlugin(called, origin, env=options.env, environment=environment)
    return Loaded(PluginAdapter(plugin), plugin, options)


def _here(load: Callable[[], Any], called: str, options: Options, configuration: Configuration) -> Loaded:
    return Loaded(load_here(load, called, options, configuration), None, options)
