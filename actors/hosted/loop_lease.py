"""When an asyncio loop reads a plugin's host itself and sends its calls: while it alone waits for it, and often.

The first short call is brought by the pump, as for a caller's thread. One that is awaited right after another in the same loop is not
alone: the next ones will come as well, and for them the two changes of thread are saved. Who else begins to wait, in a thread, another
loop or with a callback, ends the lease: its own code must not run in that loop, and the loop may be busy with something else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...hosts.process.loop_reader import LEASE
from ..calls.waiting import running_loop

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable

    from ...hosts.process.loop_reader import LoopReader
    from ..calls.call import Call
    from ..endpoint.endpoint import Endpoint
    from .sender import Sender


class LoopLease:
    """See the module.

    Args:
        sender: knows the present generation.
        endpoint: the plugin's; has who else begins to wait told here, once any loop has awaited a call.
        returned: called in the pump's thread when a lease is over: what the loop had still to send is to be sent by another.
    """

    def __init__(self, sender: Sender, endpoint: Endpoint, returned: Callable[[], None]) -> None:
        self._sender = sender
        self._endpoint = endpoint
        self._returned = returned
        self._reader: LoopReader | None = None
        self._loop: AbstractEventLoop | None = None
        self._last = -LEASE

    def on_waited(self) -> None:
        """A call is about to be waited for by anything but a task of an asyncio loop."""
        self._loop = None  # in this order, as below
        self._end()

    def on_awaited(self, call: Call, loop: AbstractEventLoop) -> None:
        """A call is about to be awaited by a task of a loop that runs in this thread."""
        # Before it is looked who is there: one who submits after that look is told of here when it waits.
        if self._endpoint.on_waited is None:
            self._endpoint.on_waited = self.on_waited
        reader = self._reader
        if reader is not None and not reader.ended and reader.loop is loop:
            return
        if loop is not self._loop and not self._endpoint.mailbox.has_only(call):
            # In this order: a loop that gets the lease at this very moment looks afterwards whether it is still alone.
            self._loop = None
            self._end()
            return
        self._end()  # another loop's
        self._loop = loop
        last, self._last = self._last, call.submitted
        host = self._sender.host
        if host is not None and call.submitted - last < LEASE:
            self._reader = host.lead(loop, self._returned)
            if self._loop is not loop:
                self._end()

    def _end(self) -> None:
        reader = self._reader
        if reader is not None and not reader.ended:
            reader.end()

    def take_work(self, work: Callable[[], None]) -> bool:
        """Have the calls that are granted now be sent by the loop that leads, if it runs in this thread."""
        reader = self._reader
        if reader is None or reader.ended or running_loop() is not reader.loop:
            return False
        reader.loop.call_soon(_unless_gone, reader, work)
        return True


def _unless_gone(reader: LoopReader, work: Callable[[], None]) -> None:
    with reader.lock:  # the pump, when it takes the pipe back, has another send what is not sent by then
        if not reader.gone:
            work()
