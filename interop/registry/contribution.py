"""What a plugin adds to the formats, and in which order contributions are asked.

Precedence is by tier, and within a tier by order of registration. The specification puts providers,
their extensions and tools into one middle rank; the order among them is the one it lists them in.
Contributions add: a tier that does not claim a value lets it fall through to the next.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from ...base.frozen import frozen

if TYPE_CHECKING:
    from .protocols import (
        CallAccessor,
        CallAdapter,
        ResultAccessor,
        ResultAdapter,
        SchemaAccessor,
        SchemaAdapter,
    )


class Tier(IntEnum):
    """Who is asked first; lower is earlier."""

    EXPLICIT = 0
    PROVIDER = 1
    EXTENSION = 2
    TOOL = 3
    BUILT_IN = 4
    ELSEWHERE = 5
    """Formats of providers that a request is not for: known so that the schemas of tools can be read."""


@frozen
class ToolInteropContribution:
    """What one contributor adds; whatever is left out is empty."""

    schema_accessors: tuple[SchemaAccessor, ...] = ()
    call_accessors: tuple[CallAccessor, ...] = ()
    result_accessors: tuple[ResultAccessor, ...] = ()
    schema_adapters: tuple[SchemaAdapter, ...] = ()
    call_adapters: tuple[CallAdapter, ...] = ()
    result_adapters: tuple[ResultAdapter, ...] = ()


@frozen
class TieredContribution:
    """A contribution with its rank.

    Attributes:
        tier: when it is asked.
        contributor: whose it is, for errors: a plugin's name, or ``configuration``.
    """

    tier: Tier
    contributor: str
    contribution: ToolInteropContribution

    def __str__(self) -> str:
        return f"{self.tier.name.lower().replace('_', '-')} {self.contributor!r}"
