"""Which calls a load test makes: generated from the tools' schemas, or those of a given list. Pure.

Each plugin has a source of chance of its own, so that its calls are the same however the plugins'
answers interleave.
"""

from __future__ import annotations

from dataclasses import field
from random import Random
from typing import TYPE_CHECKING, Any

from ...base.errors import CallboardError
from ...base.frozen import frozen
from ..checker.facts import ending_in
from ..checker.host_rules import OWN_ANSWERS
from .argument_generator import CannotDraw, draw_arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ...actors.calls.call import Call
    from ...actors.catalog.catalog import ToolDescriptor
    from ...plugins.results.call_result import CallResult

Json = dict[str, Any]


class NoCalls(CallboardError):
    """There is no call that could be made."""


@frozen
class Request:
    """One call to be made.

    Attributes:
        wire: the call as the board reads it.
        judge: says more of its result; see `Recorder.submit`.
        name: the call's, unlike all others; made up when ``None``.
        expected: what is known of its end.
        examine: says more of its result, whichever way it has ended; see `Recorder.submit_wire`.
    """

    wire: Json
    judge: Callable[[CallResult], Json] | None = None
    name: str | None = None
    expected: Expected | None = None
    examine: Callable[[CallResult], Json] | None = None

    def examined(self, call: Call) -> Json:
        """What is to be said of its call, which has ended."""
        found = {} if self.expected is None else self.expected.examine(call)
        seen = {} if self.examine is None else self.examine(call.result())
        judged = self.expected is not None or seen.get("judged", False)
        return {**found, **seen, "judged": judged, "wrong": found.get("wrong") or seen.get("wrong", "")}


@frozen
class Expected:
    """What is known of a call's end before it is made.

    Attributes:
        ending: how its tool has to end it: ``success``, ``failure`` or ``tool_raised``.
        answer: what a success has to say, among other things.
        parts: all of them, in order; a call that does not succeed may have the first of them.
        counter: what a success calls the counter in the tool's state, if there is one.
        added: by how much the call makes that grow.
    """

    ending: str = "success"
    answer: Json = field(default_factory=dict)
    parts: tuple[Any, ...] = ()
    counter: str | None = None
    added: int = 1

    def examine(self, call: Call) -> Json:
        """Hold a call that has ended against this, for `Recorder.submit_wire`."""
        return self.hold(call.result(), tuple(call.parts()))

    def hold(self, result: CallResult, parts: tuple[Any, ...]) -> Json:
        """The same of what a call has said."""
        ending, said = ending_in(result), result.get("result")
        told = said if isinstance(said, dict) else {}
        found: Json = {"wrong": self._wrong(ending, told, parts)}
        if ending == "success" and self.counter is not None:
            found |= {"counted": told.get(self.counter), "added": self.added}
        return found

    def _wrong(self, ending: str, told: Json, parts: tuple[Any, ...]) -> str:
        if ending in OWN_ANSWERS and ending != self.ending:
            return f"it ended with {ending}, where {self.ending} was due"
        due = self.parts if ending == "success" else self.parts[: len(parts)]
        if parts != due:
            return f"its parts were {parts!r:.100}, where {due!r:.100} were due"
        astray = [key for key, value in self.answer.items() if told.get(key) != value]
        return (
            f"it says {told!r:.100}, where {self.answer!r:.100} was due"
            if ending == "success" and astray
            else ""
        )


@frozen
class Source:
    """The calls to one plugin.

    Attributes:
        plugin: its name.
        draw: makes the next one.
        counts: what is expected of them tells the counter in the state; see `Expected`.
        named: gives one its name, each time that it is made.
        bursts: they are made many at once, and no more until all of those have ended.
    """

    plugin: str
    draw: Callable[[Random], Request] = field(repr=False)
    counts: bool = False
    named: Callable[[Request], Request] = field(default=lambda request: request, repr=False)
    bursts: bool = False


def from_schemas(
    tools: Iterable[ToolDescriptor], parameters: Callable[[ToolDescriptor], Any]
) -> tuple[list[Source], dict[str, str]]:
    """Sources for all tools whose arguments can be drawn, and why the others' cannot, by tool.

    Args:
        tools: of the board.
        parameters: the JSON Schema of a tool's parameters.
    """
    drawable: dict[str, list[tuple[str, Any]]] = {}
    refused: dict[str, str] = {}
    for tool in tools:
        schema = parameters(tool)
        try:
            for seed in range(_TRIALS):
                draw_arguments(schema, Random(seed))  # noqa: S311 - a game, no secret
        except CannotDraw as trouble:
            refused[tool.tool_name] = str(trouble)
        else:
            drawable.setdefault(tool.plugin_name, []).append((tool.tool_name, schema))
    return [Source(plugin, _drawing(offers)) for plugin, offers in drawable.items()], refused


def _drawing(offers: list[tuple[str, Any]]) -> Callable[[Random], Request]:
    def draw(chance: Random) -> Request:
        name, schema = chance.choice(offers)
        arguments = draw_arguments(schema, chance)
        return Request({"type": "function_call", "name": name, "arguments": arguments})

    return draw


_TRIALS = 8
"""Draws that have to come out well before a tool is taken: what is optional is not in each of them."""


def from_list(wires: Iterable[tuple[str, Json]]) -> list[Source]:
    """Sources that go round a list of calls, each with the plugin that it is for."""
    lists: dict[str, list[Json]] = {}
    for plugin, wire in wires:
        lists.setdefault(plugin, []).append(wire)
    return [Source(plugin, _going_round(calls)) for plugin, calls in lists.items()]


def _going_round(calls: list[Json]) -> Callable[[Random], Request]:
    rounds = iter(_endless(calls))
    return lambda _: Request(next(rounds))


def _endless(calls: list[Json]) -> Iterator[Json]:
    while True:
        yield from calls


def quotas(calls: int, plugins: Iterable[str], weights: Mapping[str, int] | None = None) -> dict[str, int]:
    """How many of the calls each plugin gets: shares by weight, and no call lost to rounding."""
    names = list(plugins)
    if not names:
        raise NoCalls("there is no tool that could be called")
    weigh = {name: (weights or {}).get(name, 1) for name in names}
    total = sum(weigh.values())
    shares = {name: calls * weigh[name] // total for name in names}
    for name in names[: calls - sum(shares.values())]:
        shares[name] += 1
    return shares


def has_to_be(value: Any) -> Callable[[Mapping[str, Any]], Json]:
    """Return what says of a result whether it is this value, and which generation it is from."""

    def judge(result: Mapping[str, Any]) -> Json:
        there, generation = result.get("result"), {"generation": result["generation"]}
        return (
            generation
            if there == value
            else {**generation, "wrong": f"it is {there!r:.80}, not {value!r:.80}"}
        )

    return judge


def counted(result: Mapping[str, Any]) -> Json:
    """Return the count that a result says, and which generation it is from."""
    return {"counted": result.get("result"), "generation": result["generation"]}
