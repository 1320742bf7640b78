"""Google Gemini: function declarations with a JSON Schema, ``functionCall`` and ``functionResponse`` parts.

A call may lack an id and its arguments, and a response needs the tool's name, which other providers'
results lack. ``thoughtSignature`` stands beside the call, on the part; Gemini refuses a replay without
it, so that who converts such a call elsewhere and back has to keep the part. Calls of anybody else's have none:
for Gemini 3, which refuses them so, they bear the sentinel that its documents name for histories of other models.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Final

from ..calls.argument_place import arguments_of
from ..calls.arguments import leftovers, malformed, read_function_call
from ..calls.object_calls import argument_object, replayable_object
from ..calls.writing_calls import lost_metadata, lost_namespace
from ..conversion import HUB, ConversionContext, Converted, Loss, LossCode, lost_extras
from ..errors import ConversionError
from ..exact_json import exact_json
from ..format_ids import GEMINI, GEMINI_FUNCTION
from ..hub import InspectedCall, InspectedResult, InspectedSchema
from ..names.gemini_spelling import as_base64, beside, said, spelt
from ..results.text_fallback import native_content
from ..schemas.function_schemas import as_function, kept_extras
from ..schemas.shapes import breach, optional_object, optional_text, required_name
from .gemini_content import read_response, write_response
from .gemini_openapi import SHARED

_PAIRS: Final = (
    ("parametersJsonSchema", "parameters_json_schema", "parameters"),
    ("responseJsonSchema", "response_json_schema", "response"),
)
SENTINEL: Final = "skip_thought_signature_validator"
"""Stands for the signature of a call that Gemini did not make, by its documents."""

_SIGNING = re.compile(r"gemini-(?:(?:[3-9]|[1-9][0-9]+)(?![0-9])|(?:pro|flash|flash-lite)-latest$)")
"""Models that refuse a call without a signature: from Gemini 3 on."""

_OF_A_CALL: Final = ("name", "id", "partialArgs", "partial_args", "willContinue", "will_continue")

_BARE: Final = frozenset({"name", "description", "behavior", *_PAIRS[1]})


class GeminiSchemas:
    """Reads declarations with a JSON Schema, in the wire's spelling or the Python SDK's."""

    format: ClassVar[str] = GEMINI_FUNCTION
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """A key that nobody else has; or no schema at all, which nobody else allows."""
        if value.get("parametersJsonSchema") is not None or value.get("parameters_json_schema") is not None:
            return True
        if not isinstance(value.get("name"), str):
            return False
        return value.keys() <= _BARE or {key for key, item in value.items() if item is not None} <= _BARE

    def inspect(self, value: dict[str, Any]) -> InspectedSchema:
        """Return what is declared."""
        parameters, response = (_only_one(value, spellings) for spellings in _PAIRS)
        known = ("name", "description", parameters, response)
        extras = {key: item for key, item in leftovers(value, known).items() if item is not None}
        return InspectedSchema(
            format=GEMINI_FUNCTION,
            name=required_name(GEMINI_FUNCTION, value),
            description=optional_text(GEMINI_FUNCTION, value, "description"),
            parameters=optional_object(GEMINI_FUNCTION, value, parameters),
            output_schema=optional_object(GEMINI_FUNCTION, value, response),
            extras={GEMINI_FUNCTION: extras} if extras else {},
        )


class ToGeminiSchema:
    """Writes declarations with a JSON Schema; freeform tools are wrapped."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = GEMINI_FUNCTION

    def convert(self, value: InspectedSchema, context: ConversionContext) -> Converted:
        """Return the declaration."""
        function = as_function(value, context, output_schema=True, extras_of=GEMINI)
        kept, lost = kept_extras(value, GEMINI, SHARED)
        declaration: dict[str, Any] = {"name": function.name}
        if function.description is not None:
            declaration["description"] = function.description
        if function.parameters is not None:
            declaration["parametersJsonSchema"] = function.of_object
        if value.output_schema is not None:
            declaration["responseJsonSchema"] = value.output_schema
        return Converted({**declaration, **kept}, function.losses + lost)


