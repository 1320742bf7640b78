"""A host one can talk to: a process and a peer, joined by a lock.

`send` encodes and writes in the caller's own thread and returns; the answer reaches the
request's owner from the pump's thread. Between them stands no further thread: each hand-off
costs more than all the rest of a small call.
"""

from __future__ import annotations

import itertools
import os
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..base.errors import JsonValueError
from ..base.foreign import Log, contain, shown
from ..base.locks import Lock, RLock
from .errors import THREAD_FAILED, HostGone, RequestTooLarge, ToolGone
from .limits.limits import FRAMES
from .limits.vitals import Vitals, sample
from .process.stop_ladder import KILL_NOW, StopLadder
from .process.transport import ProcessTransport
from .protocol.description import PLAIN, describe_params, read_description
from .protocol.noise import Noise
from .protocol.peer import Peer
from .protocol.peer_events import Answered, Begun, Breach, Dropped, Noted, PartCame, Refused, Released, Stray
from .protocol.wire import MAX_LINE_BYTES, encode_request, ids_of_requests
from .report.crash_report import redactor_of, report_of_end
from .report.flight_recorder import FlightRecorder
from .report.oom import oom_kills

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable, Sequence

    from .process.loop_reader import LoopReader
    from .process.process import Command, ProcessExit
    from .process.transport import Carry
    from .process_tree.watchdog import Watchdog
    from .protocol.description import Description
    from .protocol.listeners import HostListener, RequestOwner
    from .protocol.peer_events import Event

    Hears = Callable[[bytes], None] | None
    NotSent = HostGone | RequestTooLarge | JsonValueError | ToolGone

logger: Log = Log("callboard.hosts")

_NOT_HANDED_OVER = "its answer could not be handed over"


