"""Calls that were given up: their host is told, and replaced if it goes on with them for too long or answers nothing.

There are two kinds of hosts. One of ours runs a call until it ends it: a call that goes on beyond its grace keeps its place, and the host is
replaced for it. A program that speaks another protocol need not end what was cancelled, and runs calls beside it: there a call has ended at once,
its place is free, and the host is replaced only if it does not answer, or leaves too many calls in a row without an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...hosts.limits.vitals import doing
from ...supervision.restart.exits import ExitKind
from ...supervision.runtime.telling import tell
from ..handshake.liveness import probe
from ..hosting.messages import EndGeneration
from .messages import Overdue, Probed

if TYPE_CHECKING:
    import pykka

    from ...hosts.host import Host
    from ...hosts.report.crash_report import CrashReport
    from ...supervision.runtime.clock import Clock
    from ..calls.call import Call
    from ..endpoint.endpoint import Endpoint
    from .request import HostedRun
    from .sender import Sender


class GivenUpCalls:
    """See the module. In the thread of the tool's actor.

    Args:
        actor: that actor, which hands on `Overdue` and `Probed`.
        endpoint, sender: of the same plugin.
        clock: where the waiting is put.
        shared: its host serves other plugins too.

    Attributes:
        host_actor: of the present generation; ``None`` before the first.
    """

    def __init__(
        self, actor: pykka.ActorRef[Any], endpoint: Endpoint, sender: Sender, clock: Clock, *, shared: bool
    ) -> None:
        self.host_actor: pykka.ActorRef[Any] | None = None
        self._actor = actor
        self._endpoint = endpoint
        self._sender = sender
        self._clock = clock
        self._shared = shared
        self._hung: HostedRun | None = None

    def add(self, call: Call) -> None:
        """Drop the answer, tell the host if it takes such news, and see that it does not chew on it for ever."""
        run = call.run
        if run is None or not run.sent or not run.host.abandon(run.request_id):
            self._endpoint.expect_free(call, self._actor)
            return
        grace, ends_here = self._endpoint.settings.grace, run.host.given_up is not None
        if ends_here and run.host is self._sender.host:
            # Before its place is free: what is sent to a host that answers nothing is lost with it.
            self._endpoint.mailbox.pause()
        run.host.cancel(run.request_id, str(call.result().get("error")))
        run.vitals = run.host.vitals
        if ends_here:
            self._probe(run, grace)
        else:
            self._clock.call_at(self._clock.now() + grace, lambda: tell(self._actor, Overdue(run)))

    def on_overdue(self, run: HostedRun) -> None:
        """Its grace time is over."""
        host = self._present(run)
        if host is None:
            return
        if self._shared:
            # Another plugin's call may keep the host from its work. One that answers shows that none does.
            self._probe(run)
        else:
            self._replace(run, host)

    def on_probed(self, run: HostedRun, *, answers: bool) -> None:
        """The host has answered, or has had the time to."""
        host = self._present(run)
        if host is None or run.hung or host.stalled:
            return
        if answers and host.given_up is not None and len(host.given_up) < self._most:
            self._endpoint.mailbox.resume()
            return
        host.stalled = not answers
        if run.ended:
            self._hung = run
        self._replace(run, host)

    def on_down(self, report: CrashReport) -> None:
        """A generation has ended. One that was replaced for a call that had ended here is that call's fault, and of no other."""
        hung, self._hung = self._hung, None
        if hung is not None and hung.host.generation == report.generation:
            hung.blame(report)

    @property
    def _most(self) -> int:
        """Calls in a row that a host which answers may leave without an answer: as many as it may have at once, and more than one."""
        return max(2, self._endpoint.mailbox.concurrency)

    def _probe(self, run: HostedRun, *patience: float) -> None:
        probe(run.host, self._clock, lambda answers: tell(self._actor, Probed(run, answers)), *patience)

    def _present(self, run: HostedRun) -> Host | None:
        """The host of a run, if it is of the present generation and has not ended that run."""
        host = self._sender.host
        ended = run.ended and run.host.given_up is None
        return None if ended or self.host_actor is None or run.host is not host else host

    def _replace(self, run: HostedRun, host: Host) -> None:
        assert self.host_actor is not None
        grace = self._endpoint.settings.grace
        reason = f"call {run.call.id} of {run.call.tool_name!r} went on {grace:g} s beyond its {run.limit}"
        if host.stalled:
            reason = f"{reason}, and the host answers nothing: one of its calls keeps it from that"
        if (what := doing(run.vitals, host.vitals)) is not None:
            reason = f"{reason}; {what}"
        run.hung = True
        kind = ExitKind.CANCEL if run.cancelled and not host.stalled else ExitKind.HANG
        tell(self.host_actor, EndGeneration(reason, kind))
