"""A host of a program that speaks another protocol than ours; all that a `Host` promises holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base.errors import JsonValueError
from .errors import HostGone, RequestTooLarge, ToolGone
from .host import Host
from .protocol.dialect import TranslatingPeer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .host import Hears, NotSent
    from .process.process import Command, ProcessExit
    from .protocol.dialect import Dialect
    from .protocol.listeners import HostListener, RequestOwner
    from .protocol.peer import Peer


def start_host(
    name: str,
    command: Command,
    listener: HostListener,
    *,
    dialect: Callable[[], Dialect] | None,
    **options: Any,
) -> Host:
    """Start the process of a host in the protocol that it speaks: ours, or what ``dialect`` makes. Arguments and errors as `Host`."""
    if dialect is None:
        return Host(name, command, listener, **options)
    return TranslatingHost(name, command, listener, dialect=dialect(), **options)


class TranslatingHost(Host):
    """See the module. Arguments as `Host`, and the dialect, which nobody else uses."""

    def __init__(
        self, name: str, command: Command, listener: HostListener, *, dialect: Dialect, **options: Any
    ) -> None:
        self._dialect = dialect
        dialect.begin(self)
        super().__init__(name, command, listener, **options)
        self.given_up: set[str] | None = dialect.given_up

    def _make_peer(self, max_line: int, max_stray: int | None, hears: Hears) -> Peer[RequestOwner]:
        self._translating: TranslatingPeer = TranslatingPeer(
            self._dialect, max_line=max_line, max_stray=max_stray, hears=hears
        )
        return self._translating

    def send(self, method: str, params: dict[str, Any], owner: RequestOwner) -> str:
        request_id = f"{self.generation}-{next(self._ids)}"
        with self._sending:
            unsent = self._translate_and_write(request_id, method, params, owner)
        if unsent:
            raise unsent[request_id]
        if self._dialect.has_more:
            self._hear_dialect()
        return request_id

    def _translate_and_write(
        self, request_id: str, method: str, params: dict[str, Any], owner: RequestOwner
    ) -> dict[str, HostGone]:
        line = b""
        try:
            with self._lock:
                self._require_open()
                # Encoded and awaited under one hold of the lock: what the dialect answers by itself any thread may
                # take, and an answer to what nobody waits for yet is dropped.
                line = self._translated(request_id, method, params)
                owner.request_id = request_id
                self._peer.open(request_id, owner)
            unsent = self._write({request_id: line}, line)
        except BaseException:  # it was refused, or an interrupt came: raised again
            if self._transport.took is not line:
                self._take_back({request_id: owner})
            raise
        return unsent

    def _take_back(self, owners: dict[str, RequestOwner]) -> None:
        super()._take_back(owners)
        with self._lock:
            for request_id in owners:
                self._dialect.forget(request_id)

    def send_all(
        self, method: str, requests: Sequence[tuple[dict[str, Any], RequestOwner]]
    ) -> list[str | NotSent]:
        return [self._fate(method, params, owner) for params, owner in requests]

    def note(self, method: str, params: dict[str, Any], hears: Callable[[Any], None]) -> None:
        request_id = f"{self.generation}-{next(self._ids)}"
        with self._sending:
            with self._lock:
                self._require_open(drained=True)
                line = self._translated(request_id, method, params)
                self._peer.note(request_id, hears)
            unsent = self._write({request_id: line}, line)
        if unsent:
            raise unsent[request_id]
        if self._dialect.has_more:
            self._hear_dialect()

    def on_output(self, data: bytes) -> None:
        super().on_output(data)
        if self._dialect.has_more:
            self._hear_dialect()

    def on_exit(self, exit_: ProcessExit) -> None:
        with self._lock:
            self._dialect.end()
        super().on_exit(exit_)

    def _fate(self, method: str, params: dict[str, Any], owner: RequestOwner) -> str | NotSent:
        try:
            return self.send(method, params, owner)
        except (HostGone, RequestTooLarge, JsonValueError, ToolGone) as error:
            return error

    def _translated(self, request_id: str, method: str, params: dict[str, Any]) -> bytes:
        line = self._dialect.encode(request_id, method, params)
        if len(line) > self.max_line:
            self._dialect.forget(request_id)
            raise RequestTooLarge(host=self.name, size=len(line), limit=self.max_line)
        return line

    def _hear_dialect(self) -> None:
        """Write what the dialect has to say by itself, and hand on what nobody over there has said."""
        with self._lock:
            lines, events = self._translating.take()
        self._write({"": lines}, lines)
        for event in events:
            self._hand_on(event)
