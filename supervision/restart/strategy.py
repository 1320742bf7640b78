"""Which members of a group are restarted with one of them: the strategies, as one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from .spec import Strategy

if TYPE_CHECKING:
    from collections.abc import Sequence

Member = TypeVar("Member")


def affected(strategy: Strategy, members: Sequence[Member], failed: Member) -> tuple[Member, ...]:
    """The members that stop, in reverse, and start again, in order, when one has failed; it is among them.

    Args:
        strategy: the group's.
        members: all of the group, in the order in which they were added.
        failed: one of them.
    """
    place = next(index for index, member in enumerate(members) if member is failed or member == failed)
    match strategy:
        case Strategy.ONE_FOR_ONE:
            return (members[place],)
        case Strategy.REST_FOR_ONE:
            return tuple(members[place:])
        case Strategy.ONE_FOR_ALL:
            return tuple(members)
