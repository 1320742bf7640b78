"""What the providers' servers accept, checked by hand: keys, types, lengths, and JSON in its text."""

from __future__ import annotations

import json
import re
from typing import Any

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


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
    _keys(value, {"role": str, "tool_call_id": str, "content": (str, list)}, {"_metadata": dict})
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
    ("result", "core.tool_result"): _core_result,
}
TARGETS = {
    kind: [format_id for of, format_id in _CHECKS if of == kind] for kind in ("schema", "call", "result")
}
"""For each kind of value, the formats that can be written."""
