"""Every hook in one table: what it is called with, and which of them a plugin offers itself.

The table is the contract of `contract.py` as data; a test holds the two together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.errors import ContractError
from ...base.foreign import blames
from ...base.frozen import frozen
from ...base.validation import a_type
from ..results.failures import describe
from .contract import BasePlugin, ToolPlugin

if TYPE_CHECKING:
    from collections.abc import Callable


@frozen
class Hook:
    """How one hook is called.

    Attributes:
        name: the method's name.
        positional: what it is given by position; a shorter signature gets as many as it takes.
        keywords: what it is given by name if it asks for it, and all of what ``**kwargs`` gets.
        also: further names it may ask for.
        at_once: it has to answer at once; the others may take their time, and be asynchronous.
        fewest: positional values that it has to take.
    """

    name: str
    positional: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    at_once: bool = True
    fewest: int = 0


_CALL = ("tool_name", "payload", "state")
_FACTS = ("payload_kind", "payload_format", "payload_metadata", "tool_call")
_RUN = (*_FACTS, "prepared", "context")
_MORE = ("tool_schema", "key")

_TABLE = (
    Hook("init", ("config",)),
    Hook("prepare", ("config", "state"), ("context",), at_once=False),
    Hook("prepare_async", ("config", "state"), ("context",), at_once=False),
    Hook("get_tool_schemas", ("state",), ("prepared",)),
    Hook("get_tool_interop_contribution", ("state",)),
    Hook("can_handle_tool_call", _CALL, (*_FACTS, "tool_schema", "prepared"), ("context",), fewest=3),
    Hook("execute_tool", _CALL, _RUN, _MORE, at_once=False, fewest=3),
    Hook("execute_tool_async", _CALL, _RUN, _MORE, at_once=False, fewest=3),
    Hook("stream_tool", _CALL, _RUN, _MORE, at_once=False, fewest=3),
    Hook("stream_tool_async", _CALL, _RUN, _MORE, at_once=False, fewest=3),
    Hook("format_tool_result", ("result", "state")),
    Hook("format_tool_call_preview", _CALL, (*_FACTS, "prepared"), ("tool_schema", "context"), fewest=3),
    Hook("to_display_format", ("text", "result", "state")),
    Hook("get_config_schema"),
    Hook("get_ui_elements"),
    Hook("get_tags", ("config", "models")),
    Hook("required_tags"),
    Hook("forbidden_tags"),
    Hook("is_enabled", ("config", "tags", "models", "context")),
)

HOOKS: dict[str, Hook] = {hook.name: hook for hook in _TABLE}
"""All hooks by name."""

RUNNING_HOOKS = ("execute_tool", "execute_tool_async", "stream_tool", "stream_tool_async")
"""The hooks that run a tool; a plugin has to offer one of them."""

_UNIMPLEMENTED = frozenset(
    id(_body)
    for protocol in (BasePlugin, ToolPlugin)
    for name in HOOKS
    if (_body := vars(protocol).get(name))
)


def offered(plugin: object, hook: str, *, name: str) -> Callable[..., Any] | None:
    """Return the plugin's own method for a hook; ``None`` if it leaves the hook to the default.

    What a class merely inherits from `ToolPlugin` is not its own. A hook that is ``None`` is left out.

    Raises:
        ContractError: there is something of that name that cannot be called, or reading it raises.
    """
    try:
        method = getattr(plugin, hook, None)
    except BaseException as error:  # an attribute may be a property of the plugin's
        if not blames(error):
            raise
        why = f"plugin {name!r}: reading {hook} raised {describe(error)}"
        raise ContractError(why, plugin=name) from error
    if method is None or id(getattr(method, "__func__", method)) in _UNIMPLEMENTED:
        return None
    if not callable(method):
        raise ContractError(
            f"plugin {name!r}: {hook} is {a_type(method)}; it has to be a method", plugin=name
        )
    return method  # type: ignore[no-any-return] # callable() does not narrow Any
