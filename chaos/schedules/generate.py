"""Schedules by chance: the same seed gives the same schedule, on every machine.

A draw goes through the kinds of faults before it takes one twice, so that some twenty entries, or
some twenty small schedules of neighbouring seeds, have seen them all.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from .. import faults as f
from .. import triggers as t
from ..schedule import Entry, Schedule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

MAKE_FAULT: dict[str, Callable[[Random], f.Fault]] = {
    "exit": lambda chance: f.Exit(chance.choice((0, 1, 3, 78))),
    "signal": lambda chance: f.Signal(chance.choice((6, 9, 11, 15))),
    "pause": lambda chance: f.Pause(chance.choice((None, 0.05, 0.5, 5.0))),
    "hang": lambda chance: f.Hang(deaf=chance.random() < 1 / 2),
    "slow": lambda chance: f.Slow(chance.choice((0.01, 0.2, 3.0))),
    "partial_line": lambda chance: f.PartialLine(chance.randint(1, 60), chance.choice((0, 1))),
    "truncate": lambda chance: f.Truncate(chance.randint(1, 60)),
    "garbage": lambda chance: f.Garbage(chance.randint(1, 200), newline=chance.random() < 2 / 3),
    "duplicate_reply": lambda chance: f.DuplicateReply(chance.randint(1, 3)),
    "wrong_id": lambda _: f.WrongId(),
    "wrong_version": lambda _: f.WrongVersion(),
    "stderr_flood": lambda chance: f.StderrFlood(chance.choice((100, 100_000))),
    "refuse_start": lambda chance: f.RefuseStart(chance.randint(1, 4)),
    "slow_start": lambda chance: f.SlowStart(chance.choice((0.1, 1.0, 30.0))),
    "die_in_init": lambda chance: f.DieInInit(chance.choice((0, 1))),
    "orphan": lambda _: f.Orphan(),
    "grow_memory": lambda chance: f.GrowMemory(chance.choice((16, 1024))),
    "close_stdin": lambda _: f.CloseStdin(),
    "close_stdout": lambda _: f.CloseStdout(),
    "kill_parent": lambda _: f.KillParent(),
    "stdout_flood": lambda chance: f.StdoutFlood(chance.choice((1_000, 300_000))),
    "part_flood": lambda chance: f.PartFlood(chance.choice((20, 2_000))),
    "reply_flood": lambda chance: f.ReplyFlood(chance.choice((20, 2_000))),
}
"""How a fault of each kind is drawn."""

IN_MEMORY = tuple(kind for kind, fault in f.FAULTS.items() if not fault.needs_process)
"""The kinds of faults that a scripted host can have: all but those of real processes."""


def draw_schedule(
    seed: int,
    *,
    hosts: Sequence[str] = (),
    entries: int = 6,
    calls: int = 20,
    seconds: float = 30.0,
    kinds: Iterable[str] = IN_MEMORY,
    points: Sequence[str] = (),
) -> Schedule:
    """Draw a schedule.

    Args:
        seed: of the draw, and of the schedule.
        hosts: whom the faults are for; for every host when empty.
        entries: how many there are.
        calls: about how many calls a host will get, so that most entries come true.
        seconds: about how long the run will take.
        kinds: of the faults.
        points: names that the tools give to `ScriptedCall.point`.

    Raises:
        KeyError: there is no such kind of fault.
    """
    chance = Random(seed)  # noqa: S311 - a game, no secret
    deck = list(kinds)
    makers = {kind: MAKE_FAULT[kind] for kind in deck}
    at = seed * entries  # neighbouring seeds take up where the last one left off
    drawn = []
    for number in range(entries if deck else 0):
        fault = makers[deck[(at + number) % len(deck)]](chance)
        trigger = draw_trigger(chance, fault, calls=calls, seconds=seconds, points=points)
        drawn.append(Entry(trigger, fault, chance.choice(hosts) if hosts else None))
    chance.shuffle(drawn)
    return Schedule(seed, drawn)


def draw_trigger(
    chance: Random, fault: f.Fault, *, calls: int, seconds: float, points: Sequence[str] = ()
) -> t.Trigger:
    """Draw when a fault is to happen: a moment at which it makes sense."""
    if fault.touches == f.START:
        return t.NthSpawn(chance.randint(1, 3))
    generation = chance.choice((None, None, 1, 2))
    kinds = ["call"] * 4 + ["time", "frame", "state"]
    kinds += ["byte"] * (fault.touches == f.GENERATION) + ["point"] * bool(points)
    match chance.choice(kinds):
        case "call":
            return t.NthCall(chance.randint(1, calls), generation)
        case "time":
            return t.AtTime(round(chance.uniform(0, seconds), 3))
        case "frame":
            return t.NthFrame(chance.randint(1, calls + 2), chance.choice(("in", "out")), generation)
        case "byte":
            return t.NthByte(chance.randint(1, 150 * calls), generation)
        case "point":
            return t.AtPoint(chance.choice(points), chance.randint(1, calls))
        case _:
            return t.StateEntered(chance.choice(("starting", "ready")), chance.randint(1, 3))
