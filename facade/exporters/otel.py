"""A board's calls as OpenTelemetry spans, and its numbers as OpenTelemetry metrics.

For the extra ``otel``, which brings the API alone: where spans and metrics go is a matter of the SDK that the
program sets up. Without one, all this does nothing.

Spans are made of events (see `otel_spans`), and so are the histograms, as an observed metric cannot be one.
Everything else is observed: read from the status at each collection.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Self

from ..actors.metrics.hosts import HostPhases
from ..base.locks import Lock
from .samples import FAMILIES, Family, Sample, collect

try:
    from opentelemetry import context, metrics, trace
    from opentelemetry.metrics import CallbackOptions, Observation

    from .otel_spans import CALL_KINDS, CallSpans
except ImportError as _error:
    raise ImportError("this needs OpenTelemetry: pip install opentelemetry-api") from _error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from opentelemetry.metrics import Meter, MeterProvider
    from opentelemetry.trace import TracerProvider

    from ..supervision.runtime.events import Event, Subscription

HOST_KINDS = frozenset({
    "host_starting", "host_ready", "host_crashed", "host_backoff", "host_parked", "host_stopped", "host_replaced",
    "plugin_removed",
})  # fmt: skip
"""The events that tell how long a host started and recovered."""

_FRESH = 0.25
"""Seconds for which one look at the status serves all metrics of a collection."""


class Watched(Protocol):
    """A running `Callboard`, or a board of actors."""

    def status(self) -> dict[str, Any]:
        """What is going on, as JSON."""

    def subscribe(
        self, subscriber: Callable[[Event], None], kinds: Iterable[str] | None = None
    ) -> Subscription:
        """Have ``subscriber`` called with each later event."""


class Instrumentation:
    """Reports on a board from the moment it is made until `close`. Also a context manager.

    Args:
        board: has to be running.
        tracer_provider: where the spans go; the global one when ``None``.
        meter_provider: where the metrics go; the global one when ``None``.
    """

    def __init__(
        self,
        board: Watched,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
    ) -> None:
        self._board = board
        self._lock = Lock()
        self._seen: dict[str, list[Sample]] = {}
        self._seen_at = 0.0
        self._closed = False
        meter = metrics.get_meter("callboard", meter_provider=meter_provider)
        for family in FAMILIES.values():
            self._observe(meter, family)
        self._hearing = Lock()
        self._spans = CallSpans(
            trace.get_tracer("callboard", tracer_provider=tracer_provider),
            _recorder(meter, FAMILIES["call.wait"]),
            _recorder(meter, FAMILIES["call.run"]),
        )
        self._record_start = _recorder(meter, FAMILIES["host.start"])
        self._record_recovery = _recorder(meter, FAMILIES["host.recovery"])
        self._hosts: dict[str, HostPhases] = {}
        self._subscription = board.subscribe(self._hear, CALL_KINDS | HOST_KINDS)

    def under_current_span(self, call_id: str) -> None:
        """Make the next call with this id a child of the current span; to be said before it is submitted.

        A call is heard of in another thread, where the span of its caller is not known.
        """
        with self._hearing:
            self._spans.put_under(call_id, context.get_current())

    def close(self) -> None:
        """Report no more; calls under way are ended as unknown. A second time changes nothing."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._subscription.close()
        with self._hearing:
            self._spans.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _hear(self, event: Event) -> None:
        """In the thread that tells events; one that was on its way at `close` comes too late."""
        with self._hearing:
            if self._closed:
                return
            if event.kind in CALL_KINDS:
                self._spans.take(event)
            elif event.kind == "plugin_removed":
                self._hosts.pop(event.subject, None)
            else:
                self._phases_of(event.subject).change(event.kind, event.facts, event.time)

    def _phases_of(self, plugin: str) -> HostPhases:
        phases = self._hosts.get(plugin)
        if phases is None:
            labels = {"plugin": plugin}
            phases = self._hosts[plugin] = HostPhases(
                lambda seconds: self._record_start(seconds, labels),
                lambda seconds: self._record_recovery(seconds, labels),
            )
        return phases

    def _observe(self, meter: Meter, family: Family) -> None:
        name, callbacks = f"callboard.{family.name}", [partial(self._observations, family.name)]
        match family.kind:
            case "counter":
                meter.create_observable_counter(name, callbacks, description=family.meaning)
            case "gauge":
                meter.create_observable_gauge(name, callbacks, description=family.meaning)

    def _observations(self, name: str, _: CallbackOptions) -> list[Observation]:
        with self._lock:  # across the status: the instruments of one collection share one look at the board
            if self._closed:
                return []
            if time.monotonic() > self._seen_at + _FRESH:
                self._seen = collect(self._board.status())
                self._seen_at = time.monotonic()
            return [Observation(sample.value, sample.labels) for sample in self._seen.get(name, ())]


def _recorder(meter: Meter, family: Family) -> Callable[[float, dict[str, str]], None]:
    histogram = meter.create_histogram(f"callboard.{family.name}", unit="s", description=family.meaning)

    def record(seconds: float, labels: dict[str, str]) -> None:
        histogram.record(seconds, labels)

    return record