class Host:
    """One generation of a host program.

    Attributes:
        stopped: why we have begun to end it, so that its end is nobody's fault in there; ``None`` until then.
        stalled: we end it because it answers nothing; any of its calls may be why.
        unsent: the ids of requests that had not left whole when it ended, so that it cannot have read them.
        answered: it has answered a call; whoever sends calls says so.
        given_up: as a `Dialect`; ``None`` where each call that was given up is awaited until it has ended.
        description: what it says of itself, if it was asked and has answered.
        features: what it can do beyond version 1; empty as long as it has not said.
        farewells: of the plugins that shut down, by name: makes the params of that request. They are asked for
            it when the host is stopped and not just killed.
    """

    def __init__(
        self,
        name: str,
        command: Command,
        listener: HostListener,
        *,
        generation: int = 1,
        max_line: int = MAX_LINE_BYTES,
        max_stray: int | None = None,
        flight_recorder: int = FRAMES,
        now: Callable[[], float] = time.monotonic,
        watchdog: Watchdog | None = None,
        carry: Carry | None = None,
    ) -> None:
        """Start the process; it is read from `start` on.

        Raises:
            HostStartError: the process cannot be started.
        """
        self.name = name
        self.generation = generation
        self.max_line = max_line
        self.max_stray = max_stray
        self._listener = listener
        self._noise = Noise(name, listener, now, partial(redactor_of, command))
        self._command = command
        self._recorder = recorder = FlightRecorder(flight_recorder, now) if flight_recorder else None
        self._peer = self._make_peer(max_line, max_stray, recorder.received if recorder else None)
        self._lock = Lock()
        # Held from when a request is known until it is written, or known not to be: its end must not be told in between.
        self._sending = RLock()  # a transport may tell of the end while it is written to
        self._ids = itertools.count(1)
        self._breach: str | None = None
        self._ended = False
        self._draining = False
        self._idle: Callable[[], object] | None = None
        self.unsent: frozenset[str] = frozenset()
        self.stopped: str | None = None
        self.stalled = False
        self.answered = False
        self.given_up: set[str] | None = None
        self.description: Description = PLAIN
        self.features: frozenset[str] = frozenset()
        self.farewells: dict[str, Callable[[], dict[str, Any]]] = {}
        self._introduced = not command.extended
        self._oom_kills = oom_kills()
        try:
            self._transport = (carry or ProcessTransport)(name, command, self, watchdog)
        except BaseException:  # raised again: what was made for it goes, whatever the reason
            self._clear_up()
            raise

    def _make_peer(self, max_line: int, max_stray: int | None, hears: Hears) -> Peer[RequestOwner]:
        return Peer(max_line=max_line, max_stray=max_stray, hears=hears)

    def start(self) -> None:
        """Begin to read; from now on the listener is told.

        One that may know more than version 1 is asked for its description. Nobody waits for that: it answers
        this before anything else, so whoever has any other answer knows its features.

        Raises:
            HostStartError: there is no thread for it, so the process was ended again.
        """
        self._transport.start()
        if self._command.extended:
            with suppress(HostGone):  # which the listener is told
                self.note("describe", describe_params(), self._on_description)

    @property
    def is_loading(self) -> bool:
        """Whether it has not told yet that it can take requests: one that is asked says so once its plugin is loaded."""
        return not self._introduced

    def _on_description(self, value: Any) -> None:
        self._introduced = True
        self.description = read_description(value)
        self.features = self.description.features

    @property
    def pid(self) -> int:
        """The process id."""
        return self._transport.pid

    @property
    def vitals(self) -> Vitals | None:
        """A look at its process from outside; ``None`` if that is gone, or is none."""
        return self.look() if isinstance(self._transport, ProcessTransport) else None

    def look(self, *, descriptors: bool = False) -> Vitals | None:
        """A look at the process of its pid, or at all that runs in its sandbox; see `sample`."""
        return sample(self.pid, descriptors=descriptors, tree=self._command.contained is not None)

    def lead(self, loop: AbstractEventLoop, returned: Callable[[], None]) -> LoopReader | None:
        """Have an asyncio loop, which runs in this thread, read it for a while; ``None`` if that cannot be. See `Pumping.lead`."""
        return self._transport.lead(loop, returned) if isinstance(self._transport, ProcessTransport) else None

    @property
    def is_led(self) -> bool:
        """Whether an event loop reads it at present, and not its pump."""
        return isinstance(self._transport, ProcessTransport) and self._transport.is_led()

    @property
    def found_by(self) -> tuple[str, ...]:
        """By what those whom it has started are found once it has ended; by nothing if it is no process."""
        return self._transport.found_by if isinstance(self._transport, ProcessTransport) else ()

    @property
    def stderr_tail(self) -> str:
        """The last lines of stderr."""
        return self._transport.stderr_tail

    @property
    def counts(self) -> dict[str, int]:
        """Stray lines, late, duplicate and unknown answers, by name."""
        with self._lock:
            return dict(self._peer.counts)

    def send(self, method: str, params: dict[str, Any], owner: RequestOwner) -> str:
        """Send a request and return its id; ``owner`` hears how it goes. Never blocks.

        Raises:
            HostGone: the host is not running; nothing was sent.
            RequestTooLarge: the request is beyond the line limit; nothing was sent.
            JsonValueError: the parameters are not JSON; nothing was sent.
        """
        request_id, line = self._encoded(method, params)
        if unsent := self._send({request_id: owner}, {request_id: line}):
            raise unsent[request_id]
        return request_id

    def send_all(
        self, method: str, requests: Sequence[tuple[dict[str, Any], RequestOwner]]
    ) -> list[str | NotSent]:
        """As `send`, of several in their order with one write: the id of each, or what `send` would raise of it."""
        fates: list[str | NotSent] = []
        lines: dict[str, bytes] = {}
        for params, _ in requests:
            try:
                request_id, lines[request_id] = self._encoded(method, params)
                fates.append(request_id)
            except (RequestTooLarge, JsonValueError) as error:
                fates.append(error)
        owners = {id_: owner for id_, (_, owner) in zip(fates, requests, strict=True) if isinstance(id_, str)}
        unsent = self._send(owners, lines)
        return [unsent.get(fate, fate) if isinstance(fate, str) else fate for fate in fates]

    def _send(self, owners: dict[str, RequestOwner], lines: dict[str, bytes]) -> dict[str, HostGone]:
        """Await the answers to requests, and write their lines; returns those of which nothing was sent.

        After an interrupt those are known by having no ``request_id``.
        """
        data = b"".join(lines.values()) if len(lines) > 1 else next(iter(lines.values()), b"")
        with self._sending:
            try:
                with self._lock:
                    self._require_open()
                    for request_id, owner in owners.items():
                        owner.request_id = request_id
                        self._peer.open(request_id, owner)
                unsent = self._write(lines, data)
                for request_id in unsent:
                    owners[request_id].request_id = None
            except HostGone as gone:
                return dict.fromkeys(lines, gone)
            except BaseException:  # an interrupt: raised again
                if self._transport.took is not data:
                    self._take_back(owners)
                raise
        return unsent

    def _take_back(self, owners: dict[str, RequestOwner]) -> None:
        with self._lock:
            for request_id, owner in owners.items():
                self._peer.withdraw(request_id)
                owner.request_id = None

    def note(self, method: str, params: dict[str, Any], hears: Callable[[Any], None]) -> None:
        """Send a request beside the calls, for which nobody waits; also while the host takes no more calls.

        ``hears`` is told the value of its answer, or ``None`` if that is an error, if one comes. Raises as `send`.
        """
        request_id, line = self._encoded(method, params)
        with self._sending:  # so that what the transport took last is what the holder has written
            with self._lock:
                self._require_open(drained=True)
                self._peer.note(request_id, hears)
            unsent = self._write({request_id: line}, line)
        if unsent:
            raise unsent[request_id]

    def cancel(self, request_id: str, reason: str) -> None:
        """Tell the host that nobody waits for a request any more, if it takes such news; its answer is still awaited."""
        if "cancel" in self.features:
            with suppress(HostGone):
                self.note("cancel", {"id": request_id, "reason": reason}, lambda _: None)

    def say_farewell(self, name: str) -> None:
        """Have a plugin shut down, if it does that; the host goes on."""
        farewell = self.farewells.pop(name, None)
        if farewell is not None:
            with suppress(HostGone, RequestTooLarge, JsonValueError):
                self.note("shutdown", farewell(), lambda _: None)

    def _require_open(self, *, drained: bool = False) -> None:
        """Raise `HostGone` if it takes no more requests; ``drained``: such as no call waits for. With the lock held."""
        if self._ended or (self._draining and not drained) or self._breach is not None:
            raise HostGone(f"host {self.name!r} takes no more requests", host=self.name)

    def _encoded(self, method: str, params: dict[str, Any]) -> tuple[str, bytes]:
        request_id = f"{self.generation}-{next(self._ids)}"
        line = encode_request(request_id, method, params)
        if len(line) > self.max_line:
            raise RequestTooLarge(host=self.name, size=len(line), limit=self.max_line)
        return request_id, line

    def _write(self, lines: dict[str, bytes], data: bytes) -> dict[str, HostGone]:
        """Write lines by the ids of their requests, joined; returns those of which nothing was sent, and whose owners were not told."""
        if not data:  # a dialect may have nothing to ask of anybody
            return {}
        if self._recorder is not None:
            for line in lines.values():
                self._recorder.sent(line)
        try:
            self._transport.write(data)
        except HostGone as gone:
            # Of one that is not there any more the end of the host was quicker, and has told the owner.
            with self._lock:
                return dict.fromkeys(filter(self._peer.withdraw, lines), gone)
        return {}

    def call_of(self, request_id: str) -> str | None:
        """The id of the call for which a request was sent, as long as its end is awaited."""
        with self._lock:
            owner = self._peer.owner(request_id)
        return None if owner is None else owner.call_id

    def abandon(self, request_id: str) -> bool:
        """Give a request up; False when its end was quicker."""
        with self._lock:
            abandoned = self._peer.abandon(request_id)
        self._tell_idle()
        return abandoned

    def take_no_more(self) -> None:
        """Take no more requests: whoever sends one is told at once that nothing was sent. Those under way go on."""
        with self._lock:
            self._draining = True

    def drain(self, idle: Callable[[], object]) -> None:
        """Take no more requests, and have ``idle`` called once no answer is awaited any more.

        It is called at once or from the thread that brings the last answer; not if the host ends before.
        """
        with self._lock:
            self._draining = True
            self._idle = idle
        self._tell_idle()

    def _tell_idle(self) -> None:
        with self._lock:
            if self._idle is None or self._peer.busy:
                return
            idle, self._idle = self._idle, None
        self._tell(idle)

    @property
    def ended(self) -> bool:
        """Whether its process has ended, as far as that has been told."""
        return self._ended

    @property
    def busy(self) -> bool:
        """Whether anybody waits for an answer."""
        with self._lock:
            return self._peer.busy

    def stop(self, reason: str, ladder: StopLadder | None = None) -> None:
        """Begin to end the host; returns at once, `join` waits. It takes no more requests."""
        if not self._transport.has_ended():  # its crash came before this stop
            self.stopped = self.stopped or reason
        self.take_no_more()  # before it is told: a call that is sent to one who is ending is lost with it
        if ladder is None or ladder.polite > 0:
            for name in tuple(self.farewells):
                self.say_farewell(name)
        self._transport.stop(reason, ladder or StopLadder())

    def join(self, timeout: float | None = None) -> bool:
        """Wait until the host and its tree are gone and all is told; True when so."""
        return self._transport.join(timeout)

    # The process's listener, in the pump's thread.

    def on_output(self, data: bytes) -> None:
        """Hand each message to whom it belongs."""
        with self._lock:
            events = self._peer.receive(data)
        for event in events:
            if type(event) is Answered:  # nearly always, and a class pattern takes ten times as long
                try:
                    event.owner.on_answer(event.value, event.state)
                except BaseException as error:  # noqa: BLE001 - as in `_tell`
                    self._contain(error, event.owner.on_answer)
                    self._tell(event.owner.on_breach, "internal_error", _NOT_HANDED_OVER, {})
            elif type(event) is PartCame:  # a call may have very many
                self._tell(event.owner.on_part, event.payload, event.size)
            else:
                self._hand_on(event)
        if self._idle is not None:
            self._tell_idle()

    def _hand_on(self, event: Event[RequestOwner]) -> None:  # all but a part, which only output brings
        match event:
            case Answered(owner, value, state):
                if not self._tell(owner.on_answer, value, state):
                    self._tell(owner.on_breach, "internal_error", _NOT_HANDED_OVER, {})
            case Begun(owner):
                self._tell(owner.on_begun)
            case Refused(owner, error):
                self._tell(owner.on_refused, error)
            case Released(owner):
                self._tell(owner.on_released)
                self._tell(self._listener.on_dropped, "late", owner.call_id, 1, 1)
            case Noted(hears, value):
                self._tell(hears, value)
            case Stray() | Dropped():
                self._tell(self._noise.hear, event)
            case Breach():
                self._on_breach(event)

    def _on_breach(self, breach: Breach[RequestOwner]) -> None:
        reason, detail, owner, fatal, facts = breach
        logger.warning("host %r broke the protocol: %s", self.name, detail)
        if owner is not None:
            self._tell(owner.on_breach, reason, detail, facts or {})
        if not fatal:
            return
        with self._lock:
            self._breach = reason
            opened, abandoned = self._peer.lost()
        for lost in opened:
            self._tell(lost.on_breach, reason, detail, facts or {})
        for lost in abandoned:
            self._tell(lost.on_released)
        self._transport.stop(detail, KILL_NOW)

    def on_exit(self, exit_: ProcessExit) -> None:
        """Tell every owner that is left, then the listener."""
        self.unsent = ids_of_requests(exit_.unsent)
        # A host that ended at its farewell did so before its process was stopped.
        exit_ = replace(exit_, stop_reason=exit_.stop_reason or self.stopped)
        with self._sending, self._lock:
            self._ended = True
            opened, abandoned = self._peer.lost()
            unfinished, counts = self._peer.unfinished, dict(self._peer.counts)
        report = report_of_end(
            exit_,
            self._command,
            self.stderr_tail,
            host=self.name,
            generation=self.generation,
            in_flight=tuple([owner.call_id for owner in opened]),
            unfinished=unfinished,
            counts=counts,
            oom_kills_before=self._oom_kills,
            recorder=self._recorder,
            here=os.environ.keys(),
        )
        # The last one first: each takes the first place among those that wait again, without a search.
        for lost in (*reversed(opened), *abandoned):
            self._tell(lost.on_lost, report)
        self._tell(self._noise.end)
        fault = None if exit_.fault == THREAD_FAILED else exit_.fault  # which is no fault of the host's
        self._tell(self._listener.on_ended, exit_, report, breach=self._breach or fault)

    def _clear_up(self) -> None:
        if self._command.after is not None:
            self._tell(self._command.after)

    def on_gone(self, leftovers: list[int]) -> None:
        """Pass it on."""
        self._clear_up()
        self._tell(self._listener.on_gone, leftovers)

    def _tell(self, hears: Callable[..., object], *facts: Any, **more: Any) -> bool:
        """Tell one owner or listener. What one of them does wrong must not cost the others their answers."""
        try:
            hears(*facts, **more)
        except BaseException as error:  # noqa: BLE001 - an owner may be an embedder's, and what it has told is behind it
            self._contain(error, hears)
            return False
        return True

    def _contain(self, error: BaseException, hears: Callable[..., object]) -> None:
        contain(error, logger, "host %r: telling %s failed", self.name, shown(hears))
