"""One call on its way past the hooks: what is under way for it, and how it ends.

The caller's handle decides every race. What is late (a hook that answers after the deadline, a tool that answers
a cancelled call) finds that it has ended, and what it brings is dropped.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen
from ...base.locks import Lock
from ...plugins.hooks.approval_rules import ApprovalRules
from ...plugins.hooks.chain import Chain, Passed, Refused
from ...plugins.hooks.payload import FailureData, error_of, hook_data, is_spoken
from ...plugins.hooks.terms import ERROR, POST, PRE
from ...plugins.results.codes import Code
from ...plugins.results.failures import failure, reported
from ..routing.decision import only_for, target_of
from .handles import HookedCall, ToolRun
from .payload import facts_after, facts_before, withheld
from .rewrite import with_input
from .runner import HookRun

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable

    from ...interop.registry.tool_registry import ToolInteropRegistry
    from ...plugins.contract.invocation import Invocation
    from ...plugins.hooks.payload import HookData
    from ...plugins.hooks.terms import Listener
    from ..calls.call import Call
    from ..calls.stage import Result, Stage
    from ..routing.claims import ClaimCollector
    from ..routing.decision import CallTarget, Claims, Routes
    from ..routing.table import RoutingTable
    from .listeners import Listeners
    from .ordering import GateQueue
    from .runner import HookServices

Json = dict[str, Any]


@frozen
class PipelineContext:
    """What all pipelines of a board share.

    Attributes:
        means: carries events through hooks.
        listeners: the hooks.
        queue: before the gates.
        routing_table: the present routes.
        claiming: asks plugins whose call it is.
        registry: the registry of the present.
        route: gives a call to the router, or to the tool that takes it; with what plugins have said of it already.
        forget: told of each pipeline that is over.
    """

    means: HookServices
    listeners: Listeners
    queue: GateQueue
    routing_table: RoutingTable
    claiming: ClaimCollector
    registry: Callable[[], ToolInteropRegistry]
    route: Callable[[Call, Claims | None], None]
    forget: Callable[[HookPipeline], None]


class HookPipeline:
    """See the module. It is the `CallOwner` of the caller's handle.

    Args:
        ways: the board's.
        call: the caller's handle.
    """

    on_awaited: Callable[[Call, AbstractEventLoop], None] | None = None
    on_waited: Callable[[], None] | None = None

    def __init__(self, ways: PipelineContext, call: HookedCall) -> None:
        self.call = call
        self._ways = ways
        self._lock = Lock()
        self._run: HookRun | None = None
        self._tool: ToolRun | None = None
        self._found: tuple[Routes, Claims] | None = (
            None  # what it was decided by which plugin takes it, before its turn
        )
        self._ahead: CallTarget | None = None  # what the gates were last asked about
        self._rounds = 0
        self._answered = False
        self._duration: float | None = None
        self._invocation = call.invocation

    @property
    def has_tool(self) -> bool:
        """Whether it is past the gates."""
        return self._tool is not None

    # The way

    def seek(self) -> None:
        """Find out who would take the call, for it to stand in that plugin's queue."""
        routes = self._ways.routing_table.routes
        if self.call.decided:  # ended just now, and its end may not have found it in the queues
            self._leave_gate()
        else:
            self._ask_claims(self.call.invocation, routes, partial(self._decide, routes))

    def _decide(self, routes: Routes, claims: Claims) -> None:
        self._found = (routes, claims)
        self._ways.queue.decide(self, target_of(routes, self.call.tool_name, claims).plugin)

    def begin(self) -> None:
        assert self._found is not None
        call, (routes, claims) = self.call, self._found
        present = self._ways.routing_table.routes
        same = present.claimers == routes.claimers
        if call.decided:
            self._leave_gate()
        elif not self._ways.listeners.of(PRE):
            self._give_to_tool(call.invocation, claims if same and claims else None)
        elif not (present.claimers or call.tool_name in present.by_name):
            # No hook is asked about a tool that does not exist, nor any plugin that comes now and claims what no hook has seen.
            self._give_to_tool(call.invocation, {})
        elif same:
            self._foreseen(call.invocation, routes, claims)
        else:
            self._foresee(call.invocation)

    def _foresee(self, invocation: Invocation) -> None:
        """Find out once more who would take the call, in its turn: what was found may not hold any more."""
        routes = self._ways.routing_table.routes
        self._ask_claims(invocation, routes, partial(self._foreseen, invocation, routes))

    def _ask_claims(self, invocation: Invocation, routes: Routes, done: Callable[[Claims], None]) -> None:
        """Ask the plugins whose call it is; none about a call that is forbidden by its name, which the gates refuse then."""
        if not routes.asked(self.call.tool_name) or self._is_forbidden(routes):
            done({})
        else:
            self._ways.claiming.ask(ToolRun(self.call, invocation), done)

    def _is_forbidden(self, routes: Routes) -> bool:
        target = target_of(routes, self.call.tool_name, {})
        names = (*target.names, *target.known_as)
        rules = [each.hook for each in self._ways.listeners.of(PRE) if not each.observes]
        return any(isinstance(each, ApprovalRules) and each.forbids(names) for each in rules)

    def _foreseen(self, invocation: Invocation, routes: Routes, claims: Claims) -> None:
        ahead, asked = target_of(routes, self.call.tool_name, claims), self._ahead
        claims = only_for(claims, ahead.takers)
        if self.call.decided:
            self._leave_gate()
        elif asked is not None and asked.covers(ahead):
            self._give_to_tool(invocation, claims)
        elif self._rounds == _ROUNDS:
            takers = " and ".join(map(repr, ahead.takers))
            why = f"hooks have changed its input again and again, and now it is for {takers}, about which none was asked"
            self._deny(Refused("gates", why))
        else:
            self._ahead = ahead
            self._rounds += 1
            gated = partial(self._gated, invocation, routes, claims)
            self._consult(PRE, invocation.payload, gated)

    def _gated(self, invocation: Invocation, routes: Routes, claims: Claims, step: Passed | Refused) -> None:
        if isinstance(step, Refused):
            self._deny(step)
            return
        changed = self._run is not None and self._run.chain.changed
        if changed:
            invocation = with_input(invocation, self.call.id, step.value, self._ways.registry())
        if changed or self._ways.routing_table.routes.claimers != routes.claimers:
            self._foresee(invocation)  # who takes it may be another one now
        else:
            self._give_to_tool(invocation, claims)

    def _deny(self, step: Refused) -> None:
        error = f"the call was denied: {step.why}"
        denied = failure(Code.DENIED, error, hook=step.by, reason=step.reason)
        self.end(denied, partial(self._tell, "call_denied", step))
        self._leave_gate()

    def _give_to_tool(self, invocation: Invocation, claims: Claims | None) -> None:
        tool = ToolRun(self.call, invocation)
        with self._lock:
            self._run = None
            self._invocation = invocation
            self._tool = tool
        if self.call.decided:  # ended just now, and its end may have found no tool's handle to end too
            self._end_tool(tool)
        else:
            self._ways.route(tool, claims)
        self._leave_gate()
        tool.add_done_callback(partial(self._on_tool_answer, tool))

    def _on_tool_answer(self, tool: ToolRun) -> None:
        call, result = self.call, tool.result()
        call.plugin_name, call.final_state = tool.plugin_name, tool.final_state
        if tool.began is not None:
            self._duration = self._ways.means.clock.now() - tool.began
        code = reported(result)
        if code is not None and not is_spoken(result):
            self.end(result)
        elif not call.decided:
            self._answered = code is None  # those who watch hear that it is a failure
            self._consult(POST, result, partial(self._reviewed, tool, code), failed=code is not None)

    def _reviewed(self, tool: ToolRun, code: Code | None, step: Passed | Refused) -> None:
        if isinstance(step, Passed):
            same = step.value is tool.result()
            self.end(step.value, partial(setattr, self.call, "raw", tool.raw if same else None))
            return
        self.end(withheld(code, step), partial(self._tell, "result_withheld", step))

    def _consult(
        self, event: str, value: Any, done: Callable[[Passed | Refused], None], *, failed: bool = False
    ) -> None:
        listeners = self._ways.listeners.of(event)
        if failed:
            listeners = tuple(each for each in listeners if not each.observes)
        if not listeners:
            done(Passed(value))
            return
        data = hook_data(event, value, self._facts(event), failed=failed)
        run = self._hook_run(event, listeners, data, done)
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

        return HookRun(
            chain,
            self._ways.means,
            call=call.id,
            tool=call.tool_name,
            done=noted,
            step_aside=self._leave_gate,
        )

    def _leave_gate(self) -> None:
        """Let the next call have the gates, if it was this one's turn."""
        self._ways.queue.leave(self)

    # The end

    def end(self, result: Result, first: Callable[[], None] | None = None) -> None:
        """The call has this result, if it has none yet."""
        if self.call.finish(result, first=first):
            self._ended()

    def on_ended_early(self, call: Call, stage: Stage) -> None:
        """The caller does not wait any more: end what hooks, a person or the tool do for it."""
        self._end_what_is_done_for_it()
        self._leave_gate()
        self._ended()

    def on_ended(self, call: Call, result: Result) -> None:
        """See `CallOwner`."""

    def interrupt(self) -> None:
        self.call.withdraw()

    def on_interrupted(self, call: Call) -> None:
        self._ways.means.threads.ask("hooks", partial(self._recover, call), _nothing_of_it, most=sys.maxsize)

    def _recover(self, call: Call) -> None:
        """Bring a call to its end that an interrupt has left half done; each step may have been done before."""
        call.recover()
        self._end_what_is_done_for_it()
        self._ways.queue.abandon(self)
        self._ways.forget(self)

    def _end_what_is_done_for_it(self) -> None:
        with self._lock:
            run, tool = self._run, self._tool
        if run is not None:
            run.abandon()
        if tool is not None:
            self._end_tool(tool)

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
        ahead = self._ahead
        plugin = self._ways.routing_table.routes.only(self.call.tool_name) if ahead is None else ahead.plugin
        if event == PRE:
            return facts_before(self.call, plugin, ahead)
        return facts_after(self.call, plugin, self._invocation.payload, self._tool, self._duration)


_ROUNDS = 2
"""How often the gates are asked about one call: again if what they made of its input is for another plugin."""


def _nothing_of_it(_: object) -> None:
    """Nobody waits for a recovery; what it raises is a fault of ours."""


def _nothing(_: Passed | Refused) -> None:
    """The observers of failures are not waited for."""
