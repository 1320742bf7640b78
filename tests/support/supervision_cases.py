"""Children in this state and that, ends of this kind and that, and what of the effects matters."""

from __future__ import annotations

from callboard.supervision.core import Changed, Supervision
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.exits import Exit, ExitKind
from callboard.supervision.restart.policy import RestartPolicy

POLICY = RestartPolicy(
    backoff=Backoff(first=0.0, min=0.5, max=10.0, jitter=0.0),
    intensity=2,
    period=60.0,
    stable_for=10.0,
    cool_down=30.0,
)
CRASH = Exit(ExitKind.CODE, "exit code 1", report={"code": 1})
CLEAN = Exit(ExitKind.CLEAN, "exit code 0")
HOPELESS = Exit(ExitKind.START_FAILED, "no such file", permanent=True)
REQUESTED = Exit(ExitKind.REQUESTED, "not needed")


def supervision_of(*child_ids, policy=POLICY):
    core = Supervision(lambda: 0.0)
    for child_id in child_ids:
        core.add(child_id, policy, 0.0)
    return core


def in_backoff(core, now=1.0):
    """Bring child "a" to its first wait; the token of its timer."""
    core.ended("a", 1, CRASH, now)
    core.ended("a", 2, CRASH, now)
    return core.children["a"].token


def acts(effects):
    """The effects that do something, without the news of it."""
    return [effect for effect in effects if not isinstance(effect, Changed)]


def news(effects):
    return [effect.kind for effect in effects if isinstance(effect, Changed)]


def state_of(core, child_id="a"):
    return core.children[child_id].state
