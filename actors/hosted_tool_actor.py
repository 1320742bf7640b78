"""The actor of a plugin that runs in a host: sends its calls to the present life, holds them in between.

It answers nothing itself: answers go from the host's pump straight to the caller's handle.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pykka

from ..hosts.errors import HostGone, RequestTooLarge
from ..plugins.codes import Code
from ..plugins.errors import JsonValueError
from ..plugins.failures import failure
from ..supervision.supervisor import tell
from . import messages as m
from .base import HouseActor
from .call import Call, Result, Stage
from .desk import Desk, ToolSettings
from .hosted_run import HostedRun

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..hosts.host import Host
    from ..plugins.adapter import PluginAdapter
    from ..supervision.clock import Clock
    from ..supervision.events import EventStream

Schemas = tuple[dict[str, Any], ...]


class HostedToolActor(HouseActor):
    """See the module.

    Args:
        adapter: the plugin, with all defaults.
        settings: how its calls are run.
        on_schemas: told the plugin's schemas when a life brings new ones, before it is sent
            calls; in this actor's thread.
    """

    def __init__(
        self,
        adapter: PluginAdapter,
        settings: ToolSettings,
        clock: Clock,
        events: EventStream,
        on_schemas: Callable[[str, Schemas], None],
    ) -> None:
        super().__init__(adapter.name, events)
        self.desk = Desk(
            adapter,
            settings,
            {},
            clock=clock,
            events=events,
            grant=lambda _granted: self.actor_inbox.put(_WORK),
            give_up=self._give_up,
        )
        self.desk.lane.pause()
        self._clock = clock
        self._on_schemas = on_schemas
        self._schemas: Schemas | None = None
        self._fresh = True
        self._host: Host | None = None
        self._life: pykka.ActorRef[Any] | None = None

    def on_stop(self) -> None:
        """Whoever stopped it, the embedder's `ActorRegistry.stop_all` too: no caller is left waiting."""
        self.desk.close(f"the actor of {self.name!r} was stopped")

    def _give_up(self, call: Call) -> None:
        tell(self.actor_ref, m.GivenUp(call))

    def receive(self, message: Any) -> None:
        """Handle one message."""
        match message:
            case m.Work():
                call = self.desk.lane.take()
                if call is not None:
                    self._send(call)
            case m.HostUp(host, life, schemas, state):
                self._on_up(host, life, schemas, state)
            case m.HostDown(generation):
                if self._host is not None and self._host.generation == generation:
                    self.desk.lane.pause()
                    self._host = self._life = None
            case m.HostOut(error, report):
                self.desk.shut(_unavailable(error, report))
            case m.GivenUp(call):
                self._on_given_up(call)
            case m.Overdue(run):
                self._on_overdue(run)
            case m.Shutdown():
                self.stop()
            case _:
                super().receive(message)

    def _send(self, call: Call) -> None:
        desk, host = self.desk, self._host
        if host is None:  # the life ended while the grant was on its way here
            desk.submit_again(call)
            desk.lane.release(call)
            return
        invocation = call.invocation
        if invocation.payload_kind not in {"object", None}:
            error = f"{desk.name!r} runs in a host, which takes arguments as an object, not as {invocation.payload_kind}"
            desk.lane.release(call)
            call.finish(failure(Code.INVALID_CALL, error), only_in=Stage.QUEUED)
            return
        state, base = desk.cell.read()
        run = call.run = HostedRun(desk, call, host, base)
        if not call.begin():
            desk.lane.release(call)
            return
        params = {"tool_name": call.tool_name, "arguments": invocation.payload, "state": state}
        try:
            run.request_id = host.send("execute_tool", params, run)
        except HostGone:
            # Nothing was sent, so it may wait for the next life. That this one is over will be
            # told by a message; until then the lane must not grant what cannot be sent.
            desk.lane.pause()
            if call.put_back():
                desk.submit_again(call)
            desk.lane.release(call)
        except (RequestTooLarge, JsonValueError) as error:
            desk.lane.release(call)
            call.finish(failure(Code.INVALID_CALL, str(error)))

    def _on_up(self, host: Host, life: pykka.ActorRef[Any], schemas: Schemas, state: dict[str, Any]) -> None:
        if self._fresh:  # later lives are given the last committed state with each call
            self.desk.cell.commit(state, self.desk.cell.version)
            self._fresh = False
        if schemas != self._schemas:
            self._schemas = schemas
            self._on_schemas(self.name, schemas)
        self._host, self._life = host, life
        self.desk.lane.resume()

    def _on_given_up(self, call: Call) -> None:
        """v1 has no cancel: drop the answer, and see that the host does not chew on it for ever."""
        run = call.run
        if run is None or run.request_id is None or not run.host.abandon(run.request_id):
            return
        # A call that its caller cancelled may go on until its deadline, for its neighbours' sake.
        now = self._clock.now()
        patience = max(now, call.deadline or now) + self.desk.settings.grace
        self._clock.call_at(patience, functools.partial(tell, self.actor_ref, m.Overdue(run)))

    def _on_overdue(self, run: Any) -> None:
        if run.ended or self._life is None or run.host is not self._host:
            return
        grace = self.desk.settings.grace
        reason = f"call {run.call.id} of {run.call.tool_name!r} went on {grace:g} s beyond its deadline"
        tell(self._life, m.EndLife(reason, hang=True))


_WORK = pykka._envelope.Envelope(m.WORK)  # noqa: SLF001


def _unavailable(error: str, report: Mapping[str, Any] | None) -> Callable[[Call], Result]:
    facts: dict[str, Any] = {} if report is None else {"crash_report": dict(report)}
    return lambda _: failure(Code.HOST_UNAVAILABLE, error, **facts)
