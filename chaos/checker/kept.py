"""What is kept of generations that have ended: looked for at half of a run and at its end.

A generation that is kept is no process, thread or descriptor, so a look at those after the stop does not show it; it is memory, and
a board that restarts its hosts for months dies of it. Two rules look for it:

* *nothing is kept* counts the objects that a generation is made of, by their type;
* *the process stays level* looks at the memory of the process, its threads, descriptors and files.

A recorded run grows by what it records, so the size of the facts is subtracted from the memory. It is estimated from a sample of them; for 800,000
facts the estimate was 5 % too low. Before a look the allocator is made to return what it can: glibc's ``malloc_trim``, after a collection. It cannot
return a page that holds one live object. So the bound was measured, on two busy processors: in eleven sound soaks of 600 to 20,000 calls the memory
beside the record grew by -1 to 7 MiB from half to end, with 570 generations of 4 hosts by 4 MiB. With a planted leak of 35 KiB for each of them it grew by
17 MiB. The bound is 12 MiB, and a tenth of what was recorded: a leak of that size is found after some 400 generations, and smaller runs do
not show it. The objects that it is made of are found after a few.
"""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
import sys
import threading
import time
from collections import Counter
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...base.frozen import frozen
from .facts import Happened, Violation
from .invariants import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .facts import Fact, Run

RULE: Final = "nothing is kept"
LEVEL: Final = "the process stays level"

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
        return _broken(RULE, generations, found)
    total = sum(end.objects.values())
    return Check(RULE, f"{total:,} objects of hosts are left of {generations:,} generations", generations)


def _broken(rule: str, generations: int, found: tuple[Violation, ...]) -> Check:
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return Check(rule, found[0].what + more, generations, found)


def _generations(run: Run, since: float, until: float = inf) -> int:
    return sum(
        isinstance(fact, Happened) and fact.kind == "host_starting" and since <= fact.at <= until
        for fact in run.facts
    )


# The process

_BORNE: Final = 12 << 20
"""Bytes by which the memory beside the record may grow from half to end; see the module."""

_BORNE_OF_RECORD: Final = 0.1
"""The share of what was recorded meanwhile by which it may, too."""

_CHUNK: Final = 500
"""Facts in a row that are sized."""

_CHUNKS: Final = 40
"""Places at which they are."""

_MIB: Final = 1 << 20


@frozen
class Usage:
    """What a process used at a moment.

    Attributes:
        at: when, in seconds of the run.
        counts: how many there are, by what: threads, descriptors, files.
        memory: bytes that are resident; ``None`` where the system does not tell.
        recorded: bytes of it that are the recorded facts.
    """

    at: float
    counts: Mapping[str, int]
    memory: int | None = None
    recorded: int = 0


def usage(at: float, facts: Sequence[Fact], folder: Path) -> Usage:
    """Look at this process, with the facts that it has recorded, and the folder that all its files are in."""
    counts = {"threads": threading.active_count(), "files": sum(1 for _ in folder.rglob("*"))}
    if _DESCRIPTORS.is_dir():
        counts["descriptors"] = sum(1 for _ in _DESCRIPTORS.iterdir())
    return Usage(at, counts, _memory(), size_of_facts(facts))


_DESCRIPTORS: Final = Path("/proc/self/fd")
_PAGES: Final = Path("/proc/self/statm")


def _memory() -> int | None:
    """Bytes that are resident, once all was given back that can be."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is None or not _PAGES.exists():
        return None
    trim(0)
    return int(_PAGES.read_bytes().split()[1]) * mmap.PAGESIZE


def size_of_facts(facts: Sequence[Fact]) -> int:
    """How many bytes facts take, about: those that are sized stand for the others."""
    step = max(_CHUNK, len(facts) // _CHUNKS)
    sized = [facts[begin : begin + _CHUNK] for begin in range(0, len(facts), step)]
    count = sum(map(len, sized))
    sum_of_sizes = 0
    for chunk in sized:
        seen: set[int] = set()  # facts that follow each other share what they tell
        sum_of_sizes += sum(_size(fact, seen) for fact in chunk)
    return 0 if not count else (sum_of_sizes + _SLOT * count) * len(facts) // count


_SLOT: Final = 8
"""Bytes of an entry of a list."""


def _size(value: Any, seen: set[int]) -> int:
    """Bytes of a value and of all in it that was not seen yet, as Python's allocator rounds them."""
    if value is None or isinstance(value, bool) or id(value) in seen:
        return 0
    seen.add(id(value))
    size = (sys.getsizeof(value) + 15) & ~15
    if isinstance(value, dict):
        return size + sum(_size(key, seen) + _size(item, seen) for key, item in value.items())
    return size + sum(_size(item, seen) for item in value) if isinstance(value, tuple | list) else size


def stays_level(run: Run, half: Usage, end: Usage) -> Iterator[Violation]:
    """The memory grows by no more than what is recorded and is borne; of nothing else is there more for each generation."""
    room, since = _ROOM * len(list(run.hosts())), _generations(run, half.at, end.at)
    for what, count in sorted(end.counts.items()):
        before = half.counts.get(what, 0)
        if (
            count > before + room + _SHARE * since
        ):  # pools have threads as they need them, and hosts may be starting
            said = f"{count:,} {what} at the end, {before:,} at half of the run; "
            yield Violation(LEVEL, f"{said}{since:,} generations came in between")
    if half.memory is not None and end.memory is not None:
        recorded = max(0, end.recorded - half.recorded)
        grown = end.memory - half.memory - recorded
        if grown > _BORNE + _BORNE_OF_RECORD * recorded:
            said = f"the memory has grown by {grown / _MIB:,.1f} MiB beside what was recorded since half of the run; "
            yield Violation(LEVEL, f"{said}{since:,} generations came in between")


def check_level(run: Run, half: Usage, end: Usage) -> Check:
    """Hold two looks at a process against the rule, of which the second is before the board is stopped."""
    found, generations = tuple(stays_level(run, half, end)), _generations(run, 0.0)
    if found:
        return _broken(LEVEL, generations, found)
    counts = ", ".join(
        f"{count:,} {what} ({half.counts.get(what, 0):,} at half)" for what, count in end.counts.items()
    )
    if half.memory is None or end.memory is None:
        return Check(LEVEL, counts, generations)
    beside = (end.memory - end.recorded) / _MIB, (half.memory - half.recorded) / _MIB
    return Check(
        LEVEL, f"{beside[0]:,.0f} MiB beside the record ({beside[1]:,.0f} at half), {counts}", generations
    )
