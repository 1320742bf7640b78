"""The state machines of the house as tables and diagrams. Run, it draws those of the page anew.

The table of a generation is data. Of the others each reachable state is visited and each event is tried there, on the real
object: what is drawn is what they do.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from callboard.actors.calls.call import Call
from callboard.actors.calls.stage import Stage
from callboard.actors.endpoint.circuit_breaker import Admitted, Breaker, BreakerPolicy, BreakerState
from callboard.actors.hosting.generation import TABLE, State
from callboard.plugins.contract.invocation import Invocation
from callboard.supervision.child import ChildState
from callboard.supervision.core import Supervision
from callboard.supervision.restart.exits import Exit, ExitKind
from callboard.supervision.restart.policy import RestartPolicy
from house_source import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PLACE = ROOT / "docs" / "design" / "states.md"

PipelineContext = dict[tuple[str, str], tuple[str, ...]]
"""By state and event: the states that may follow, in order."""


def generation_ways() -> PipelineContext:
    """What the table of a generation says."""
    order = list(State)
    return {
        (state.value, _words(event.__name__)): tuple(each.value for each in sorted(row.to, key=order.index))
        for (state, event), row in sorted(TABLE.items(), key=lambda way: order.index(way[0][0]))
    }


def call_ways() -> PipelineContext:
    """What a call does."""
    events: dict[str, Callable[[Call], object]] = {
        "begin": Call.begin,
        "put back": Call.put_back,
        "finish": lambda call: call.finish({"success": True}),
        "cancel": Call.cancel,
        "deadline": lambda call: call._expire(),
    }

    def after(path: tuple[str, ...]) -> Call:
        call = Call("1", Invocation("tool", {}))
        call.seconds = 1.0
        for name in path:
            events[name](call)
        return call

    return _explore(events, after, lambda call: call.stage.value, lambda call: call.stage, list(Stage))


NOBODY = "(none)"
"""It was not added, or has been forgotten."""


def child_ways() -> PipelineContext:
    """What becomes of one child of the supervision, on its own."""
    policy = RestartPolicy(intensity=2)
    clean = Exit(ExitKind.REQUESTED, "stopped")
    hopeless = Exit(ExitKind.CODE, "no such file", permanent=True)

    def due(core: Supervision) -> object:
        until = core.children["a"].until
        return () if until is None else core.due("a", core.children["a"].token, until)

    def ended(exit_: Exit) -> Callable[[Supervision], object]:
        return lambda core: core.ended("a", core.children["a"].generation, exit_, 0.0)

    def crashed(core: Supervision) -> object:
        child = core.children["a"]
        ready_for = 0.0 if child.state is ChildState.READY else None
        return core.ended("a", child.generation, Exit(ExitKind.CODE, "3", ready_for=ready_for), 0.0)

    def retired(core: Supervision) -> object:
        old = core.children["a"].retiring
        return core.ended("a", old[0], clean, 0.0) if old else ()

    events: dict[str, Callable[[Supervision], object]] = {
        "add": lambda core: core.add("a", policy, 0.0),
        "ready": lambda core: core.ready("a", core.children["a"].generation, 0.0),
        "declined": lambda core: core.declined("a", core.children["a"].generation, 0.0),
        "crashed": crashed,
        "crashed for good": ended(hopeless),
        "ended as asked": ended(clean),
        "predecessor ended": retired,
        "due": due,
        "stop": lambda core: core.stop("a", 0.0, "by hand"),
        "park": lambda core: core.park("a", 0.0, "by hand"),
        "restart": lambda core: core.restart("a", 0.0, "by hand"),
        "revive": lambda core: core.revive("a", 0.0),
        "replace": lambda core: core.replace("a", 0.0, "by hand"),
        "remove": lambda core: core.remove("a", 0.0, "by hand"),
    }

    def after(path: tuple[str, ...]) -> Supervision:
        core = Supervision(lambda: 0.5)
        for name in path:
            if (name == "add") != ("a" in core.children):
                events[name](core)
        return core

    def state(core: Supervision) -> str:
        child = core.children.get("a")
        return NOBODY if child is None else child.state.value

    return _explore(events, after, state, _child_key, [NOBODY, *ChildState])


def _child_key(core: Supervision) -> object:
    child = core.children.get("a")
    if child is None:
        return None
    history = child.history
    return (
        child.state, child.after_stop, child.removing, child.until is None, child.generation in child.generations,
        bool(child.retiring), min(len(history.restarts), 3), min(history.failed_starts, 3),
    )  # fmt: skip


def _explore(events, after, state, key, order) -> PipelineContext:  # type: ignore[no-untyped-def] # three kinds of machine
    """Try each event in each state that can be reached."""
    names = [getattr(each, "value", each) for each in order]
    found, seen, open_ = defaultdict(set), {key(after(()))}, [()]
    while open_:
        path = open_.pop(0)
        before = state(after(path))
        for event in events:
            there = after((*path, event))
            found[before, event].add(state(there))
            if key(there) not in seen:
                seen.add(key(there))
                open_.append((*path, event))
    ways = {
        (before, event): tuple(sorted(to, key=names.index))
        for (before, event), to in found.items()
        if to != {before}
    }
    return dict(sorted(ways.items(), key=lambda way: names.index(way[0][0])))


def _words(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", " ", name).lower()


def drawn(ways: PipelineContext) -> str:
    """A diagram of the ways that lead from one state to another, and a table of all."""
    lines: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (state, event), to in ways.items():
        for each in to:
            if each != state:
                lines[state, each].append(event)
    start = next(iter(ways))[0]
    diagram = [
        f"    {_id(state)} --> {_id(to)}: {', '.join(events)}" for (state, to), events in lines.items()
    ]
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for (state, event), to in ways.items():
        alike[state, to].append(event)
    rows = [f"| `{state}` | {', '.join(events)} | {_cells(to)} |" for (state, to), events in alike.items()]
    return "\n".join(
        [
            "```mermaid", "stateDiagram-v2", f"    [*] --> {_id(start)}", *diagram, "```", "",
            "| in state | events | states that may follow |", "|---|---|---|", *rows,
        ]
    )  # fmt: skip


def _id(state: str) -> str:
    return state.strip("()").replace(" ", "_")


def _cells(states: Iterable[str]) -> str:
    return " or ".join(f"`{state}`" for state in states)


class _Tried:
    """A breaker with the time and the calls that it was asked for."""

    def __init__(self) -> None:
        self.breaker = Breaker(BreakerPolicy(failures=2, reset=1.0, jitter=0.0), lambda: 0.0)
        self.now = 0.0
        self.open: list[int] = []

    def call(self) -> None:
        """Ask for a call; where it may go through it is under way."""
        asked = self.breaker.admit(self.now)
        self.open += [asked.epoch] if isinstance(asked, Admitted) else []

    def end(self, *, failed: bool | None) -> None:
        """The call that has been under way for longest ends."""
        if self.open:
            self.breaker.ended(self.open.pop(0), failed, self.now)

    def wait(self) -> None:
        """Let the reset time pass."""
        self.now += 1000.0


def breaker_ways() -> PipelineContext:
    """What a circuit breaker does that opens after two failures in a row."""
    events: dict[str, Callable[[_Tried], object]] = {
        "call": _Tried.call,
        "succeeded": lambda tried: tried.end(failed=False),
        "failed": lambda tried: tried.end(failed=True),
        "cancelled": lambda tried: tried.end(failed=None),
        "reset time over": _Tried.wait,
        "close": lambda tried: tried.breaker.close(),
    }

    def after(path: tuple[str, ...]) -> _Tried:
        tried = _Tried()
        for name in path:
            events[name](tried)
        return tried

    def key(tried: _Tried) -> object:
        seen = tried.breaker.as_dict(tried.now)
        epoch = tried.breaker.epoch
        return (
            seen["state"],
            seen["failures"],
            seen["retry_in"] == 0,
            *(each == epoch for each in tried.open[:3]),
        )

    return _explore(events, after, lambda tried: tried.breaker.state.value, key, list(BreakerState))


MACHINES = {
    "generation": generation_ways,
    "child": child_ways,
    "call": call_ways,
    "breaker": breaker_ways,
}


def page(text: str) -> str:
    """The page with each machine drawn anew between its marks."""
    for name, ways in MACHINES.items():
        before, mark, rest = text.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition(f"<!-- end of {name} -->")
        assert mark, f"the page has no mark for {name}"
        assert end, f"the page has no end of {name}"
        text = f"{before}{mark}\n{drawn(ways())}\n\n{end}{after}"
    return text


if __name__ == "__main__":
    PLACE.write_text(page(PLACE.read_text()))
