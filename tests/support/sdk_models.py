"""The providers' own models, as judges of what is written for them.

They are asked the way that tells the truth. TypedDicts with ``Iterable`` fields are validated lazily, so
everything that comes out is read to its end, while the adapter that made it is still alive. Gemini's
models only warn of a type they do not know, and raise ``AttributeError`` for a list of types. Botocore
does not look at greatest lengths, patterns and enumerations, though its service model states them:
these are read from that model here. What a ``Document`` holds is free.

No model of OpenAI's, Anthropic's or MCP's minds a key that it does not declare, though strict servers answer
400 to one. So each is asked for its JSON Schema too, which is closed: `closed`. Gemini's and botocore's refuse
such keys themselves.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import anthropic
import botocore.session
import jsonschema_rs
import mcp_types._v2025_11_25 as mcp_2025
import mcp_types._v2026_07_28 as mcp_2026
import openai
from ag_ui.core import ToolMessage as AgUiToolMessage
from anthropic.types import (
    ContentBlockParam,
    MessageParam,
    ToolResultBlockParam,
    ToolUnionParam,
    ToolUseBlockParam,
)
from anthropic.types import ToolParam as AnthropicToolParam
from anthropic.types.message_create_params import MessageCreateParamsStreaming
from botocore.validate import ParamValidator
from google.genai import types as gemini
from openai.types.chat import (
    ChatCompletionMessageParam,
    ChatCompletionMessageToolCallUnionParam,
    ChatCompletionToolMessageParam,
    ChatCompletionToolUnionParam,
)
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses import (
    CustomToolParam,
    FunctionToolParam,
    NamespaceToolParam,
    ResponseCustomToolCallOutputParam,
    ResponseCustomToolCallParam,
    ResponseFunctionToolCallParam,
    ResponseInputItemParam,
    ToolParam,
)
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from openai.types.responses.response_input_item_param import FunctionCallOutput
from pydantic import BaseModel, TypeAdapter, ValidationError

__all__ = ["JUDGES", "PARAMETERS", "anthropic", "message_refusals", "openai", "refusals"]

Judge = Callable[[Any], list[str]]

PARAMETERS = {
    "chat": CompletionCreateParamsStreaming,
    "responses": ResponseCreateParamsStreaming,
    "anthropic": MessageCreateParamsStreaming,
}
"""What a request of each kind may have."""


def refusals(kind: str, format_id: str, value: Any) -> list[str]:
    """Return what the provider's models have against a value; nothing, if they take it."""
    return JUDGES[kind, format_id](value)


@cache
def _adapter(of: Any) -> TypeAdapter[Any]:
    """Kept for good, and made when it is first needed: some take half a second."""
    return TypeAdapter(of)


def _typed(of: Any) -> Judge:
    def judge(value: Any) -> list[str]:
        adapter = _adapter(of)
        try:
            _drain(adapter.validate_python(value))
        except ValidationError as error:
            return [str(error)]
        return unknown_keys(adapter, value)

    return judge


def unknown_keys(adapter: TypeAdapter[Any], value: Any) -> list[str]:
    """Return what is against a value that a model takes, once the model takes no key that it does not declare."""
    validator = _closed_validator(adapter)
    return [f"{error.message:.300} at {error.instance_path}" for error in validator.iter_errors(value)]


@cache
def _closed_validator(adapter: TypeAdapter[Any]) -> Any:
    return jsonschema_rs.Draft202012Validator(closed(adapter.json_schema()))


def closed(schema: Any) -> Any:
    """Return a JSON Schema whose objects take none but their own keys, unless it says that they take others."""
    if not isinstance(schema, dict):
        return schema
    shut = {key: _closed_below(key, inner) for key, inner in schema.items()}
    return {"additionalProperties": False, **shut} if "properties" in schema else shut


def _closed_below(key: str, inner: Any) -> Any:
    if key in {"properties", "$defs"}:
        return {name: closed(each) for name, each in inner.items()}
    if key in {"anyOf", "oneOf", "allOf", "prefixItems"}:
        return [closed(each) for each in inner]
    return closed(inner) if key in {"items", "additionalProperties"} else inner


def _drain(value: Any) -> None:
    if isinstance(value, (str, bytes, BaseModel)):
        return
    if isinstance(value, Mapping):
        value = value.values()
    if isinstance(value, Iterable):
        for item in list(value):
            _drain(item)


def _model(of: type[BaseModel]) -> Judge:
    def judge(value: Any) -> list[str]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                of.model_validate(value)
        except (ValidationError, AttributeError, UserWarning) as error:
            return [str(error)]
        return [] if refuses_unknown else unknown_keys(_adapter(of), value)

    refuses_unknown = of.model_config.get("extra") == "forbid"
    return judge


@cache
def _bedrock() -> Any:
    return botocore.session.get_session().get_service_model("bedrock-runtime")


def _shape(name: str) -> Judge:
    def judge(value: Any) -> list[str]:
        shape = _bedrock().shape_for(name)
        report = ParamValidator().validate(value, shape)
        return ([report.generate_report()] if report.has_errors() else []) + list(_unmet(value, shape, name))

    return judge


