"""The actor of a plugin that runs in a host: sends its calls to the present generation, holds them in between.

It answers nothing itself: answers go from the host's pump straight to the caller's handle.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import pykka

from ...hosts.errors import HostError
from ...hosts.report.crash_report import shortened
from ...plugins.results.codes import Code
from ...plugins.results.failures import failure
from ...supervision.runtime.telling import tell
from ..endpoint.endpoint import Endpoint, ToolSettings
from ..endpoint.fallback import Fallback
from ..endpoint.messages import WORK, GivenUp, Interrupted, Shutdown, Unowned, Work
from ..handshake.messages import HostDown, HostOut, HostReady, HostUp
from ..threads.actor import BaseActor
from ..threads.shared_dispatcher import SharedInbox
from .given_up import GivenUpCalls
from .input_requests import InputRequests, poll
from .loop_lease import LoopLease
from .messages import InputAsked, InputWithdrawn, Overdue, PollDue, Probed, Relisted, Stranded, ToolsChanged
from .sender import Sender

if TYPE_CHECKING:
    from collections.abc import Callable

    from pykka._actor import ActorInbox

    from ...hosts.host import Host
    from ...hosts.report.crash_report import CrashReport
    from ...plugins.adapter.adapter import PluginAdapter
    from ..calls.call import Call
    from ..calls.stage import Result
    from ..services import Services

Schemas = tuple[dict[str, Any], ...]

_MAX_IN_VAIN = 3
"""Listings in a row that bring nothing new, although the host has said meanwhile that the tools have changed."""


class HostedToolActor(BaseActor):
    """See the module.

    Args:
        adapter: the plugin, with all defaults.
        settings: how its calls are run.
        services: the board's; its threads are where the embedder's callables run.
        on_open: called when calls are sent to a generation from now on; in this actor's thread.
        on_schemas: told the plugin's schemas, and whether it claims calls, when a generation brings new ones, before it is sent
            calls; in this actor's thread. Says whether they can be offered; those that cannot are not
            forgotten, but tried again with the next generation.
        dispatcher: its host is shared: each request says for which plugin it is, and this one has the thread.
    """

    def __init__(
        self,
        adapter: PluginAdapter,
        settings: ToolSettings,
        services: Services,
        on_schemas: Callable[[Schemas, bool], bool],
        *,
        on_open: Callable[[], None],
        dispatcher: pykka.ActorRef[Any] | None = None,
    ) -> None:
        self._dispatcher = dispatcher  # before the inbox
        super().__init__(adapter.name, services.events, services.clock)
        self._sender = Sender(None if dispatcher is None else adapter.name)
        self._told_of_work = False
        self._works = False
        self.endpoint: Endpoint = Endpoint(
            adapter,
            settings,
            {},
            services,
            grant=self._grant,
            give_up=self._give_up,
            interrupted=self._interrupted,
            carry=self._sender.send,
        )
        self._lease = LoopLease(self._sender, self.endpoint, self._on_lease_over)
        if dispatcher is None:  # a shared host is read for others too
            self.endpoint.on_awaited = self._lease.on_awaited
        self.endpoint.mailbox.pause()
        if not settings.while_down.simply_holds:
            endpoint = self.endpoint
            endpoint.fallback = Fallback(
                endpoint.name,
                settings.while_down,
                endpoint.mailbox,
                services.threads,
                refuse=endpoint.refuse,
                again=endpoint.submit_again,
                now=services.clock.now,
            )
            endpoint.fallback.begins()
        self._on_schemas = on_schemas
        self._on_open = on_open
        self._coming: HostUp | None = None
        self._ready: int | None = None
        self._offered: tuple[bool, Schemas] | None = None
        self._listing: Host | None = None
        self._changed = False
        self._in_vain = 0
        self._fresh = not self.endpoint.cell.recalled
        self._given_up = GivenUpCalls(
            self.actor_ref, self.endpoint, self._sender, self._clock, shared=dispatcher is not None
        )
        self._inputs = InputRequests(self.actor_ref, services)

    def _create_actor_inbox(self) -> ActorInbox:  # type: ignore[override] # static there, but called on the actor
        if self._dispatcher is None:
            return super()._create_actor_inbox()
        return cast("ActorInbox", SharedInbox(self._dispatcher, self))  # only the dispatcher reads

    def on_stop(self) -> None:
        """However it was stopped, by the embedder's `ActorRegistry.stop_all` too: no caller is left waiting."""
        self._inputs.close()
        self.endpoint.close(f"the actor of {self.name!r} was stopped")

    def _give_up(self, call: Call) -> None:
        tell(self.actor_ref, GivenUp(call))

    def _interrupted(self, call: Call, carried: bool) -> None:
        tell(self.actor_ref, Interrupted(call, carried))

    def receive(self, message: Any) -> None:
        """Handle one message."""
        match message:
            case Work():
                self._work()
            case HostUp():
                self._on_up(message)
            case HostReady(generation):
                self._ready = generation
                self._open()
            case HostDown(generation, report):
                self._on_down(generation, report)
            case HostOut():
                self.endpoint.shut(_unavailable(message), holds=message.holds)
            case GivenUp(call):
                self._given_up.add(call)
            case Overdue(run):
                self._given_up.on_overdue(run)
            case Probed(run, answers):
                self._given_up.on_probed(run, answers=answers)
            case Shutdown():
                self.stop()
            case _:
                self._receive_less_often(message)

    def _receive_less_often(self, message: Any) -> None:
        match message:
            case Unowned(call):
                if not self._sender.runs(call):
                    self.endpoint.free(call)
            case Interrupted(call, carried):
                self._on_interrupted(call, carried=carried)
            case Stranded(calls):
                self._on_stranded(calls)
            case ToolsChanged():
                self._on_tools_changed()
            case Relisted(host, schemas):
                self._on_relisted(host, schemas)
            case InputAsked(request):
                self._inputs.ask(request)
            case InputWithdrawn(key, host):
                self._inputs.withdraw(host, key)
            case PollDue(call, host):
                poll(host, call)
            case _:
                super().receive(message)

    def _grant(self, _granted: int) -> None:
        """One message for all grants until it is read: its reader takes those there are then."""
        if self._told_of_work:
            return
        self._told_of_work = True
        # Never two who take and send at once: the order of the calls would be lost. Where this actor does, it goes on to.
        if self._works or not self._lease.take_work(self._work_in_loop):
            self.actor_inbox.put(_WORK)

    def _on_lease_over(self) -> None:
        if self._told_of_work:  # perhaps the loop, which will not now
            self.actor_inbox.put(_WORK)

    def _work_in_loop(self) -> None:
        """As `_work`; until all are sent nobody else is told of any."""
        try:
            self._take_and_send_all()
        finally:  # an interrupt may come here too, and the calls behind must not wait for who was told
            self._told_of_work = False
            self.endpoint.mailbox.tell_of_untaken()

    def _take_and_send_all(self) -> None:
        while self.endpoint.mailbox.untaken:
            self._take_and_send()

    def _work(self) -> None:
        self._works = True
        self._told_of_work = False  # before the look: a grant from now on tells again
        try:
            self._take_and_send()  # and no more, so that control does not wait behind work
        finally:
            self._works = False

    def _take_and_send(self) -> None:
        mailbox = self.endpoint.mailbox
        try:
            calls = mailbox.take_all()
            if calls:
                self._sender.send_all(self.endpoint, calls)
                mailbox.handed_over(calls)
        except BaseException:  # an interrupt in the loop's thread, raised again
            tell(self.actor_ref, Stranded(mailbox.in_hand()))
            raise

    def _on_interrupted(self, call: Call, *, carried: bool) -> None:
        sent = not carried or self._sender.recover(call)
        self.endpoint.recover(call)
        if not sent:
            self.endpoint.mailbox.release(call)
        self._tell_of_work_again()

    def _on_stranded(self, calls: list[Call]) -> None:
        """Calls that a loop had taken to send them when it was interrupted: those that were not sent wait again."""
        for call in reversed(calls):
            if not self._sender.recover(call):
                if call.decided:
                    self.endpoint.mailbox.release(call)
                else:
                    self.endpoint.submit_again(call)
            elif call.decided:
                self._give_up(call)
        self.endpoint.mailbox.handed_over(calls)
        self._tell_of_work_again()

    def _tell_of_work_again(self) -> None:
        self._told_of_work = False  # an interrupt may have come between this and what it says
        self.endpoint.mailbox.tell_of_untaken()

    def _on_up(self, up: HostUp) -> None:
        if self._fresh:  # later generations, and later programs, are given the committed state with each call
            self.endpoint.cell.commit(up.state)
            self._fresh = False
        self._drop_forsaken(up)
        claims = up.description.offers("can_handle_tool_call")
        if (claims, up.schemas) != self._offered:
            known = self._on_schemas(up.schemas, claims)
            self._offered = (claims, up.schemas) if known else None
        # A caller that hears that it is ready may call, and is answered by it: from now on calls wait for it.
        self._sender.detach(self.endpoint, self._sender.host)
        if self.endpoint.fallback is not None:
            self.endpoint.fallback.ends()
        if up.description.offers("shutdown"):
            up.host.farewells[self.name] = self._farewell
        self._coming = up
        up.ready()
        self._open()

    def _open(self) -> None:
        """Send calls to the generation that is coming, if everybody is told by now that it is ready.

        Not before: a call would begin and end in a host of which status and events say that it is starting.
        """
        up = self._coming
        if up is None or up.host.generation != self._ready:
            return
        self._coming = None
        self._given_up.host_actor = up.host_actor
        self.endpoint.prepared = up.prepared
        self._sender.attach(self.endpoint, up.host, up.on_sent, up.description)
        self._on_open()

    def _on_tools_changed(self) -> None:
        """Ask the present generation for its tools; one that is being asked is asked once more when it has answered."""
        host = self._sender.host
        if host is None:
            return  # the next generation is asked anyway
        if host is self._listing:
            self._changed = True
            return
        self._in_vain = 0
        self._list(host)

    def _list(self, host: Host) -> None:
        def hear(schemas: Any) -> None:
            tell(self.actor_ref, Relisted(host, schemas))

        with suppress(HostError):  # it has ended, which is told elsewhere
            self._listing, self._changed = host, False
            state = self.endpoint.cell.committed[0]
            host.note("get_tool_schemas", {"state": state, **self._sender.address}, hear)

    def _on_relisted(self, host: Host, schemas: Any) -> None:
        """Offer these tools instead of those before; what cannot be offered changes nothing."""
        if host is not self._listing:
            return
        self._listing = None
        if host is not self._sender.host:
            return
        self._in_vain = 0 if self._offer_again(schemas) else self._in_vain + 1
        # A server may say with each listing that the tools have changed.
        if self._changed and self._in_vain < _MAX_IN_VAIN:
            self._list(host)

    def _offer_again(self, schemas: Any) -> bool:
        """Whether they are others than before."""
        if (
            self._offered is None
            or not isinstance(schemas, list)
            or not all(isinstance(each, dict) for each in schemas)
        ):
            return False
        claims, before = self._offered
        if tuple(schemas) == before:
            return False
        if self._on_schemas(tuple(schemas), claims):
            self._offered = (claims, tuple(schemas))
        else:
            self._on_schemas(before, claims)
        return True

    def _farewell(self) -> dict[str, Any]:
        return {"state": self.endpoint.cell.committed[0], **self._sender.address}

    def _drop_forsaken(self, up: HostUp) -> None:
        """Give up a state with which the host crashed again and again, if it still is the committed one."""
        endpoint = self.endpoint
        forsaken, endpoint.forsaken = endpoint.forsaken, None
        if forsaken is not None and forsaken == endpoint.cell.version:
            # Saved too, where states are: or the next program would begin with the one that kills.
            _, _, text = endpoint.cell.weigh({"success": True}, up.state)
            endpoint.cell.commit(up.state, text, up.host.generation)
            endpoint.state_resets += 1
            why = "the host crashed with it again and again, whatever it was asked"
            endpoint.events.publish("state_reset", self.name, version=forsaken, why=why)

    def _on_down(self, generation: int, report: CrashReport | None) -> None:
        if report is not None:
            self._given_up.on_down(report)
            self.endpoint.admission.spared(report)
        if self._coming is not None and self._coming.host.generation == generation:
            self._coming = None
        host = self._sender.host
        if host is not None and host.generation != generation:
            return  # its successor is there already
        self._sender.detach(self.endpoint, host)  # which a call that could not be sent may have done before
        if self.endpoint.fallback is not None and self._coming is None:
            self.endpoint.fallback.begins()


_WORK = pykka._envelope.Envelope(WORK)  # noqa: SLF001 - pykka's own form of what stands in an inbox; made once, not for each call


def _unavailable(out: HostOut) -> Callable[[Call], Result]:
    facts: dict[str, Any] = {"crash_report": shortened(out.report)} if out.report else {}

    def refusal(_: Call) -> Result:
        if out.next_start is None:
            return failure(Code.HOST_UNAVAILABLE, out.error, **facts)
        seconds, told = out.next_start()
        when = facts if seconds is None else {"retry_in": round(seconds, 3), **facts}
        return failure(Code.HOST_UNAVAILABLE, f"{out.error}; {told}", **when)

    return refusal
