"""What the providers' servers accept, checked by hand: keys, types, lengths, and JSON in its text."""

from __future__ import annotations

import json
import re
from typing import Any

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_GEMINI_NAME = re.compile(r"[a-zA-Z0-9_.:-]{1,128}")  # what may come first is seen to by who rewrites names


def problems(kind: str, format_id: str, value: Any) -> list[str]:
    """Return what a server would find wrong with a converted value; nothing, for a valid one."""
    check = _CHECKS[kind, format_id]
    try:
        check(value)
        json.dumps(value, allow_nan=False)
    except AssertionError as error:
        return [f"{error} in {value!r}"]
    return []


def _keys(value: Any, required: dict[str, Any], optional: dict[str, Any]) -> None:
    assert isinstance(value, dict), "no object"
    assert required.keys() <= value.keys(), f"lacks {required.keys() - value.keys()}"
    unknown = value.keys() - required.keys() - optional.keys()
    assert not unknown, f"unknown {unknown}"
    for key, item in value.items():
        allowed = {**required, **optional}[key]
        assert isinstance(item, allowed), f"{key} is a {type(item).__name__}"


def _name(value: Any) -> None:
    assert _NAME.fullmatch(value["name"]), "illegal name"


def _arguments(text: str) -> None:
    assert isinstance(json.loads(text), dict), "arguments are no object"


def _chat_schema(value: Any) -> None:
    _keys(value, {"type": str, "function": dict}, {})
    assert value["type"] == "function"
    _keys(
        value["function"],
        {"name": str},
        {"description": str, "parameters": dict, "strict": (bool, type(None))},
    )
    _name(value["function"])


def _responses_schema(value: Any) -> None:
    nullable = (dict, type(None))
    _keys(
        value,
        {"type": str, "name": str, "parameters": nullable, "strict": (bool, type(None))},
        {"description": str, "output_schema": nullable, "defer_loading": bool, "allowed_callers": list},
    )
    assert value["type"] == "function"
    _name(value)


def _custom_schema(value: Any) -> None:
    _keys(
        value,
        {"type": str, "name": str},
        {"description": str, "format": dict, "defer_loading": bool, "allowed_callers": list},
    )
    assert value["type"] == "custom"
    _name(value)
    if "format" in value:
        grammar = {"syntax": str, "definition": str} if value["format"]["type"] == "grammar" else {}
        _keys(value["format"], {"type": str, **grammar}, {})


def _chat_call(value: Any) -> None:
    _keys(value, {"id": str, "type": str, "function": dict}, {})
    _keys(value["function"], {"name": str, "arguments": str}, {})
    assert value["type"] == "function"
    _name(value["function"])
    _arguments(value["function"]["arguments"])


def _responses_call(value: Any) -> None:
    _keys(value, {"type": str, "call_id": str, "name": str, "arguments": str}, {"namespace": str})
    assert value["type"] == "function_call"
    _name(value)
    _arguments(value["arguments"])


def _custom_call(value: Any) -> None:
    _keys(value, {"type": str, "call_id": str, "name": str, "input": str}, {"namespace": str})
    assert value["type"] == "custom_tool_call"
    _name(value)


def _chat_result(value: Any) -> None:
    _keys(value, {"role": str, "tool_call_id": str, "content": (str, list)}, {})
    for part in value["content"] if isinstance(value["content"], list) else []:
        _keys(part, {"type": str, "text": str}, {})
        assert part["type"] == "text"


def _output(value: Any, stated: str) -> None:
    _keys(value, {"type": str, "call_id": str, "output": (str, list)}, {})
    assert value["type"] == stated
    for part in value["output"] if isinstance(value["output"], list) else []:
        match part:
            case {"type": "input_text"}:
                _keys(part, {"type": str, "text": str}, {})
            case {"type": "input_image"}:
                _keys(part, {"type": str}, {"image_url": str, "file_id": str, "detail": str})
            case _:
                assert part["type"] == "input_file", f"unknown part {part['type']}"


def _core_result(value: Any) -> None:
    _keys(value, {"type": str, "text": str}, {})
    assert value["type"] == "tool_result"


def _object_schema(schema: Any) -> None:
    assert isinstance(schema, dict), "the schema is no object"
    assert schema.get("type") == "object", "the root of the schema is of no type or another"
    assert isinstance(schema.get("properties", {}), dict), "properties are no object"


def _anthropic_schema(value: Any) -> None:
    _keys(value, {"name": str, "input_schema": dict}, {"description": str, "strict": bool})
    _name(value)
    _object_schema(value["input_schema"])
    refused = value["input_schema"].keys() & {"anyOf", "oneOf", "allOf"}
    assert not refused, f"{refused} at the root"


def _anthropic_call(value: Any) -> None:
    _keys(value, {"type": str, "id": str, "name": str, "input": dict}, {})
    assert value["type"] == "tool_use"
    assert re.fullmatch(r"[a-zA-Z0-9_-]+", value["id"]), "illegal id"
    _name(value)


