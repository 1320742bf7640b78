"""The way of a call past the hooks of a board.

::

    submit ─▶ claims? ─▶ gate queue ─▶ tool:pre ─▶ a person? ─▶ router ─▶ tool ─▶ tool:post ─▶ caller
                                            └── no ──▶ denied ────────▶ tool:error ◀── failure

Without hooks a call does not come here. With them it has two handles (see `handles`), and one terminal event:
``tool:post`` if its tool answered, else ``tool:error``, which is told to observers when the caller has its result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.locks import Lock
from ...plugins.results.codes import Code
from ...plugins.results.failures import failure
from .handles import HookedCall
from .ordering import MAX_WAITING, GateQueue
from .pipeline import HookPipeline, PipelineContext

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...interop.registry.tool_registry import ToolInteropRegistry
    from ..calls.call import Call
    from ..routing.claims import ClaimCollector
    from ..routing.decision import Claims
    from ..routing.table import RoutingTable
    from .approval import Approvals
    from .listeners import Listeners
    from .runner import HookServices


class Interceptor:
    """See the module. Thread-safe.

    Args:
        means: the board's.
        listeners: the hooks.
        routing_table: the present routes.
        claiming: asks plugins whose call it is.
        registry: the registry of the present, for calls whose input is changed.
        route: gives a call to the router, or to the tool that takes it.

    Attributes:
        people: asks a person.
    """

    def __init__(
        self,
        means: HookServices,
        listeners: Listeners,
        *,
        routing_table: RoutingTable,
        claiming: ClaimCollector,
        registry: Callable[[], ToolInteropRegistry],
        route: Callable[[Call, Claims | None], None],
    ) -> None:
        self.people: Approvals = means.people
        self._clock = means.clock
        self._routing_table = routing_table
        self._ways = PipelineContext(
            means, listeners, GateQueue(), routing_table, claiming, registry, route, self._forget
        )
        self._lock = Lock()
        self._under_way: set[HookPipeline] = set()
        self._closed = False

    def handle(self, read: Call) -> HookedCall:
        """The caller's handle of a call, which `begin` sees to."""
        call = HookedCall(read)
        call.belongs_to(HookPipeline(self._ways, call))
        return call

    def begin(self, call: HookedCall, deadline: float | None) -> None:
        """See to a call; returns at once. An interrupt leaves it to its caller to withdraw it."""
        pipeline = call.owner
        assert isinstance(pipeline, HookPipeline)
        if call.unreadable is not None:  # no tool is asked for
            pipeline.end(call.unreadable)
            return
        with self._lock:
            closed = self._closed
            self._under_way.add(pipeline)
        if closed:
            call.end_early(Code.CANCELLED, "the board has been stopped")
            return
        call.limit(self._clock, self._default_deadline(call) if deadline is None else deadline)
        if call.decided:
            return
        if self._ways.queue.enter(pipeline, self._routing_table.routes.offering(call.tool_name)):
            pipeline.seek()
        else:
            pipeline.end(failure(Code.OVERLOADED, f"{MAX_WAITING} calls wait for hooks already"))

    def close(self) -> None:
        """End the calls that no tool has yet: hooks or a person are being waited for. Take no more."""
        with self._lock:
            self._closed = True
        self._end(with_tools=False)

    def finish(self) -> None:
        """End those that are left, now that their tools have ended."""
        self._end(with_tools=True)

    def _end(self, *, with_tools: bool) -> None:
        with self._lock:
            under_way = list(self._under_way)
        for pipeline in under_way:
            if with_tools or not pipeline.has_tool:
                pipeline.call.end_early(Code.CANCELLED, "the board was stopped")

    def _forget(self, pipeline: HookPipeline) -> None:
        with self._lock:
            self._under_way.discard(pipeline)

    def _default_deadline(self, call: Call) -> float | None:
        """That of the tool that takes it, if that is known before claims are asked."""
        only = self._routing_table.routes.only(call.tool_name)
        endpoint = None if only is None else self._routing_table.endpoints.get(only)
        return None if endpoint is None else endpoint.settings.deadline
