"""A call whose input a hook has changed: the tool is given the new input, and sees nothing of the old one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...interop.conversion import ToolInteropTarget
from ...interop.errors import InteropError

if TYPE_CHECKING:
    from ...interop.registry.tool_registry import ToolInteropRegistry
    from ...plugins.contract.invocation import Invocation


def with_input(invocation: Invocation, call_id: str, value: Any, registry: ToolInteropRegistry) -> Invocation:
    """The same call with another input.

    The call as it came, which a tool may look at, is written anew in its own format. Where that cannot be, the
    tool is not shown it: a gate that takes something out of the input must not be got round by looking there.
    """
    return invocation._replace(
        payload=value, tool_call=_rewritten(invocation, call_id, value, registry), payload_metadata={}
    )


def _rewritten(
    invocation: Invocation, call_id: str, value: Any, registry: ToolInteropRegistry
) -> dict[str, Any] | None:
    name = invocation.tool_name
    if name is None:
        return None
    plain: dict[str, Any]
    if isinstance(value, str):
        plain = {"type": "custom_tool_call", "call_id": call_id, "name": name, "input": value}
    else:
        plain = {"id": call_id, "type": "function", "function": {"name": name, "arguments": value}}
    try:
        wire = registry.inspect_call(invocation.tool_call).format
        written = registry.convert_tool_call(plain, ToolInteropTarget(wire), [wire]).value
    except InteropError:
        return None
    return written if isinstance(written, dict) else None
