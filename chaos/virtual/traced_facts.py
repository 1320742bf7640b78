"""A trace of virtual time as the facts that the rules are about. Pure.

A trace knows more than any recording of real time can: every line, every start and end of a process as
it is, and all in the one order in which it happened.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from ...plugins.results.failures import reported
from ...supervision.runtime.event_kinds import EVENT_KINDS
from ..checker.facts import Answered, Asked, Broken, Happened, Ordered, PartsRead, Ran, Seen, ending_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..checker.facts import Fact
    from .trace import Happening

Json = dict[str, Any]


def facts_of(happenings: Iterable[Happening]) -> Iterator[Fact]:
    """The facts, in the order of the happenings.

    An ``effect`` counts as the beginning of a call if its arguments say which ``call`` that is, and an
    answer may tell its ``count`` and ``generation``; see `simulated_tool`.
    """
    numbers = itertools.count(1)
    alive: dict[str, list[int]] = {}
    due: dict[str, Any] = {}
    for at, kind, subject, facts in happenings:
        match kind:
            case "asked":
                due[facts["call"]] = facts["arguments"].get("parts")
                yield Asked(at, subject, facts["call"], facts["deadline"])
            case "answered":
                yield (answer := _answered(at, subject, facts))
                yield from _parts_read(answer, facts["parts"], due[answer.call])
            case "effect" if "call" in facts["arguments"]:
                yield Ran(at, subject, facts["arguments"]["call"], facts["generation"])
            case "ordered":
                yield Ordered(at, subject, facts["verb"])
            case "fault":
                yield Broken(at, subject, facts["do"])
            case "spawn":
                alive.setdefault(subject, []).append(facts["pid"])
                yield Seen(at, subject, tuple(alive[subject]))
            case "exit":
                alive[subject].remove(facts["pid"])
                yield Broken(at, subject, f"ended: {facts['exit']}")  # the board may be told a little later
            case _ if kind in EVENT_KINDS:
                yield Happened(at, subject, kind, facts, next(numbers))


def _parts_read(answer: Answered, parts: list[Any], due: Any) -> Iterator[PartsRead]:
    """The parts of a `simulated_tool`; those of a flood have no number."""
    if isinstance(due, int):
        read = tuple(part["number"] + 1 for part in parts if isinstance(part, dict) and "number" in part)
        wanted = due if answer.ending == "success" else None
        yield PartsRead(answer.at, answer.plugin, answer.call, read, wanted)


def _answered(at: float, plugin: str, facts: Json) -> Answered:
    result = facts["result"]
    success = bool(result.get("success"))
    said = result.get("result") if success else None
    told: Json = said if isinstance(said, dict) else {}
    asked_for = told.get("call", facts["call"])
    return Answered(
        at,
        plugin,
        facts["call"],
        ending_in(result),
        None if reported(result) is None else result.get("outcome"),
        generation=told.get("generation", 0),
        counted=told.get("count"),
        error="" if success else str(result.get("error", "")),
        judged=success and "call" in told,
        wrong="" if asked_for == facts["call"] else f"it is the answer to {asked_for}",
    )
