"""What can go wrong between wire formats, each with the facts as attributes.

    CallboardError
    └── InteropError
        ├── UnknownFormatError     nobody knows what this value is
        ├── InvalidShapeError      the format is known, and the value breaks it
        ├── ContributionError      an accessor or adapter cannot be used, or failed at its work
        ├── UncheckableSchemaError no arguments can be held to this schema
        └── ConversionError        no accepted format can say this
            ├── HostedError        only one provider has such a tool, and it is another
            └── LossRefusedError   one could, but only with losses that the caller refuses

A call whose *arguments* are broken is no error here: it inspects as ``malformed``, so that the
model can be told. These errors are for values that are no schema, call or result at all.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from ..base.errors import CallboardError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .conversion import Loss

Kind = Literal["schema", "call", "result"]
"""What a value is to be read as: a tool declaration, a tool call, or a tool result."""


class InteropError(CallboardError):
    """Root of the errors of wire formats."""


class UnknownFormatError(InteropError):
    """No accessor claims the value: it is not of the kind asked for, or in a format nobody contributed.

    Attributes:
        kind: what it was to be read as.
        found: what was found instead, in words.
        hint: the format the caller said it has, if any.
    """

    def __init__(self, kind: Kind, value: object, *, hint: str | None = None) -> None:
        found = describe(value)
        wanted = f"tool {kind}" if hint is None else f"tool {kind} of format {hint!r}"
        remedy = f"Contribute a {kind} accessor for it, or correct the value"
        if hasattr(type(value), "model_dump"):  # pydantic's, as the objects of the providers' SDKs have it
            remedy = "Give what its .model_dump() returns"
        super().__init__(f"no known {wanted}: found {found}. {remedy}")
        self.kind = kind
        self.found = found
        self.hint = hint


class InvalidShapeError(InteropError):
    """The value is of a known format but breaks it.

    Attributes:
        format: the format that claims the value.
        problem: what is wrong, naming the key.
    """

    def __init__(self, format_id: str, problem: str) -> None:
        super().__init__(f"invalid {format_id}: {problem}")
        self.format = format_id
        self.problem = problem


class ContributionError(InteropError):
    """An accessor or adapter breaks its protocol, or raised while it was asked.

    It is never taken for "not mine": that would hide the bug behind a lower tier.

    Attributes:
        contributor: who contributed it, with its tier, as in ``tool 'my_patch'``.
        member: the accessor or adapter, as text.
    """

    def __init__(self, contributor: str, member: str, problem: str) -> None:
        super().__init__(f"{member}, contributed by {contributor}, {problem}")
        self.contributor = contributor
        self.member = member


class UncheckableSchemaError(InteropError):
    """Arguments cannot be held to a schema: it is none, leads out of itself, or would take too long.

    The tool is served all the same, and its arguments go to it unchecked.

    Attributes:
        why: a sentence about the schema.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class ConversionError(InteropError):
    """A schema, call or result cannot be said in any of the accepted formats.

    An adapter raises it to refuse a value for good; the registry then tries the next accepted format.

    Attributes:
        reasons: one sentence for each format that was tried.
    """

    def __init__(self, message: str, *, reasons: Sequence[str] = ()) -> None:
        super().__init__(message if not reasons else f"{message}: {'; '.join(reasons)}")
        self.reasons: tuple[str, ...] = tuple(reasons)


class HostedError(ConversionError):
    """A tool that only one provider has, or what is said of it, cannot be said to another.

    Where several values are converted it is left out, and the loss declared.

    Attributes:
        losses: that loss.
    """

    def __init__(self, message: str, losses: Sequence[Loss]) -> None:
        super().__init__(message)
        self.losses: tuple[Loss, ...] = tuple(losses)


class LossRefusedError(ConversionError):
    """The conversion is possible only with losses, and the caller refuses any.

    Attributes:
        losses: what would have been lost.
    """

    def __init__(self, message: str, losses: Sequence[Loss]) -> None:
        super().__init__(message, reasons=[f"{loss.code} ({loss.detail})" for loss in losses])
        self.losses: tuple[Loss, ...] = tuple(losses)


_MOST_KEYS = 8
_MOST_CHARS = 60


def describe(value: Any) -> str:
    """Say in a few words what a value is; safe for any value, however large or hostile."""
    if not isinstance(value, dict):
        return f"a value of type {type(value).__name__}"
    if not value:
        return "an empty object"
    keys = [_short(key) for key in islice(value, _MOST_KEYS)]
    more = ", …" if len(value) > _MOST_KEYS else ""
    stated, name = value.get("type"), value.get("name")
    kind = f" of type {_short(stated)}" if isinstance(stated, str) else ""
    named = f" named {_short(name)}" if isinstance(name, str) else ""
    return f"an object{kind}{named} with the keys {', '.join(keys)}{more}"


def _short(value: object) -> str:
    if not isinstance(value, str):
        return f"<{type(value).__name__}>"
    return ascii(value if len(value) <= _MOST_CHARS else value[:_MOST_CHARS] + "…")
