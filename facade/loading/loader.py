"""From a plugin's entry to plugins that are ready to run: one entry may bring several.

Each kind of source has a module that loads it, which is imported with the first source of that kind: what makes
packages ready takes longer to import than all the rest, and most boards have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from types import FunctionType, MappingProxyType
from typing import TYPE_CHECKING, Any, Final, assert_never, cast

from ..base.errors import PluginLoadError
from ..base.threads import import_apart
from ..config.errors import ConfigurationError
from ..config.plugin_options import Options, options_of
from ..hosts.hosted_source import HostedSource
from ..hosts.hosted_tool import HostedToolPlugin
from ..plugins.adapter.adapter import PROGRAM, PluginAdapter
from ..plugins.sources.mcp import McpSource
from ..plugins.sources.node_source import NodeFileSource, NodeGitSource, NodePackageSource
from ..plugins.sources.npm_source import NpmSource
from ..plugins.sources.options import PluginOptions
from ..plugins.sources.python_source import InstalledSource, PythonObject, PythonPackageSource
from ..sources.entry import parse_entry
from ..sources.kinds import PluginSource, spelled
from .loaded import Loaded, LoadedProvider, Made, NotLoaded, Runs

if TYPE_CHECKING:
    from ..config.configuration import Configuration
    from .source_loader import Loader


NODE: Final = "node"
"""The kind of host that has Node's permission model."""


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


def load_entry(
    entry: str | Mapping[str, Any],
    configuration: Configuration,
    known: Mapping[str, str] = MappingProxyType({}),
) -> list[Made]:
    """Find and read the plugins of an entry, and the providers; nothing is started yet.

    Args:
        entry: as a configuration has it.
        configuration: what it is part of.
        known: names of isolated plugins by their dotted paths, where they are loaded again: they keep them.

    Raises:
        PluginLoadError: a source cannot be found or read, or an option is unknown or wrong.
        ContractError: what was found is no plugin.
        ConfigurationError: the entry's restart policy is wrong, or an option is for tools and this is a provider.
    """
    made: list[Made] = []
    for one in load_what_can_be(entry, configuration, known):
        if isinstance(one, NotLoaded):
            raise one.error
        made.append(one)
    return made


def load_what_can_be(
    entry: str | Mapping[str, Any],
    configuration: Configuration,
    known: Mapping[str, str] = MappingProxyType({}),
) -> list[Made | NotLoaded]:
    """Do as `load_entry`, but that a plugin of a package which cannot be loaded spares the package's others; if none can be, raise."""
    parsed = parse_entry(entry, configuration.base)
    options = replace(options_of(parsed, configuration), known=known)
    if configuration.consent is not None:
        configuration.consent.require_run(entry, parsed.source, options)
    loader = loader_of(parsed.source)
    if options.sandbox is not None and loader.host(parsed.source, options.isolate, configuration) != NODE:
        options.require_nothing_of_node()
    found = list(loader.load(parsed.source, options, configuration))
    failed = [one.error for one in found if isinstance(one, NotLoaded)]
    if failed and len(failed) == len(found):
        raise failed[0]
    for one in found:
        if isinstance(one, LoadedProvider):
            _require_nothing_of_tools(parsed.options, one)
    for one in found:
        if isinstance(one, Loaded) and one.adapter.source == PROGRAM:
            one.adapter.source = parsed.source.identity()
    return [one if isinstance(one, NotLoaded) else _of_entry(one, entry) for one in found]


def _of_entry(one: Made, entry: Any) -> Made:
    return replace(one.placed() if isinstance(one, Loaded) else one, entry=entry)


_OF_PROVIDERS = frozenset({"config", "name", "required", "isolate"})
"""Options that mean something for a provider; ``isolate`` can only be false by then."""


def _require_nothing_of_tools(given: PluginOptions, one: LoadedProvider) -> None:
    """Refuse options that only a tool can honour: to ignore them would be to promise them."""
    plain = PluginOptions()
    for option in (each.name for each in fields(given)):
        if option not in _OF_PROVIDERS and getattr(given, option) != getattr(plain, option):
            raise ConfigurationError(
                f"the option {option!r} is for tools; {one.name!r} is a {one.kind.replace('_', ' ')}. Leave it out",
                path=f"$.{option}",
            )


def loader_of(source: PluginSource) -> Loader[Any]:
    """Return the loader of a source's kind, imported when the first of the kind comes."""
    match source:
        case PythonObject() | PythonPackageSource() | InstalledSource():
            module = ".python_loader"
        case NodeFileSource() | NodePackageSource() | NodeGitSource() | NpmSource():
            module = ".node_loader"
        case McpSource():
            module = ".mcp_loader"
        case HostedSource():
            module = ".hosted_loader"
        case _:
            assert_never(source)
    return cast("Loader[Any]", import_apart(module, __package__).LOADER)


def load_registered(plugin: Any, options: Options) -> Runs:
    """Make a plugin that is registered as an object ready, to be run where it has to be or where it is wanted.

    Raises:
        PluginLoadError: it is to run in a host, which cannot get hold of it.
        ContractError: it is no plugin.
    """
    options.require_nothing_of_node()  # a `NodeToolPlugin` is given its own
    if isinstance(plugin, HostedToolPlugin):
        options.require_no_confinement()
        adapter = PluginAdapter(plugin, name=options.name)
        return Loaded(adapter, plugin, options.of_required()).placed()
    if options.isolate:
        # As `loader_of` does, with what it needs.
        import_apart(".python_loader", __package__)
        from ..hosts.python.runner.origin import origin_of  # noqa: PLC0415 - only isolated plugins need it
        from .python_loader import isolated  # noqa: PLC0415 - only isolated plugins need it

        said = plugin.__name__ if isinstance(plugin, FunctionType) else getattr(plugin, "name", None)
        former = said if isinstance(said, str) and said else None
        # An instance may be called otherwise than its class.
        plain = isinstance(plugin, FunctionType) or getattr(plugin, "__init__", None) is object.__init__
        name = former if plain else None
        return isolated(origin_of(plugin), options.of_required(), name=name, former=former).placed()
    import_apart("..plugins.amplifier.mount_function", __package__)
    from ..plugins.amplifier.mount_function import is_mount  # noqa: PLC0415 - only what is registered as an object needs it

    if is_mount(plugin):
        import_apart(".python_loader", __package__)
        from .python_loader import module_of  # noqa: PLC0415 - as above

        return module_of(plugin, options.of_required())
    options.require_nothing_of_hosts()
    adapter = PluginAdapter(plugin, name=options.name, config=options.config)
    return Loaded(adapter, None, options.of_required())
