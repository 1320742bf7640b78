"""For each format, values that say all it can say: what a conversion of these loses is what it may lose.

Each stands for a feature or a few that go together. A loss that is seen anywhere else and not here is one
that the matrix in ``docs/formats.md`` does not tell: the tests say which, and a probe is missing.
"""

from __future__ import annotations

from typing import Any

from forms_of_other_apis import OTHER_APIS
from native_forms import ACTION_OUTPUTS, ACTIONS, HOSTED_CALLS, HOSTED_RESULTS, HOSTED_TOOLS, PENDING

_PLAIN: dict[str, Any] = {"type": "object", "properties": {"path": {"type": "string"}}}
_SCHEMAS: list[dict[str, Any]] = [
    _PLAIN,
    {**_PLAIN, "anyOf": [{"required": ["path"]}, {"required": ["url"]}]},
    {**_PLAIN, "additionalProperties": False},
]
_NARROW = {"type": "OBJECT", "properties": {"path": {"type": "STRING", "nullable": True, "format": "enum"}}}
_GRAMMAR = {"syntax": "lark", "definition": "start: /.+/"}
_RESULT = {"type": "object", "properties": {"n": {"type": "integer"}}}
_PNG = "data:image/png;base64,AAAA"


def _tools() -> list[Any]:
    found: list[Any] = []
    for schema in _SCHEMAS:
        for about in ({"description": ""}, {"description": "D."}):
            found += [
                _chat({"parameters": schema, **about, "x_vendor": 1}, {"strict": True}),
                {
                    "type": "function",
                    "name": "ls",
                    "parameters": schema,
                    "strict": True,
                    "output_schema": _RESULT,
                    "defer_loading": True,
                    "x_vendor": 1,
                    **about,
                },
                {"type": "function", "name": "ls", "parameters": schema, "strict": None, **about},
                {"type": "function", "name": "ls", "parameters": schema, "output_schema": {}},
                {"name": "ls", "input_schema": schema, "strict": True, "cache_control": {}, **about},
                {
                    "name": "ls",
                    "parametersJsonSchema": schema,
                    "responseJsonSchema": _RESULT,
                    "behavior": "BLOCKING",
                    **about,
                },
                {
                    "name": "ls",
                    "parametersJsonSchema": schema,
                    "responseJsonSchema": {"type": "array"},
                    "x_vendor": 1,
                    **about,
                },
                {
                    "name": "ls",
                    "parameters": _NARROW,
                    "response": _NARROW,
                    "behavior": "BLOCKING",
                    "x_vendor": 1,
                    **about,
                },
                {
                    "toolSpec": {
                        "name": "ls",
                        "inputSchema": {"json": schema},
                        "strict": True,
                        "x_vendor": 1,
                        **about,
                    }
                },
                {
                    "name": "ls",
                    "inputSchema": schema,
                    "outputSchema": _RESULT,
                    "title": "T",
                    "execution": {},
                    **about,
                },
                {
                    "name": "ls",
                    "inputSchema": schema,
                    "outputSchema": {"type": "array"},
                    "title": "T",
                    **about,
                },
                {"name": "ls", "parameters": schema, "x_vendor": 1, **about},
            ]
    return found


def _chat(function: dict[str, Any], strict: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "ls", **function, **strict}, "cache_control": {}}


_FREEFORM = [
    {
        "type": "custom",
        "custom": {"name": "p", "description": "", "format": {"type": "grammar", "grammar": _GRAMMAR}},
        "x_vendor": 1,
    },
    {
        "type": "custom",
        "name": "p",
        "description": "",
        "format": {"type": "grammar", **_GRAMMAR},
        "defer_loading": True,
        "x_vendor": 1,
    },
    {
        "type": "namespace",
        "name": "files",
        "description": "",
        "x_vendor": 1,
        "tools": [
            {
                "type": "function",
                "name": "ls",
                "parameters": _SCHEMAS[1],
                "strict": True,
                "output_schema": _RESULT,
                "description": "",
                "x": 1,
            },
        ],
    },
    {
        "type": "namespace",
        "name": "f",
        "description": "",
        "x": 1,
        "tools": [{"type": "function", "name": "ls", "parameters": _SCHEMAS[2], "strict": None}],
    },
    {
        "type": "namespace",
        "name": "f",
        "description": "",
        "x": 1,
        "tools": [
            {"type": "custom", "name": "p", "description": "", "format": {"type": "grammar", **_GRAMMAR}}
        ],
    },
]

