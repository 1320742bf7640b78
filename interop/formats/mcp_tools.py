"""The Model Context Protocol: tools, ``tools/call`` and its results, in the revisions 2025-11-25 and 2026-07-28.

A value is read as the older revision's if that can say it, for nothing on it tells which was agreed.
What only the newer one can say: a ``resultType``, structured content that is no object, a result schema
that is none. It is written only where it is named; peers agree on a revision before any tool is told.

A call has no id of its own: that of the request belongs to the transport.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Final

from ..calls.argument_place import arguments_of
from ..calls.arguments import leftovers, read_function_call
from ..calls.object_calls import argument_object, replayable_object
from ..calls.writing_calls import lost_metadata, lost_namespace
from ..conversion import HUB, ConversionContext, Converted, Loss, LossCode, lost_extras
from ..errors import ConversionError
from ..exact_json import exact_json, json_text
from ..format_ids import MCP, MCP_2025, MCP_2026, MCP_SAMPLING, belongs_to
from ..hub import InspectedCall, InspectedResult, InspectedSchema
from ..parts import JsonPart, ResultPart, TextPart, UnreadPart
from ..results.structured import with_structure
from ..results.text_fallback import native_content, write_parts
from ..schemas.function_schemas import as_function, kept_extras
from ..schemas.shapes import optional_object, optional_text, required_name, result_flag
from .mcp_content import read_blocks, write_block

_DECLARED: Final = ("name", "description", "inputSchema", "outputSchema")
_SHARED: Final = ("title", "annotations", "icons", "_meta")
_PARAMS: Final = frozenset({"name", "arguments", "_meta", "task", "inputResponses", "requestState"})


_OF_A_TASK: Final = frozenset({"task", "_meta"})


class McpSchemas:
    """Reads tool declarations of one revision."""

    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})
    __slots__ = ("format",)

    def __init__(self, revision: str) -> None:
        self.format: str = revision

    def matches(self, value: dict[str, Any]) -> bool:
        """The key of the schema says MCP, and what else there is says which."""
        if not isinstance(value.get("inputSchema"), dict):
            return False
        output = value.get("outputSchema")
        newer = isinstance(output, dict) and output.get("type") != "object"
        return newer is (self.format == MCP_2026)

    def inspect(self, value: dict[str, Any]) -> InspectedSchema:
        """Return what is declared."""
        extras = leftovers(value, _DECLARED)
        return InspectedSchema(
            format=self.format,
            name=required_name(self.format, value),
            description=optional_text(self.format, value, "description"),
            parameters=optional_object(self.format, value, "inputSchema"),
            output_schema=optional_object(self.format, value, "outputSchema"),
            extras={self.format: extras} if extras else {},
        )


class ToMcpSchema:
    """Writes tool declarations of one revision; freeform tools are wrapped."""

    source: ClassVar[str] = HUB
    __slots__ = ("target",)

    def __init__(self, revision: str) -> None:
        self.target: str = revision

    def convert(self, value: InspectedSchema, context: ConversionContext) -> Converted:
        """Return the declaration as a tool of MCP."""
        function = as_function(value, context, output_schema=True, extras_of=MCP)
        known = _SHARED if self.target == MCP_2026 else (*_SHARED, "execution")
        kept, lost = kept_extras(value, MCP, known)
        schema = function.of_object
        if self.target == MCP_2025:
            _must_be_plain(schema)
        tool: dict[str, Any] = {"name": function.name}
        if function.description is not None:
            tool["description"] = function.description
        tool["inputSchema"] = schema
        losses = function.losses + lost
        output = value.output_schema
        if output is not None and self.target == MCP_2025 and not _is_plain(output):
            losses += (Loss(LossCode.OUTPUT_SCHEMA, "it is not of an object"),)
        elif output is not None:
            tool["outputSchema"] = output
        return Converted({**tool, **kept}, losses)


class McpCalls:
    """Reads the parameters of ``tools/call``, alone or in their request; both revisions are alike."""

    format: ClassVar[str] = MCP_2025
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """The method says it, or a name with arguments and without an id; text would be the older way of Chat."""
        if "method" in value:
            return value["method"] == "tools/call" and isinstance(value.get("params"), dict)
        given = "name" in value and value.get("arguments") is not None and value.keys() <= _PARAMS
        return given and not isinstance(value["arguments"], str)

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        """Return what is asked for; the request's id is the transport's, and not the call's."""
        params = value.get("params", value)
        extras = leftovers(params, ("name", "arguments"))
        arguments = arguments_of(params, "arguments", _PARAMS, required=False, around=value)
        metadata = {"extras": extras} if extras else {}
        return read_function_call(MCP_2025, None, params.get("name"), arguments, metadata=metadata)

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the call, or a copy of it whose arguments are an object or missing."""
        params = value.get("params", value)
        clean = None if params.get("arguments") is None else replayable_object(params, "arguments")
        if clean is None:
            return value
        mended = {**params, "arguments": clean}
        copy: dict[str, Any] = exact_json({**value, "params": mended} if "params" in value else mended)
        return copy


class ToMcpCall:
    """Writes the method and the parameters of ``tools/call``; the transport adds the rest."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = MCP_2025

    def convert(self, value: InspectedCall, context: ConversionContext) -> Converted:
        """Return the call as a request without its id."""
        if value.tool_name is None:
            raise ConversionError("it names no tool")
        arguments, losses = argument_object(value, context)
        if value.call_id is not None:
            losses += (Loss(LossCode.CALL_ID, "a call has none here: keep it beside the request"),)
        call = {"method": "tools/call", "params": {"name": value.tool_name, "arguments": arguments}}
        return Converted(call, losses + lost_metadata(value) + lost_namespace(value))


