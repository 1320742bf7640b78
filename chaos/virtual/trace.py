"""All that happened in a run in virtual time, in one order, as JSON that is the same for the same seed. Pure.

Beside the events of the board (see `supervision.event_kinds`) there is what only the kit can see:

| kind | when | facts |
|---|---|---|
| `asked`, `answered` | a call was submitted; it has ended | `call`, …; `result`, `parts` |
| `ordered` | an order by hand | `verb` |
| `fault` | a fault of the schedule happens | the fault |
| `spawn`, `refused` | a generation begins, or cannot | `generation`, `pid` |
| `frame` | a line is read by the host, or about to be written | `generation`, `way`, … |
| `effect` | a tool has had an effect on the world | `generation`, `id`, `arguments`, `effect` |
| `exit`, `gone` | a generation has ended; nothing is left of it | `generation`, … |
| `healed` | nothing goes wrong any more | |
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import triggers as t

if TYPE_CHECKING:
    from collections.abc import Iterable


class Happening(NamedTuple):
    """One thing that happened.

    Attributes:
        at: seconds since the run began, on its own clock.
        kind: what; see the module.
        subject: to whom: a plugin, or the board.
        facts: JSON.
    """

    at: float
    kind: str
    subject: str
    facts: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"at": self.at, "kind": self.kind, "subject": self.subject} | self.facts


class Step(NamedTuple):
    """One observable step of a host, as the trigger that comes true there."""

    host: str
    trigger: t.Trigger


def steps_of(happenings: Iterable[Happening]) -> list[Step]:
    """The observable steps of a run: each line in and out, and each state entered, in order."""
    counts: Counter[tuple[str, str]] = Counter()
    steps = []
    for happening in happenings:
        host = happening.subject
        if happening.kind == "frame":
            way = happening.facts["way"]
            counts[host, way] += 1
            steps.append(Step(host, t.NthFrame(counts[host, way], way)))
        elif (state := t.STATE_OF.get(happening.kind)) is not None:
            counts[host, state] += 1
            steps.append(Step(host, t.StateEntered(state, counts[host, state])))
    return steps


def to_lines(happenings: Iterable[Happening]) -> str:
    """The trace as text, a line of JSON for each happening; equal runs give equal texts."""
    return "".join(json.dumps(happening.as_dict(), sort_keys=True) + "\n" for happening in happenings)
