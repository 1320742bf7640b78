"""What a simulated board is asked to do: its hosts and the calls they get, drawn from a seed. Pure.

The faults are drawn elsewhere (`drawing`): the same load with other faults, or none, is a question that
one wants to ask.
"""

from __future__ import annotations

from random import Random
from typing import Any

from ...base.frozen import frozen
from ...supervision.restart.backoff import Backoff
from ...supervision.restart.policy import RestartPolicy

Json = dict[str, Any]


@frozen
class HostPlan:
    """One host, with one tool.

    Attributes:
        name: of the host, its plugin and its tool.
        policy: when it is started again.
        concurrency: calls that may be under way at once.
        mailbox_size: calls that may wait.
        repeats: how often a call may be sent again after a crash; 0 for one that is not idempotent.
        deadline: seconds a call may take that brings none of its own.
        latency: seconds that every answer takes.
    """

    name: str
    policy: RestartPolicy
    concurrency: int
    mailbox_size: int
    repeats: int
    deadline: float
    latency: float


@frozen
class CallPlan:
    """One call.

    Attributes:
        name: of the call, unlike all others.
        host: whose.
        at: seconds into the run.
        arguments: what the tool is given; see `simulated_tool.work`.
        deadline: seconds; ``None`` for the host's own.
        cancel_after: seconds after which its caller gives it up, if it has not ended by then.
    """

    name: str
    host: str
    at: float
    arguments: Json
    deadline: float | None = None
    cancel_after: float | None = None


@frozen
class Load:
    """Hosts and calls, these in the order of their times."""

    hosts: tuple[HostPlan, ...]
    calls: tuple[CallPlan, ...]


NAMES = ("ada", "ben", "cleo", "dora", "emil", "fay")


def draw_load(seed: int, *, hosts: int, calls: int, seconds: float) -> Load:
    """Draw a load.

    Args:
        seed: of the draw.
        hosts: how many; at most six.
        calls: how many, to all of them.
        seconds: in which they are made.
    """
    chance = Random(f"{seed} load")  # noqa: S311 - a game, no secret
    plans = tuple(_draw_host(name, chance) for name in NAMES[:hosts])
    times = sorted(round(chance.uniform(0, seconds), 3) for _ in range(calls))
    made = (
        _draw_call(f"c{number}", chance.choice(plans).name, at, chance) for number, at in enumerate(times)
    )
    return Load(plans, tuple(made))


def _draw_host(name: str, chance: Random) -> HostPlan:
    return HostPlan(
        name,
        RestartPolicy(
            backoff=Backoff(
                first=chance.choice((0.0, 0.0, 0.1)), min=0.2, max=chance.choice((1.0, 5.0)), jitter=0.2
            ),
            intensity=chance.choice((0, 1, 3, 5)),
            period=chance.choice((5.0, 60.0)),
            stable_for=chance.choice((0.5, 10.0)),
            cool_down=chance.choice((2.0, 10.0)),
        ),
        concurrency=chance.choice((1, 1, 1, 3)),
        mailbox_size=chance.choice((1, 1000, 1000)),
        repeats=chance.choice((0, 0, 1, 2)),
        deadline=10.0,
        latency=chance.choice((0.0, 0.001)),
    )


def _draw_call(name: str, host: str, at: float, chance: Random) -> CallPlan:
    arguments: Json = {
        "call": name,
        "seconds": chance.choice((0.0, 0.0, 0.01, 0.2, 1.0)),
        "parts": chance.choice((0, 0, 0, 1, 3)),
        "mood": chance.choice(("well",) * 8 + ("fail", "raise")),
    }
    deadline = chance.choice((None,) * 6 + (0.005, 0.5, 3.0))
    cancel_after = chance.choice((None,) * 7 + (0.0, 0.1))
    return CallPlan(name, host, at, arguments, deadline, cancel_after)
