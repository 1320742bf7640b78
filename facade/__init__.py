"""Callboard runs the tools of an LLM agent as supervised actors.

Every call ends, once, with an answer that says what happened, and the next call works, whatever a
tool does. This module only hands names on; each is documented where it is made.

A name is fetched when it is first asked for. A program that imports a small part of Callboard, as a plugin
does that imports its contract in a host of its own, does not wait for all the rest.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .actors.board import NotStarted
    from .actors.calls.call import Call
    from .actors.catalog.catalog import ToolDescriptor
    from .actors.hosting.reload_progress import ReloadRefused
    from .actors.messages import Dispatch
    from .actors.plugins.resources import ToolRuntime
    from .actors.reload.reload import Reloaded
    from .agent.core.core import AgentCore
    from .agent.loop.cancellation import Cancellation
    from .agent.sessions.session import Session
    from .base.errors import CallboardError, ContractError, LoadTimeout, PluginError, PluginLoadError
    from .callboard import Callboard
    from .config.configuration import Configuration, read_configuration
    from .config.errors import ConfigurationError
    from .configured_agent import Agent
    from .direct_calls import ToolFailed
    from .hosts.hosted_tool import HostedToolPlugin
    from .hosts.node.tool import NodeToolPlugin
    from .loading.failed import FailedPlugin
    from .plugins.adapter.adapter import PluginAdapter
    from .plugins.contract.contract import ToolPlugin
    from .plugins.functions.signature import ToolContext
    from .plugins.results.call_result import CallResult, CodeLiteral, OutcomeLiteral
    from .plugins.results.codes import Code, Outcome
    from .supervision.restart.backoff import Backoff
    from .supervision.restart.policy import RestartPolicy, RestartType
    from .supervision.runtime.events import Event
    from .version import __version__

__all__ = [
    "Agent",
    "AgentCore",
    "Backoff",
    "Call",
    "CallResult",
    "Callboard",
    "CallboardError",
    "Cancellation",
    "Code",
    "CodeLiteral",
    "Configuration",
    "ConfigurationError",
    "ContractError",
    "Dispatch",
    "Event",
    "FailedPlugin",
    "HostedToolPlugin",
    "LoadTimeout",
    "NodeToolPlugin",
    "NotStarted",
    "Outcome",
    "OutcomeLiteral",
    "PluginAdapter",
    "PluginError",
    "PluginLoadError",
    "ReloadRefused",
    "Reloaded",
    "RestartPolicy",
    "RestartType",
    "Session",
    "ToolContext",
    "ToolDescriptor",
    "ToolFailed",
    "ToolPlugin",
    "ToolRuntime",
    "__version__",
    "read_configuration",
]

_PLACES = {
    "Call": ".actors.calls.call",
    "ToolContext": ".plugins.functions.signature",
    "ToolFailed": ".direct_calls",
    "ToolDescriptor": ".actors.catalog.catalog",
    "Dispatch": ".actors.messages",
    "Reloaded": ".actors.reload.reload",
    "ReloadRefused": ".actors.hosting.reload_progress",
    "ToolRuntime": ".actors.plugins.resources",
    "Cancellation": ".agent.loop.cancellation",
    "AgentCore": ".agent.core.core",
    "Session": ".agent.sessions.session",
    "Callboard": ".callboard",
    "FailedPlugin": ".loading.failed",
    "NotStarted": ".actors.board",
    "Configuration": ".config.configuration",
    "read_configuration": ".config.configuration",
    "Agent": ".configured_agent",
    "HostedToolPlugin": ".hosts.hosted_tool",
    "NodeToolPlugin": ".hosts.node.tool",
    "ConfigurationError": ".config.errors",
    "PluginAdapter": ".plugins.adapter.adapter",
    "CallResult": ".plugins.results.call_result",
    "CodeLiteral": ".plugins.results.call_result",
    "OutcomeLiteral": ".plugins.results.call_result",
    "Code": ".plugins.results.codes",
    "Outcome": ".plugins.results.codes",
    "ToolPlugin": ".plugins.contract.contract",
    "CallboardError": ".base.errors",
    "ContractError": ".base.errors",
    "LoadTimeout": ".base.errors",
    "PluginError": ".base.errors",
    "PluginLoadError": ".base.errors",
    "Backoff": ".supervision.restart.backoff",
    "Event": ".supervision.runtime.events",
    "RestartPolicy": ".supervision.restart.policy",
    "RestartType": ".supervision.restart.policy",
    "__version__": ".version",
}

"""Where each name is made. A test holds it to the imports above."""

if not TYPE_CHECKING:  # a type checker takes a module with a __getattr__ to have any name at all

    def __getattr__(name: str) -> object:
        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_PLACES[name], __name__), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
