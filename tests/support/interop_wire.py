"""Generated wire values: schemas, calls and results in the built-in formats, with keys nobody knows."""

from __future__ import annotations

import json

import interop_wire_others as others
from hypothesis import strategies as st
from interop_json import anything, ids, names, objects
from interop_pieces import described, flags, object_schemas, unknown

strictness = st.fixed_dictionaries({}, optional={"strict": st.sampled_from([True, False, None])})
parameters = st.fixed_dictionaries({}, optional={"parameters": objects})
formats = st.just({"type": "text"}) | st.builds(
    lambda syntax, definition: {"type": "grammar", "syntax": syntax, "definition": definition},
    st.sampled_from(["lark", "regex"]),
    anything,
)

chat_schemas = st.builds(
    lambda name, a, b, c, extra: {"type": "function", "function": {"name": name, **a, **b, **c}, **extra},
    names,
    described,
    strictness,
    parameters,
    unknown,
)
responses_schemas = st.builds(
    lambda name, a, b, c, d, extra: {"type": "function", "name": name, **a, **b, **c, **d, **extra},
    names,
    described,
    strictness,
    parameters,
    st.fixed_dictionaries({}, optional={"output_schema": objects, "defer_loading": st.booleans()}),
    unknown,
)
custom_schemas = st.builds(
    lambda name, a, b, extra: {"type": "custom", "name": name, **a, **b, **extra},
    names,
    described,
    st.fixed_dictionaries({}, optional={"format": formats, "defer_loading": st.booleans()}),
    unknown,
)
anthropic_schemas = st.builds(
    lambda name, parameters, a, b, extra: {"name": name, "input_schema": parameters, **a, **b, **extra},
    names,
    object_schemas,
    described,
    st.fixed_dictionaries({}, optional={"strict": st.booleans(), "type": st.just("custom")}),
    unknown,
)
schemas = chat_schemas | responses_schemas | custom_schemas | anthropic_schemas | others.schemas

argument_text = objects.map(json.dumps)
chat_calls = st.builds(
    lambda call_id, name, text, extra: {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": text},
        **extra,
    },
    ids,
    names,
    argument_text,
    unknown,
)
items = st.fixed_dictionaries(
    {}, optional={"id": st.just("fc_1"), "status": st.just("completed"), "namespace": names}
)
responses_calls = st.builds(
    lambda call_id, name, text, item, extra: {
        "type": "function_call",
        "call_id": call_id,
        "name": name,
        "arguments": text,
        **item,
        **extra,
    },
    ids,
    names,
    argument_text,
    items,
    unknown,
)
custom_calls = st.builds(
    lambda call_id, name, text, item, extra: {
        "type": "custom_tool_call",
        "call_id": call_id,
        "name": name,
        "input": text,
        **item,
        **extra,
    },
    ids,
    names,
    anything,
    items,
    unknown,
)
anthropic_calls = st.builds(
    lambda call_id, name, payload, extra: {
        "type": "tool_use",
        "id": call_id,
        "name": name,
        "input": payload,
        **extra,
    },
    ids,
    names,
    objects,
    unknown,
)
calls = chat_calls | responses_calls | custom_calls | anthropic_calls | others.calls

chat_parts = st.sampled_from(
    [
        {"type": "text", "text": "seen"},
        {"type": "text", "text": "cached", "cache_control": {"type": "ephemeral"}},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png", "detail": "low"}},
        {"type": "input_audio", "input_audio": {"data": "AA==", "format": "mp3"}},
        {"type": "file", "file": {"file_id": "file-1"}},
        {"type": "refusal", "refusal": "no"},
    ]
)
responses_parts = st.sampled_from(
    [
        {"type": "input_text", "text": "seen"},
        {"type": "input_image", "image_url": "https://example.com/a.png"},
        {"type": "input_image", "file_id": "file-1", "detail": "high"},
        {"type": "input_file", "file_data": "data:,x", "filename": "x.txt"},
        {"type": "computer_screenshot"},
    ]
)
chat_results = st.builds(
    lambda call_id, content, extra: {"role": "tool", "tool_call_id": call_id, "content": content, **extra},
    ids,
    anything | st.lists(chat_parts, max_size=3),
    unknown,
)
outputs = st.builds(
    lambda stated, call_id, output, extra: {"type": stated, "call_id": call_id, "output": output, **extra},
    st.sampled_from(["function_call_output", "custom_tool_call_output"]),
    ids,
    anything | st.lists(responses_parts, max_size=3),
    unknown,
)
core_results = st.builds(
    lambda text, extra: {"type": "tool_result", "text": text, **extra}, anything, unknown
)
envelopes = st.builds(
    lambda family, content: {"type": "provider_native_tool_result", "format": family, "content": content},
    st.sampled_from(["openai.chat_completions", "openai.responses", "acme.chat"]),
    st.lists(chat_parts | responses_parts, max_size=3),
)
anthropic_blocks = st.sampled_from(
    [
        {"type": "text", "text": "seen"},
        {"type": "text", "text": "cached", "cache_control": {"type": "ephemeral"}},
        {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}},
        {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
        {
            "type": "document",
            "title": "a",
            "source": {"type": "text", "media_type": "text/plain", "data": "x"},
        },
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AA=="}},
        {
            "type": "search_result",
            "source": "s",
            "title": "t",
            "content": [{"type": "text", "text": "found"}],
        },
        {"type": "tool_reference", "tool_name": "ls"},
    ]
)
anthropic_results = st.builds(
    lambda call_id, content, flag, extra: {
        "type": "tool_result",
        "tool_use_id": call_id,
        "content": content,
        "is_error": flag,
        **extra,
    },
    ids,
    anything | st.lists(anthropic_blocks, max_size=3),
    flags,
    unknown,
)
results = anthropic_results | chat_results | outputs | core_results | envelopes | others.results
