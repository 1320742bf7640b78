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
from .interop.request_conversion import RequestConversion
from .interop.streams.assembler import Assembler, StreamLimits
from .interop.streams.calls import assembler
from .interop.streams.errors import StreamError
from .interop.streams.event_bytes import EventReader
from .interop.transcript import repair_transcript
from .interop.transcript_repairs import Repair, RepairCode, Repaired

__all__ = [
    "DEFAULT_TOOL_INTEROP_REGISTRY",
    "Assembler",
    "CallAccessor",
    "CallAdapter",
    "EventReader",
    "Repair",
    "RepairCode",
    "Repaired",
    "RequestConversion",
    "ResultAccessor",
    "ResultAdapter",
    "SchemaAccessor",
    "SchemaAdapter",
    "StreamError",
    "StreamLimits",
    "ToolInteropContribution",
    "ToolInteropRegistry",
    "ToolInteropTarget",
    "assembler",
    "get_registry_from_context",
    "get_schema_target_formats_from_context",
    "repair_transcript",
]
