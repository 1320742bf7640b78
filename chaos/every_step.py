"""A crash at every step: the exhaustive form of a test of crash recovery.

Chance finds the seams that many runs come by. Here one short body is run over and over: as it is, and
then once for each moment at which anybody could see a difference (a line read, a line about to be
written, a state entered), with a crash at that moment. In virtual time that is hundreds of runs in a
second or two::

    def body(schedule):
        with VirtualBoard(schedule) as board:
            board.add_scripted("counter", {"count": count})
            results = [board.execute("counter", "count") for _ in range(3)]
        assert all(result["success"] or "code" in result for result in results)
        return board.steps

    crash_at_every_step(body)

The body has to be the same each time but for the schedule; then every step up to the crash is there
again, and the crash is reached.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .faults import Fault, Signal
from .schedule import Entry, Schedule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .virtual.trace import Step


def crash_at_every_step(
    body: Callable[[Schedule], Iterable[Step]], *, fault: Fault | None = None, crashes: int = 1, seed: int = 0
) -> list[Schedule]:
    """Run a body without a fault, and once for each of its steps with a fault there.

    Args:
        body: runs under the schedule it is given and returns the steps that it has seen; see
            `VirtualBoard.steps` and `Simulation.steps`. What it raises ends everything, with a note of
            the schedule under which it did.
        fault: what happens at the step; SIGKILL when ``None``.
        crashes: with 2, each of these runs is gone through in the same way from its crash on, so that
            every step of the recovery is crashed too; the runs are then as many as their steps squared.
        seed: of the schedules.

    Returns:
        The schedules that were run, the first of them empty.
    """
    return list(_explore(body, Schedule(seed), fault or Signal(9), 0, crashes))


def _explore(
    body: Callable[[Schedule], Iterable[Step]], schedule: Schedule, fault: Fault, since: int, crashes: int
) -> Iterator[Schedule]:
    try:
        steps = list(body(schedule))
    except BaseException as error:  # a test's own end, an interrupt too, is told with its schedule
        error.add_note(f"under the schedule {schedule.to_json()}")
        raise
    yield schedule
    if crashes == 0:
        return
    for place, step in enumerate(steps[since:], since):
        crash = Entry(step.trigger, fault, step.host)
        worse = Schedule(schedule.seed, (*schedule.entries, crash))
        yield from _explore(body, worse, fault, place + 1, crashes - 1)
