"""The actor of a plugin that runs in this process: sees to the threads that run its calls.

The threads take calls from the mailbox and answer them by themselves; the actor comes in when one
does not come back.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, cast

from ...plugins.results.codes import Code
from ...plugins.results.failures import failure
from ...supervision.runtime.telling import tell
from ..endpoint.endpoint import Endpoint, ToolSettings
from ..endpoint.messages import GivenUp, Interrupted, Shutdown, Unowned
from ..threads.actor import BaseActor
from ..threads.shared_dispatcher import SharedInbox
from .messages import Overdue, ThreadBack
from .run import ThreadRun
from .workers import Workers

if TYPE_CHECKING:
    import pykka
    from pykka._actor import ActorInbox

    from ...plugins.adapter.adapter import PluginAdapter
    from ..calls.call import Call
    from ..services import Services

MAX_FENCED = 32
"""Threads of one plugin that may be stuck at once; with more, it is not called any more until
one comes back. Each costs memory, and the next would most likely get stuck too."""


class ThreadToolActor(BaseActor):
    """See the module.

    Args:
        adapter: the plugin, with all defaults.
        settings: how its calls are run.
        state: the plugin's initial state.
        services: the board's.
        dispatcher: has the thread of it.
    """

    def __init__(
        self,
        adapter: PluginAdapter,
        settings: ToolSettings,
        state: dict[str, Any],
        services: Services,
        dispatcher: pykka.ActorRef[Any],
    ) -> None:
        self._dispatcher = dispatcher  # before the inbox
        super().__init__(adapter.name, services.events, services.clock)
        self._workers = Workers(adapter.name, self._on_back)
        self._fenced: set[ThreadRun] = set()
        self.fenced_total: int = 0
        self.endpoint: Endpoint = Endpoint(
            adapter,
            settings,
            state,
            services,
            grant=self._workers.grant,
            give_up=self._give_up,
            interrupted=self._interrupted,
            tool_runtime=services.tool_runtime,
        )
        self._workers.endpoint = self.endpoint

    def _create_actor_inbox(self) -> ActorInbox:  # type: ignore[override] # static there, but called on the actor
        return cast("ActorInbox", SharedInbox(self._dispatcher, self))  # only the dispatcher reads

    @property
    def fenced(self) -> int:
        """How many threads are stuck at present. For the status; any thread may look."""
        return len(self._fenced)

    def on_stop(self) -> None:
        """However it was stopped, by the embedder's `ActorRegistry.stop_all` too: no caller is left waiting."""
        self.endpoint.close(f"the actor of {self.name!r} was stopped")

    def _give_up(self, call: Call) -> None:
        tell(self.actor_ref, GivenUp(call))

    def _interrupted(self, call: Call, carried: bool) -> None:
        tell(self.actor_ref, Interrupted(call, carried))

    def _on_back(self, run: ThreadRun) -> None:
        tell(self.actor_ref, ThreadBack(run))

    def receive(self, message: Any) -> None:
        """Handle one message."""
        match message:
            case GivenUp(call):
                self._on_given_up(call)
            case Overdue(ThreadRun() as run):
                self._fence(run)
            case ThreadBack(run):
                self._on_thread_back(run)
            case Unowned(call):
                if call.run is None or call.began is None:
                    self.endpoint.free(call)
            case Interrupted(call):
                self.endpoint.recover(call)
            case Shutdown():
                self._workers.close()
                self.stop()
            case _:
                super().receive(message)

    def _on_given_up(self, call: Call) -> None:
        run = call.run
        if run is None or call.began is None:  # it was taken, and is not run by now
            self.endpoint.expect_free(call, self.actor_ref)
            return
        assert isinstance(run, ThreadRun)
        run.ask_to_stop()
        overdue = self._clock.now() + self.endpoint.settings.grace
        self._clock.call_at(overdue, functools.partial(tell, self.actor_ref, Overdue(run)))

    def _fence(self, run: ThreadRun) -> None:
        if not run.claim():
            return
        self._fenced.add(run)
        self.fenced_total += 1
        self._workers.replace()
        self.events.publish(
            "thread_fenced", self.name, call=run.call.id, tool=run.call.tool_name, stuck=len(self._fenced)
        )
        if len(self._fenced) >= MAX_FENCED:
            error = f"{len(self._fenced)} calls of {self.name!r} are stuck in their threads"
            self.endpoint.shut(lambda _: failure(Code.HOST_UNAVAILABLE, error))
        self.endpoint.mailbox.release(run.call)

    def _on_thread_back(self, run: ThreadRun) -> None:
        self._fenced.discard(run)
        self.events.publish("thread_returned", self.name, call=run.call.id, tool=run.call.tool_name)
        if len(self._fenced) == MAX_FENCED - 1:
            self.endpoint.mailbox.resume()