class GeminiCalls:
    """Reads ``functionCall`` parts."""

    format: ClassVar[str] = GEMINI_FUNCTION
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """The key says it all."""
        return isinstance(said(value, "functionCall"), dict)

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        """Return what is asked for; ``thought_signature`` is among the metadata. A piece of a streamed call is malformed."""
        call = said(value, "functionCall")
        metadata: dict[str, Any] = {}
        signature = as_base64(said(value, "thoughtSignature"))
        if signature is not None and signature != SENTINEL:
            metadata["thought_signature"] = exact_json(signature, what="$.thoughtSignature")
        extras = leftovers(beside(value, "functionCall", "thoughtSignature"), ())
        inner = leftovers(beside(call, "name", "args", "id"), ())
        if inner:
            extras["functionCall"] = inner
        if extras:
            metadata["extras"] = extras
        arguments = arguments_of(call, "args", _OF_A_CALL, required=False, around=value)
        if said(call, "willContinue") or said(call, "partialArgs"):
            arguments = malformed(arguments.raw, "cut_off", "the call is not whole: more of it was to come")
        return read_function_call(
            GEMINI_FUNCTION, call.get("id"), call.get("name"), arguments, metadata=metadata
        )

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the call, or a copy of it whose ``args`` are an object or missing."""
        key = spelt(value, "functionCall")
        call = value[key]
        clean = None if call.get("args") is None else replayable_object(call, "args")
        if clean is None:
            return value
        copy: dict[str, Any] = exact_json({**value, key: {**call, "args": clean}})
        return copy


class ToGeminiCall:
    """Writes ``functionCall`` parts, with an id only where the source has one, and a sentinel where one is asked for."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = GEMINI_FUNCTION

    def convert(self, value: InspectedCall, context: ConversionContext) -> Converted:
        """Return the call as a part."""
        if value.tool_name is None:
            raise ConversionError("it names no tool")
        arguments, losses = argument_object(value, context)
        call = {"name": value.tool_name, "args": arguments}
        if value.call_id is not None:
            call["id"] = value.call_id
        part: dict[str, Any] = {"functionCall": call}
        losses += lost_metadata(value) + lost_namespace(value)
        if _SIGNING.search(context.target.model or ""):
            part["thoughtSignature"] = SENTINEL
            losses += (Loss(LossCode.SIGNATURE, "the model did not make this call, and is told so"),)
        return Converted(part, losses)


class GeminiResults:
    """Reads ``functionResponse`` parts."""

    format: ClassVar[str] = GEMINI_FUNCTION
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """The key says it all."""
        return isinstance(said(value, "functionResponse"), dict)

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return what the model is told."""
        response = said(value, "functionResponse")
        call_id, name = response.get("id"), response.get("name")
        parts, failed = read_response(GEMINI_FUNCTION, response)
        extras = leftovers(beside(value, "functionResponse"), ())
        inner = leftovers(beside(response, "id", "name", "response", "parts"), ())
        if inner:
            extras["functionResponse"] = inner
        return InspectedResult(
            format=GEMINI_FUNCTION,
            call_id=call_id if isinstance(call_id, str) and call_id else None,
            tool_name=name if isinstance(name, str) and name else None,
            parts=parts,
            is_error=failed,
            extras={GEMINI_FUNCTION: extras} if extras else {},
        )


class ToGeminiResult:
    """Writes ``functionResponse`` parts."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = GEMINI_FUNCTION

    def convert(self, value: InspectedResult, context: ConversionContext) -> Converted:
        """Return the result as a part; an object written for Gemini goes in untouched."""
        if value.tool_name is None:
            raise ConversionError("it does not say which tool ran: give the call, or a core tool message")
        native = native_content(value, GEMINI)
        if native is not None and not isinstance(native[0], dict):
            raise ConversionError("content that is written for Gemini must be the object of its response")
        said, media, losses = (native[0], [], native[1]) if native else write_response(value)
        response: dict[str, Any] = {"name": value.tool_name, "response": said}
        if value.call_id is not None:
            response["id"] = value.call_id
        if media:
            response["parts"] = media
        return Converted({"functionResponse": response}, losses + lost_extras(value.extras))


def _only_one(value: dict[str, Any], spellings: tuple[str, ...]) -> str:
    """Return the spelling that is there, or the first if none is.

    Raises:
        InvalidShapeError: there are two, of which the server takes one.
    """
    there = [key for key in spellings if value.get(key) is not None]
    if len(there) > 1:
        raise breach(GEMINI_FUNCTION, value, f"{there[0]!r} and {there[1]!r} exclude each other")
    # A response in the older language stands among the extras.
    return next((key for key in there if key != spellings[-1]), spellings[0])