_CALLS: list[Any] = [
    {"name": "ls", "arguments": "{}"},
    {"id": "c", "type": "function", "function": {"name": "ls", "arguments": "{}"}, "x_vendor": 1},
    {"id": "c", "type": "custom", "custom": {"name": "p", "input": "x"}, "x_vendor": 1},
    {
        "type": "function_call",
        "call_id": "c",
        "id": "fc_1",
        "status": "completed",
        "name": "ls",
        "arguments": "{}",
        "namespace": "n",
        "x": 1,
    },
    {
        "type": "custom_tool_call",
        "call_id": "c",
        "id": "ctc_1",
        "name": "p",
        "input": "x",
        "namespace": "n",
        "x": 1,
    },
    {
        "type": "tool_use",
        "id": "c",
        "name": "ls",
        "input": {},
        "caller": {"type": "direct"},
        "cache_control": {},
    },
    {
        "functionCall": {"name": "ls", "args": {}, "id": "c", "x": 1},
        "thoughtSignature": "c2ln",
        "x_vendor": 1,
    },
    {"functionCall": {"name": "ls", "args": {}}},
    {"toolUse": {"toolUseId": "c", "name": "ls", "input": {}, "x_vendor": 1}},
    {"method": "tools/call", "params": {"name": "ls", "arguments": {}, "_meta": {"a": 1}}},
    {"type": "tool_call", "id": "c", "name": "ls", "arguments": {}, "x_vendor": 1},
]

