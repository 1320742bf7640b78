"""What every tool actor may be told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...base.frozen import frozen

if TYPE_CHECKING:
    from ..calls.call import Call


class Work:
    """To a tool actor: the mailbox has granted a piece of work."""


WORK: Final = Work()


@frozen
class GivenUp:
    """To a tool actor: a call that was under way has been ended by its deadline or its caller."""

    call: Call


@frozen
class Unowned:
    """To a tool actor: the grace of a call is over that has ended and that nothing seemed to run. See `Endpoint.free`."""

    call: Call


@frozen
class Interrupted:
    """To a tool actor: a signal handler has raised in the thread that submitted, cancelled or ended a call.

    Attributes:
        carried: that thread had taken the call past the mailbox, to send it.
    """

    call: Call
    carried: bool = False


@frozen
class Shutdown:
    """To the router and the tool actors: stop. To the router: end the calls that wait for claims."""

    reason: str
