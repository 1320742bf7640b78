"""Which accessor claims a value: the first, in order of precedence, that says the value is its own.

This stands on the way of every tool call. Accessors are sorted once by what ``value["type"]`` they can
claim, so that a call is shown to one or two of them and not to all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ...base.errors import CallboardError
from ..errors import Kind, UnknownFormatError
from ..format_ids import READ_AS_WELL, belongs_to, canonical_format

if TYPE_CHECKING:
    from .members import Member

Hub = TypeVar("Hub")


class AccessorIndex(Generic[Hub]):
    """The accessors of one kind of value; immutable after construction."""

    __slots__ = ("_any_type", "_by_type", "_hub", "_kind", "_members")

    def __init__(self, kind: Kind, hub: type[Hub], members: tuple[Member[Any], ...]) -> None:
        """Sort ``members``, which are in order of precedence; ``hub`` is what they inspect to."""
        self._kind: Kind = kind
        self._hub = hub
        self._members = members
        self._any_type = tuple(member for member in members if _types_of(member) is None)
        types = {stated for member in members for stated in _types_of(member) or ()}
        self._by_type = {
            stated: tuple(m for m in members if (known := _types_of(m)) is None or stated in known)
            for stated in types
        }

    @property
    def members(self) -> tuple[Member[Any], ...]:
        """All accessors, in order of precedence."""
        return self._members

    def claim(self, value: Any, hint: str | None) -> tuple[Member[Any], Hub]:
        """Return the accessor that claims ``value``, and what the value means.

        Args:
            value: anything at all.
            hint: a format, an alias of one or a family; only its accessors are asked.

        Raises:
            UnknownFormatError: nobody claims it.
            InvalidShapeError: the claimant says that it breaks its format.
            ContributionError: an accessor raised, or answered with the wrong thing.
        """
        members = self._any_type
        if isinstance(value, dict):
            stated = value.get("type")
            if stated is None or isinstance(stated, str):
                members = self._by_type.get(stated, members)
        if hint is not None:
            wanted = canonical_format(self._kind, hint)
            alike = READ_AS_WELL.get(wanted, frozenset())
            members = tuple(
                member
                for member in members
                if belongs_to(own := canonical_format(self._kind, member.it.format), wanted) or own in alike
            )
        for member in members:
            try:
                if not member.it.matches(value):
                    continue
                inspected = member.it.inspect(value)
            except CallboardError:
                raise
            except BaseException as error:  # the contributor's code
                raise member.raised("matches or inspect", error) from error
            if inspected is None:
                continue
            if not isinstance(inspected, self._hub):
                raise member.fault(f"inspected a {self._kind} to {type(inspected).__name__}")
            return member, inspected
        raise UnknownFormatError(self._kind, value, hint=hint)


def _types_of(member: Member[Any]) -> frozenset[str | None] | None:
    """Return what ``value["type"]`` the accessor asks for; ``None`` if it wants to see every value."""
    known = getattr(member.it, "discriminators", None)
    return None if known is None else frozenset(known)
