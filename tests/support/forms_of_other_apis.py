"""What Ollama, Cohere, AG-UI and the AI SDK's interfaces say that nobody else does: calls and results, by family."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

_ANSWERED: Json = {"type": "tool-weather", "toolCallId": "call_1", "input": {"city": "Oslo"}}

OTHER_APIS: dict[str, dict[str, list[Json]]] = {
    "call": {
        "ollama.chat": [
            {"function": {"name": "weather", "arguments": {"city": "Oslo"}}},
            {"id": "call_1", "function": {"index": 0, "name": "weather", "arguments": {"city": "Oslo"}}},
            {"type": "function", "function": {"index": 1, "name": "now", "arguments": {}}},
        ],
        "ai_sdk.ui": [
            {
                "type": "tool-input-available",
                "toolCallId": "call_1",
                "toolName": "weather",
                "input": {"city": "Oslo"},
            },
            {**_ANSWERED, "state": "input-available", "callProviderMetadata": {"p": {"itemId": "fc_1"}}},
            {**_ANSWERED, "state": "output-available", "output": {"celsius": 4}},
            {
                "type": "dynamic-tool",
                "toolName": "now",
                "toolCallId": "call_2",
                "state": "input-available",
                "input": {},
            },
            {"type": "tool-call", "toolCallId": "call_1", "toolName": "weather", "input": {"city": "Oslo"}},
            {"type": "tool-call", "toolCallId": "call_1", "toolName": "weather", "args": {"city": "Oslo"}},
        ],
    },
    "result": {
        "ollama.chat": [
            {"role": "tool", "tool_name": "weather", "content": "4 degrees"},
            {
                "role": "tool",
                "tool_name": "weather",
                "tool_call_id": "call_1",
                "content": "",
                "images": ["AAAA"],
            },
        ],
        "cohere.chat": [
            {
                "role": "tool",
                "tool_call_id": "call_1",
                "content": [
                    {"type": "document", "document": {"data": {"celsius": 4}}},
                    {"type": "document", "document": {"id": "oslo", "data": {"text": "cold"}}},
                ],
            },
            {
                "role": "tool",
                "tool_call_id": "call_1",
                "content": [
                    {"type": "text", "text": "seen"},
                    {"type": "document", "document": {"data": '{"celsius": 4}'}},
                    {"type": "document", "document": {"data": "cold"}},
                ],
            },
        ],
        "ag_ui": [
            {"id": "m1", "role": "tool", "toolCallId": "call_1", "content": "4 degrees"},
            {"id": "m1", "role": "tool", "toolCallId": "call_1", "content": "", "error": "no such city"},
            {
                "id": "m1",
                "role": "tool",
                "toolCallId": "call_1",
                "content": "half of it",
                "error": "timed out",
            },
            {
                "id": "m1",
                "role": "tool",
                "toolCallId": "call_1",
                "content": [
                    {"type": "text", "text": "a map"},
                    {"type": "image", "source": {"type": "data", "value": "AA==", "mimeType": "image/png"}},
                    {"type": "image", "source": {"type": "url", "value": "https://example.com/a.png"}},
                    {"type": "audio", "source": {"type": "file", "value": "file_1", "provider": "openai"}},
                    {"type": "video", "source": {"type": "url", "value": "https://example.com/a.mp4"}},
                ],
            },
            {"type": "TOOL_CALL_RESULT", "messageId": "m1", "toolCallId": "call_1", "content": "4 degrees"},
        ],
        "ai_sdk.ui": [
            {"type": "tool-output-available", "toolCallId": "call_1", "output": {"celsius": 4}},
            {"type": "tool-output-available", "toolCallId": "call_1", "output": "4 degrees"},
            {"type": "tool-output-available", "toolCallId": "call_1", "output": None},
            {"type": "tool-output-error", "toolCallId": "call_1", "errorText": "no such city"},
            {"type": "tool-output-denied", "toolCallId": "call_1"},
            {**_ANSWERED, "state": "output-available", "output": [1], "title": "Weather"},
            {**_ANSWERED, "state": "output-error", "errorText": "no such city"},
            {
                **_ANSWERED,
                "state": "output-denied",
                "approval": {"id": "a", "approved": False, "reason": "why?"},
            },
        ],
    },
}
"""By kind of value. Declarations, and the calls of two of them, are to the letter another's."""
