"""Callboard runs the tools of an LLM agent as supervised actors.

Every call ends, once, with an answer that says what happened, and the next call works, whatever a
tool does. This module only hands names on; each is documented where it is made.
"""

from .actors.call import Call
from .actors.catalog import ToolDescriptor
from .actors.messages import Dispatch
from .agent.core import AgentCore
from .callboard import Callboard, FailedPlugin, NotStarted
from .configuration import Configuration, read_configuration
from .hosts.hosted_tool import HostedToolPlugin
from .hosts.node_tool import NodeToolPlugin
from .nearest import ConfigurationError
from .plugins.adapter import PluginAdapter
from .plugins.codes import Code, Outcome
from .plugins.contract import ToolPlugin
from .plugins.errors import CallboardError, ContractError, PluginError, PluginLoadError
from .supervision.backoff import Backoff
from .supervision.events import Event
from .supervision.policy import RestartPolicy, RestartType
from .version import __version__

__all__ = [
    "AgentCore",
    "Backoff",
    "Call",
    "Callboard",
    "CallboardError",
    "Code",
    "Configuration",
    "ConfigurationError",
    "ContractError",
    "Dispatch",
    "Event",
    "FailedPlugin",
    "HostedToolPlugin",
    "NodeToolPlugin",
    "NotStarted",
    "Outcome",
    "PluginAdapter",
    "PluginError",
    "PluginLoadError",
    "RestartPolicy",
    "RestartType",
    "ToolDescriptor",
    "ToolPlugin",
    "__version__",
    "read_configuration",
]
