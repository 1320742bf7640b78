"""A Python host from its start to its end: take the streams, load the plugin, answer until there is nobody to be answered.

Three things go on at a time. A thread reads requests, so that they are taken whatever the plugin does; the
main thread loads the plugin, then runs its code; further threads run what comes meanwhile. It is no
sandbox and restarts nothing: what ends the process ends the host, and whoever started it sees that.

At the end of stdin, calls under way are not waited for. An idle host ends as a program does, with its
``atexit`` functions, and is given a moment for that. What the plugin has started as processes is for the
client to end, or its watchdog: they know it all by session, descent and mark.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from ....base.event_loop import EventLoop
from ....plugins.amplifier.mount_function import is_mount
from .cancellation import Cancellation
from .known_states import KnownStates
from .loading import loading
from .messages import (
    HostFault,
    Ignored,
    Refused,
    Request,
    ack_line,
    answer_line,
    error_line,
    part_line,
    read_request,
)
from .plugin import LoadFault, ServedPlugin
from .self_description import description
from .streams import Inlet, Outlet, claim_streams
from .threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Callable

    from .mounted import MountedPlugin
    from .origin import PythonOrigin

_FAREWELL = 0.9
"""Seconds that an idle host may take to end: a little less than it takes the stop ladder to lose patience."""


def run(origin: PythonOrigin, name: str) -> None:
    """Run the plugin in this process until the client is gone. Call it in the main thread."""
    source, sink = claim_streams()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # in no call's place: an interrupt is for the host
    host = PythonHost(origin, name, sink)
    if sys.platform != "win32":
        os.register_at_fork(after_in_child=partial(host.in_copy, source, sink))
    threading.Thread(target=host.listen, args=(Inlet(source),), name="callboard-reader", daemon=True).start()
    host.load()
    host.work()


class PythonHost:
    """See the module."""

    def __init__(self, origin: PythonOrigin, name: str, sink: int) -> None:
        self._origin = origin
        self._name = name
        self._outlet = Outlet(sink, _leave)
        self._crew = ThreadPool(EventLoop)
        self._plugin: ServedPlugin | None = None
        self._module: type[MountedPlugin] | None = None
        self._failure: BaseException | None = None
        self._owed: set[str] = set()
        self._client: frozenset[str] | None = None  # what a client knows that knows more than version 1
        self._calls: dict[str, Cancellation] = {}
        self._states = KnownStates()
        self._described = threading.Event()
        self._described.set()

    def load(self) -> None:
        """Load the plugin; what goes wrong is the answer of every request."""
        try:
            with loading():
                found = self._origin.load()
            if is_mount(found):
                from .mounted import plugin_class_of  # noqa: PLC0415 - only modules need it

                found = self._module = plugin_class_of(found)
            plugin = self._plugin = ServedPlugin(found, self._name, _log)
            if self._client is not None:  # after it can be found: the reader looks the other way round
                plugin.know_client(self._client)
        except BaseException as error:  # noqa: BLE001 - an exit while it is imported is no plugin, either
            self._failure = error
            _log(f"cannot load {self._origin.path}: {error}")

    def work(self) -> None:
        """Answer in this thread too, until the client is gone; then clean up."""
        self._crew.work()
        self._clean_up()

    def listen(self, inlet: Inlet) -> None:
        """Take requests until the client is gone; then see to it that the process ends."""
        reason = inlet.read(self._on_line)
        if reason is not None or self._owed:
            self._clean_up()
            _leave(reason)
        self._crew.dismiss()
        time.sleep(_FAREWELL)
        _leave(None)

    def _clean_up(self) -> None:
        for plugin in () if self._module is None else tuple(self._module.made):
            plugin.clean_up(_FAREWELL)

    def in_copy(self, source: int, sink: int) -> None:
        """In a process that a tool has forked: have no part in the protocol."""
        if self._outlet.disowned:  # a copy of a copy: the numbers may be somebody else's by now
            return
        self._outlet.disown()
        for descriptor in (source, sink):
            with suppress(OSError):  # a tool that closes all that it finds has been here before
                os.close(descriptor)

    def _on_line(self, line: bytes) -> None:
        match read_request(line):
            case Request() as request:
                self._take(request)
            case Refused(request_id, fault):
                self._outlet.send(error_line(request_id, HostFault("ProtocolError", fault)))
            case Ignored(fault) if fault:
                _log(f"ignored {fault}")

    def _take(self, request: Request) -> None:
        if request.method == "describe":
            self._meet(request.params.get("features"))
        elif request.method == "cancel" and self._client is not None:
            self._outlet.send(answer_line(request.id, self._cancel(request.params)))
            return
        elif self._client is not None:
            self._calls[request.id] = Cancellation()
        self._owed.add(request.id)
        try:
            self._crew.give(partial(self._answer, request))
        except RuntimeError as error:  # no thread to be had; the reader has to go on all the same
            self._owed.discard(request.id)
            self._outlet.send(error_line(request.id, error))
            if request.method == "describe":
                self._described.set()

    def _meet(self, features: Any) -> None:
        """In the reader's thread: what comes after is answered after the description, which waits for the plugin."""
        names = features if isinstance(features, list) else ()
        self._client = frozenset(name for name in names if isinstance(name, str))
        self._described.clear()
        if self._plugin is not None:
            self._plugin.know_client(self._client)

    def _cancel(self, params: dict[str, Any]) -> bool:
        """In the reader's thread: whatever the plugin does, it is told."""
        request_id, reason = str(params.get("id")), params.get("reason")
        call = self._calls.get(request_id)
        if call is None:
            return False
        fault = call.ask(reason if isinstance(reason, str) else "the call was cancelled")
        if fault is not None:
            self._owed.discard(request_id)
            self._outlet.send(error_line(request_id, fault))
        return True

    def _answer(self, request: Request, loop: EventLoop) -> Callable[[], None]:
        call = self._calls.get(request.id)
        if call is not None and not call.begin():
            del self._calls[request.id]
            return _nothing
        reply = self._reply(request, loop)
        if request.method != "describe":
            self._described.wait()
        self._calls.pop(request.id, None)
        self._owed.discard(request.id)  # before the answer is out: who has it may close stdin at once
        return partial(self._tell, reply, describes=request.method == "describe")

    def _tell(self, reply: bytes, *, describes: bool) -> None:
        if self._outlet.disowned:  # a copy came back from a tool's fork, to a place where it has no business
            os._exit(0)
        self._outlet.send(reply)
        if describes:
            self._described.set()

    def _reply(self, request: Request, loop: EventLoop) -> bytes:
        request_id, method, params = request
        phase = "init" if method == "init" else None
        try:
            if method == "describe":
                return answer_line(
                    request_id, description(None) if self._plugin is None else self._plugin.describe()
                )
            plugin, call = self._loaded(), self._calls.get(request_id)
            if call is not None and params.get("ack") is True:
                self._outlet.send(ack_line(request_id))
            by_name = self._client is not None and "state_version" in params
            given = self._states.given(params) if by_name else None
            value = plugin.answer(method, params, partial(self._emit, request_id), loop, call)
            state = value if method == "init" else params.get("state")
            return answer_line(
                request_id, value, self._states.news(state, given, request_id) if by_name else state
            )
        except LoadFault as fault:
            return error_line(request_id, fault.__cause__ or fault, "load")
        except BaseException as error:  # noqa: BLE001 - whatever the tool raises is its answer
            return error_line(request_id, error, phase)

    def _loaded(self) -> ServedPlugin:
        if self._plugin is None:
            raise LoadFault from self._failure
        return self._plugin

    def _emit(self, request_id: str, payload: Any) -> None:
        self._outlet.send(part_line(request_id, payload))


def _nothing() -> None:
    """There is nothing to tell."""


def _log(text: str) -> None:
    with suppress(OSError):  # by the descriptor, and never mind: a tool may have closed either
        os.write(2, f"[tool host] {text}\n".encode("utf-8", "backslashreplace"))


def _leave(reason: str | None) -> None:
    """End at once, whatever runs."""
    if reason is not None:
        _log(reason)
    os._exit(0)
