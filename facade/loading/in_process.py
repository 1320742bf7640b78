"""Loading what runs in this process: it is imported and made on a thread that can be lost.

A plugin that is never done with that would else keep the whole board from starting. The price is that it is not
imported in the main thread, which some modules insist on, and which the error says where one fails because of it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ..actors.threads.timeout import in_time
from ..base.errors import PluginLoadError
from ..plugins.adapter.adapter import PluginAdapter
from ..plugins.amplifier.mount_function import is_mount
from ..plugins.contract.hook_table import RUNNING_HOOKS, offered
from ..plugins.sources.python import load_python_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FunctionType

    from ..agent.requests.provider_adapter import ProviderAdapter
    from ..config.configuration import Configuration
    from ..config.plugin_options import Options

_REMEDY = "have it end, raise 'load_deadline', or give it 'isolate', which loads it in a host"
_OF_MAIN_THREAD = ("main thread", "no current event loop", "no running event loop")
"""What is said by what can only be done in the main thread, or in that of an event loop."""


def load_here(
    load: Callable[[], Any], called: str, options: Options, configuration: Configuration
) -> PluginAdapter | ProviderAdapter | FunctionType:
    """Import a plugin, or a provider of models, and make it; a module's ``mount`` function is returned as it is.

    Args:
        load: imports it; returns an instance or a class.
        called: its dotted path.
        options: how it is to be run.
        configuration: says how long it may take.

    Raises:
        PluginLoadError: it cannot be imported or made, or not in time.
        ContractError: it is neither.
        ConfigurationError: an option is for plugins that run in a host.
    """
    options.require_nothing_of_hosts()
    make = partial(_made, load, options)
    doing = f"cannot load plugin {called}: importing and making it"
    seconds = configuration.load_deadline
    try:
        return in_time(make, seconds, plugin=called, doing=doing, remedy=_REMEDY)
    except PluginLoadError as error:
        if seconds is None or not any(each in str(error.__cause__) for each in _OF_MAIN_THREAD):
            raise
        remedy = "give it 'isolate', or set 'load_deadline' to null, which imports plugins where the board is started"
        raise PluginLoadError(f"{error}; {remedy}", plugin=error.plugin) from error


def _made(load: Callable[[], Any], options: Options) -> PluginAdapter | ProviderAdapter | FunctionType:
    found = load()
    if is_mount(found):
        mount: FunctionType = found
        return mount
    adapter = _adapter(found, options.config, None if options.several else options.name)
    if options.name is None or not options.several:
        return adapter
    # Only one that was made can be relied on for its own name.
    renamed = _adapter(adapter.plugin, options.config, options.called(adapter.name))
    if not isinstance(renamed, PluginAdapter):
        renamed.made = isinstance(found, type)
    return renamed


def _adapter(found: Any, config: dict[str, Any], name: str | None = None) -> PluginAdapter | ProviderAdapter:
    if not _runs_tools(found):
        from ..agent.requests.provider_hooks import EXTENDING_HOOKS, SENDING_HOOKS, provider_hook  # noqa: PLC0415 - see below

        def offers(hooks: Iterable[str]) -> bool:
            return any(provider_hook(found, hook, name=type(found).__name__) for hook in hooks)

        sends = offers(SENDING_HOOKS)
        if sends or offers(EXTENDING_HOOKS):
            # All of the agent layer comes with it; most boards have no provider.
            from ..agent.requests.provider_adapter import ProviderAdapter  # noqa: PLC0415 - only providers need it

            return ProviderAdapter(found, name=name, config=config, extension=not sends)
    return PluginAdapter(found, name=name, config=config)


def _runs_tools(found: Any) -> bool:
    """Whether it is a tool plugin by what its class or object offers, or a tool of Amplifier's."""
    name = type(found).__name__
    return any(offered(found, hook, name=name) for hook in (*RUNNING_HOOKS, "get_tool_schemas", "execute"))


def import_here(path: str, configuration: Configuration) -> Any:
    """Return what a dotted path names. Raises `PluginLoadError`: it cannot be imported, or not in time."""
    doing = f"cannot load plugin {path}: importing it"
    remedy = "have it end, or raise 'load_deadline'"
    load = partial(load_python_object, path)
    return in_time(load, configuration.load_deadline, plugin=path, doing=doing, remedy=remedy)
