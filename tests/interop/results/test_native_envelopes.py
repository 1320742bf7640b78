"""Envelopes for one provider: untouched to that provider, and to any other by what can be read of them."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import InvalidShapeError
from callboard.interop.parts import JsonPart, MediaPart, TextPart, UnreadPart

CALL = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
IMAGE = MediaPart("image", url="data:image/png;base64,AAAA")
SOURCE = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
URL = "data:image/png;base64,AAAA"

CONTENT = {
    "openai.chat_completions": [
        {"type": "text", "text": "seen"},
        {"type": "image_url", "image_url": {"url": URL}},
    ],
    "openai.responses": [{"type": "input_text", "text": "seen"}, {"type": "input_image", "image_url": URL}],
    "anthropic.messages": [{"type": "text", "text": "seen"}, {"type": "image", "source": SOURCE}],
    "bedrock.converse": [{"text": "seen"}, {"image": {"format": "png", "source": {"bytes": "AAAA"}}}],
    "mcp": [{"type": "text", "text": "seen"}, {"type": "image", "data": "AAAA", "mimeType": "image/png"}],
}


def envelope(family, content):
    return {"type": "provider_native_tool_result", "format": family, "content": content}


def content_of(converted):
    inner = converted.get("toolResult", converted)
    return inner["output"] if "output" in inner else inner["content"]


@pytest.mark.parametrize("family", CONTENT)
def test_it_goes_to_its_own_provider_untouched(family):
    (there,) = REGISTRY.convert_results(
        [envelope(family, CONTENT[family])], ToolInteropTarget(family), calls=[CALL]
    )

    assert content_of(there) == CONTENT[family]
    assert content_of(there) is not CONTENT[family]


@pytest.mark.parametrize("family", CONTENT)
def test_it_is_read_in_the_words_of_its_provider(family):
    inspected = REGISTRY.inspect_result(envelope(family, CONTENT[family]))

    assert inspected.parts == (TextPart("seen"), IMAGE)


@pytest.mark.parametrize("family", CONTENT)
@pytest.mark.parametrize("other", ["anthropic.messages", "bedrock.converse", "openai.responses", "mcp"])
def test_text_and_image_reach_any_provider_that_takes_images(family, other):
    (there,) = REGISTRY.convert_results(
        [envelope(family, CONTENT[family])], ToolInteropTarget(other), calls=[CALL]
    )

    assert content_of(there) == CONTENT[other]


def test_the_object_of_a_gemini_response_is_read_as_one():
    inspected = REGISTRY.inspect_result(envelope("gemini.generate_content", {"output": {"a": 1}}))

    assert inspected.parts == (JsonPart({"a": 1}),)


def test_content_of_a_provider_nobody_knows_is_named():
    inspected = REGISTRY.inspect_result(envelope("acme.chat", {"blocks": []}))

    assert inspected.parts == (UnreadPart("content of acme.chat"),)


@pytest.mark.parametrize("family", [*CONTENT, "gemini.generate_content"])
def test_content_that_breaks_a_known_provider_s_form_is_refused(family):
    with pytest.raises(InvalidShapeError, match=r"core\.provider_native_tool_result"):
        REGISTRY.inspect_result(envelope(family, 5))