_CHAT_PARTS: list[Any] = [
    {"type": "text", "text": "a", "cache_control": {}},
    {"type": "image_url", "image_url": {"url": _PNG, "detail": "low"}},
    {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
    {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
    {"type": "file", "file": {"file_id": "f", "filename": "n"}},
    {"type": "refusal", "refusal": "no"},
]
_RESPONSES_PARTS: list[Any] = [
    {"type": "input_text", "text": "a", "x": 1},
    {"type": "input_image", "image_url": _PNG, "detail": "low"},
    {"type": "input_image", "file_id": "f", "detail": "high"},
    {"type": "input_file", "file_url": "https://example.com/a.pdf", "filename": "a.pdf"},
    {"type": "input_file", "file_data": "data:application/pdf;base64,AAAA", "filename": "a.pdf"},
    {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
    {"type": "other"},
]
_ANTHROPIC_BLOCKS: list[Any] = [
    {"type": "text", "text": "a", "citations": [1]},
    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
    {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
    {
        "type": "document",
        "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"},
        "title": "t",
    },
    {"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": "a"}]},
    {"type": "tool_reference", "tool_name": "x"},
]
_BEDROCK_BLOCKS: list[Any] = [
    {"text": "a"},
    {"json": {"n": 1}},
    {"json": {"n": 2}},
    {"image": {"format": "png", "source": {"bytes": "AAAA"}}},
    {"document": {"format": "pdf", "name": "n", "source": {"bytes": "AAAA"}}},
    {"video": {"format": "mp4", "source": {"bytes": "AAAA"}}},
    {
        "searchResult": {
            "source": "s",
            "title": "t",
            "content": [{"text": "a"}],
            "citations": {"enabled": True},
        }
    },
]
_MCP_BLOCKS: list[Any] = [
    {"type": "text", "text": "a", "annotations": {"audience": ["user"]}},
    {"type": "image", "data": "AAAA", "mimeType": "image/png"},
    {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
    {"type": "resource_link", "uri": "https://example.com/a", "name": "a"},
    {"type": "resource", "resource": {"uri": "file:///a", "text": "a"}},
    {"type": "other"},
]
_GEMINI_PARTS: list[Any] = [
    {"inlineData": {"mimeType": "audio/mpeg", "data": "AAAA"}},
    {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
    {"fileData": {"mimeType": "image/png", "fileUri": "https://example.com/a.png"}},
]


def _runs(parts: list[Any]) -> list[list[Any]]:
    """Each part alone, all at once, and two texts."""
    return [[], *([part] for part in parts), parts, [parts[0], parts[0]]]


def _results() -> list[Any]:
    found: list[Any] = [{"type": "tool_result", "text": "a", "x_vendor": 1}]
    found += [
        {"role": "tool", "toolResult": result, "metadata": {"tool_name": "ls", "failure": {}}}
        for result in (
            {"type": "tool_result", "text": "a"},
            {"type": "provider_native_tool_result", "format": "openai.responses", "content": []},
        )
    ]
    found += [{"role": "tool", "tool_call_id": "c", "content": run, "x": 1} for run in _runs(_CHAT_PARTS)]
    found += [{"role": "function", "name": "ls", "content": run, "x": 1} for run in _runs(_CHAT_PARTS)]
    for kind in ("function_call_output", "custom_tool_call_output"):
        found += [
            {"type": kind, "call_id": "c", "output": run, "id": "i", "status": "completed"}
            for run in _runs(_RESPONSES_PARTS)
        ]
    for failed in (True, False):
        found += [
            {
                "type": "tool_result",
                "tool_use_id": "c",
                "content": run,
                "is_error": failed,
                "cache_control": {},
            }
            for run in _runs(_ANTHROPIC_BLOCKS)
        ]
        status = "error" if failed else "success"
        found += [
            {"toolResult": {"toolUseId": "c", "content": run, "status": status, "type": "x"}}
            for run in _runs(_BEDROCK_BLOCKS)
        ]
        for more in (
            {},
            {"structuredContent": {"n": 1}},
            {"structuredContent": [1]},
            {"resultType": "complete"},
        ):
            found += [
                {"content": run, "isError": failed, "_meta": {"a": 1}, **more} for run in _runs(_MCP_BLOCKS)
            ]
        found += [
            {"type": "tool_result", "toolUseId": "c", "content": run, "isError": failed, "_meta": {"a": 1}}
            for run in _runs(_MCP_BLOCKS)
        ]
        for payload in ("a", {"n": 1}, [1], None):
            key = "error" if failed and isinstance(payload, str) else "result"
            found.append({"success": not failed, key: payload, "x_vendor": 1})
            error = {"error": {"message": "m", "type": "t"}} if failed else {}
            found.append({"success": not failed, "output": payload, **error, "x_vendor": 1})
            found.append({"type": "tool_result", "tool_call_id": "c", "output": payload, "x": 1})
    for response in (
        {"error": ["a", {"n": 1}]},
        {"error": {}, "output": {}},
        {"output": [1]},
        {"output": "a"},
        {"output": {"n": 1}},
        {"error": "a"},
        {"error": {"n": 1}},
        {"n": 1},
        {},
    ):
        for more in ({}, {"id": "c"}, {"id": "c", "parts": _GEMINI_PARTS, "scheduling": "SILENT"}):
            found.append({"functionResponse": {"name": "ls", "response": response, **more}})
    for family, parts in (
        ("openai.chat_completions", _CHAT_PARTS),
        ("openai.responses", _RESPONSES_PARTS),
        ("anthropic.messages", _ANTHROPIC_BLOCKS),
    ):
        found += [
            {"type": "provider_native_tool_result", "format": family, "content": run, "x": 1}
            for run in _runs(parts)
        ]
    return found


def _native(*tables: dict[str, list[Any]]) -> list[Any]:
    return [value for table in tables for values in table.values() for value in values]


PROBES: dict[str, list[Any]] = {
    "schema": _tools() + _FREEFORM + _native(HOSTED_TOOLS),
    "call": [*_CALLS, *_native(HOSTED_CALLS), *ACTIONS.values(), *_native(OTHER_APIS["call"])],
    "result": [
        *_results(),
        *_native(HOSTED_RESULTS),
        *ACTION_OUTPUTS.values(),
        *PENDING,
        *_native(OTHER_APIS["result"]),
    ],
}
"""By kind of value."""
