"""Which adapter carries a value over, and into which of the accepted formats.

A value whose own format is accepted is copied and not touched, unless its message says more than it. Otherwise the accepted formats are
tried in the order given; the first that takes the value without loss wins, and if there is none, the
first that takes it at all. An adapter from the very source format goes before one that writes
whatever was inspected, within a tier; a higher tier goes before a lower in any case.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.errors import CallboardError
from ...base.validation import a_type
from ..conversion import HUB, ConversionContext, Converted, Loss, LossCode
from ..errors import ConversionError, HostedError, Kind
from ..exact_json import exact_json
from ..format_ids import HOSTED, NATIVE, canonical_format

if TYPE_CHECKING:
    from .members import Member


class Accepted(NamedTuple):
    """The formats a conversion may end in, by their ids.

    Attributes:
        written: what a value may be converted to, best first.
        copied: what a value may be in already, to stay as it is.
    """

    written: tuple[str, ...]
    copied: frozenset[str]


class AdapterIndex:
    """The adapters of one kind of value; immutable after construction."""

    __slots__ = ("_by_target", "_kind")

    def __init__(self, kind: Kind, members: tuple[Member[Any], ...]) -> None:
        """Sort ``members``, which are in order of precedence."""
        self._kind: Kind = kind
        ranked = sorted(members, key=lambda member: (member.tier, member.it.source == HUB))
        by_target: dict[str, list[Member[Any]]] = {}
        for member in ranked:
            by_target.setdefault(canonical_format(kind, member.it.target), []).append(member)
        self._by_target = {target: tuple(members) for target, members in by_target.items()}

    def convert(
        self,
        value: Any,
        inspected: Any,
        accepted: Accepted,
        context: ConversionContext,
        *,
        label: str,
        beside: tuple[Loss, ...] = (),
    ) -> tuple[str, Converted]:
        """Return the format chosen and the value in it, which shares nothing with ``value``.

        Args:
            value: the value as it came.
            inspected: what it means; ``inspected.format`` is the format it came in.
            accepted: where it may go.
            context: handed on to the adapters.
            label: what the value is, for errors.
            beside: what ``inspected`` says and the value itself does not, as a copy would lose it. The value is then
                written anew, and copied only if nobody else can write it.

        Raises:
            ConversionError: no accepted format can say this; gives the reason of each.
            HostedError: it is a matter of one provider alone, and that is another.
            ContributionError: an adapter raised, or answered with the wrong thing.
        """
        source = canonical_format(self._kind, inspected.format)
        copied = source in accepted.copied
        if copied and (not beside or source in NATIVE):
            return source, Converted(exact_json(value), beside)
        if source in HOSTED:
            problem = f"{label} is a matter of {HOSTED[source]} alone"
            raise HostedError(problem, (Loss(LossCode.HOSTED, problem),))
        reasons: list[str] = []
        best: tuple[str, Converted] | None = None
        for target in accepted.written:
            try:
                converted = self._attempt(value, inspected, (source, target), context)
            except ConversionError as refusal:
                reasons.append(f"not as {target}, because {refusal}")
                continue
            if converted is not None and source in NATIVE:
                lost = Loss(LossCode.HOSTED, f"a matter of {NATIVE[source]} is said as a function's")
                converted = replace(converted, losses=(*converted.losses, lost))
            if converted is None:
                reasons.append(f"not as {target}, because no adapter leads there")
            elif not converted.losses:
                return target, converted
            else:
                best = best or (target, converted)
        if best is not None:
            return best
        if copied:
            return source, Converted(exact_json(value), beside)
        nothing = ["no format is accepted that anybody can write"]
        raise ConversionError(f"cannot convert {label} from {source}", reasons=reasons or nothing)

    def _attempt(
        self, value: Any, inspected: Any, route: tuple[str, str], context: ConversionContext
    ) -> Converted | None:
        source, target = route
        for member in self._by_target.get(target, ()):
            if member.it.source == HUB:
                given = inspected
            elif canonical_format(self._kind, member.it.source) == source:
                given = exact_json(value) if isinstance(value, dict) else value
            else:
                continue
            try:
                converted = member.it.convert(given, context)
            except CallboardError:
                raise
            except BaseException as error:  # the contributor's code
                raise member.raised("convert", error) from error
            if converted is None:
                continue
            if not isinstance(converted, Converted):
                raise member.fault(f"converted to {a_type(converted)} and not a Converted")
            return converted
        return None
