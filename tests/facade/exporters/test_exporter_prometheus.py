"""The Prometheus text of a board, read back by Prometheus' own parser."""

from __future__ import annotations

import json
import math

import pytest
from callboard import Callboard
from callboard.actors.metrics.calls import BOUNDS
from callboard.exporters.prometheus import CONTENT_TYPE, exposition, metric_name, render
from callboard.exporters.samples import FAMILIES, collect
from hypothesis import given
from hypothesis import strategies as st
from leaks import wait_until
from programs import NODE
from prometheus_client.parser import text_string_to_metric_families
from tools import Tool, count, tool_call

MOODY = NODE / "moody.mjs"


def parsed(text):
    """The samples by name and labels, and the families' types."""
    families = list(text_string_to_metric_families(text))
    samples = {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }
    assert len(samples) == sum(len(family.samples) for family in families), "a sample is told twice"
    return samples, {family.name: family.type for family in families}


def of(samples, name, **labels):
    return samples[(name, *sorted(labels.items()))]


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A board that has been through a good deal: its text, and the status at that moment."""
    state = tmp_path_factory.mktemp("prometheus") / "state.db"
    with Callboard({"supervision": {"backoff": {"min": 0.01}}}, state=state) as board:
        board.load({"node_tool": {"file": str(MOODY), "id": "moody"}})
        board.register(Tool(count))
        board.register(Tool(lambda *_: 1 / 0, "weak"), breaker={"failures": 1})
        for _ in range(3):
            board.execute(tool_call("weak"))
        for do in (None, "fail", "throw", "exit", "crash"):
            board.execute(tool_call("moody", do=do))
        for _ in range(10):
            board.execute(tool_call("tool"))
        wait_until(lambda: board.status()["plugins"]["moody"]["host"]["recovery_time"]["count"] == 2)
        status = board.status()
        return exposition(status), status, render(board)


def test_the_text_is_what_prometheus_reads(told):
    samples, types = parsed(told[0])

    assert of(samples, "callboard_running") == 1
    assert of(samples, "callboard_calls_total", plugin="tool", tool="tool", result="success") == 10
    for result in ("success", "failure", "tool_raised"):
        assert of(samples, "callboard_calls_total", plugin="moody", tool="moody", result=result) == 1
    assert of(samples, "callboard_calls_total", plugin="moody", tool="moody", result="host_crashed") == 2
    assert of(samples, "callboard_host_crashes_total", plugin="moody", exit="code") == 1
    assert of(samples, "callboard_host_crashes_total", plugin="moody", exit="signal") == 1
    assert of(samples, "callboard_host_restarts_total", plugin="moody") == 2
    assert of(samples, "callboard_host_state", plugin="moody", state="ready") == 1
    assert of(samples, "callboard_host_state", plugin="moody", state="parked") == 0
    assert of(samples, "callboard_state_store_failing") == 0
    assert of(samples, "callboard_breaker_state", plugin="weak", tool="weak", state="open") == 1
    assert of(samples, "callboard_breaker_state", plugin="weak", tool="weak", state="closed") == 0
    assert of(samples, "callboard_breaker_opened_total", plugin="weak") == 1
    assert of(samples, "callboard_calls_guarded_total", plugin="weak", reason="breaker_open") == 2
    assert types["callboard_calls"] == "counter"
    assert types["callboard_call_run_seconds"] == "histogram"
    assert types["callboard_host_state"] == "gauge"


@pytest.mark.parametrize(
    ("name", "labels", "where"),
    [
        ("callboard_call_wait_seconds", {"plugin": "moody", "tool": "moody"}, ["by_tool", "moody", "wait"]),
        ("callboard_call_run_seconds", {"plugin": "moody", "tool": "moody"}, ["by_tool", "moody", "run"]),
        ("callboard_host_start_seconds", {"plugin": "moody"}, ["host", "start_time"]),
        ("callboard_host_recovery_seconds", {"plugin": "moody"}, ["host", "recovery_time"]),
    ],
)
def test_a_histogram_is_told_with_its_buckets_summed_up(told, name, labels, where):
    text, status, _ = told
    samples, _ = parsed(text)
    expected = status["plugins"]["moody"]
    for key in where:
        expected = expected[key]

    bounds = [*map(repr, BOUNDS), "+Inf"]
    buckets = [of(samples, f"{name}_bucket", **labels, le=bound) for bound in bounds]

    assert buckets == sorted(buckets)
    assert buckets[-1] == of(samples, f"{name}_count", **labels) == expected["count"] > 0
    assert of(samples, f"{name}_sum", **labels) == expected["sum"]
    for bound, seconds in zip(buckets, [*BOUNDS, math.inf], strict=True):
        assert bound == sum(n for upper, n in expected["buckets"].items() if float(upper) <= seconds)


def test_what_is_told_of_a_board_is_made_of_its_status_alone(told):
    text, status, rendered = told

    again = exposition(json.loads(json.dumps(status)))

    assert again == text
    assert parsed(rendered)[0].keys() == parsed(text)[0].keys()


def test_every_family_is_explained_and_named_once():
    names = [metric_name(family) for family in FAMILIES.values()]

    assert len(set(names)) == len(names)
    assert all(family.meaning.endswith(".") for family in FAMILIES.values())


def test_a_board_that_does_not_run_says_so():
    samples, _ = parsed(render(Callboard()))

    assert of(samples, "callboard_running") == 0


@given(st.text(), st.text())
def test_any_name_of_a_plugin_and_a_tool_comes_through(plugin, tool):
    with_names = {
        "running": True,
        "plugins": {
            plugin: {**EMPTY, "by_tool": {tool: {"by_result": {"success": 3}, "wait": NONE, "run": NONE}}}
        },
    }

    samples, _ = parsed(exposition(with_names))

    assert of(samples, "callboard_calls_total", plugin=plugin, tool=tool, result="success") == 3


NONE = {"count": 0, "sum": 0.0, "max": 0.0, "p50": None, "p95": None, "p99": None, "buckets": {}}
EMPTY = {
    "available": True,
    "calls": {"submitted": 0},
    "waiting": 0,
    "running": 0,
    "breakers": {},
    "quarantine": [],
    "guarded": {"opened": 0, "quarantined": 0, "refused": {"breaker_open": 0, "quarantined": 0}},
}


def test_what_is_in_quarantine_is_counted_by_what_is_blamed_and_never_told_by_its_arguments():
    blamed = [{"kind": "tool", "which": "bad", "seconds": 3.0}] + [
        {"kind": "arguments", "which": digest, "seconds": 3.0} for digest in ("one", "two")
    ]
    guarded = {"opened": 0, "quarantined": 5, "refused": {"breaker_open": 0, "quarantined": 7}}
    plugin = {**EMPTY, "by_tool": {}, "quarantine": blamed, "guarded": guarded}

    samples, types = parsed(exposition({"running": True, "plugins": {"moody": plugin}}))

    assert of(samples, "callboard_quarantine_held", plugin="moody", blamed="tool") == 1
    assert of(samples, "callboard_quarantine_held", plugin="moody", blamed="arguments") == 2
    assert of(samples, "callboard_quarantine_entered_total", plugin="moody") == 5
    assert of(samples, "callboard_calls_guarded_total", plugin="moody", reason="quarantined") == 7
    assert types["callboard_quarantine_held"] == "gauge"


def test_families_without_samples_are_left_out():
    assert list(collect({"running": False, "plugins": {}})) == ["running", "plugins.failed"]


def test_the_content_type_names_the_version_of_the_format():
    assert CONTENT_TYPE.startswith("text/plain; version=0.0.4")
