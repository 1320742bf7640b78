"""How often a test of the kit is run, and what goes wrong each time: its marks and the options, read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from ..base.frozen import frozen
from ..base.suggestions import meant
from ..chaos.faults import Exit
from ..chaos.schedule import Entry, Schedule
from ..chaos.schedules.generate import draw_schedule
from ..chaos.triggers import NthFrame

if TYPE_CHECKING:
    from ..chaos.triggers import Trigger


class Step(NamedTuple):
    """One observable step of a host, as the trigger that comes true there."""

    host: str
    trigger: Trigger


@frozen
class Plan:
    """How a test is to be run this time.

    Attributes:
        seed: of all chance.
        schedule: what goes wrong, where the test's mark says so.
        step: the step at which there is a crash, if this is a run for that.
        place: which step that is, and of how many; for people.
        problem: why the test cannot be run as its mark or an option says; a sentence, or nothing.
        draws: how many further schedules may be drawn if nothing of this one, which was drawn, comes true.
    """

    seed: int
    schedule: Schedule | None = None
    step: Step | None = None
    place: str = ""
    problem: str = ""
    draws: int = 0

    def as_dict(self) -> dict[str, Any]:
        """As JSON, for the file that a failing test leaves."""
        schedule = self.effective
        return {
            "seed": self.seed,
            "schedule": None if schedule is None else schedule.as_dict(),
            "step": self.place,
        }

    @property
    def effective(self) -> Schedule | None:
        """What goes wrong, the crash at the step included."""
        if self.step is None:
            return self.schedule
        entries = () if self.schedule is None else self.schedule.entries
        return Schedule(self.seed, [*entries, Entry(self.step.trigger, Exit(1), self.step.host)])


def plans_of(item: pytest.Item, seed: int) -> list[Plan]:
    """How a test is to be run, once or more, as its marks and the options say. Raises `pytest.UsageError`, `CallboardError`."""
    if (file := item.config.getoption("--chaos-replay")) is not None:
        written = _read_replay(Path(file))
        if written["nodeid"] == item.nodeid:
            schedule = written["schedule"]
            replayed = None if schedule is None else Schedule.from_dict(schedule)
            return [Plan(written["seed"], replayed, place=written.get("step", ""))]
    given = _given(item.get_closest_marker("faults"))
    first = seed if given.get("seed") is None else given["seed"]
    runs = range(first, first + item.config.getoption("--chaos-runs"))
    if given.get("schedule") == "draw":
        return [drawn(each, _DRAWS) for each in runs]
    return [Plan(each, schedule_of(given.get("schedule"), each)) for each in runs]


_DRAWS = 9
"""How often another schedule is drawn, if nothing comes true of one."""


def drawn(seed: int, draws: int) -> Plan:
    """A run with a schedule that is drawn, and so many further draws."""
    return Plan(seed, draw_schedule(seed), draws=draws)


def _given(mark: pytest.Mark | None) -> Mapping[str, Any]:
    """What the mark ``faults`` says."""
    if mark is None:
        return {}
    if mark.args:
        raise pytest.UsageError("faults(): say what is what, as in faults(schedule=[…]) or faults(seed=1)")
    for name in mark.kwargs:
        if name not in _FAULTS:
            raise pytest.UsageError(f"faults() takes no {name!r}; {meant(name, _FAULTS)}")
    return mark.kwargs


_FAULTS = ("schedule", "seed")


def crashes_at(clean: Plan, steps: list[Step]) -> list[Plan]:
    """A plan for a crash at each step that the clean run has shown."""
    return [
        Plan(
            clean.seed, clean.schedule, step, f"{number} of {len(steps)}: {step.host}, {_where(step.trigger)}"
        )
        for number, step in enumerate(steps, 1)
    ]


def _where(trigger: Trigger) -> str:
    """The place of a step, in words."""
    match trigger:
        case NthFrame(number, way):
            return f"at line {number} that it {'reads' if way == 'in' else 'writes'}"
    return str(trigger)


def schedule_of(given: Any, seed: int) -> Schedule | None:
    """The schedule that a mark or a test has given, in whatever way. Raises `pytest.UsageError`, `ScheduleError`."""
    if given is None or isinstance(given, Schedule):
        return given
    if isinstance(given, str) and given == "draw":
        return draw_schedule(seed)
    if isinstance(given, Mapping):
        return Schedule.from_dict(dict(given))
    if isinstance(given, str | Path):
        return _read_schedule(Path(given))
    if isinstance(given, Iterable):
        return Schedule(seed, given)
    raise pytest.UsageError(
        f"faults(schedule={given!r:.80}): it has to be a Schedule, JSON, entries, or 'draw'"
    )


def _read_schedule(file: Path) -> Schedule:
    try:
        return Schedule.from_json(file.read_bytes())
    except OSError as error:
        raise pytest.UsageError(f"faults(schedule={str(file)!r}): {error.strerror}") from error


def _read_replay(file: Path) -> dict[str, Any]:
    try:
        written = json.loads(file.read_bytes())
        return {"nodeid": written["nodeid"], "seed": written["seed"], **written}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise pytest.UsageError(
            f"--chaos-replay: {file} is not what a failing test has written: {error!r}"
        ) from error


def write_down(item: pytest.Item, plan: Plan) -> Path | None:
    """Keep what a failing test would need to fail again; ``None`` where pytest keeps nothing."""
    cache = getattr(item.config, "cache", None)
    if cache is None:
        return None
    file = Path(cache.mkdir("callboard-chaos")) / f"{re.sub(r'[^A-Za-z0-9]+', '-', item.nodeid)[-100:]}.json"
    file.write_text(json.dumps({"nodeid": item.nodeid} | plan.as_dict()) + "\n", encoding="utf-8")
    return file
