"""Reading a tool call, as it comes, into a `Call`."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from ...base.errors import CallboardError
from ...interop.default_registry import get_registry_from_context
from ...plugins.contract.invocation import Invocation
from ...plugins.results.codes import Code
from ...plugins.results.failures import failure
from ..calls.call import Call

if TYPE_CHECKING:
    from ...interop.hub import InspectedCall
    from ...interop.registry.tool_registry import ToolInteropRegistry
    from ...supervision.runtime.clock import Clock
    from ..catalog.catalog import Catalog


def registry_for(catalog: Catalog, context: dict[str, Any] | None) -> ToolInteropRegistry:
    """What reads the calls of a request, whose tools may be declared in other ways than the board has them."""
    if context is None or "tool_interop" not in context:
        return catalog.registry
    return get_registry_from_context(context)


def invocation_of(
    inspected: InspectedCall,
    tool_call: Any,
    context: dict[str, Any] | None,
    prepared: dict[str, Any] | None = None,
) -> Invocation:
    """A call as its tool sees it, from the call as it was read."""
    return Invocation(
        tool_name=inspected.tool_name,
        payload=inspected.payload,
        payload_kind=inspected.payload_kind,
        payload_format=inspected.payload_format,
        payload_metadata=inspected.payload_metadata,
        tool_call=tool_call,
        prepared=prepared,
        context=context,
    )


class CallParser:
    """Reads calls in every format that the catalog's registry knows, or that of their request."""

    def __init__(self, catalog: Catalog, clock: Clock) -> None:
        self._catalog = catalog
        self._clock = clock
        self._made_up = itertools.count(1)

    def read(self, tool_call: Any, *, context: dict[str, Any] | None, streaming: bool) -> Call:
        """The call that a value asks for. One that cannot be read, or must not be run, has ended already."""
        try:
            inspected = registry_for(self._catalog, context).inspect_call(tool_call)
        except CallboardError as error:  # such as what is no JSON beside what is asked for
            return self._unreadable(tool_call, str(error))
        call = Call(
            inspected.call_id or self._make_up_id(),
            invocation_of(inspected, tool_call, context),
            submitted=self._clock.now(),
            streaming=streaming,
        )
        if inspected.payload_kind == "malformed":
            fault = inspected.payload_metadata.get("error") or {}
            problem = str(fault.get("message") or "the arguments cannot be read")
            call.finish(failure(Code.INVALID_CALL, problem, raw=inspected.raw))
        return call

    def _unreadable(self, tool_call: Any, error: str) -> Call:
        given = tool_call.get("id") if isinstance(tool_call, dict) else None
        call = Call(
            given if isinstance(given, str) and given else self._make_up_id(),
            Invocation(tool_name=None, payload=None, payload_kind="malformed"),
        )
        call.finish(failure(Code.INVALID_CALL, error))
        return call

    def _make_up_id(self) -> str:
        return f"call_{next(self._made_up)}"
