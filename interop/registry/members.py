"""The accessors and adapters of all contributions in the order in which they are asked.

Whoever breaks a protocol is named here, when the registry is composed, and not by an
``AttributeError`` in the middle of a request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from ...base.foreign import blames, told
from ...base.frozen import frozen
from ..errors import ContributionError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .contribution import Tier, TieredContribution

M = TypeVar("M")
Shelf = Literal[
    "schema_accessors",
    "call_accessors",
    "result_accessors",
    "schema_adapters",
    "call_adapters",
    "result_adapters",
]


@frozen
class Member(Generic[M]):
    """One accessor or adapter, with its rank and its contributor in words."""

    it: M
    tier: Tier
    contributor: str

    def fault(self, problem: str) -> ContributionError:
        """Return the error that blames the contributor."""
        called = getattr(self.it, "stands_for", type(self.it).__name__)
        return ContributionError(self.contributor, called, problem)

    def raised(self, method: str, error: BaseException) -> ContributionError:
        """Return the error for an exception that came out of ``method``; raise it if it is no fault of the member's."""
        if not blames(error):
            raise error
        return self.fault(f"raised {type(error).__name__} in {method}: {told(error)}")


def members_of(contributions: Iterable[TieredContribution], shelf: Shelf) -> tuple[Member[Any], ...]:
    """Collect one kind of member from contributions, which are in order of precedence.

    Raises:
        ContributionError: a member lacks what its protocol asks for; names the contributor.
    """
    return tuple(
        _checked(Member(it, entry.tier, str(entry)), shelf)
        for entry in contributions
        for it in getattr(entry.contribution, shelf)
    )


_ASKED_FOR: dict[Shelf, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "schema_accessors": (("format",), ("matches", "inspect")),
    "call_accessors": (("format",), ("matches", "inspect", "sanitize")),
    "result_accessors": (("format",), ("matches", "inspect")),
    "schema_adapters": (("source", "target"), ("convert",)),
    "call_adapters": (("source", "target"), ("convert",)),
    "result_adapters": (("source", "target"), ("convert",)),
}
"""For each shelf: the ids and the methods that its protocol asks for."""


def _checked(member: Member[Any], shelf: Shelf) -> Member[Any]:
    ids, methods = _ASKED_FOR[shelf]
    for name in ids:
        if not isinstance(getattr(member.it, name, None), str):
            raise member.fault(f"stands among the {shelf} without a string {name!r}")
    for name in methods:
        if not callable(getattr(member.it, name, None)):
            raise member.fault(f"stands among the {shelf} without a method {name!r}")
    return member
