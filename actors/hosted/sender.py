"""Sending a plugin's calls to the present generation of its host.

The tool actor sends what its mailbox grants. While the tool is idle, the thread that submits a call
sends it right away: the hand-over to the actor would be a quarter of what a small call
costs. (While it is busy the hand-over pays: the submitter goes on submitting instead of fighting
the pump for the interpreter at every write. Sending all calls from the submitter's thread was
measured: a third fewer calls a second with 64 in flight.)
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ...base.errors import JsonValueError
from ...base.locks import Lock
from ...hosts.errors import HostGone, RequestTooLarge, ToolGone
from ...hosts.protocol.call_params import OBJECTS, add_facts
from ...hosts.protocol.description import PLAIN
from ...plugins.results.codes import Code, Outcome
from ...plugins.results.failures import failure
from ..calls.idle_timeout import IdleTimeout
from .named_states import NamedStates
from .request import HostedRun

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...hosts.host import Host, NotSent
    from ...hosts.protocol.description import Description
    from ..calls.call import Call
    from ..calls.stage import Result
    from ..endpoint.endpoint import Endpoint


class Sender:
    """Sends calls. Nothing here blocks.

    Several threads use it, and the lock guards the one thing that they and the actor change: which generation is
    the present one.

    Args:
        loaded_plugin: the plugin, where its host is shared and has to be told whose calls they are.

    Attributes:
        address: by which it is told that.
    """

    def __init__(self, loaded_plugin: str | None = None) -> None:
        self.address: dict[str, str] = {} if loaded_plugin is None else {"plugin": loaded_plugin}
        self._lock = Lock()
        self._host: Host | None = None
        self._named = NamedStates()
        self._on_sent: Callable[[], None] | None = None
        self._wants: frozenset[str] = frozenset()
        self._objects_only = False

    @property
    def host(self) -> Host | None:
        """The present generation, or ``None`` between two."""
        return self._host

    def attach(
        self,
        endpoint: Endpoint,
        host: Host,
        on_sent: Callable[[], None] | None = None,
        description: Description = PLAIN,
    ) -> None:
        """Send to this generation from now on.

        Args:
            endpoint: the plugin's.
            host: the generation.
            on_sent: called after each call that is sent.
            description: of the plugin: what it is to be told of each call, and whether it takes raw text.
        """
        with self._lock:
            self._wants = description.wants
            self._objects_only = description.objects_only
            self._named = NamedStates()
            self._host = host
            self._on_sent = on_sent
        endpoint.mailbox.resume()

    def detach(self, endpoint: Endpoint, host: Host | None) -> None:
        """That generation is over: let calls wait, unless another has taken its place already."""
        with self._lock:
            if host is not None and self._host is host:
                self._host = None
                endpoint.mailbox.pause()

    def send(self, endpoint: Endpoint, call: Call) -> None:
        """Send a call that was taken from the mailbox; it ends, waits again, or is under way."""
        host = self._host
        if host is None:
            endpoint.submit_again(call)
        elif (run := self._begin(endpoint, call, host)) is not None:
            try:
                fate: str | NotSent = host.send("execute_tool", run.params, run)
            except (HostGone, RequestTooLarge, JsonValueError, ToolGone) as error:
                fate = error
            self._note_fate(endpoint, run, fate)

    def send_all(self, endpoint: Endpoint, calls: Sequence[Call]) -> None:
        """As `send`, of several in their order, with one write for all of them."""
        host = self._host
        if host is None:  # the generation ended between the grant and now
            for call in reversed(calls):
                endpoint.submit_again(call)
            return
        runs = [run for call in calls if (run := self._begin(endpoint, call, host)) is not None]
        fates = host.send_all("execute_tool", [(run.params, run) for run in runs])
        for run, fate in zip(runs, fates, strict=True):
            self._note_fate(endpoint, run, fate)

    @staticmethod
    def runs(call: Call) -> bool:
        """Whether a host has been asked for it, and its end there is awaited."""
        run = call.run
        return run is not None and run.request_id is not None and run.host.call_of(run.request_id) is not None

    @staticmethod
    def recover(call: Call) -> bool:
        """Whether a call has left that an interrupted thread was sending; one that has not is not under way any more."""
        run = call.run
        if run is None or call.began is None:  # it has not begun, or not again
            return False
        if run.request_id is not None:
            run.sent = True
            return True
        run.ended = True
        run.hush()
        call.put_back()
        return False

    def _note_fate(self, endpoint: Endpoint, run: HostedRun, fate: str | NotSent) -> None:
        if isinstance(fate, str):
            run.sent = True
            if run.call.done() and not run.ended:  # given up before the actor could know what to abandon
                endpoint.give_up(run.call)
            if self._on_sent is not None:
                self._on_sent()
        elif isinstance(fate, HostGone):
            # Nothing was sent, so it may wait for the next generation. That this one is over has not been
            # told yet; until then the mailbox must not grant what cannot be sent.
            self.detach(endpoint, run.host)
            run.put_back()
        else:
            endpoint.mailbox.release(run.call)
            if isinstance(fate, ToolGone):
                run.call.finish(failure(Code.UNKNOWN_TOOL, str(fate)))
            else:
                run.call.finish(failure(Code.INVALID_CALL, str(fate), outcome=Outcome.NOT_SENT))

    def _begin(self, endpoint: Endpoint, call: Call, host: Host) -> HostedRun | None:
        """What is to be sent; ``None`` of a call that is not, and whose place is free again."""
        odd = call.invocation.payload_kind not in OBJECTS or endpoint.admission.confining
        if odd and (refused := self._refusal(endpoint, call, host)) is not None:
            endpoint.mailbox.release(call)
            endpoint.refuse(call, lambda _: refused)
            return None
        state, base = endpoint.cell.committed
        run = call.run = HostedRun(endpoint, call, host, base)
        if not call.begin(
            endpoint.clock.now(),
            endpoint.flight.started if "call_started" in endpoint.events.wanted else None,
        ):
            endpoint.mailbox.release(call)
            return None
        run.params = self._params(endpoint, call, state, host)
        return run

    def _params(self, endpoint: Endpoint, call: Call, state: dict[str, Any], host: Host) -> dict[str, Any]:
        invocation = call.invocation
        params = {
            "tool_name": call.tool_name,
            "arguments": invocation.payload,
            "state": state,
            **self.address,
        }
        if state is endpoint.cell.large and "state_version" in host.features:
            call.run.given, call.run.named = state, self._named
            del params["state"]
            params |= self._named.params_of(state)
        if host.features:
            if self._wants or endpoint.prepared or invocation.payload_kind not in OBJECTS:
                add_facts(params, invocation, endpoint.prepared, self._wants)
            if endpoint.settings.idle_deadline is not None and "ack" in host.features:
                params["ack"] = True
                call.run.idle_timeout = _idle_timeout(endpoint, call, endpoint.settings.idle_deadline)
        if not call.streaming:
            params["stream"] = False
        return params

    def _refusal(self, endpoint: Endpoint, call: Call, host: Host) -> Result | None:
        """The result of a call that no host is to be sent; of one whose question has come into quarantine as it waited."""
        kind = call.invocation.payload_kind
        if kind not in OBJECTS and (self._objects_only or call.tool_name in endpoint.objects_only):
            error = f"{call.tool_name!r} takes arguments as an object, not as {kind}"
            return failure(Code.INVALID_CALL, error, outcome=Outcome.NOT_SENT)
        if kind not in OBJECTS and "payload" not in host.features:
            error = f"{endpoint.name!r} runs in a host of version 1, which takes arguments as an object, not as {kind}"
            return failure(Code.INVALID_CALL, error, outcome=Outcome.NOT_SENT)
        return endpoint.admission.confined(call)


def _idle_timeout(endpoint: Endpoint, call: Call, limit: float) -> IdleTimeout:
    error = f"{call.tool_name!r} was silent for {limit:g} s, which is as long as its idle deadline lets it be"
    return IdleTimeout(limit, endpoint.clock, partial(call.end_early, Code.DEADLINE_EXCEEDED, error))
