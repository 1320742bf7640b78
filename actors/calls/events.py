"""The flight of one plugin's calls, as events: submitted, started, perhaps repeated, ended.

Each of the first three is a callable for the `Call`, which calls it under its own lock, or ``None``
without subscribers: then the way of a call costs one look more, and nothing is made in vain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...plugins.results.failures import reported

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...supervision.runtime.clock import Clock
    from ...supervision.runtime.events import EventStream
    from .call import Call
    from .stage import Result


class CallEvents:
    """See the module."""

    def __init__(self, plugin: str, events: EventStream, clock: Clock) -> None:
        self._plugin = plugin
        self._events = events
        self._clock = clock

    @property
    def submitted(self) -> Callable[[Call], None] | None:
        """For `Call.adopt`."""
        return self._submitted if self._events.wants("call_submitted") else None

    @property
    def started(self) -> Callable[[Call], None] | None:
        """For `Call.begin`."""
        return self._started if self._events.wants("call_started") else None

    @property
    def repeated(self) -> Callable[[Call], None] | None:
        """For `Call.put_back`, of a call that may have run."""
        return self._repeated if self._events.wants("call_repeated") else None

    def ended(self, call: Call, result: Result) -> None:
        """The call has its result."""
        if self._events.wants("call_ended"):
            ours = reported(result) is not None
            self._events.publish(
                "call_ended",
                self._plugin,
                call=call.id,
                tool=call.tool_name,
                success=bool(result.get("success")),
                code=result.get("code") if ours else None,
                outcome=result.get("outcome") if ours else None,
                attempt=call.attempt,
                elapsed=self._elapsed(call),
            )

    def _submitted(self, call: Call) -> None:
        self._events.publish("call_submitted", self._plugin, call=call.id, tool=call.tool_name)

    def _started(self, call: Call) -> None:
        self._events.publish(
            "call_started",
            self._plugin,
            call=call.id,
            tool=call.tool_name,
            attempt=call.attempt,
            elapsed=self._elapsed(call),
        )

    def _repeated(self, call: Call) -> None:
        assert call.lost is not None
        self._events.publish(
            "call_repeated",
            self._plugin,
            call=call.id,
            tool=call.tool_name,
            attempt=call.attempt,
            why=str(call.lost["error"]),
        )

    def _elapsed(self, call: Call) -> float:
        return round(self._clock.now() - call.submitted, 6)
