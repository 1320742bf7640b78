"""A call whose arguments were broken on the way is answered as invalid, in whatever format it came, and never run.

Sanitized for the history it looks like a call without arguments. Whoever ran that would run the tool as
nobody asked, so that the board reads the call as it came.
"""

from __future__ import annotations

import pytest
from callboard.actors.board import Board
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.formats.built_in import BUILT_IN
from tools import a_tool

PATIENCE = 20.0
CUT = '{"path":'

MALFORMED = {
    "openai.chat_completions.function": {
        "id": "c1",
        "type": "function",
        "function": {"name": "tool", "arguments": CUT},
    },
    "openai.chat_completions.custom": {
        "id": "c1",
        "type": "custom",
        "custom": {"name": "tool", "input": None},
    },
    "openai.responses.function": {
        "type": "function_call",
        "call_id": "c1",
        "name": "tool",
        "arguments": CUT,
    },
    "openai.responses.custom": {"type": "custom_tool_call", "call_id": "c1", "name": "tool", "input": None},
    "anthropic.messages.tool": {"type": "tool_use", "id": "c1", "name": "tool", "input": CUT},
    "gemini.generate_content.function": {"functionCall": {"id": "c1", "name": "tool", "args": CUT}},
    "bedrock.converse.tool": {"toolUse": {"toolUseId": "c1", "name": "tool", "input": CUT}},
    "mcp.2025_11_25.tool": {"method": "tools/call", "params": {"name": "tool", "arguments": CUT}},
    "openai.chat_legacy.function": {"name": "tool", "arguments": CUT},
    "amplifier.tool": {"type": "tool_call", "id": "c1", "name": "tool", "arguments": CUT},
    "ollama.chat.tool": {"id": "c1", "function": {"name": "tool", "arguments": {"path": float("nan")}}},
    "ai_sdk.ui.tool": {
        "type": "tool-input-available",
        "toolCallId": "c1",
        "toolName": "tool",
        "input": CUT,
    },
}

_THE_PROVIDERS_OWN = {
    "anthropic.messages.hosted",
    "bedrock.converse.hosted",
    "gemini.generate_content.hosted",
    "openai.responses.action",
    "openai.responses.hosted",
}
"""Calls that name no tool of a board, and are read as they are: there is nothing about them that could be malformed."""


def test_there_is_one_for_every_format_of_calls():
    formats = {REGISTRY.inspect_call(call).format: call for call in MALFORMED.values()}

    assert formats == MALFORMED
    assert formats.keys() == {accessor.format for accessor in BUILT_IN.call_accessors} - _THE_PROVIDERS_OWN


@pytest.mark.parametrize("state", ["output-available", "output-error", "output-denied"])
def test_a_call_that_has_an_answer_is_refused_and_runs_nothing(state):
    ran = []
    part = {"type": "tool-tool", "toolCallId": "c1", "state": state, "input": {"path": "a"}}
    with Board() as board:
        board.add(a_tool(lambda arguments, _state: ran.append(arguments) or {"success": True}), config={})

        answered = board.submit(part).result(PATIENCE)

    assert (answered["code"], answered["outcome"]) == ("invalid_call", "not_sent")
    assert state in answered["error"]
    assert ran == []


@pytest.mark.parametrize("call", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_call_is_answered_as_invalid_and_runs_nothing(call):
    ran = []
    with Board() as board:
        board.add(a_tool(lambda arguments, _state: ran.append(arguments) or {"success": True}), config={})

        answered = board.submit(call).result(PATIENCE)

    assert (answered["code"], answered["outcome"]) == ("invalid_call", "not_sent")
    assert ran == []


@pytest.mark.parametrize("call", MALFORMED.values(), ids=MALFORMED.keys())
def test_sanitized_for_the_history_it_says_nothing_of_what_was_broken(call):
    sanitized = REGISTRY.sanitize_tool_call(call)

    read = REGISTRY.inspect_call(sanitized)
    assert (read.payload_kind, read.payload) in [("object", {}), ("text", "")]
    assert REGISTRY.sanitize_tool_call(sanitized) is sanitized
    assert REGISTRY.inspect_call(call).payload_kind == "malformed"
