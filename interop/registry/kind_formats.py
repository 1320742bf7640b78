"""All formats of one kind of value: who reads them, who writes them, and in which order they count."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..format_ids import NATIVE, OPT_IN, READ_AS_WELL, belongs_to, canonical_format, formats_of
from .adapter_index import Accepted, AdapterIndex
from .members import members_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..conversion import ToolInteropTarget
    from ..errors import Kind
    from .contribution import TieredContribution
    from .members import Member, Shelf

Hub = TypeVar("Hub")

_SHELVES: dict[Kind, tuple[Shelf, Shelf]] = {
    "schema": ("schema_accessors", "schema_adapters"),
    "call": ("call_accessors", "call_adapters"),
    "result": ("result_accessors", "result_adapters"),
}

_LISTS = 64


class KindFormats(Generic[Hub]):
    """The accessors, the adapters and the formats of schemas, of calls, or of results; immutable.

    Attributes:
        hub: what accessors inspect to.
        readers: the accessors that want to see every value, in order of precedence.
        readers_by_type: those that may claim a value with this ``value["type"]``, so that a call is shown to one or two
            and not to all.
        adapters: who writes.
        known: ids of all formats that can be read or written. Built-in ones come first, so that what a
            family means by default does not change with what is contributed.
    """

    __slots__ = ("_accepted", "adapters", "hub", "kind", "known", "readers", "readers_by_type")

    def __init__(self, kind: Kind, hub: type[Hub], contributions: Iterable[TieredContribution]) -> None:
        """Sort what is contributed for ``kind``; contributions are in order of precedence."""
        entries = tuple(contributions)
        accessor_shelf, adapter_shelf = _SHELVES[kind]
        readers = members_of(entries, accessor_shelf)
        writers = members_of(entries, adapter_shelf)
        self.kind: Kind = kind
        self.hub: type[Hub] = hub
        self.readers: tuple[Member[Any], ...] = tuple(
            member for member in readers if _types_of(member) is None
        )
        self.readers_by_type: dict[str | None, tuple[Member[Any], ...]] = {
            stated: tuple(m for m in readers if (types := _types_of(m)) is None or stated in types)
            for stated in {stated for member in readers for stated in _types_of(member) or ()}
        }
        self.adapters: AdapterIndex = AdapterIndex(kind, writers)
        self.known: tuple[str, ...] = _known(kind, readers, writers)
        # Worked out once for each list that a provider asks with: it is half of what a conversion costs.
        self._accepted = lru_cache(maxsize=_LISTS)(self._work_out)

    def hinted(self, members: Iterable[Member[Any]], hint: str) -> tuple[Member[Any], ...]:
        """Return those accessors that read ``hint``: a format, an alias of one or a family."""
        wanted = canonical_format(self.kind, hint)
        alike = READ_AS_WELL.get(wanted, frozenset())
        return tuple(
            member
            for member in members
            if belongs_to(own := canonical_format(self.kind, member.it.format), wanted) or own in alike
        )

    def accepted(self, target: ToolInteropTarget, target_formats: Sequence[str] | None) -> Accepted:
        """Return the formats a conversion may end in.

        ``target_formats`` decides if there are any, each a format, an alias or a family; else the
        formats of the target's family. A family does not stand for those of its formats that are
        written only where they are named (`OPT_IN`), but values that are in one stay in it. What only that
        provider has (`NATIVE`) stays as it is wherever any of its family's formats is accepted.
        """
        return self._accepted(tuple(target_formats or (target.family,)))

    def _work_out(self, asked_for: tuple[str, ...]) -> Accepted:
        written: dict[str, None] = {}
        copied: set[str] = set()
        for asked in asked_for:
            name = canonical_format(self.kind, asked)
            members = formats_of(name, self.known, self.kind)
            written.update(dict.fromkeys([m for m in members if m not in OPT_IN] or members or (name,)))
            copied.update(members)
        for native, family in NATIVE.items():
            if any(belongs_to(name, family) for name in written):
                copied.add(native)
        return Accepted(tuple(written), frozenset(copied.union(written)))

    def knows(self, format_ids: Iterable[str]) -> bool:
        """Say whether any of the formats can be read or written."""
        return any(format_id in self.known for format_id in format_ids)


def _types_of(member: Member[Any]) -> frozenset[str | None] | None:
    """Return what ``value["type"]`` the accessor asks for; ``None`` if it wants to see every value."""
    known = getattr(member.it, "discriminators", None)
    return None if known is None else frozenset(known)


def _known(kind: Kind, readers: tuple[Member[Any], ...], writers: tuple[Member[Any], ...]) -> tuple[str, ...]:
    named = [(member.tier, member.it.format) for member in readers]
    named += [(member.tier, member.it.target) for member in writers]
    named.sort(key=lambda pair: -pair[0])
    return tuple(dict.fromkeys(canonical_format(kind, format_id) for _, format_id in named))
