"""What the actor of a plugin in a host may be told beside what every tool actor is, and what hosts tell it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.frozen import frozen

if TYPE_CHECKING:
    from .request import HostedRun


@frozen
class Overdue:
    """To a tool actor: a run was given up, and its grace time is over."""

    run: HostedRun


@frozen
class Probed:
    """To a tool actor: a shared host in which a run is overdue was asked something; whether it answers."""

    run: HostedRun
    answers: bool
