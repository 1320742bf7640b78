"""AWS Bedrock Converse: ``toolSpec``, ``toolUse`` and ``toolResult``, each under its one key.

A description must not be empty, so an empty one is left out. ``status`` is the error flag. Values are
those of the wire, not of boto3, which differ in one thing: bytes are base64 text here.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..calls.argument_place import arguments_of
from ..calls.arguments import leftovers, read_function_call
from ..calls.object_calls import argument_object, replayable_object
from ..calls.writing_calls import identity_of, lost_metadata, lost_namespace
from ..conversion import HUB, ConversionContext, Converted, Loss, LossCode, lost_extras
from ..errors import InvalidShapeError
from ..exact_json import exact_json
from ..format_ids import BEDROCK_CONVERSE, BEDROCK_TOOL
from ..hub import InspectedCall, InspectedResult, InspectedSchema
from ..results.structured import with_structure
from ..results.text_fallback import answered_call, native_content, write_parts
from ..schemas.function_schemas import as_function
from ..schemas.shapes import breach, optional_flag, optional_object, optional_text, required_name
from .bedrock_content import read_blocks, write_block

_FLAGS: dict[Any, bool | None] = {"success": False, "error": True, None: None}
_STATUS = {False: "success", True: "error"}


class BedrockSchemas:
    """Reads tool declarations."""

    format: ClassVar[str] = BEDROCK_TOOL
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """The key says it all."""
        return isinstance(value.get("toolSpec"), dict)

    def inspect(self, value: dict[str, Any]) -> InspectedSchema:
        """Return what is declared."""
        spec = value["toolSpec"]
        extras = leftovers(value, ("toolSpec",))
        inner = leftovers(spec, ("name", "description", "inputSchema", "strict"))
        if inner:
            extras["toolSpec"] = inner
        name = required_name(BEDROCK_TOOL, spec)
        schema = spec.get("inputSchema")
        if not isinstance(schema, dict) or not isinstance(schema.get("json"), dict):
            raise breach(BEDROCK_TOOL, spec, "'inputSchema' must be an object with an object 'json'")
        return InspectedSchema(
            format=BEDROCK_TOOL,
            name=name,
            description=optional_text(BEDROCK_TOOL, spec, "description"),
            parameters=optional_object(BEDROCK_TOOL, {"name": name, **schema}, "json"),
            strict=optional_flag(BEDROCK_TOOL, spec, "strict"),
            extras={BEDROCK_TOOL: extras} if extras else {},
        )


class ToBedrockSchema:
    """Writes tool declarations; freeform tools are wrapped."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = BEDROCK_TOOL

    def convert(self, value: InspectedSchema, context: ConversionContext) -> Converted:
        """Return the declaration as a ``toolSpec``."""
        function = as_function(value, context, strict=True)
        losses = function.losses
        spec: dict[str, Any] = {"name": function.name}
        if function.description:
            spec["description"] = function.description
        elif function.description is not None:
            losses += (Loss(LossCode.DESCRIPTION, "an empty description is left out"),)
        spec["inputSchema"] = {"json": function.of_object}
        if value.strict is not None:
            spec["strict"] = value.strict
        return Converted({"toolSpec": spec}, losses)


class BedrockCalls:
    """Reads ``toolUse`` blocks."""

    format: ClassVar[str] = BEDROCK_TOOL
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """The key says it, but for tools that the model's host runs."""
        use = value.get("toolUse")
        return isinstance(use, dict) and use.get("type") != "server_tool_use"

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        """Return what is asked for; text in place of ``input`` is read as its JSON."""
        use = value["toolUse"]
        extras = leftovers(value, ("toolUse",))
        inner = leftovers(use, ("toolUseId", "name", "input"))
        if inner:
            extras["toolUse"] = inner
        return read_function_call(
            BEDROCK_TOOL,
            use.get("toolUseId"),
            use.get("name"),
            arguments_of(use, "input", ("toolUseId", "name", "type"), required=True, around=value),
            metadata={"extras": extras} if extras else {},
        )

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the call, or a copy of it whose ``input`` is an object."""
        clean = replayable_object(value["toolUse"], "input")
        if clean is None:
            return value
        copy: dict[str, Any] = exact_json({**value, "toolUse": {**value["toolUse"], "input": clean}})
        return copy


class ToBedrockCall:
    """Writes ``toolUse`` blocks; raw input is wrapped if it may be."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = BEDROCK_TOOL

    def convert(self, value: InspectedCall, context: ConversionContext) -> Converted:
        """Return the call as a ``toolUse`` block."""
        call_id, name = identity_of(value)
        arguments, losses = argument_object(value, context)
        use = {"toolUseId": call_id, "name": name, "input": arguments}
        return Converted({"toolUse": use}, losses + lost_metadata(value) + lost_namespace(value))


class BedrockResults:
    """Reads ``toolResult`` blocks."""

    format: ClassVar[str] = BEDROCK_TOOL
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """The key says it, unless it stands in the core's own message, where it holds any result."""
        return isinstance(value.get("toolResult"), dict) and "role" not in value

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return what the model is told."""
        result = value["toolResult"]
        call_id, status = result.get("toolUseId"), result.get("status")
        if not isinstance(status, str | None) or status not in _FLAGS:
            raise InvalidShapeError(BEDROCK_TOOL, "'status' must be 'success' or 'error'")
        extras = leftovers(value, ("toolResult",))
        inner = leftovers(result, ("toolUseId", "content", "status"))
        if inner:
            extras["toolResult"] = inner
        return InspectedResult(
            format=BEDROCK_TOOL,
            call_id=call_id if isinstance(call_id, str) and call_id else None,
            parts=read_blocks(BEDROCK_TOOL, result.get("content")),
            is_error=_FLAGS[status],
            extras={BEDROCK_TOOL: extras} if extras else {},
        )


class ToBedrockResult:
    """Writes ``toolResult`` blocks, which belong into a user's message."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = BEDROCK_TOOL

    def convert(self, value: InspectedResult, context: ConversionContext) -> Converted:
        """Return the result as a block; content written for Bedrock goes in untouched."""
        result: dict[str, Any] = {"toolUseId": answered_call(value)}
        content, losses = native_content(value, BEDROCK_CONVERSE, flagged=True) or write_parts(
            with_structure(value), write_block, flagged=True, keeps=()
        )
        result["content"] = content
        if value.is_error is not None:
            result["status"] = _STATUS[value.is_error]
        return Converted({"toolResult": result}, losses + lost_extras(value.extras))
