"""What is kept of generations that have ended: objects of hosts and peers, counted at half of a run and at its end.

A generation that is kept is no process, thread or descriptor, so a look at those does not show it; it is memory, and
a board that restarts its hosts for months dies of it. The size of the process would show it too, but a recorded run grows by
what it records. So what is counted are the objects that a generation is made of, by their type.
"""

from __future__ import annotations

import gc
import time
from collections import Counter
from typing import TYPE_CHECKING, Final

from ...base.frozen import frozen
from .facts import Happened, Violation
from .invariants import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .facts import Run

RULE: Final = "nothing is kept"

_PACKAGE: Final = __name__.split(".chaos.", maxsplit=1)[0]
_PARTS: Final = tuple(
    f"{_PACKAGE}.{room}."
    for room in (
        "hosts.host",
        "hosts.process",
        "hosts.protocol",
        "hosts.report",
        "actors.hosting",
        "actors.handshake",
        "supervision.generation",
    )
)
"""Where their types are. What is known of the machine's processes, and events, which a subscriber may keep, are not among them."""

_ROOM: Final = 2
"""Objects of a type that may be there for each host: its last generation is known to the plugin, and one may just be let go of."""

_SHARE: Final = 0.25
"""Objects of a type that may be added for each generation between the two looks. One that is kept adds at least one."""


@frozen
class Inventory:
    """The objects of which hosts are made.

    Attributes:
        at: when they were counted, in seconds of the run.
        objects: how many there are, by their type.
    """

    at: float
    objects: Mapping[str, int]


def inventory(at: float) -> Inventory:
    """Count what is there now, as it is: what nobody holds may be among it until the next collection."""
    kinds = Counter(map(type, gc.get_objects()))
    names = {kind: f"{kind.__module__}.{kind.__qualname__}" for kind in kinds}
    ours = {
        name.removeprefix(f"{_PACKAGE}."): kinds[kind]
        for kind, name in names.items()
        if name.startswith(_PARTS)
    }
    return Inventory(at, ours)


def last_inventory(run: Run, half: Inventory, *, within: float = 5.0) -> Inventory:
    """Count what is there once all has ended. Waits for what is only just being let go of, so many seconds at most."""
    until = time.monotonic() + within
    while True:
        gc.collect()
        end = inventory(run.ended)
        if not any(nothing_is_kept(run, half, end)) or time.monotonic() > until:
            return end
        time.sleep(0.05)


def nothing_is_kept(run: Run, half: Inventory, end: Inventory) -> Iterator[Violation]:
    """Of no type are there more objects than the hosts account for, by as many as generations have come and gone since half."""
    least, since = _ROOM * len(list(run.hosts())), _generations(run, half.at)
    for kind, count in sorted(end.objects.items()):
        before = half.objects.get(kind, 0)
        if count > max(before, least) + _SHARE * since:
            said = f"{count:,} objects of {kind} at the end, {before:,} at half of the run; "
            yield Violation(RULE, f"{said}{since:,} generations came in between")


def check_kept(run: Run, half: Inventory, end: Inventory) -> Check:
    """Hold a run against the rule. It has looked at the generations that ended before the last look."""
    found, generations = tuple(nothing_is_kept(run, half, end)), _generations(run, 0.0)
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        return Check(RULE, found[0].what + more, generations, found)
    total = sum(end.objects.values())
    return Check(RULE, f"{total:,} objects of hosts are left of {generations:,} generations", generations)


def _generations(run: Run, since: float) -> int:
    return sum(
        isinstance(fact, Happened) and fact.kind == "host_starting" and fact.at >= since for fact in run.facts
    )
