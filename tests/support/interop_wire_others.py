"""Generated wire values of Gemini, Bedrock, MCP, Amplifier, of Chat's custom tools, and of interfaces and smaller APIs."""

from __future__ import annotations

from hypothesis import strategies as st
from interop_json import anything, ids, names, objects
from interop_pieces import described, flags, object_schemas, unknown

custom_formats = st.just({"type": "text"}) | st.builds(
    lambda syntax, definition: {"type": "grammar", "grammar": {"syntax": syntax, "definition": definition}},
    st.sampled_from(["lark", "regex"]),
    anything,
)
chat_custom_schemas = st.builds(
    lambda name, a, b, extra: {"type": "custom", "custom": {"name": name, **a, **b}, **extra},
    names,
    described,
    st.fixed_dictionaries({}, optional={"format": custom_formats}),
    unknown,
)
gemini_schemas = st.builds(
    lambda name, parameters, a, b: {"name": name, "parametersJsonSchema": parameters, **a, **b},
    names,
    object_schemas,
    described,
    st.fixed_dictionaries({}, optional={"behavior": st.just("BLOCKING"), "responseJsonSchema": objects}),
)
openapi_schemas = st.recursive(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["STRING", "INTEGER", "NUMBER", "BOOLEAN"])},
        optional={"nullable": st.booleans(), "description": anything},
    ),
    lambda inner: (
        st.builds(lambda items: {"type": "ARRAY", "items": items}, inner)
        | st.builds(lambda one, other: {"anyOf": [one, other]}, inner, inner)
        | st.builds(
            lambda properties, asked: {
                "type": "OBJECT",
                "properties": properties,
                **({"required": list(properties)} if asked and properties else {}),
            },
            st.dictionaries(names, inner, max_size=3),
            st.booleans(),
        )
    ),
    max_leaves=6,
)
gemini_openapi_schemas = st.builds(
    lambda name, properties, a: {
        "name": name,
        "parameters": {"type": "OBJECT", "properties": properties},
        **a,
    },
    names,
    st.dictionaries(names, openapi_schemas, min_size=1, max_size=3),
    described,
)
bedrock_schemas = st.builds(
    lambda name, parameters, a, b: {
        "toolSpec": {"name": name, "inputSchema": {"json": parameters}, **a, **b}
    },
    names,
    object_schemas,
    described,
    st.fixed_dictionaries({}, optional={"strict": st.booleans()}),
)
mcp_schemas = st.builds(
    lambda name, parameters, a, b: {"name": name, "inputSchema": parameters, **a, **b},
    names,
    object_schemas,
    described,
    st.fixed_dictionaries(
        {},
        optional={
            "title": anything,
            "annotations": st.just({"readOnlyHint": True}),
            "outputSchema": object_schemas | st.just({"type": "array"}),
            "_meta": objects,
        },
    ),
)
amplifier_schemas = st.builds(
    lambda name, parameters, a: {"name": name, "parameters": parameters, **a},
    names,
    object_schemas,
    described,
)
schemas = (
    chat_custom_schemas
    | gemini_schemas
    | gemini_openapi_schemas
    | bedrock_schemas
    | mcp_schemas
    | amplifier_schemas
)

chat_custom_calls = st.builds(
    lambda call_id, name, text, extra: {
        "id": call_id,
        "type": "custom",
        "custom": {"name": name, "input": text},
        **extra,
    },
    ids,
    names,
    anything,
    unknown,
)
gemini_calls = st.builds(
    lambda name, a, signature: {"functionCall": {"name": name, **a}, **signature},
    names,
    st.fixed_dictionaries({}, optional={"id": ids, "args": objects}),
    st.fixed_dictionaries({}, optional={"thoughtSignature": st.just("c2ln")}),
)
bedrock_calls = st.builds(
    lambda call_id, name, payload: {"toolUse": {"toolUseId": call_id, "name": name, "input": payload}},
    ids,
    names,
    objects,
)
mcp_calls = st.builds(
    lambda name, arguments: {"method": "tools/call", "params": {"name": name, "arguments": arguments}},
    names,
    objects,
)
amplifier_calls = st.builds(
    lambda call_id, name, payload: {"type": "tool_call", "id": call_id, "name": name, "arguments": payload},
    ids,
    names,
    objects,
)
ollama_calls = st.builds(
    lambda name, payload, a: {"function": {"name": name, "arguments": payload}, **a},
    names,
    objects,
    st.fixed_dictionaries({}, optional={"id": ids}),
)
ai_sdk_calls = st.builds(
    lambda call_id, name, payload, state: {
        "type": f"tool-{name}",
        "toolCallId": call_id,
        "state": state,
        "input": payload,
    },
    ids,
    names,
    objects,
    st.sampled_from(["input-available", "output-available", "output-error"]),
) | st.builds(
    lambda call_id, name, payload: {
        "type": "tool-input-available",
        "toolCallId": call_id,
        "toolName": name,
        "input": payload,
    },
    ids,
    names,
    objects,
)
calls = (
    chat_custom_calls
    | gemini_calls
    | bedrock_calls
    | mcp_calls
    | amplifier_calls
    | ollama_calls
    | ai_sdk_calls
)

