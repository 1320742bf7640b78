"""What a tool is: contract, signature adapters, results, context, sources.

A plugin is any object with the hooks of `ToolPlugin`. `PluginAdapter` in `adapter.py` makes it complete, and is
all that the rooms above see of it. Nothing in this room starts a thread or a process, or knows a wire format.

Handed on here is what the author of a plugin needs, and no more: every room imports this one for its errors,
and need not load the adapter with them.
"""

from ..base.errors import (
    CallboardError,
    ContractError,
    HookError,
    JsonValueError,
    PluginError,
    PluginLoadError,
)
from .contract.contract import BasePlugin, ToolPlugin
from .results.provider_native import (
    FORMAT_OPENAI_CHAT_COMPLETIONS,
    FORMAT_OPENAI_RESPONSES,
    is_provider_native_tool_result,
    make_provider_native_tool_result,
)

__all__ = [
    "FORMAT_OPENAI_CHAT_COMPLETIONS",
    "FORMAT_OPENAI_RESPONSES",
    "BasePlugin",
    "CallboardError",
    "ContractError",
    "HookError",
    "JsonValueError",
    "PluginError",
    "PluginLoadError",
    "ToolPlugin",
    "is_provider_native_tool_result",
    "make_provider_native_tool_result",
]
