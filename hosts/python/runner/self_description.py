"""What a Python host says of itself and its plugin to a client that asks.

The plugin is told by its class: it is made when it is initialised, and the client asks before.
"""

from __future__ import annotations

import inspect
import platform
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from ....base.errors import ContractError
from ....plugins.contract.foreign_signature import read_signature
from ....plugins.contract.hook_table import HOOKS, RUNNING_HOOKS, offered
from ....plugins.contract.signatures import plan_call
from ...protocol.call_params import FACTS
from ...protocol.description import PROTOCOL
from ...protocol.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterable

Json = dict[str, Any]

FEATURES = ("ack", "can_handle", "cancel", "is_enabled", "payload", "prepare", "state_version")

_NAMED_OTHERWISE = {"prepare": ("prepare", "prepare_async"), "execute_tool": RUNNING_HOOKS}


def description(found: Any) -> Json:
    """The value of the answer; ``None`` if nothing could be loaded."""
    host = {"name": "callboard-python", "version": platform.python_version()}
    own: Json = {} if found is None else {"methods": _methods(found), "wants": _wants(found)}
    version = getattr(found, "version", None)
    if isinstance(version, str):
        own["version"] = version
    if _takes_objects_only(found):
        own["objects_only"] = True
    return {"protocol": PROTOCOL, "host": host, "features": list(FEATURES), **own}


def _methods(found: Any) -> list[str]:
    return [
        method.name
        for method in METHODS.values()
        if method.required or any(_hooks(found, _NAMED_OTHERWISE.get(method.name, (method.name,))))
    ]


def _wants(found: Any) -> list[str]:
    """The facts of a call that the methods which run tools ask for."""
    named: set[str] = set()
    for hook in _hooks(found, RUNNING_HOOKS):
        try:
            parameters = read_signature(hook).parameters.values()
        except (ValueError, TypeError):
            continue
        named |= {parameter.name for parameter in parameters}
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
            # As for tools of this process, these are given only to a method that names them.
            named |= set(FACTS) - {"tool_schema", "key"}
    return [fact for fact in FACTS if fact in named]


def _takes_objects_only(found: Any) -> bool:
    """Whether no method that runs tools can be given raw text; false of one whose methods cannot be told yet."""
    plans = []
    for name in RUNNING_HOOKS:
        for hook in _hooks(found, (name,)):
            unbound = isinstance(found, type) and isinstance(
                inspect.getattr_static(found, name), FunctionType
            )
            method = MethodType(hook, found) if unbound else hook
            try:
                plans.append(plan_call(method, HOOKS[name], plugin=str(found)).legacy)
            except ContractError:  # which is the answer to its initialisation
                return False
    return bool(plans) and all(plans)


def _hooks(found: Any, names: Iterable[str]) -> list[Any]:
    hooks = []
    for name in names:
        try:
            hook = offered(found, name, name=str(found))
        except ContractError:  # which is the answer to its initialisation
            continue
        if hook is not None:
            hooks.append(hook)
    return hooks
