"""What a trial does to hosts, and how it is drawn. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..chaos import faults as f
from ..chaos.schedule import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from random import Random

    from ..chaos.triggers import Trigger

MAKE: dict[str, Callable[[Random], f.Fault]] = {
    "kill": lambda _: f.Signal(9),
    "term": lambda _: f.Signal(15),
    "abort": lambda _: f.Signal(6),
    "segv": lambda _: f.Signal(11),
    "stop": lambda chance: f.Pause(chance.choice((0.05, 0.2, 0.5))),
    "garbage": lambda chance: f.Garbage(chance.randint(5, 200)),
    "duplicate": lambda chance: f.DuplicateReply(chance.randint(1, 3)),
    "partial": lambda chance: f.PartialLine(chance.randint(1, 40)),
    "truncate": lambda chance: f.Truncate(chance.randint(1, 40)),
    "wrong_id": lambda _: f.WrongId(),
    "stdout_flood": lambda _: f.StdoutFlood(10_000_000),
    "part_flood": lambda _: f.PartFlood(50_000),
    "reply_flood": lambda _: f.ReplyFlood(100_000),
}
"""What can be done to a host that knows nothing of it, by the names of the command line."""

KILLS = frozenset({"kill", "term", "abort", "segv", "partial"})
"""Those that end a host."""

USUAL = ("kill", "kill", "kill", "term", "stop", "segv", "garbage", "duplicate", "partial")
"""What is done unless the user says what. The others make calls wait for their deadlines."""

_BUSY = 0.75
"""The share of its load in which a host is let suffer; the rest is quiet."""


def deadly(kinds: Sequence[str]) -> tuple[str, ...]:
    """The kinds that end a host; all, where none does."""
    return tuple(kind for kind in kinds if kind in KILLS) or tuple(kinds)


def draw_fault(kinds: Sequence[str], chance: Random) -> f.Fault:
    """One that counts as a kill."""
    return MAKE[chance.choice(deadly(kinds))](chance)


def draw_entries(
    kinds: Sequence[str], kills: int, hosts: Sequence[str], when: Callable[[float], Trigger], chance: Random
) -> Iterator[Entry]:
    """Draw faults, spread evenly over the load of each host; its last quarter is quiet.

    Args:
        kinds: names in `MAKE`; one that stands there twice comes twice as often.
        kills: how many of what is drawn ends a host. What does not end one comes beside.
        hosts: to which, in turn.
        when: the moment at which so much of a host's load is done, from 0 to 1.
        chance: decides.
    """
    counting = deadly(kinds)
    names: list[str] = []
    while kills:
        names.append(chance.choice(kinds))
        kills -= names[-1] in counting
    for number, name in enumerate(names):
        share = (number // len(hosts) + chance.random()) / -(-len(names) // len(hosts))
        yield Entry(when(share * _BUSY), MAKE[name](chance), hosts[number % len(hosts)])
