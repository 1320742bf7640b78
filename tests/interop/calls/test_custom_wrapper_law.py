"""Raw input goes through every function format and comes back to the letter, or is seen to be broken."""

from __future__ import annotations

import json

import pytest
from callboard.interop.calls.arguments import parse_arguments
from callboard.interop.custom_wrapper import CustomToolWrapper
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY, ToolInteropTarget
from hypothesis import example, given
from hypothesis import strategies as st
from interop_json import anything, canonical, values

FORMATS = [
    "openai.chat_completions.function",
    "openai.responses.function",
    "anthropic.messages.tool",
    "gemini.generate_content.function",
    "bedrock.converse.tool",
    "amplifier.tool",
    "mcp.2025_11_25.tool",
]
REQUEST = DEFAULT_TOOL_INTEROP_REGISTRY.for_request([{"type": "custom", "name": "exec"}])
halves = st.sampled_from(["\ud83d", "\ude00", "\ud83d\ude00", "\ude00\ud83d"])
texts = anything | st.lists(anything | halves, max_size=4).map("".join)


def as_json_knows_it(text):
    """Two halves of a character side by side are that character: JSON has no other way to write either."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def custom_call(text):
    return {"type": "custom_tool_call", "call_id": "call_1", "name": "exec", "input": text}


def said(format_id, arguments):
    """A function call to the wrapped tool with the given arguments, in any format."""
    plain = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "exec", "arguments": json.dumps(arguments)},
    }
    target = ToolInteropTarget(format_id)
    return DEFAULT_TOOL_INTEROP_REGISTRY.convert_tool_call(plain, target, [format_id]).value


@given(texts, st.sampled_from(["input", "patch", "", "\ud83d"]))
@example("", "input")
@example("\0", "input")
@example('{"input":"x"}', "input")
@example("\ud83d", "input")
@example("\ud83d\ude00", "input")
def test_what_is_wrapped_is_unwrapped_to_the_letter(text, key):
    wrapper = CustomToolWrapper(key=key)

    assert wrapper.unwrap(parse_arguments(wrapper.wrap(text)).payload) == as_json_knows_it(text)


@pytest.mark.parametrize("format_id", FORMATS)
@given(text=texts)
@example(text="")
@example(text="\0")
@example(text='{"input":"x"}')
@example(text="\ud83d")
def test_raw_input_goes_through_every_format_and_back(format_id, text):
    wrapped = REQUEST.convert_tool_call(custom_call(text), ToolInteropTarget(format_id), [format_id]).value

    call = REQUEST.inspect_call(wrapped)

    assert (call.tool_name, call.payload_kind) == ("exec", "text")
    assert as_json_knows_it(call.payload) == as_json_knows_it(text)


@pytest.mark.parametrize("format_id", FORMATS)
@given(
    arguments=st.dictionaries(anything | st.just("input"), values, max_size=3).filter(
        lambda found: not (found.keys() == {"input"} and isinstance(found["input"], str))
    )
)
@example(arguments={})
@example(arguments={"input": None})
@example(arguments={"input": ["x"]})
@example(arguments={"input": "x", "more": "y"})
@example(arguments={"content": "x"})
def test_anything_but_the_one_string_is_malformed_and_kept_as_it_came(format_id, arguments):
    call = REQUEST.inspect_call(said(format_id, arguments))

    assert (call.payload_kind, call.payload) == ("malformed", None)
    assert call.payload_metadata["error"]["code"] == "not_wrapped_text"
    assert canonical(parse_arguments(call.raw).payload) == canonical(json.loads(json.dumps(arguments)))


@pytest.mark.parametrize("format_id", FORMATS)
@given(text=texts)
def test_without_the_requests_table_nothing_is_unwrapped(format_id, text):
    call = DEFAULT_TOOL_INTEROP_REGISTRY.inspect_call(said(format_id, {"input": text}))

    assert (call.payload_kind, list(call.payload)) == ("object", ["input"])
