"""Tool interop, under the name that providers and plugins import it by."""

from .interop.assembly.assembler import Assembler, StreamLimits
from .interop.assembly.event_bytes import EventReader, EventStreamError
from .interop.assembly.stream_errors import StreamError
from .interop.calls.arguments import parse_arguments, read_function_call
from .interop.default_registry import (
    DEFAULT_TOOL_INTEROP_REGISTRY,
    HUB,
    CallAccessor,
    CallAdapter,
    ConversionContext,
    Converted,
    Loss,
    LossCode,
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
from .interop.hub import InspectedCall, InspectedResult, InspectedSchema
from .interop.registry.request_conversion import RequestConversion
from .interop.results.text_fallback import as_text
from .interop.streams.calls import assembler
from .interop.transcripts.repair import repair_transcript
from .interop.transcripts.repair_report import Repair, RepairCode, Repaired

ToolResultAccessor = ResultAccessor
"""What the document of the interop flow calls a `ResultAccessor`; the same object."""

ToolResultAdapter = ResultAdapter
"""What the document of the interop flow calls a `ResultAdapter`; the same object."""

__all__ = [
    "DEFAULT_TOOL_INTEROP_REGISTRY",
    "HUB",
    "Assembler",
    "CallAccessor",
    "CallAdapter",
    "ConversionContext",
    "Converted",
    "EventReader",
    "EventStreamError",
    "InspectedCall",
    "InspectedResult",
    "InspectedSchema",
    "Loss",
    "LossCode",
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
    "ToolResultAccessor",
    "ToolResultAdapter",
    "as_text",
    "assembler",
    "get_registry_from_context",
    "get_schema_target_formats_from_context",
    "parse_arguments",
    "read_function_call",
    "repair_transcript",
]
