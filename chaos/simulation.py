"""A whole board, some hosts, a load and a schedule of faults, from one number, in no time.

A simulation has two phases. First everything goes wrong that the schedule wants, while the calls come
as the load wants. Then nothing goes wrong any more: hosts that wait for a person are revived, and all
has to work again within a budget. The rules of `invariants` are held against the whole of it.

The same seed gives the same trace, to the byte: a seed that breaks a rule can be run again under a
debugger, and its schedule can be made smaller entry by entry.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from ..actors.endpoint.endpoint import ToolSettings
from ..base.frozen import frozen
from .checker.facts import Left, Run, Terms
from .checker.invariants import check
from .schedules.generate import draw_schedule
from .scripted.simulated_tool import work
from .virtual.trace import Step, steps_of, to_lines
from .virtual.traced_facts import facts_of
from .virtual.virtual_load import draw_load
from .virtual_board import VirtualBoard

if TYPE_CHECKING:
    from ..actors.calls.call import Call
    from .checker.facts import Violation
    from .checker.invariants import Check
    from .schedule import Schedule
    from .virtual.trace import Happening
    from .virtual.virtual_load import CallPlan, HostPlan, Load

Json = dict[str, Any]

WAKING = 2.0
"""The deadline of the calls that find out, when the faults are over, which hosts hang."""

GRACE = 1.0
"""Seconds that a call which was given up may go on before its host is replaced."""


@frozen
class Simulation:
    """What was simulated, and what came of it.

    Attributes:
        seed: of everything that was drawn.
        schedule: the faults.
        load: the hosts and calls.
        happenings: all that happened, in order.
        run: the same, as the rules see it.
        checks: every rule, and what came of holding the run against it.
    """

    seed: int
    schedule: Schedule
    load: Load
    happenings: tuple[Happening, ...]
    run: Run
    checks: tuple[Check, ...]

    @property
    def violations(self) -> tuple[Violation, ...]:
        """All that is wrong."""
        return tuple(violation for one in self.checks for violation in one.violations)

    @property
    def trace(self) -> str:
        """All that happened, a line of JSON each; the same for the same seed."""
        return to_lines(self.happenings)

    @property
    def steps(self) -> list[Step]:
        """The moments at which a fault can be put; see `crash_at_every_step`."""
        return steps_of(self.happenings)

    def as_dict(self) -> Json:
        """As JSON, with the whole trace."""
        return {
            "seed": self.seed,
            "schedule": self.schedule.as_dict(),
            "violations": [violation.as_dict() for violation in self.violations],
            "trace": [json.loads(line) for line in self.trace.splitlines()],
        }


def simulate(
    seed: int,
    *,
    schedule: Schedule | None = None,
    load: Load | None = None,
    hosts: int = 3,
    calls: int = 30,
    faults: int = 8,
    seconds: float = 20.0,
    budget: float = 30.0,
) -> Simulation:
    """Run one simulation; returns what happened, also when rules were broken.

    Args:
        seed: of all that is drawn.
        schedule: the faults; drawn when ``None``.
        load: the hosts and calls; drawn when ``None``.
        hosts: how many are drawn, at most six.
        calls: how many are drawn.
        faults: how many are drawn.
        seconds: virtual time in which the calls are made and the faults happen.
        budget: virtual seconds after the faults in which everything has to work again.
    """
    load = draw_load(seed, hosts=hosts, calls=calls, seconds=seconds) if load is None else load
    if schedule is None:
        names = [host.name for host in load.hosts]
        each = max(2, 2 * len(load.calls) // len(names))
        schedule = draw_schedule(
            seed, hosts=names, entries=faults, calls=each, seconds=seconds, points=("before the answer",)
        )
    board = VirtualBoard(schedule, seed=seed)
    with board:
        for host in load.hosts:
            _add(board, host)
        _make_calls(board, load)
        healed = _heal(board, load, budget)
        before_stop, ended = len(board.happenings), board.clock.elapsed
    run = Run(
        tuple(facts_of(board.happenings[:before_stop])),
        {host.name: _terms(host) for host in load.hosts},
        healed=healed,
        ended=ended,
        patience=budget,
        slack=1e-5,  # times are noted to the microsecond
        left=Left(processes=_left(board)),
    )
    return Simulation(seed, schedule, load, tuple(board.happenings), run, check(run))


def _add(board: VirtualBoard, host: HostPlan) -> None:
    settings = ToolSettings(
        concurrency=host.concurrency,
        mailbox_size=host.mailbox_size,
        deadline=host.deadline,
        idempotent=host.repeats > 0,
        repeats=host.repeats or 1,  # which is nothing to a tool that is not idempotent
        grace=GRACE,
        quarantine=None,  # it would go on refusing when the faults are over
    )
    board.add_scripted(
        host.name, {host.name: work}, policy=host.policy, settings=settings, latency=host.latency, wait=False
    )


def _terms(host: HostPlan) -> Terms:
    one = host.concurrency == 1
    return Terms(
        policy=host.policy,
        repeats=host.repeats,
        ordered=one,
        ledger=True,
        counts=one,
        concurrency=host.concurrency,
        mailbox=host.mailbox_size,
    )


def _make_calls(board: VirtualBoard, load: Load) -> None:
    """The first phase: until the last call has ended."""
    made: list[Call] = []
    for host in load.hosts:
        board.settle_hosted(host.name, required=False)  # a call of a tool nobody has seen is a mistake
    start = board.clock.now()
    for call in load.calls:
        board.clock.call_at(start + call.at, partial(_make_call, board, load, call, made))
    board.clock.advance_until(lambda: len(made) == len(load.calls) and all(c.done() for c in made), 600.0)


def _make_call(board: VirtualBoard, load: Load, plan: CallPlan, made: list[Call]) -> None:
    own = {host.name: host.deadline for host in load.hosts}
    deadline = own[plan.host] if plan.deadline is None else plan.deadline
    call = board.send(plan.host, plan.host, plan.arguments, call=plan.name, deadline=deadline)
    made.append(call)
    if plan.cancel_after is not None:
        board.clock.call_at(board.clock.now() + plan.cancel_after, call.cancel)


def _heal(board: VirtualBoard, load: Load, budget: float) -> float:
    """The second phase; returns when everything has to work again."""
    clock = board.clock
    board.heal()
    _revive(board)
    # A host that hangs is found out by a call that it does not answer. These calls may fail.
    waking = [_probe(board, host, "wakes", WAKING) for host in load.hosts]
    clock.advance_until(lambda: all(call.done() for call in waking), budget)
    clock.advance(GRACE + 0.1)  # for what was cancelled last, and goes on
    _revive(board)
    clock.advance_until(lambda: _all_ready(board), budget)
    healed = clock.elapsed
    last = [_probe(board, host, "last", host.deadline) for host in load.hosts]
    clock.advance_until(lambda: all(call.done() for call in last), budget)
    return healed


def _probe(board: VirtualBoard, host: HostPlan, name: str, deadline: float) -> Call:
    call_id = f"{name}-{host.name}"
    arguments = {"call": call_id, "seconds": 0.0, "parts": 0, "mood": "well"}
    return board.send(host.name, host.name, arguments, call=call_id, deadline=deadline)


def _revive(board: VirtualBoard) -> None:
    for name in board.scripted:
        if board.state(name) in {"parked", "stopped"}:
            board.order("revive", name)


def _all_ready(board: VirtualBoard) -> bool:
    return all(board.state(name) == "ready" for name in board.scripted)


def _left(board: VirtualBoard) -> tuple[str, ...]:
    return tuple(
        f"{name}, generation {generation.number}"
        for name, plugin in board.scripted.items()
        for generation in plugin.generations
        if not generation.gone
    )