def _unmet(value: Any, shape: Any, path: str) -> Iterable[str]:
    """Yield what the service model states and botocore does not look at."""
    if shape.type_name == "structure" and isinstance(value, dict) and not shape.is_document_type:
        for key, inner in value.items():
            if key in shape.members:
                yield from _unmet(inner, shape.members[key], f"{path}.{key}")
    elif shape.type_name == "list" and isinstance(value, list):
        for inner in value:
            yield from _unmet(inner, shape.member, f"{path}[]")
    elif shape.type_name == "string" and isinstance(value, str):
        stated = shape.metadata
        if len(value) > stated.get("max", len(value)):
            yield f"{path} is longer than {stated['max']}"
        if "pattern" in stated and not re.fullmatch(stated["pattern"], value):
            yield f"{path} does not match {stated['pattern']}"
        if shape.enum and value not in shape.enum:
            yield f"{path} is none of {shape.enum}"


JUDGES: dict[tuple[str, str], Judge] = {
    ("schema", "openai.chat_completions.function"): _typed(ChatCompletionToolUnionParam),
    ("schema", "openai.chat_completions.custom"): _typed(ChatCompletionToolUnionParam),
    ("schema", "openai.responses.function"): _typed(FunctionToolParam),
    ("schema", "openai.responses.custom.tool_schema"): _typed(CustomToolParam),
    ("schema", "openai.responses.namespace"): _typed(NamespaceToolParam),
    ("schema", "openai.responses.hosted"): _typed(ToolParam),
    ("schema", "anthropic.messages.hosted"): _typed(ToolUnionParam),
    ("schema", "gemini.generate_content.hosted"): _model(gemini.Tool),
    ("schema", "bedrock.converse.hosted"): _shape("Tool"),
    ("schema", "anthropic.messages.tool"): _typed(AnthropicToolParam),
    ("schema", "gemini.generate_content.function"): _model(gemini.FunctionDeclaration),
    ("schema", "gemini.generate_content.function_openapi"): _model(gemini.FunctionDeclaration),
    ("schema", "bedrock.converse.tool"): _shape("Tool"),
    ("schema", "mcp.2025_11_25.tool"): _model(mcp_2025.Tool),
    ("schema", "mcp.2026_07_28.tool"): _model(mcp_2026.Tool),
    ("call", "openai.chat_completions.function"): _typed(ChatCompletionMessageToolCallUnionParam),
    ("call", "openai.chat_completions.custom"): _typed(ChatCompletionMessageToolCallUnionParam),
    ("call", "openai.responses.function"): _typed(ResponseFunctionToolCallParam),
    ("call", "openai.responses.custom"): _typed(ResponseCustomToolCallParam),
    ("call", "anthropic.messages.tool"): _typed(ToolUseBlockParam),
    ("call", "gemini.generate_content.function"): _model(gemini.Part),
    ("call", "bedrock.converse.tool"): _shape("ContentBlock"),
    ("call", "mcp.2025_11_25.tool"): lambda value: _model(mcp_2025.CallToolRequestParams)(value["params"]),
    ("call", "openai.responses.hosted"): _typed(ResponseInputItemParam),
    ("call", "openai.responses.action"): _typed(ResponseInputItemParam),
    ("call", "anthropic.messages.hosted"): _typed(ContentBlockParam),
    ("call", "gemini.generate_content.hosted"): _model(gemini.Part),
    ("call", "bedrock.converse.hosted"): _shape("ContentBlock"),
    ("result", "openai.responses.hosted"): _typed(ResponseInputItemParam),
    ("result", "openai.responses.action"): _typed(ResponseInputItemParam),
    ("result", "anthropic.messages.hosted"): _typed(ContentBlockParam),
    ("result", "gemini.generate_content.hosted"): _model(gemini.Part),
    ("result", "openai.chat_completions.function"): _typed(ChatCompletionToolMessageParam),
    ("result", "openai.responses.function"): _typed(FunctionCallOutput),
    ("result", "openai.responses.custom"): _typed(ResponseCustomToolCallOutputParam),
    ("result", "anthropic.messages.tool"): _typed(ToolResultBlockParam),
    ("result", "gemini.generate_content.function"): _model(gemini.Part),
    ("result", "bedrock.converse.tool"): _shape("ContentBlock"),
    ("result", "mcp.2025_11_25.tool"): _model(mcp_2025.CallToolResult),
    ("result", "mcp.2026_07_28.tool"): _model(mcp_2026.CallToolResult),
    ("result", "ag_ui.tool"): _model(AgUiToolMessage),
}
"""For each kind and format: who judges. Formats that have no provider are not here."""

_MESSAGES: dict[str, Judge] = {
    "openai.chat_completions": _typed(ChatCompletionMessageParam),
    "openai.responses": _typed(ResponseInputItemParam),
    "anthropic.messages": _typed(MessageParam),
    "bedrock.converse": _shape("Message"),
    "gemini.generate_content": _model(gemini.Content),
}


def message_refusals(family: str, message: Any) -> list[str]:
    """Return what the provider's models have against one message, or item, of a history."""
    return _MESSAGES[family](message)
