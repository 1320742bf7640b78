"""One call on its way past the hooks: what is under way for it, and how it ends.

The caller's handle decides every race. Whoever is late (a hook that answers after the deadline, a tool that answers
a cancelled call) finds that it has ended, and what it brings is dropped.
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from ..plugins.codes import Code
from ..plugins.failures import failure
from ..plugins.frozen import frozen
from ..plugins.hook_chain import Chain, Passed, Refused
from ..plugins.hook_data import ERROR, POST, PRE, FailureData, InputData, ResultData, error_of
from .changed_calls import with_input
from .hook_runs import HookRun
from .hooked_calls import HookedCall, ToolRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..interop.tool_registry import ToolInteropRegistry
    from ..plugins.calling import Invocation
    from ..plugins.hook_chain import Listener
    from ..plugins.hook_data import HookData
    from .call import Call, Result, Stage
    from .gate_queue import GateQueue
    from .hook_runs import Means
    from .listeners import Listeners
    from .router_actor import Switch

Json = dict[str, Any]


@frozen
class Ways:
    """What all passages of a board share.

    Attributes:
        means: carries events through hooks.
        listeners: the hooks.
        queue: before the gates.
        switch: the present routes.
        registry: the registry of the present.
        route: gives a call to the router, or to the tool that takes it.
        forget: told of each passage that is over.
    """

    means: Means
    listeners: Listeners
    queue: GateQueue
    switch: Switch
    registry: Callable[[], ToolInteropRegistry]
    route: Callable[[Call], None]
    forget: Callable[[Passage], None]


class Passage:
    """See the module. It is the `CallOwner` of the caller's handle.

    Args:
        ways: the board's.
        call: the caller's handle.
    """

    def __init__(self, ways: Ways, call: HookedCall) -> None:
        self.call = call
        self._ways = ways
        self._lock = threading.Lock()
        self._at_gate = False
        self._run: HookRun | None = None
        self._tool: ToolRun | None = None
        self._answered = False
        self._duration: float | None = None
        self._invocation = call.invocation

    @property
    def has_tool(self) -> bool:
        """Whether it is past the gates."""
        return self._tool is not None

    # The way

    def begin(self) -> None:
        """See `Passenger`."""
        call, routes = self.call, self._ways.switch.routes
        with self._lock:
            self._at_gate = True
        if call.decided:
            self._leave_gate()
        elif not routes.claimers and call.tool_name not in routes.by_name:
            self._give_to_tool(call.invocation)  # there is no such tool: nobody need be asked about that
        else:
            self._consult(PRE, call.invocation.payload, self._gated)

    def _gated(self, step: Passed | Refused) -> None:
        call = self.call
        if isinstance(step, Refused):
            error = f"the call was denied: {step.why}"
            denied = failure(Code.DENIED, error, hook=step.by, reason=step.reason)
            self.end(denied, partial(self._tell, "call_denied", step))
            self._leave_gate()
            return
        invocation = call.invocation
        if self._run is not None and self._run.chain.changed:
            invocation = with_input(invocation, call.id, step.value, self._ways.registry())
        self._give_to_tool(invocation)

    def _give_to_tool(self, invocation: Invocation) -> None:
        tool = ToolRun(self.call, invocation)
        with self._lock:
            self._run = None
            self._invocation = invocation
            self._tool = tool
        if self.call.decided:  # ended just now, and its end may have found no tool's handle to end too
            self._end_tool(tool)
        else:
            self._ways.route(tool)
        self._leave_gate()
        tool.add_done_callback(partial(self._on_tool_answer, tool))

    def _on_tool_answer(self, tool: ToolRun) -> None:
        call, result = self.call, tool.result()
        call.plugin_name = tool.plugin_name
        if tool.began is not None:
            self._duration = self._ways.means.clock.now() - tool.began
        if "code" in result and not result["success"]:
            self.end(result)
        elif not call.decided:
            self._answered = True
            self._consult(POST, result, self._reviewed)

    def _reviewed(self, step: Passed | Refused) -> None:
        if isinstance(step, Passed):
            self.end(step.value)
            return
        error = f"the tool has run, but its result was withheld: {step.why}"
        facts: Json = {"hook": step.by, "reason": step.reason}
        self.end(failure(Code.INVALID_RESULT, error, **facts), partial(self._tell, "result_withheld", step))

    def _consult(self, event: str, value: Any, done: Callable[[Passed | Refused], None]) -> None:
        listeners = self._ways.listeners.of(event)
        if not listeners:
            done(Passed(value))
            return
        facts = self._facts(event)
        if event == PRE:
            run = self._hook_run(event, listeners, InputData(value, facts), done)
        else:
            facts["success"] = value["success"]
            run = self._hook_run(event, listeners, ResultData(value, facts), done)
        with self._lock:
            self._run = run
        if self.call.decided:  # ended just now, and its end may not have found this run
            run.abandon()
            self._leave_gate()
        else:
            run.start()

    def _hook_run(
        self,
        event: str,
        listeners: tuple[Listener, ...],
        data: HookData,
        done: Callable[[Passed | Refused], None],
    ) -> HookRun:
        call, chain = self.call, Chain(event, listeners, data)

        def noted(step: Passed | Refused) -> None:
            if chain.notes:
                call.notes += tuple(chain.notes)
            done(step)

        return HookRun(chain, self._ways.means, call=call.id, tool=call.tool_name, done=noted)

    def _leave_gate(self) -> None:
        """Let the next call have the gates, if it was this one's turn; once."""
        with self._lock:
            at_gate, self._at_gate = self._at_gate, False
        if at_gate:
            self._ways.queue.leave(self.call.tool_name)

    # The end

    def end(self, result: Result, first: Callable[[], None] | None = None) -> None:
        """The call has this result, if it has none yet."""
        if self.call.finish(result, first=first):
            self._ended()

    def on_ended_early(self, call: Call, stage: Stage) -> None:  # noqa: ARG002 - see `CallOwner`
        """See `CallOwner`: nobody waits for hooks, for a person or for the tool any more."""
        with self._lock:
            run, tool = self._run, self._tool
        if run is not None:
            run.abandon()
        if tool is not None:
            self._end_tool(tool)
        self._leave_gate()
        self._ended()

    def on_ended(self, call: Call, result: Result) -> None:
        """See `CallOwner`."""

    def _end_tool(self, tool: ToolRun) -> None:
        result = self.call.result()
        deadline = result.get("code") == Code.DEADLINE_EXCEEDED
        tool.end_early(Code.DEADLINE_EXCEEDED if deadline else Code.CANCELLED, str(result.get("error")))

    def _ended(self) -> None:
        """Tell those who want to know of failures; the caller does not wait for them."""
        self._ways.forget(self)
        listeners = self._ways.listeners.of(ERROR)
        if self._answered or not listeners:
            return
        result = self.call.result()
        facts = self._facts(ERROR)
        facts |= {"error": error_of(result), "result": result, "tool_result": result, "success": False}
        facts |= {"code": result.get("code"), "outcome": result.get("outcome")}
        self._hook_run(ERROR, listeners, FailureData(facts), _nothing).start()

    # What is told

    def _tell(self, kind: str, step: Refused) -> None:
        call = self.call
        self._ways.means.events.publish(kind, step.by, call=call.id, tool=call.tool_name, why=step.why)

    def _facts(self, event: str) -> Json:
        call, seconds = self.call, self._duration
        context = call.invocation.context or {}
        facts: Json = {
            "tool_name": call.tool_name,
            "tool_call_id": call.id,
            "plugin": call.plugin_name or self._ways.switch.routes.only(call.tool_name),
            "timestamp": datetime.now(UTC).isoformat(),
        }
        facts |= {name: context[name] for name in _SESSION if isinstance(context.get(name), str)}
        if event == PRE:
            return facts
        payload = self._invocation.payload
        life = getattr(getattr(self._tool, "run", None), "host", None)
        return facts | {
            "tool_input": payload,
            "input": payload,
            "attempt": call.attempt,
            "generation": getattr(life, "generation", None),
            "duration": seconds,
            "duration_ms": None if seconds is None else round(seconds * 1000),
        }


_SESSION = ("session_id", "parent_id")


def _nothing(_: Passed | Refused) -> None:
    """Nobody waits for the observers of failures."""
