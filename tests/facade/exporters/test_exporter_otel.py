"""Spans and metrics of a board, as the OpenTelemetry SDK has them in memory."""

from __future__ import annotations

import subprocess
import sys

import pytest
from callboard import Callboard
from callboard.exporters.otel import Instrumentation
from callboard.exporters.otel_spans import MAX_OPEN, CallSpans
from callboard.supervision.runtime.events import Event
from leaks import wait_until
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from programs import NODE
from tools import Tool, count, tool_call

MOODY = {"node_tool": {"file": str(NODE / "moody.mjs"), "id": "moody"}}


class Collected:
    """What an SDK that was set up for a test has got."""

    def __init__(self):
        self.exporter = InMemorySpanExporter()
        self.reader = InMemoryMetricReader()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.meters = MeterProvider([self.reader])
        self.tracer = self.tracers.get_tracer("test")

    def watch(self, board):
        return Instrumentation(board, tracer_provider=self.tracers, meter_provider=self.meters)

    def spans(self):
        return {
            span.attributes.get("gen_ai.tool.call.id", span.name): span
            for span in self.exporter.get_finished_spans()
        }

    def metrics(self):
        """The points of each metric, by name and labels."""
        data = self.reader.get_metrics_data()  # None of nothing
        return {
            (metric.name, *sorted(point.attributes.items())): point
            for of_resource in (data.resource_metrics if data else ())
            for of_scope in of_resource.scope_metrics
            for metric in of_scope.metrics
            for point in metric.data.data_points
        }


@pytest.fixture
def collected():
    made = Collected()
    yield made
    made.meters.shutdown()
    made.tracers.shutdown()


def test_every_call_has_a_span_from_its_submission_to_its_end(collected):
    with Callboard() as board, collected.watch(board):
        board.register(Tool(count))
        board.execute(tool_call("tool", "a"))
        assert board.board.events.settle(30)

    span = collected.spans()["a"]
    assert span.name == "execute_tool tool"
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "tool",
        "gen_ai.tool.call.id": "a",
        "callboard.plugin": "tool",
        "callboard.attempt": 1,
    }
    assert span.status.status_code is StatusCode.UNSET
    assert [(event.name, dict(event.attributes)) for event in span.events] == [
        ("call started", {"attempt": 1})
    ]
    assert span.start_time <= span.events[0].timestamp <= span.end_time


def test_the_span_of_a_failed_call_says_how_it_failed_and_whether_it_may_have_run(collected):
    with Callboard() as board, collected.watch(board):
        board.load(MOODY, idempotent=True)
        for do in ("fail", "throw", "crash"):
            board.execute(tool_call("moody", do, do=do))
        assert board.board.events.settle(30)
    spans = collected.spans()

    told = {
        call: (
            span.attributes["error.type"],
            span.attributes.get("callboard.outcome"),
            span.attributes["callboard.attempt"],
        )
        for call, span in spans.items()
    }
    assert told == {
        "fail": ("failure", None, 1),
        "throw": ("tool_raised", "outcome_unknown", 1),
        "crash": ("host_crashed", "outcome_unknown", 2),
    }
    assert {span.status.status_code for span in spans.values()} == {StatusCode.ERROR}
    # It may be started once more than it was sent: the end of a generation can be found out by sending to it.
    first, second, *others = [event.name for event in spans["crash"].events]
    assert (first, second, set(others)) == ("call started", "call repeated", {"call started"})


def test_a_span_is_a_child_of_the_callers_if_it_was_put_there(collected):
    with Callboard() as board, collected.watch(board) as watching:
        board.register(Tool(count))
        with collected.tracer.start_as_current_span("conversation") as parent:
            watching.under_current_span("child")
            board.execute(tool_call("tool", "child"))
            board.execute(tool_call("tool", "alone"))
        board.execute(tool_call("tool", "child"))
        assert board.board.events.settle(30)
    spans = [span for span in collected.exporter.get_finished_spans() if span.name != "conversation"]

    assert [span.parent and span.parent.span_id for span in spans] == [
        parent.get_span_context().span_id,
        None,
        None,
    ]


