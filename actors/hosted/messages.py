"""What the actor of a plugin in a host may be told beside what every tool actor is, and what hosts tell it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen

if TYPE_CHECKING:
    from ...hosts.host import Host
    from ...hosts.protocol.input_request import InputRequest, SpeaksThrough
    from ..calls.call import Call
    from .request import HostedRun


@frozen
class Overdue:
    """To a tool actor: a run was given up, and its grace time is over."""

    run: HostedRun


@frozen
class Stranded:
    """To a tool actor: calls that a loop had taken to send them when a signal handler raised in it."""

    calls: list[Call]


@frozen
class ToolsChanged:
    """To a tool actor: the plugin's tools are said to be others now."""


@frozen
class Relisted:
    """To a tool actor: what a host answers that was asked for the plugin's tools again; ``None`` for an error."""

    host: Host
    schemas: Any


@frozen
class InputAsked:
    """To a tool actor: the program asks for something in the middle of a call."""

    request: InputRequest


@frozen
class InputWithdrawn:
    """To a tool actor: what a program has asked for is not awaited any more."""

    key: str
    host: SpeaksThrough


@frozen
class PollDue:
    """To a tool actor: the time has come to look at the task of a call."""

    call: str
    host: SpeaksThrough


@frozen
class Probed:
    """To a tool actor: a host was asked something because of a run that is overdue or was given up; whether it answers."""

    run: HostedRun
    answers: bool
