"""What the actor of a plugin in this process may be told beside what every tool actor is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.frozen import frozen

if TYPE_CHECKING:
    from .run import ThreadRun


@frozen
class Overdue:
    """To a tool actor: a run was given up, and its grace time is over."""

    run: ThreadRun


@frozen
class ThreadBack:
    """To a tool actor: the fenced-off thread of a run has come back after all."""

    run: ThreadRun
