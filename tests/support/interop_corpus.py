"""Wire values to hold the formats to: the specification's own, and those of the corpus where it is at hand.

The corpus is read where it lies, beside the checkout or where ``CALLBOARD_CORPUS`` points. Without it
the rules still run over the values written down here.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from forms_of_other_apis import OTHER_APIS
from native_forms import ACTION_OUTPUTS, ACTIONS, HOSTED_CALLS, HOSTED_RESULTS, HOSTED_TOOLS, PENDING

OURS = {
    "openai.chat_completions.function": "openai.chat_completions.function",
    "openai.responses.function": "openai.responses.function",
    "openai.responses.custom": "openai.responses.custom",
    "openai.chat_completions.custom": "openai.chat_completions",
    "openai.chat_legacy.function": "openai.chat_legacy.function",
    "openai.responses.namespace": "openai.responses.namespace",
    "anthropic.tool": "anthropic.messages",
    "gemini.function_declaration": "gemini.generate_content",
    "gemini.function_call": "gemini.generate_content",
    "gemini.function_response": "gemini.generate_content",
    "bedrock.converse": "bedrock.converse",
    "mcp.tool": "mcp",
    "mcp.tools_call": "mcp",
    "mcp.call_tool_result": "mcp",
    "amplifier.tool": "amplifier.tool",
    "bfcl.function": "amplifier.tool",
    "openai.responses.hosted": "openai.responses.hosted",
    "openai.responses.action": "openai.responses.action",
    "anthropic.messages.hosted": "anthropic.messages.hosted",
    "gemini.generate_content.hosted": "gemini.generate_content.hosted",
    "bedrock.converse.hosted": "bedrock.converse.hosted",
    "ollama.chat": "ollama.chat",
    "cohere.chat": "cohere.chat",
    "ag_ui": "ag_ui",
    "ai_sdk.ui": "ai_sdk.ui",
    "core.host_result": "core.host_result",
    "core.tool_result": "core.tool_result",
    "core.provider_native_tool_result": "core.provider_native_tool_result",
}
"""The formats that are built in: as the corpus names them -> their id, or a family that they are of."""


@dataclass(frozen=True)
class Record:
    format: str
    kind: str
    source: str
    value: Any


def _samples() -> list[Record]:
    chat, responses, custom = (
        "openai.chat_completions.function",
        "openai.responses.function",
        "openai.responses.custom",
    )
    parameters = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    grammar = {"type": "grammar", "syntax": "lark", "definition": "start: /.+/"}
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    of = [
        (chat, "schema", {"type": "function", "function": {"name": "read_file", "parameters": parameters}}),
        (
            responses,
            "schema",
            {"type": "function", "name": "read_file", "parameters": parameters, "strict": True},
        ),
        (
            custom,
            "schema",
            {"type": "custom", "name": "apply_patch", "description": "Patch.", "format": grammar},
        ),
        (
            chat,
            "call",
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "read_file", "arguments": '{"path":"a"}'},
            },
        ),
        (responses, "call", {"type": "function_call", "call_id": "call_1", "name": "ls", "arguments": "{}"}),
        (
            custom,
            "call",
            {"type": "custom_tool_call", "call_id": "call_1", "name": "exec", "input": '{"path":'},
        ),
        (chat, "result", {"role": "tool", "tool_call_id": "call_1", "content": "done"}),
        (responses, "result", {"type": "function_call_output", "call_id": "call_1", "output": "done"}),
        (custom, "result", {"type": "custom_tool_call_output", "call_id": "call_1", "output": "done"}),
        ("core.tool_result", "result", {"type": "tool_result", "text": "done"}),
        (
            "core.provider_native_tool_result",
            "result",
            {"type": "provider_native_tool_result", "format": "openai.chat_completions", "content": [image]},
        ),
        ("openai.chat_completions.custom", "schema", {"type": "custom", "custom": {"name": "apply_patch"}}),
        (
            "openai.chat_completions.custom",
            "call",
            {"id": "call_1", "type": "custom", "custom": {"name": "apply_patch", "input": "x"}},
        ),
        ("anthropic.tool", "schema", {"type": "custom", "name": "ls", "input_schema": parameters}),
        ("anthropic.tool", "call", {"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {}}),
        ("anthropic.tool", "result", {"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}),
        (
            "openai.responses.namespace",
            "schema",
            {
                "type": "namespace",
                "name": "files",
                "description": "Files.",
                "tools": [
                    {"type": "function", "name": "ls", "parameters": parameters, "strict": False},
                    {"type": "custom", "name": "apply_patch", "format": grammar},
                ],
            },
        ),
        (
            "gemini.function_declaration",
            "schema",
            {"name": "ls", "description": "", "parametersJsonSchema": parameters},
        ),
        (
            "gemini.function_declaration",
            "schema",
            {"name": "ls", "parameters": {"type": "OBJECT", "properties": {"path": {"type": "STRING"}}}},
        ),
        (
            "gemini.function_call",
            "call",
            {"functionCall": {"name": "ls", "args": {"path": "a"}}, "thoughtSignature": "AA=="},
        ),
        (
            "gemini.function_response",
            "result",
            {"functionResponse": {"name": "ls", "response": {"output": "done"}}},
        ),
        (
            "bedrock.converse",
            "schema",
            {"toolSpec": {"name": "ls", "description": "List.", "inputSchema": {"json": parameters}}},
        ),
        ("bedrock.converse", "call", {"toolUse": {"toolUseId": "t", "name": "ls", "input": {}}}),
        (
            "bedrock.converse",
            "result",
            {"toolResult": {"toolUseId": "t", "content": [{"json": {"a": 1}}], "status": "error"}},
        ),
        ("mcp.tool", "schema", {"name": "ls", "title": "List", "inputSchema": parameters}),
        (
            "mcp.tool",
            "schema",
            {"name": "ls", "inputSchema": {"type": "object"}, "outputSchema": {"type": "array"}},
        ),
        ("mcp.tools_call", "call", {"method": "tools/call", "params": {"name": "ls", "arguments": {}}}),
        ("mcp.tools_call", "call", {"name": "ls", "arguments": {"path": "a"}}),
        ("mcp.call_tool_result", "result", {"content": [{"type": "text", "text": "done"}], "isError": True}),
        (
            "mcp.call_tool_result",
            "result",
            {"resultType": "complete", "content": [], "structuredContent": [1, 2]},
        ),
        ("mcp.call_tool_result", "result", {"type": "tool_result", "toolUseId": "t", "content": []}),
        ("amplifier.tool", "schema", {"name": "ls", "parameters": parameters}),
        ("amplifier.tool", "result", {"success": True, "output": {"files": ["a"]}, "error": None}),
        ("amplifier.tool", "call", {"type": "tool_call", "id": "call_1", "name": "ls", "arguments": {}}),
        ("amplifier.tool", "result", {"type": "tool_result", "tool_call_id": "call_1", "output": "done"}),
        ("core.host_result", "result", {"success": True, "result": 1}),
        ("openai.chat_legacy.function", "call", {"name": "ls", "arguments": '{"path": "a"}'}),
        ("openai.chat_legacy.function", "result", {"role": "function", "name": "ls", "content": "done"}),
    ]
    of += [
        (name, kind, value)
        for kind, table in OTHER_APIS.items()
        for name, each in table.items()
        for value in each
    ]
    of += [("mcp.call_tool_result", "result", value) for value in PENDING]
    of += [("openai.responses.action", "call", value) for value in ACTIONS.values()]
    of += [("openai.responses.action", "result", value) for value in ACTION_OUTPUTS.values()]
    for kind, table in (("schema", HOSTED_TOOLS), ("call", HOSTED_CALLS), ("result", HOSTED_RESULTS)):
        of += [(format_id, kind, value) for format_id, values in table.items() for value in values]
    return [Record(format_id, kind, "written down here", value) for format_id, kind, value in of]


def _corpus_directory() -> Path | None:
    named = os.environ.get("CALLBOARD_CORPUS")
    if named:
        return Path(named)
    beside = (parent / "shared" / "corpus" for parent in Path(__file__).resolve().parents)
    return next((directory for directory in beside if directory.is_dir()), None)


def _read_corpus() -> list[Record]:
    directory = _corpus_directory()
    files = sorted(directory.glob("*.jsonl")) if directory else []
    lines = (line for file in files for line in file.read_text(encoding="utf-8").splitlines() if line)
    return [Record(**json.loads(line)) for line in lines]


RECORDS = _samples() + _read_corpus()


def records(*, kind: str | None = None) -> list[Any]:
    """Return the records of built-in formats, as parameters of a test; streams are assembled elsewhere."""
    chosen = [record for record in RECORDS if record.format in OURS and (kind is None or record.kind == kind)]
    return [
        pytest.param(record, id=f"{record.format}-{record.kind}-{number}")
        for number, record in enumerate(chosen)
    ]
