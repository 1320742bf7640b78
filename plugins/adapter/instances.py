"""From a plugin class to a plugin: who makes the instance, and what it is given.

A plugin of the specification takes nothing; its configuration comes with `init`. An Amplifier-style tool
takes its configuration when it is made. So a class gets the configuration if its constructor has a
parameter ``config``, or exactly one that it requires.
"""

from __future__ import annotations

import inspect
from typing import Any

from ...base.errors import ContractError, PluginLoadError
from ...base.foreign import blames
from ..contract.foreign_signature import read_signature
from ..results.failures import describe

_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def make_instance(plugin_class: type, config: dict[str, Any]) -> Any:
    """Make a plugin of its class.

    Raises:
        ContractError: the constructor requires more than a configuration.
        PluginLoadError: it raised.
    """
    name = plugin_class.__name__
    wanted = _config_parameter(plugin_class, name)
    try:
        if wanted is None:
            return plugin_class()
        if wanted.kind is inspect.Parameter.POSITIONAL_ONLY:
            return plugin_class(config)
        return plugin_class(**{wanted.name: config})
    except BaseException as error:  # the plugin's `__init__`
        if not blames(error):
            raise
        raise PluginLoadError(f"making plugin {name} raised {describe(error)}", plugin=name) from error


def _config_parameter(plugin_class: type, name: str) -> inspect.Parameter | None:
    try:
        parameters = read_signature(plugin_class).parameters.values()
    except (ValueError, TypeError):  # a class written in C may hide its signature
        return None
    required = [each for each in parameters if each.default is each.empty and each.kind not in _VARIADIC]
    named = next((each for each in parameters if each.name == "config" and each.kind not in _VARIADIC), None)
    others = [each for each in required if each is not named]
    if named is None and len(others) == 1:
        return others[0]
    if others:
        needs = ", ".join(each.name for each in others)
        raise ContractError(
            f"plugin {name} cannot be made: its constructor requires {needs}; "
            "it can be given a config and nothing else. Register an instance instead",
            plugin=name,
        )
    return named
