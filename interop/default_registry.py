"""The registry with the built-in formats, and the one that a request carries in its context.

This is the door of the room: what other rooms need to read and convert schemas, calls and results is
named here. ``DEFAULT_TOOL_INTEROP_REGISTRY`` knows nothing of a request: neither what its plugins
contribute nor which of its tools are freeform. Code that has a context asks the context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..base.validation import a_type
from .conversion import HUB, ConversionContext, Converted, Loss, LossCode, ToolInteropTarget
from .custom_wrapper import CustomToolWrapper
from .errors import InteropError
from .formats.built_in import BUILT_IN
from .registry.contribution import Tier, TieredContribution, ToolInteropContribution
from .registry.protocols import (
    CallAccessor,
    CallAdapter,
    ResultAccessor,
    ResultAdapter,
    SchemaAccessor,
    SchemaAdapter,
)
from .registry.tool_registry import ToolInteropRegistry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "DEFAULT_TOOL_INTEROP_REGISTRY",
    "HUB",
    "CallAccessor",
    "CallAdapter",
    "ConversionContext",
    "Converted",
    "CustomToolWrapper",
    "Loss",
    "LossCode",
    "ResultAccessor",
    "ResultAdapter",
    "SchemaAccessor",
    "SchemaAdapter",
    "Tier",
    "TieredContribution",
    "ToolInteropContribution",
    "ToolInteropRegistry",
    "ToolInteropTarget",
    "compose_registry",
    "get_registry_from_context",
    "get_schema_target_formats_from_context",
]


def compose_registry(
    contributions: Iterable[TieredContribution] = (), *, wrapper: CustomToolWrapper | None = None
) -> ToolInteropRegistry:
    """Return a registry of ``contributions`` above the built-in formats.

    Raises:
        ContributionError: an accessor or adapter lacks what its protocol asks for.
    """
    built_in = TieredContribution(Tier.BUILT_IN, "callboard", BUILT_IN)
    return ToolInteropRegistry((*contributions, built_in), wrapper or CustomToolWrapper())


DEFAULT_TOOL_INTEROP_REGISTRY: Final = compose_registry()
"""The built-in formats alone; a last resort for code that is bound to no request."""


def get_registry_from_context(context: Mapping[str, Any] | None) -> ToolInteropRegistry:
    """Return the request's registry, or the default one if the context carries none.

    Raises:
        InteropError: something else stands where the registry belongs.
    """
    registry = _interop_of(context).get("registry")
    if registry is None:
        return DEFAULT_TOOL_INTEROP_REGISTRY
    if not isinstance(registry, ToolInteropRegistry):
        raise InteropError(
            f"context['tool_interop']['registry'] is {a_type(registry)} and not a ToolInteropRegistry"
        )
    return registry


def get_schema_target_formats_from_context(context: Mapping[str, Any] | None) -> list[str] | None:
    """Return the schema formats that the request's provider stack accepts, best first.

    ``None`` if the context does not say, which leaves the choice to the target's family.
    """
    formats = _interop_of(context).get("schema_target_formats")
    return None if formats is None else list(formats)


def _interop_of(context: Mapping[str, Any] | None) -> Mapping[str, Any]:
    interop = (context or {}).get("tool_interop")
    return interop if interop is not None else {}