def _anthropic_result(value: Any) -> None:
    _keys(value, {"type": str, "tool_use_id": str, "content": (str, list)}, {"is_error": bool})
    assert value["type"] == "tool_result"
    for block in value["content"] if isinstance(value["content"], list) else []:
        assert block["type"] in {"text", "image", "document"}, f"unknown block {block['type']}"


def _gemini_name(value: Any) -> None:
    assert _GEMINI_NAME.fullmatch(value["name"]), "illegal name"


def _gemini_schema(value: Any) -> None:
    _keys(
        value,
        {"name": str},
        {"description": str, "parametersJsonSchema": dict, "responseJsonSchema": object, "behavior": str},
    )
    _gemini_name(value)
    if "parametersJsonSchema" in value:
        _object_schema(value["parametersJsonSchema"])


def _gemini_openapi_schema(value: Any) -> None:
    _keys(value, {"name": str}, {"description": str, "parameters": dict, "behavior": str})
    _gemini_name(value)
    if "parameters" in value:
        assert value["parameters"]["type"] == "OBJECT"
        _openapi(value["parameters"])


def _openapi(schema: Any) -> None:
    assert isinstance(schema, dict), "a schema is no object"
    keys = {"type", "description", "title", "default", "example", "enum", "format", "nullable", "anyOf"}
    keys |= {"items", "properties", "required", "pattern", "minimum", "maximum", "minItems", "maxItems"}
    keys |= {"minLength", "maxLength", "minProperties", "maxProperties"}
    assert schema.keys() <= keys, f"unknown {schema.keys() - keys}"
    assert all(isinstance(item, str) and item for item in schema.get("enum", [])), "an enum of no texts"
    assert schema.get("type", "OBJECT").isupper()
    assert set(schema.get("required", [])) <= schema.get("properties", {}).keys(), "required and not there"
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    for item in [*inner, *([schema["items"]] if "items" in schema else [])]:
        _openapi(item)


def _gemini_call(value: Any) -> None:
    _keys(value, {"functionCall": dict}, {})
    _keys(value["functionCall"], {"name": str, "args": dict}, {"id": str})
    _gemini_name(value["functionCall"])


def _gemini_result(value: Any) -> None:
    _keys(value, {"functionResponse": dict}, {})
    _keys(value["functionResponse"], {"name": str, "response": dict}, {"id": str, "parts": list})


def _bedrock_schema(value: Any) -> None:
    _keys(value, {"toolSpec": dict}, {})
    _keys(value["toolSpec"], {"name": str, "inputSchema": dict}, {"description": str, "strict": bool})
    _name(value["toolSpec"])
    _object_schema(value["toolSpec"]["inputSchema"]["json"])
    assert value["toolSpec"].get("description", "x"), "an empty description"


def _bedrock_call(value: Any) -> None:
    _keys(value, {"toolUse": dict}, {})
    _keys(value["toolUse"], {"toolUseId": str, "name": str, "input": dict}, {})
    assert re.fullmatch(r"[a-zA-Z0-9_.:-]{1,64}", value["toolUse"]["toolUseId"]), "illegal id"
    _name(value["toolUse"])


def _bedrock_result(value: Any) -> None:
    _keys(value, {"toolResult": dict}, {})
    _keys(value["toolResult"], {"toolUseId": str, "content": list}, {"status": str})
    assert value["toolResult"].get("status", "error") in {"error", "success"}
    for block in value["toolResult"]["content"]:
        assert len(block) == 1, "a block of several kinds"
        assert isinstance(block.get("json", {}), dict), "JSON that is no object"


def _mcp_schema(value: Any) -> None:
    known = {"title": str, "annotations": dict, "icons": list, "_meta": dict, "execution": dict}
    _keys(value, {"name": str, "inputSchema": dict}, {"description": str, "outputSchema": dict, **known})
    _object_schema(value["inputSchema"])


def _mcp_call(value: Any) -> None:
    _keys(value, {"method": str, "params": dict}, {})
    assert value["method"] == "tools/call"
    _keys(value["params"], {"name": str, "arguments": dict}, {})


def _mcp_result(value: Any) -> None:
    known = {"structuredContent": dict, "isError": bool, "_meta": dict}
    _keys(value, {"content": list}, known)


def _mcp_2026_result(value: Any) -> None:
    known = {"structuredContent": object, "isError": bool, "_meta": dict}
    _keys(value, {"content": list, "resultType": str}, known)


def _chat_custom_schema(value: Any) -> None:
    _keys(value, {"type": str, "custom": dict}, {})
    _keys(value["custom"], {"name": str}, {"description": str, "format": dict})
    assert value["type"] == "custom"
    _name(value["custom"])


def _chat_custom_call(value: Any) -> None:
    _keys(value, {"id": str, "type": str, "custom": dict}, {})
    _keys(value["custom"], {"name": str, "input": str}, {})
    assert value["type"] == "custom"
    _name(value["custom"])


