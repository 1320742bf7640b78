"""Loading what runs in this process: it is imported and made on a thread that can be lost.

A plugin that is never done with that would else keep the whole board from starting. The price is that it is not
imported in the main thread, which some modules insist on, and which is told where one fails because of it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from .actors.in_time import in_time
from .plugins.adapter import PluginAdapter
from .plugins.errors import PluginLoadError
from .plugins.python_source import load_python_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from .configuration import Configuration
    from .options import Options

_REMEDY = "have it end, raise 'load_deadline', or give it 'isolate', which loads it in a host"
_OF_MAIN_THREAD = ("main thread", "no current event loop", "no running event loop")
"""What is said by what can only be done in the main thread, or in that of an event loop."""


def load_here(
    load: Callable[[], Any], called: str, options: Options, configuration: Configuration
) -> PluginAdapter:
    """Import a plugin and make it.

    Args:
        load: imports it; returns an instance or a class.
        called: its dotted path.
        options: how it is to be run.
        configuration: says how long it may take.

    Raises:
        PluginLoadError: it cannot be imported or made, or not in time.
        ContractError: it is no plugin.
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


def _made(load: Callable[[], Any], options: Options) -> PluginAdapter:
    found = load()
    if options.name is None or not options.several:
        return PluginAdapter(found, name=options.name, config=options.config)
    own = PluginAdapter(found, config=options.config)  # only one that was made can be relied on for its name
    return PluginAdapter(own.plugin, name=options.called(own.name), config=options.config)


def import_here(path: str, configuration: Configuration) -> Any:
    """Return what a dotted path names. Raises `PluginLoadError`: it cannot be imported, or not in time."""
    doing = f"cannot load plugin {path}: importing it"
    remedy = "have it end, or raise 'load_deadline'"
    load = partial(load_python_object, path)
    return in_time(load, configuration.load_deadline, plugin=path, doing=doing, remedy=remedy)
