"""The hooks of `provider_contract` as a table, and which of them a plugin offers itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...plugins.contract.hook_table import Hook, offered
from .provider_contract import Feature, Provider, ProviderExtension

if TYPE_CHECKING:
    from collections.abc import Callable

_NATIVE = ("native_messages", "state")

_TABLE = (
    Hook("init", ("config",)),
    Hook("accepted_tool_schema_formats", ("state",)),
    Hook("get_tool_interop_contribution", ("state",)),
    Hook("to_native_messages", ("messages", "state"), ("context",), fewest=1),
    Hook("initialize_request", _NATIVE, ("context",), fewest=2),
    Hook("send_request_stream", _NATIVE, ("context",), at_once=False, fewest=1),
    Hook("send_request_stream_async", _NATIVE, ("context",), at_once=False, fewest=1),
    Hook("finalize", ("final_messages", *_NATIVE), ("context",), fewest=3),
    Hook("from_native_messages", _NATIVE, ("context",), fewest=1),
)

PROVIDER_HOOKS: Final[dict[str, Hook]] = {hook.name: hook for hook in _TABLE}
"""All hooks by name; `BasePlugin` has more, which say who is enabled."""

SENDING_HOOKS: Final = ("send_request_stream", "send_request_stream_async")
"""The hooks that ask; a provider has to offer one of them, and of an extension they are not looked at."""

FEATURE_HOOKS: Final = ("init", "get_tool_interop_contribution", "initialize_request", "finalize")
"""The hooks of a feature; others are not looked at."""

EXTENDING_HOOKS: Final = (
    "accepted_tool_schema_formats",
    "to_native_messages",
    "initialize_request",
    "finalize",
    "from_native_messages",
)
"""The hooks of providers and extensions that tool plugins have nothing like."""

_UNIMPLEMENTED: Final = frozenset(
    id(_body)
    for protocol in (Feature, ProviderExtension, Provider)
    for name in PROVIDER_HOOKS
    if (_body := vars(protocol).get(name))
)


def provider_hook(plugin: object, hook: str, *, name: str) -> Callable[..., Any] | None:
    """Return the plugin's own method for a hook; ``None`` if it leaves the hook to the default.

    Raises:
        ContractError: there is something of that name that cannot be called, or reading it raises.
    """
    method = offered(plugin, hook, name=name)
    return None if id(getattr(method, "__func__", method)) in _UNIMPLEMENTED else method
