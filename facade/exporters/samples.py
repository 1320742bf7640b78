"""A board's status as families of samples, which every exporter writes in its own format. Pure.

A family has one name, kind and meaning, and a sample for each set of labels. Labels are names of plugins and
tools and words of a closed list, never ids of calls: their number stays bounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..actors.endpoint.circuit_breaker import BreakerState
from ..supervision.core import ChildState

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = Mapping[str, Any]

Kind = Literal["counter", "gauge", "histogram"]


class Family(NamedTuple):
    """What samples of one name have in common.

    Attributes:
        name: in small letters, words apart by dots, without the program's name.
        kind: ``counter``: only grows; ``gauge``: how it is now; ``histogram``: durations in seconds.
        meaning: a sentence.
    """

    name: str
    kind: Kind
    meaning: str


class Sample(NamedTuple):
    """One number, or one histogram as `Histogram.as_dict` has it."""

    labels: dict[str, str]
    value: Any


FAMILIES = {
    family.name: family
    for family in (
        Family("running", "gauge", "Whether the board runs."),
        Family("plugins.failed", "gauge", "Configured plugins that could not be loaded."),
        Family("events.dropped", "counter", "Events that slow subscribers have missed."),
        Family("hooks.under_way", "gauge", "Hooks (claims, formatting) that have not come back."),
        Family("state_store.failing", "gauge", "Whether states cannot be saved at present."),
        Family("state_store.unsaved", "gauge", "States that wait to be written to the store."),
        Family("plugin.available", "gauge", "Whether calls of the plugin are taken."),
        Family("calls.submitted", "counter", "Calls that the plugin has taken or refused."),
        Family("calls.waiting", "gauge", "Calls in the plugin's mailbox."),
        Family("calls.running", "gauge", "Calls under way."),
        Family("calls", "counter", "Calls that have ended, by their result."),
        Family("call.wait", "histogram", "From the submission of a call until it is given to its tool."),
        Family("call.run", "histogram", "From then until its result can be had."),
        Family("breaker.state", "gauge", "1 for the state that the tool's breaker is in, 0 for the others."),
        Family("breaker.failures", "gauge", "Failures of the tool in a row, as its breaker counts them."),
        Family("breaker.opened", "counter", "How often breakers of the plugin's tools have opened."),
        Family("quarantine.held", "gauge", "What is in quarantine at present, by what is blamed."),
        Family("quarantine.entered", "counter", "What has come into quarantine so far."),
        Family("calls.guarded", "counter", "Calls that were refused for their tool's sake, by the reason."),
        Family("threads.fenced", "gauge", "Threads of the plugin that are stuck."),
        Family("threads.fenced.ever", "counter", "Threads of the plugin that were given up so far."),
        Family("host.state", "gauge", "1 for the state that the plugin's host is in, 0 for the others."),
        Family("host.generation", "gauge", "Which of its generations the host is in."),
        Family("host.restarts", "counter", "Restarts of the host."),
        Family("host.crashes", "counter", "Crashes of the host, by how the generation ended."),
        Family("host.start", "histogram", "From the start of a generation of the host until it is ready."),
        Family("host.recovery", "histogram", "From the end of a generation until the next one is ready."),
    )
}
"""All families, by name, in the order in which they are told."""


def collect(status: Json) -> dict[str, list[Sample]]:
    """The samples of a board's status by family, in the order of `FAMILIES`; families without any are left out."""
    found: dict[str, list[Sample]] = {name: [] for name in FAMILIES}
    for name, labels, value in _of_board(status):
        if value is not None:
            found[name].append(Sample(labels, value))
    return {name: samples for name, samples in found.items() if samples}


Told = tuple[str, dict[str, str], Any]


def _of_board(status: Json) -> Iterator[Told]:
    yield "running", {}, int(status["running"])
    yield "plugins.failed", {}, len(status.get("failed", ()))
    yield "events.dropped", {}, status.get("events_dropped")
    yield "hooks.under_way", {}, status.get("hooks_under_way")
    store = status.get("state_store", {})
    if "failing" in store:
        yield "state_store.failing", {}, int(store["failing"] is not None)
    yield "state_store.unsaved", {}, store.get("unsaved")
    hosts: dict[str, Json] = {}
    for name, plugin in status["plugins"].items():
        yield from _of_plugin(plugin, {"plugin": name})
        if "host" in plugin:
            hosts[plugin["host"].get("name", name)] = plugin["host"]
    for name, host in hosts.items():  # once, whatever plugins it has
        yield from _of_host(host, {"plugin": name})


def _of_plugin(plugin: Json, labels: dict[str, str]) -> Iterator[Told]:
    yield "plugin.available", labels, int(plugin["available"])
    yield "calls.submitted", labels, plugin["calls"]["submitted"]
    yield "calls.waiting", labels, plugin["waiting"]
    yield "calls.running", labels, plugin["running"]
    for name, tool in plugin["by_tool"].items():
        of_tool = {**labels, "tool": name}
        for result, count in tool["by_result"].items():
            yield "calls", {**of_tool, "result": result}, count
        yield "call.wait", of_tool, tool["wait"]
        yield "call.run", of_tool, tool["run"]
    yield from _of_guard(plugin, labels)
    yield "threads.fenced", labels, plugin.get("fenced")
    yield "threads.fenced.ever", labels, plugin.get("fenced_total")


def _of_guard(plugin: Json, labels: dict[str, str]) -> Iterator[Told]:
    for name, breaker in plugin["breakers"].items():
        of_tool = {**labels, "tool": name}
        for state in BreakerState:
            yield "breaker.state", {**of_tool, "state": state.value}, int(breaker["state"] == state.value)
        yield "breaker.failures", of_tool, breaker["failures"]
    blamed = [one["kind"] for one in plugin["quarantine"]]
    for kind in ("tool", "arguments"):
        yield "quarantine.held", {**labels, "blamed": kind}, blamed.count(kind)
    counts = plugin["guarded"]
    yield "breaker.opened", labels, counts["opened"]
    yield "quarantine.entered", labels, counts["quarantined"]
    for reason, count in counts["refused"].items():
        yield "calls.guarded", {**labels, "reason": reason}, count


def _of_host(host: Json, labels: dict[str, str]) -> Iterator[Told]:
    if "state" in host:  # a board that has been stopped knows no more of it
        for state in ChildState:
            yield "host.state", {**labels, "state": state.value}, int(host["state"] == state.value)
    yield "host.generation", labels, host.get("generation")
    yield "host.restarts", labels, host.get("restarts")
    for exit_, count in host["crashes_by_exit"].items():
        yield "host.crashes", {**labels, "exit": exit_}, count
    yield "host.start", labels, host["start_time"]
    yield "host.recovery", labels, host["recovery_time"]