def test_metrics_are_those_of_the_status_and_the_histograms_those_of_the_events(collected):
    with Callboard({"supervision": {"backoff": {"min": 0.01}}}) as board, collected.watch(board):
        board.load(MOODY)
        for do in (None, "fail", "crash", None):
            board.execute(tool_call("moody", do=do))
        wait_until(lambda: board.status()["plugins"]["moody"]["host"]["state"] == "ready")
        assert board.board.events.settle(30)
        metrics = collected.metrics()
    plugin, tool = ("plugin", "moody"), ("tool", "moody")

    assert metrics["callboard.running",].value == 1
    assert metrics["callboard.calls", plugin, ("result", "success"), tool].value == 2
    assert metrics["callboard.calls", plugin, ("result", "host_crashed"), tool].value == 1
    assert metrics["callboard.host.crashes", ("exit", "signal"), plugin].value == 1
    assert metrics["callboard.call.wait", plugin, tool].count == 4
    assert metrics["callboard.call.run", plugin, tool].count == 4
    assert metrics["callboard.host.start", plugin].count == 2
    assert metrics["callboard.host.recovery", plugin].count == 1
    assert metrics["callboard.host.recovery", plugin].sum > 0


def test_a_call_that_waited_in_vain_has_waited_and_one_that_was_refused_has_not(collected):
    with Callboard() as board, collected.watch(board):
        board.load(MOODY, mailbox_size=1)
        running = board.submit(tool_call("moody", "running", do="wait"), deadline=0.5)
        late = board.submit(tool_call("moody", "late"), deadline=0.05)
        refused = board.submit(tool_call("moody", "refused"))
        codes = [call.result(30)["code"] for call in (running, late, refused)]
        assert board.board.events.settle(30)
        metrics = collected.metrics()

    assert codes == ["deadline_exceeded", "deadline_exceeded", "overloaded"]
    assert metrics["callboard.call.wait", ("plugin", "moody"), ("tool", "moody")].count == 2
    assert metrics["callboard.call.run", ("plugin", "moody"), ("tool", "moody")].count == 1


def test_after_closing_nothing_is_reported_and_open_calls_are_ended_as_unknown(collected):
    with Callboard() as board:
        watching = collected.watch(board)
        board.load(MOODY)
        call = board.submit(tool_call("moody", "open", do="wait"))
        assert board.board.events.settle(30)
        watching.close()
        watching.close()
        call.cancel()
        assert board.board.events.settle(30)
        metrics = collected.metrics()

    (span,) = collected.spans().values()
    assert span.status.description == "the end of the call was not heard of"
    assert not any(name.startswith("callboard.calls") for name, *_ in metrics)


def event(kind, number=0, **facts):
    return Event(number, kind, "plugin", 1000.0 + number, {"call": f"c{number}", "tool": "t", **facts})


def test_calls_whose_end_is_never_heard_of_do_not_pile_up(collected):
    spans = CallSpans(collected.tracer, lambda *_: None, lambda *_: None)

    for number in range(MAX_OPEN + 5):
        spans.take(event("call_submitted", number))

    given_up = [span.attributes["gen_ai.tool.call.id"] for span in collected.exporter.get_finished_spans()]
    assert given_up == [f"c{number}" for number in range(5)]
    spans.close()
    assert len(collected.exporter.get_finished_spans()) == MAX_OPEN + 5


def test_a_call_that_was_submitted_before_anybody_listened_is_passed_over(collected):
    spans = CallSpans(collected.tracer, lambda *_: None, lambda *_: None)

    spans.take(event("call_started", attempt=1, elapsed=0.1))
    spans.take(event("call_ended", success=True, code=None, outcome=None, attempt=1, elapsed=0.2))

    assert collected.exporter.get_finished_spans() == ()


def test_of_two_calls_with_one_id_each_has_its_span(collected):
    spans = CallSpans(collected.tracer, lambda *_: None, lambda *_: None)
    end = event("call_ended", success=True, code=None, outcome=None, attempt=1, elapsed=0.2)

    for one in (event("call_submitted"), event("call_submitted"), end, end):
        spans.take(one)

    assert len(collected.exporter.get_finished_spans()) == 2


def test_without_the_extra_the_error_says_what_to_install():
    program = "import sys; sys.modules['opentelemetry'] = None; import callboard.exporters.otel"

    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert "ImportError: this needs OpenTelemetry: pip install opentelemetry-api" in ended.stderr