gemini_media = st.sampled_from(
    [
        {"inlineData": {"mimeType": "image/png", "data": "AA=="}},
        {"fileData": {"mimeType": "image/png", "fileUri": "https://generativelanguage.example/files/1"}},
    ]
)
said = st.sampled_from(["output", "error", "files"])
gemini_results = st.builds(
    lambda name, response, a: {"functionResponse": {"name": name, "response": response, **a}},
    names,
    st.dictionaries(said, anything | objects, max_size=2),
    st.fixed_dictionaries({}, optional={"id": ids, "parts": st.lists(gemini_media, max_size=2)}),
)
bedrock_blocks = (
    st.sampled_from(
        [
            {"text": "seen"},
            {"image": {"format": "png", "source": {"bytes": "AA=="}}},
            {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://b/k"}}}},
            {"document": {"format": "pdf", "name": "a", "source": {"bytes": "AA=="}}},
            {"searchResult": {"source": "s", "title": "t", "content": [{"text": "found"}]}},
            {"video": {"format": "mp4", "source": {"bytes": "AA=="}}},
        ]
    )
    | objects.map(lambda value: {"json": value})
    | anything.map(lambda text: {"text": text})
)
bedrock_results = st.builds(
    lambda call_id, content, status: {"toolResult": {"toolUseId": call_id, "content": content, **status}},
    ids,
    st.lists(bedrock_blocks, max_size=3),
    st.fixed_dictionaries({}, optional={"status": st.sampled_from(["success", "error"])}),
)
mcp_blocks = st.sampled_from(
    [
        {"type": "text", "text": "seen"},
        {"type": "text", "text": '{"a": 1}'},
        {"type": "text", "text": "for the user", "annotations": {"audience": ["user"]}},
        {"type": "image", "data": "AA==", "mimeType": "image/png"},
        {"type": "audio", "data": "AA==", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "file:///a", "text": "of a file"}},
        {"type": "resource", "resource": {"uri": "file:///a", "blob": "AA==", "mimeType": "application/pdf"}},
        {"type": "resource_link", "uri": "file:///a", "name": "a"},
    ]
)
mcp_results = st.builds(
    lambda content, flag, a: {"content": content, "isError": flag, **a},
    st.lists(mcp_blocks, max_size=3),
    flags,
    st.fixed_dictionaries(
        {},
        optional={
            "structuredContent": objects | st.just({"a": 1}) | st.just([1]),
            "_meta": objects,
            "resultType": st.just("complete"),
        },
    ),
)
amplifier_results = st.builds(
    lambda success, output, error: {"success": success, "output": output, "error": error},
    st.booleans(),
    st.none() | anything | objects,
    st.none() | st.builds(lambda text: {"message": text}, anything) | st.just({"message": "no", "code": 5}),
)
host_results = st.builds(lambda result: {"success": True, "result": result}, anything | objects) | st.builds(
    lambda text: {"success": False, "error": text}, anything
)
ollama_results = st.builds(
    lambda name, text, a: {"role": "tool", "tool_name": name, "content": text, **a},
    names,
    anything,
    st.fixed_dictionaries({}, optional={"tool_call_id": ids, "images": st.just(["AA=="])}),
)
cohere_results = st.builds(
    lambda call_id, content: {"role": "tool", "tool_call_id": call_id, "content": content},
    ids,
    st.lists(
        objects.map(lambda data: {"type": "document", "document": {"data": data}})
        | anything.map(lambda text: {"type": "text", "text": text}),
        max_size=3,
    ),
)
ag_ui_results = st.builds(
    lambda call_id, content, a: {"id": "m", "role": "tool", "toolCallId": call_id, "content": content, **a},
    ids,
    anything
    | st.lists(
        anything.map(lambda text: {"type": "text", "text": text})
        | st.just({"type": "image", "source": {"type": "data", "value": "AA==", "mimeType": "image/png"}})
        | st.just({"type": "video", "source": {"type": "url", "value": "https://example.com/a.mp4"}}),
        max_size=3,
    ),
    st.fixed_dictionaries({}, optional={"error": anything}),
)
ai_sdk_results = st.builds(
    lambda call_id, output: {"type": "tool-output-available", "toolCallId": call_id, "output": output},
    ids,
    st.none() | anything | objects,
) | st.builds(
    lambda call_id, name, text: {
        "type": f"tool-{name}",
        "toolCallId": call_id,
        "state": "output-error",
        "input": {},
        "errorText": text,
    },
    ids,
    names,
    anything,
)
results = (
    gemini_results
    | bedrock_results
    | mcp_results
    | amplifier_results
    | host_results
    | ollama_results
    | cohere_results
    | ag_ui_results
    | ai_sdk_results
)
