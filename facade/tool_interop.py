"""Tool interop, under the name that providers and plugins import it by."""

from .interop.registry import (
    DEFAULT_TOOL_INTEROP_REGISTRY,
    CallAccessor,
    CallAdapter,
    ResultAccessor,
    ResultAdapter,
    SchemaAccessor,
    SchemaAdapter,
    ToolInteropContribution,
    ToolInteropRegistry,
    ToolInteropTarget,
    get_registry_from_context,
    get_schema_target_formats_from_context,
)

__all__ = [
    "DEFAULT_TOOL_INTEROP_REGISTRY",
    "CallAccessor",
    "CallAdapter",
    "ResultAccessor",
    "ResultAdapter",
    "SchemaAccessor",
    "SchemaAdapter",
    "ToolInteropContribution",
    "ToolInteropRegistry",
    "ToolInteropTarget",
    "get_registry_from_context",
    "get_schema_target_formats_from_context",
]
