"""What the messages of a host mean, as a `Peer` tells it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Owner = TypeVar("Owner")


class Answered(NamedTuple, Generic[Owner]):
    """The request's answer: its value, and the new state if the host sent one."""

    owner: Owner
    value: Any
    state: dict[str, Any] | None


class Refused(NamedTuple, Generic[Owner]):
    """The request's answer is an error: ``type``, ``detail``, ``stack``."""

    owner: Owner
    error: dict[str, Any]


class PartCame(NamedTuple, Generic[Owner]):
    """A partial result of an open request.

    Attributes:
        size: bytes that it takes to keep, about.
    """

    owner: Owner
    payload: Any
    size: int


class Begun(NamedTuple, Generic[Owner]):
    """The tool begins with an open request."""

    owner: Owner


class Released(NamedTuple, Generic[Owner]):
    """An abandoned request has come to its end in the host; nobody wants the answer."""

    owner: Owner


class Noted(NamedTuple):
    """The end of a request that was noted down: the value of its answer, ``None`` if that is an error."""

    hears: Callable[[Any], None]
    value: Any


class Stray(NamedTuple):
    """Output that is no protocol message: a line, and those that came with it."""

    text: bytes
    more: Sequence[bytes] = ()


class Dropped(NamedTuple):
    """A message nobody waits for: ``late``, ``duplicate`` or ``unknown``; and how many such it stands for."""

    reason: str
    id: str
    times: int = 1


class Breach(NamedTuple, Generic[Owner]):
    """The host broke the protocol. ``owner`` is whose request it spoiled, if that is known.

    Attributes:
        fatal: nothing that follows can be believed: replace the host.
        facts: the numbers in ``detail``, if there are any.
    """

    reason: str
    detail: str
    owner: Owner | None
    fatal: bool
    facts: dict[str, int] | None = None


Event = (
    Answered[Owner]
    | Refused[Owner]
    | PartCame[Owner]
    | Begun[Owner]
    | Released[Owner]
    | Noted
    | Stray
    | Dropped
    | Breach[Owner]
)