def _amplifier_schema(value: Any) -> None:
    _keys(value, {"name": str, "parameters": dict}, {"description": str})


def _amplifier_call(value: Any) -> None:
    _keys(value, {"type": str, "id": str, "name": str, "arguments": dict}, {})


def _amplifier_result(value: Any) -> None:
    _keys(value, {"success": bool, "output": object}, {"error": dict})


def _ollama_call(value: Any) -> None:
    _keys(value, {"id": str, "function": dict}, {})
    _keys(value["function"], {"name": str, "arguments": dict}, {})


def _ollama_result(value: Any) -> None:
    _keys(value, {"role": str, "tool_name": str, "tool_call_id": str, "content": str}, {})
    assert value["role"] == "tool"


def _cohere_result(value: Any) -> None:
    _keys(value, {"role": str, "tool_call_id": str, "content": (str, list)}, {})
    for part in value["content"] if isinstance(value["content"], list) else []:
        match part:
            case {"type": "text"}:
                _keys(part, {"type": str, "text": str}, {})
            case {"type": "document"}:
                _keys(part, {"type": str, "document": dict}, {})
                _keys(part["document"], {"data": dict}, {})
            case _:
                raise AssertionError(f"unknown part {part['type']}")


def _ag_ui_result(value: Any) -> None:
    _keys(value, {"id": str, "role": str, "toolCallId": str, "content": (str, list)}, {"error": str})
    for part in value["content"] if isinstance(value["content"], list) else []:
        if part["type"] == "text":
            _keys(part, {"type": str, "text": str}, {})
            continue
        assert part["type"] in {"image", "audio", "document"}, f"unknown part {part['type']}"
        _keys(part, {"type": str, "source": dict}, {})
        _keys(part["source"], {"type": str, "value": str}, {"mimeType": str})


def _ai_sdk_call(value: Any) -> None:
    _keys(value, {"type": str, "toolCallId": str, "toolName": str, "input": dict}, {})
    assert value["type"] == "tool-input-available"


def _ai_sdk_result(value: Any) -> None:
    if value["type"] == "tool-output-error":
        _keys(value, {"type": str, "toolCallId": str, "errorText": str}, {})
        return
    _keys(value, {"type": str, "toolCallId": str, "output": object}, {})
    assert value["type"] == "tool-output-available"


_CHECKS = {
    ("schema", "openai.chat_completions.function"): _chat_schema,
    ("schema", "openai.responses.function"): _responses_schema,
    ("schema", "openai.responses.custom.tool_schema"): _custom_schema,
    ("call", "openai.chat_completions.function"): _chat_call,
    ("call", "openai.responses.function"): _responses_call,
    ("call", "openai.responses.custom"): _custom_call,
    ("result", "openai.chat_completions.function"): _chat_result,
    ("result", "openai.responses.function"): lambda value: _output(value, "function_call_output"),
    ("result", "openai.responses.custom"): lambda value: _output(value, "custom_tool_call_output"),
    ("schema", "anthropic.messages.tool"): _anthropic_schema,
    ("call", "anthropic.messages.tool"): _anthropic_call,
    ("result", "anthropic.messages.tool"): _anthropic_result,
    ("schema", "openai.chat_completions.custom"): _chat_custom_schema,
    ("call", "openai.chat_completions.custom"): _chat_custom_call,
    ("schema", "gemini.generate_content.function"): _gemini_schema,
    ("schema", "gemini.generate_content.function_openapi"): _gemini_openapi_schema,
    ("call", "gemini.generate_content.function"): _gemini_call,
    ("result", "gemini.generate_content.function"): _gemini_result,
    ("schema", "bedrock.converse.tool"): _bedrock_schema,
    ("call", "bedrock.converse.tool"): _bedrock_call,
    ("result", "bedrock.converse.tool"): _bedrock_result,
    ("schema", "mcp.2025_11_25.tool"): _mcp_schema,
    ("schema", "mcp.2026_07_28.tool"): _mcp_schema,
    ("call", "mcp.2025_11_25.tool"): _mcp_call,
    ("result", "mcp.2025_11_25.tool"): _mcp_result,
    ("result", "mcp.2026_07_28.tool"): _mcp_2026_result,
    ("schema", "amplifier.tool"): _amplifier_schema,
    ("call", "amplifier.tool"): _amplifier_call,
    ("result", "amplifier.tool"): _amplifier_result,
    ("result", "core.tool_result"): _core_result,
    ("call", "ollama.chat.tool"): _ollama_call,
    ("call", "ai_sdk.ui.tool"): _ai_sdk_call,
    ("result", "ollama.chat.tool"): _ollama_result,
    ("result", "cohere.chat.tool"): _cohere_result,
    ("result", "ag_ui.tool"): _ag_ui_result,
    ("result", "ai_sdk.ui.tool"): _ai_sdk_result,
}
TARGETS = {
    kind: [format_id for of, format_id in _CHECKS if of == kind] for kind in ("schema", "call", "result")
}
"""For each kind of value, the formats that can be written."""
