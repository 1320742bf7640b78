"""Rounds of the campaign by chance: the same seed draws the same plan, on every machine. Pure.

Each plugin, caller and happening has a source of chance of its own, so that with fewer of them the others are as
they were: that is how a plan is shrunk by hand.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from .. import faults as f
from .. import triggers as t
from ..schedule import Entry, Schedule
from ..virtual.virtual_load import NAMES, CallPlan
from .plan import DEEDS, KINDS, WAYS, CallerPlan, Deed, Plan, PluginPlan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Json = dict[str, Any]

_OFTEN = {"node": 4, "python": 1, "python_async": 1, "thread": 2, "thread_async": 2, "mcp": 1}
"""How often a plugin is of that kind: a host in Python takes long to start."""

_MOODS = ("well",) * 24 + ("fail", "fail", "raise", "invalid", "exit", "exit late", "deaf", "hang", "spin")

_NEVER_ENDS = frozenset({"deaf", "hang", "spin"})

_FAULTS: tuple[Callable[[Random], f.Fault], ...] = (
    *(lambda _: f.Signal(9),) * 5,
    lambda chance: f.Signal(chance.choice((6, 11, 15))),
    lambda chance: f.Pause(chance.choice((0.05, 0.2))),
    lambda _: f.Pause(),
    lambda chance: f.Garbage(chance.randint(1, 200), newline=chance.random() < 2 / 3),
    lambda chance: f.DuplicateReply(chance.randint(1, 3)),
    lambda chance: f.PartialLine(chance.randint(1, 40)),
    lambda chance: f.Truncate(chance.randint(1, 40)),
    lambda _: f.WrongId(),
)


def draw_plan(
    seed: int,
    *,
    plugins: int = 3,
    callers: int = 4,
    calls: int = 120,
    happenings: int = 8,
    seconds: float = 1.2,
    kinds: Sequence[str] = KINDS,
) -> Plan:
    """Draw a round.

    Args:
        seed: of the draw.
        plugins: how many, at most six; the first one runs in a host, if ``kinds`` has one that does.
        callers: how many.
        calls: how many, of all callers together.
        happenings: how many faults are done to hosts, and deeds by hand.
        seconds: in which calls are made and things happen.
        kinds: of the plugins.
    """
    chance = _chance(seed, "round")
    team = _draw_team(chance)
    drawn = tuple(_draw_plugin(seed, number, kinds) for number in range(min(plugins, len(NAMES))))
    keeps, stops = chance.random() < 1 / 2, round(seconds * chance.uniform(0.4, 0.9), 3)
    section = {
        "grace": chance.choice((0.1, 0.2)),
        "deadline": 3.0,
        "mailbox_size": chance.choice((1000, 1000, 1000, 5)),
    }
    stopped = chance.random() < 1 / 4
    schedule, deeds = _draw_happenings(seed, drawn, happenings, max(1, calls // max(1, len(drawn))), seconds)
    shares = [calls // callers + (number < calls % callers) for number in range(callers)]
    return Plan(
        seed,
        drawn,
        tuple(_draw_caller(seed, number, quota, drawn, seconds) for number, quota in enumerate(shares)),
        schedule,
        deeds,
        groups={"team": team} if any("group" in one.options for one in drawn) else {},
        calls=section,
        keeps=keeps,
        claiming=_chance(seed, "claims").random() < 1 / 2,
        stops=stops if stopped else None,
    )


def _chance(seed: int, of: str) -> Random:
    return Random(f"{seed} {of}")  # noqa: S311 - a game, no secret


def _draw_team(chance: Random) -> Json:
    """The group that some hosts are in."""
    return {
        "strategy": chance.choice(("one_for_one", "one_for_all", "rest_for_one")),
        "start": chance.choice(("together", "in_order")),
        "intensity": chance.choice((None, 5, 50)),
        "period": 10.0,
        "cool_down": 0.4,
    }


def _draw_plugin(seed: int, number: int, kinds: Sequence[str]) -> PluginPlan:
    chance = _chance(seed, f"plugin {number}")
    hosted = [kind for kind in kinds if not kind.startswith("thread")]
    deck = [kind for kind in (hosted if hosted and not number else kinds) for _ in range(_OFTEN[kind])]
    kind = chance.choice(deck)
    options: Json = {
        "concurrency": chance.choice((1, 1, 1, 1, 2, 4)),
        "deadline": chance.choice((1.0, 2.0)),
        "breaker": chance.choice((False, False, {"failures": 3, "reset": 0.2, "max_reset": 0.4})),
    }
    of_hosts: Json = {
        "idempotent": chance.choice((False, False, True)),
        "repeats": chance.choice((0, 1, 2)),
        "quarantine": chance.choice((True, False, {"crashes": 2, "seconds": 0.5})),
        "while_down": chance.choice(("hold", "hold", "hold", "refuse")),
        "hold": chance.choice((None, None, 2)),
        "idle_deadline": chance.choice((None, None, 0.3)),
    }
    # What follows is of the host: those who share one have to agree in it.
    shares = kind == "node" and chance.random() < 1 / 3
    if shares:
        chance = _chance(seed, "the shared host")
    of_hosts["restart"] = {
        "backoff": {"first": chance.choice((0.0, 0.02)), "min": 0.02, "max": chance.choice((0.05, 0.2))},
        "intensity": chance.choice((2, 5, 50)),
        "period": 10.0,
        "stable_for": chance.choice((0.3, 5.0)),
        "cool_down": chance.choice((0.2, 0.5)),
    }
    of_hosts["standby"] = chance.choice((0, 0, 1))
    of_hosts["limits"] = chance.choice(
        ({}, {}, {"calls": 10, "drain": 0.3}, {"age": 0.4, "drain": 0.3, "jitter": 0.5})
    )
    if chance.random() < 1 / 3:
        of_hosts["group"] = "team"
    if shares:
        of_hosts["share"] = "flat"
    if not kind.startswith("thread"):
        options |= of_hosts
    return PluginPlan(
        NAMES[number], kind, {key: value for key, value in options.items() if value is not None}
    )


def _draw_caller(
    seed: int, number: int, quota: int, plugins: Sequence[PluginPlan], seconds: float
) -> CallerPlan:
    chance = _chance(seed, f"caller {number}")
    way, usual = WAYS[(seed + number) % len(WAYS)], _one_of(plugins, chance)
    times = sorted(round(chance.uniform(0, seconds), 3) for _ in range(quota))
    if way == "burst":  # a few bursts, and not one call after the other
        times = [times[place - place % 8] for place in range(quota)]
    made = []
    for place, at in enumerate(times):
        plugin = usual if chance.random() < 2 / 3 else _one_of(plugins, chance)
        made.append(_draw_call(f"{seed}-{number}-{place}", plugin.name, at, chance))
    return CallerPlan(way, tuple(made))


def _one_of(plugins: Sequence[PluginPlan], chance: Random) -> PluginPlan:
    return plugins[chance.randrange(1 << 16) % len(plugins)]


def _draw_call(name: str, plugin: str, at: float, chance: Random) -> CallPlan:
    mood = chance.choice(_MOODS)
    arguments = {
        "mood": mood,
        "seconds": 0.8 if mood == "deaf" else chance.choice((0.0, 0.0, 0.0, 0.005, 0.02, 0.1)),
        "parts": chance.choice((0, 0, 1, 3)),
    }
    deadline = chance.choice((None,) * 18 + (0.001, 0.1, 0.4))
    cancel_after = chance.choice((None,) * 18 + (0.0, 0.02, 0.1))
    if mood in _NEVER_ENDS:  # not until the plugin's own deadline: there is no time for many of those
        deadline = chance.choice((0.1, 0.3))
    return CallPlan(name, plugin, at, arguments, deadline, cancel_after)


def _draw_happenings(
    seed: int, plugins: Sequence[PluginPlan], happenings: int, calls: int, seconds: float
) -> tuple[Schedule, tuple[Deed, ...]]:
    entries: list[Entry] = []
    deeds: list[Deed] = []
    hosted = [plugin for plugin in plugins if plugin.hosted]
    for number in range(happenings if plugins else 0):
        chance = _chance(seed, f"happening {number}")
        at = round(chance.uniform(0.05, seconds), 3)
        if hosted and chance.random() < 3 / 5:
            trigger = (
                t.AtTime(at) if chance.random() < 1 / 2 else t.NthCall(chance.randint(1, max(1, calls // 2)))
            )
            entries.append(Entry(trigger, chance.choice(_FAULTS)(chance), _one_of(hosted, chance).host))
            continue
        do = chance.choice((*DEEDS, "restart", "reload"))
        plugin = _one_of(hosted if hosted and do in _OF_HOSTS else plugins, chance)
        deeds.append(
            Deed(
                at,
                do if plugin.hosted or do not in _OF_HOSTS else "cancel",
                plugin.name,
                round(chance.uniform(0.05, 0.3), 3),
            )
        )
    return Schedule(seed, entries), tuple(sorted(deeds, key=lambda deed: deed.at))


_OF_HOSTS = frozenset({"restart", "park", "reload", "break"})
"""Deeds that take a host."""