class McpResults:
    """Reads results of one revision, or those of sampling, which bear the id of a call."""

    __slots__ = ("discriminators", "format")

    def __init__(self, format_id: str) -> None:
        self.format: str = format_id
        self.discriminators: frozenset[str | None] = frozenset(
            {"tool_result" if format_id == MCP_SAMPLING else None}
        )

    def matches(self, value: dict[str, Any]) -> bool:
        """Content without a role, or structured content; what else there is says which revision."""
        if self.format == MCP_SAMPLING:
            return "toolUseId" in value
        listed = isinstance(value.get("content"), list) and "role" not in value
        if not listed and "structuredContent" not in value and _pending(value) is None:
            return False
        newer = "resultType" in value or not isinstance(value.get("structuredContent"), dict | None)
        return newer is (self.format == MCP_2026)

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return what the model is told: the content, or the structured content if there is no other.

        Where there is no result yet, that is what is told, by what the server calls it.
        """
        parts: tuple[ResultPart, ...] = read_blocks(self.format, value.get("content"))
        pending = _pending(value)
        if pending is not None:
            parts = (*parts, UnreadPart(pending))
        structured = value.get("structuredContent")
        data = None if structured is None else JsonPart(exact_json(structured, what="$.structuredContent"))
        call_id = value.get("toolUseId")
        known = ("content", "structuredContent", "isError", "resultType", "type", "toolUseId")
        extras = leftovers(value, known)
        return InspectedResult(
            format=self.format,
            call_id=call_id if isinstance(call_id, str) and call_id else None,
            parts=parts if parts or data is None else (data,),
            is_error=result_flag(self.format, value, "isError"),
            structured=data,
            extras={self.format: extras} if extras else {},
        )


class ToMcpResult:
    """Writes results of one revision.

    Data are said twice, as the protocol asks: as structured content, and as text for older clients.
    """

    source: ClassVar[str] = HUB
    __slots__ = ("target",)

    def __init__(self, revision: str) -> None:
        self.target: str = revision

    def convert(self, value: InspectedResult, context: ConversionContext) -> Converted:
        """Return the result; which call it answers is the transport's affair."""
        data, told = self._structured(value)
        native = native_content(value, MCP, flagged=True)
        content, losses = native or write_parts(told, write_block, flagged=True, keeps=())
        if native is None and any(block["type"] == "resource_link" for block in content):
            losses += (Loss(LossCode.MEDIA, "an address became a link, which a client may follow or not"),)
        result: dict[str, Any] = {"content": content}
        if data is not None:
            result["structuredContent"] = exact_json(data.value)
        if value.is_error is not None:
            result["isError"] = value.is_error
        if self.target == MCP_2026:
            result["resultType"] = "complete"
        if value.call_id is not None:
            losses += (Loss(LossCode.CALL_ID, "a result has none here"),)
        kept = {source: keys for source, keys in value.extras.items() if belongs_to(source, MCP)}
        meta = {k: item for keys in kept.values() for k, item in keys.items() if k == "_meta"}
        lost = {
            source: {key: item for key, item in keys.items() if source not in kept or key not in meta}
            for source, keys in value.extras.items()
        }
        return Converted({**result, **meta}, losses + lost_extras(lost))

    def _structured(self, value: InspectedResult) -> tuple[JsonPart | None, InspectedResult]:
        """Return the data, if the revision takes them, and the result with its text in their place."""
        found = [part for part in with_structure(value).parts if isinstance(part, JsonPart)]
        data = value.structured or (found[0] if len(found) == 1 else None)
        if data is None or (self.target == MCP_2025 and not isinstance(data.value, dict)):
            return None, value
        return data, _spelt_out(value, data)


def _pending(value: dict[str, Any]) -> str | None:
    """Return what a server says in place of a result: that it asks for input, or has begun a task; else ``None``."""
    stated = value.get("resultType", "complete")
    if stated != "complete":
        return stated if isinstance(stated, str) and stated else "a result of no known type"
    return "task" if isinstance(value.get("task"), dict) and value.keys() <= _OF_A_TASK else None


def _spelt_out(value: InspectedResult, data: JsonPart) -> InspectedResult:
    parts = tuple(TextPart(json_text(part.value)) if part == data else part for part in value.parts)
    return replace(value, parts=parts, structured=None)


def _is_plain(schema: Any) -> bool:
    properties = schema.get("properties", {}) if isinstance(schema, dict) else None
    return (
        isinstance(properties, dict)
        and schema.get("type") == "object"
        and all(isinstance(item, dict | bool) for item in properties.values())
    )


def _must_be_plain(schema: dict[str, Any]) -> None:
    required = schema.get("required", [])
    strings = isinstance(required, list) and all(isinstance(name, str) for name in required)
    if not _is_plain(schema) or not strings:
        raise ConversionError(
            "'properties' of its schema must be an object of schemas, and 'required' a list of names"
        )
