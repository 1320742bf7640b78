"""The flight of one plugin's calls, as events: submitted, started, perhaps repeated, ended.

The first three are for the `Call`, which calls them under its own lock. They are asked for only where
`EventStream.wanted` has the kind: without subscribers nothing is made in vain. Submission and end are told once, however often
an interrupt has them published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...plugins.results.failures import reported

if TYPE_CHECKING:
    from ..services import Services
    from .call import Call
    from .stage import Result


class CallEvents:
    """See the module."""

    def __init__(self, plugin: str, services: Services) -> None:
        self._plugin = plugin
        self._events = services.events
        self._clock = services.clock

    def ended(self, call: Call, result: Result) -> None:
        """The call has its result."""
        ours = reported(result) is not None
        self._events.publish(
            "call_ended",
            self._plugin,
            call.noted,
            call=call.id,
            tool=call.tool_name,
            success=bool(result.get("success")),
            code=result.get("code") if ours else None,
            outcome=result.get("outcome") if ours else None,
            attempt=call.attempt,
            elapsed=self._elapsed(call),
        )

    def submitted(self, call: Call) -> None:
        """For `Call.adopt`."""
        self._events.publish("call_submitted", self._plugin, call.noted, call=call.id, tool=call.tool_name)

    def started(self, call: Call) -> None:
        """For `Call.begin`."""
        self._events.publish(
            "call_started",
            self._plugin,
            call=call.id,
            tool=call.tool_name,
            attempt=call.attempt,
            elapsed=self._elapsed(call),
        )

    def repeated(self, call: Call) -> None:
        """For `Call.put_back`, of a call that may have run."""
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
