"""A request that a thread waits for, and how its end becomes a value or an error."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import HostGone, HostTimeout, ProtocolBreach, RemoteError

if TYPE_CHECKING:
    from ..report.crash_report import CrashReport
    from .listeners import RequestOwner
    from .wire import RawAnswer


class _Host(Protocol):
    name: str

    def send(self, method: str, params: dict[str, Any], owner: RequestOwner) -> str: ...

    def abandon(self, request_id: str) -> bool: ...


def ask(
    host: _Host, method: str, params: dict[str, Any], timeout: float | None = None
) -> tuple[Any, dict[str, Any] | None]:
    """Send a request and wait for its answer: the value, and the state if one came.

    For programs and threads that may block; never from an actor or a pump.

    Raises:
        HostGone: the host is not running, or ended before it answered.
        HostTimeout: no answer within ``timeout`` seconds; the request is given up.
        RemoteError: the host answered with an error.
        ProtocolBreach: the host answered with what is no answer.
        RequestTooLarge, JsonValueError: as `Host.send`.
    """
    owner = Asked(method)
    request_id = host.send(method, params, owner)
    if not owner.ended.wait(timeout) and host.abandon(request_id):
        assert timeout is not None
        raise HostTimeout(host=host.name, method=method, seconds=timeout)
    return owner.outcome(host.name)


class Asked:
    """The owner of a request that a thread waits for."""

    def __init__(self, method: str) -> None:
        self.call_id = method
        self.request_id: str | None = None
        self.raw: RawAnswer | None = None
        self.ended: threading.Event = threading.Event()
        self.value: Any = None
        self.state: dict[str, Any] | None = None
        self.error: dict[str, Any] | None = None
        self.breach: tuple[str, str, dict[str, int]] | None = None
        self.lost: CrashReport | None = None

    def outcome(self, host: str) -> tuple[Any, dict[str, Any] | None]:
        """Wait for its end, and return the value and the state if one came. Raises as `ask`."""
        self.ended.wait()
        if self.lost is not None:
            raise HostGone(self.lost.summary, host=host, report=self.lost.as_dict())
        if self.breach is not None:
            reason, detail, facts = self.breach
            raise ProtocolBreach(host=host, reason=reason, detail=detail, facts=facts)
        if self.error is not None:
            raise RemoteError(self.error, host=host)
        return self.value, self.state

    def on_part(self, payload: Any, size: int) -> None:
        """Nobody asked for parts."""

    def on_begun(self) -> None:
        """Nobody asked for that either."""

    def on_answer(self, value: Any, state: dict[str, Any] | None) -> None:
        """It was answered."""
        self.value, self.state = value, state
        self.ended.set()

    def on_refused(self, error: dict[str, Any]) -> None:
        """It was refused."""
        self.error = error
        self.ended.set()

    def on_breach(self, reason: str, detail: str, facts: dict[str, int]) -> None:
        """The host broke the protocol instead."""
        self.breach = reason, detail, facts
        self.ended.set()

    def on_lost(self, report: CrashReport) -> None:
        """The host is gone."""
        self.lost = report
        self.ended.set()

    def on_released(self) -> None:
        """It was given up, and has ended."""
        self.ended.set()
