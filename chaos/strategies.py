"""Hypothesis strategies: schedules of faults, children of a supervisor, and trees of them.

For tests of one's own; hypothesis is imported here and nowhere else, and has to be installed. What
fails is made small: few entries, small numbers, short times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st

from ..supervision.generation import ChildSpec
from ..supervision.restart.backoff import Backoff
from ..supervision.restart.policy import RestartPolicy, RestartType
from ..supervision.restart.spec import ROOT, AutoShutdown, GroupSpec, OnLimit, StartOrder, Strategy
from . import faults as f
from . import triggers as t
from .schedule import Entry, Schedule
from .schedules.generate import IN_MEMORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..supervision.generation import GenerationReporter, RunningGeneration

_counts = st.integers(1, 40)
_generations = st.none() | st.integers(1, 4)
_codes = st.integers(0, 255)
_spans = st.floats(0.0, 60.0, allow_nan=False).map(lambda seconds: round(seconds, 3))

FAULTS: dict[str, st.SearchStrategy[f.Fault]] = {
    "exit": st.builds(f.Exit, _codes),
    "signal": st.builds(f.Signal, st.sampled_from((6, 9, 11, 15))),
    "pause": st.builds(f.Pause, st.none() | _spans),
    "hang": st.builds(f.Hang, deaf=st.booleans()),
    "slow": st.builds(f.Slow, _spans),
    "partial_line": st.builds(f.PartialLine, st.integers(1, 300), _codes),
    "truncate": st.builds(f.Truncate, st.integers(1, 300)),
    "garbage": st.builds(f.Garbage, st.integers(1, 300), newline=st.booleans()),
    "duplicate_reply": st.builds(f.DuplicateReply, st.integers(1, 5)),
    "wrong_id": st.builds(f.WrongId),
    "wrong_version": st.builds(f.WrongVersion, st.integers(2, 9)),
    "stderr_flood": st.builds(f.StderrFlood, st.integers(1, 300_000)),
    "refuse_start": st.builds(f.RefuseStart, st.integers(1, 8)),
    "slow_start": st.builds(f.SlowStart, _spans),
    "die_in_init": st.builds(f.DieInInit, _codes),
    "orphan": st.builds(f.Orphan),
    "grow_memory": st.builds(f.GrowMemory, st.integers(1, 2048)),
    "close_stdin": st.builds(f.CloseStdin),
    "close_stdout": st.builds(f.CloseStdout),
    "kill_parent": st.builds(f.KillParent),
    "stdout_flood": st.builds(f.StdoutFlood, st.integers(1, 100_000)),
    "part_flood": st.builds(f.PartFlood, st.integers(1, 500)),
    "reply_flood": st.builds(f.ReplyFlood, st.integers(1, 500)),
}
"""The faults of each kind."""


def triggers(points: Sequence[str] = ()) -> st.SearchStrategy[t.Trigger]:
    """Triggers of every kind; those at a point only if there are points."""
    kinds: list[st.SearchStrategy[Any]] = [
        st.builds(t.NthCall, _counts, _generations),
        st.builds(t.NthSpawn, st.integers(1, 5)),
        st.builds(t.NthFrame, _counts, st.sampled_from(("in", "out")), _generations),
        st.builds(t.NthByte, st.integers(1, 5000), _generations),
        st.builds(t.StateEntered, st.sampled_from(t.STATES), st.integers(1, 5)),
        st.builds(t.AtTime, _spans),
    ]
    if points:
        kinds.append(st.builds(t.AtPoint, st.sampled_from(points), _counts))
    return st.one_of(kinds)


def faults(kinds: Iterable[str] = IN_MEMORY) -> st.SearchStrategy[f.Fault]:
    """Faults of these kinds; by default of all that a scripted host can have."""
    return st.one_of([FAULTS[kind] for kind in kinds])


def fault_schedules(
    *,
    hosts: Sequence[str] = (),
    kinds: Iterable[str] = IN_MEMORY,
    points: Sequence[str] = (),
    most: int = 8,
) -> st.SearchStrategy[Schedule]:
    """Fault schedules.

    Args:
        hosts: whom the faults are for; for every host when empty.
        kinds: of the faults.
        points: names that the tools give to `ScriptedCall.point`.
        most: the largest number of entries.
    """
    whose: st.SearchStrategy[str | None] = st.sampled_from(hosts) if hosts else st.none()
    entries = st.builds(Entry, triggers(points), faults(kinds), whose)
    return st.builds(Schedule, st.integers(0, 2**32 - 1), st.lists(entries, max_size=most))


def _declines(_reporter: GenerationReporter) -> None:
    """The start of a child that has nothing to run."""


def child_specs(
    start: Callable[[GenerationReporter], RunningGeneration | None] = _declines,
    *,
    ids: st.SearchStrategy[str] | None = None,
    group: GroupSpec | None = None,
) -> st.SearchStrategy[ChildSpec]:
    """Specifications of children that a supervisor accepts.

    Args:
        start: starts their generations; by default they decline to run.
        ids: their names; from a few letters when ``None``.
        group: what they are in; the root when ``None``.
    """
    shuts_down = group is not None and group.auto_shutdown is not AutoShutdown.NEVER
    names = st.text("abcdefgh", min_size=1, max_size=3) if ids is None else ids

    def spec(child_id: str, policy: RestartPolicy, significant: bool, dynamic: bool) -> ChildSpec:
        means_something = shuts_down and policy.restart is not RestartType.PERMANENT
        return ChildSpec(
            child_id,
            start,
            policy,
            group=ROOT if group is None else group.id,
            significant=significant and means_something,
            dynamic=dynamic,
        )

    return st.builds(spec, names, restart_policies(), st.booleans(), st.booleans())


class Tree(NamedTuple):
    """Groups, outer ones first, and the children in them; names differ."""

    groups: tuple[GroupSpec, ...]
    children: tuple[ChildSpec, ...]


@st.composite
def trees(
    draw: st.DrawFn,
    start: Callable[[GenerationReporter], RunningGeneration | None] = _declines,
    *,
    most_groups: int = 4,
    most_children: int = 6,
) -> Tree:
    """Trees of groups and children that a supervisor accepts, in the order of the tuples.

    Args:
        draw: hypothesis gives it.
        start: starts the generations of the children; by default they decline to run.
        most_groups: the largest number of groups, the root not counted.
        most_children: the largest number of children.
    """
    groups: list[GroupSpec] = []
    for number in range(draw(st.integers(0, most_groups))):
        parent = draw(st.sampled_from([ROOT, *(group.id for group in groups)]))
        groups.append(draw(_groups(f"group-{number}", parent)))
    children = [
        draw(child_specs(start, ids=st.just(f"child-{number}"), group=draw(st.sampled_from([None, *groups]))))
        for number in range(draw(st.integers(0, most_children)))
    ]
    return Tree(tuple(groups), tuple(children))


def _groups(name: str, parent: str) -> st.SearchStrategy[GroupSpec]:
    return st.builds(
        GroupSpec,
        id=st.just(name),
        parent=st.just(parent),
        strategy=st.sampled_from(Strategy),
        intensity=st.none() | st.integers(0, 4),
        period=st.sampled_from((1.0, 60.0)),
        restart=st.sampled_from(RestartType),
        on_limit=st.sampled_from(OnLimit),
        start=st.sampled_from(StartOrder),
        auto_shutdown=st.sampled_from(AutoShutdown),
    )


def restart_policies() -> st.SearchStrategy[RestartPolicy]:
    """Restart policies with times that suit a virtual clock."""
    times = st.sampled_from((0.5, 1.0, 5.0, 10.0, 60.0))
    curves = st.builds(
        Backoff,
        first=st.sampled_from((0.0, 0.1)),
        min=st.sampled_from((0.1, 0.5)),
        max=st.sampled_from((0.5, 10.0)),
        jitter=st.sampled_from((0.0, 0.2)),
    )
    return st.builds(
        RestartPolicy,
        restart=st.sampled_from(RestartType),
        backoff=curves,
        intensity=st.integers(0, 6),
        period=times,
        stable_for=times,
        cool_down=times,
    )
