"""What the router may be told and asked. `Dispatch` is for everybody; the rest is between actors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen
from ...base.validation import require_call_options

if TYPE_CHECKING:
    from ..calls.call import Call
    from .decision import Claims


@frozen
class Dispatch:
    """To the router, asked: run this tool call. The answer is its `Call`, at once.

    Attributes:
        tool_call: in any wire format that the board's registry reads.
        context: given to tools that accept one.
        deadline: seconds; ``None`` for the tool's or the board's default.
    """

    tool_call: Any
    context: dict[str, Any] | None = None
    deadline: float | None = None

    def __post_init__(self) -> None:
        require_call_options(self.context, self.deadline)


@frozen
class Route:
    """To the router: find the tool for a call. ``None``: its claims have to be asked, if a plugin claims calls."""

    call: Call
    claims: Claims | None = None


@frozen
class Ended:
    """To the router: a call that was given to it has ended, by its deadline or its caller."""

    call: Call


@frozen
class Interrupted:
    """To the router: an interrupt has left a call half done that was given to it. See `Call.recover`."""

    call: Call


@frozen
class Claimed:
    """To the router: the plugins have said what they think of a call, as far as they have (``None``: no opinion)."""

    call: Call
    claims: Claims
