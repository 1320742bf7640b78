"""What a call means that has no arguments: none are needed, or they were lost. Each format says which."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import ConversionError

ABSENT = object()


def _chat(key, value):
    return {"id": "c", "type": "function", "function": _with({"name": "f"}, key, value)}


def _responses(key, value):
    return _with({"type": "function_call", "call_id": "c", "name": "f"}, key, value)


def _anthropic(key, value):
    return _with({"type": "tool_use", "id": "c", "name": "f"}, key, value)


def _bedrock(key, value):
    return {"toolUse": _with({"toolUseId": "c", "name": "f"}, key, value)}


def _gemini(key, value):
    return {"functionCall": _with({"name": "f"}, key, value)}


def _mcp(key, value):
    return {"method": "tools/call", "params": _with({"name": "f"}, key, value)}


def _amplifier(key, value):
    return _with({"type": "tool_call", "id": "c", "name": "f"}, key, value)


def _with(call, key, value):
    return call if value is ABSENT else {**call, key: value}


def _ai_sdk(key, value):
    return _with({"type": "tool-call", "toolCallId": "c", "toolName": "f"}, key, value)


def _ollama(key, value):
    return {"function": _with({"name": "f"}, key, value)}


FORMS = {
    # form: how it is written, the key of its arguments, what absent and null ones mean
    "openai.chat_completions": (_chat, "arguments", "object"),
    "gemini": (_gemini, "args", "object"),
    "mcp": (_mcp, "arguments", "object"),
    "openai.responses": (_responses, "arguments", "malformed"),
    "anthropic": (_anthropic, "input", "malformed"),
    "bedrock": (_bedrock, "input", "malformed"),
    "amplifier": (_amplifier, "arguments", "malformed"),
    "amplifier, block of history": (_amplifier, "input", "malformed"),
    "langchain": (_amplifier, "args", "malformed"),
    "ai_sdk": (_ai_sdk, "input", "malformed"),
}
OBJECTS = FORMS | {"ollama": (_ollama, "arguments", "object")}


@pytest.mark.parametrize("nothing", [ABSENT, None], ids=["absent", "null"])
@pytest.mark.parametrize(("written", "key", "means"), FORMS.values(), ids=FORMS)
def test_missing_arguments_are_empty_only_where_the_form_makes_them_optional(written, key, means, nothing):
    call = REGISTRY.inspect_call(written(key, nothing))

    assert (call.payload_kind, call.payload) == (means, {} if means == "object" else None)
    if means == "malformed":
        assert call.payload_metadata["error"]["code"] == "no_arguments"


@pytest.mark.parametrize("blank", ["", " \n"])
@pytest.mark.parametrize(("written", "key", "_means"), FORMS.values(), ids=FORMS)
def test_blank_arguments_are_none(written, key, _means, blank):
    call = REGISTRY.inspect_call(written(key, blank))

    assert (call.payload_kind, call.payload) == ("object", {})


@pytest.mark.parametrize(
    "stray",
    [{"path": "a"}, '{"path": "a"}', ["a"], 5, False],
    ids=["object", "text", "list", "number", "truth value"],
)
@pytest.mark.parametrize(("written", "_key", "_means"), FORMS.values(), ids=FORMS)
def test_a_call_is_malformed_whose_arguments_may_stand_under_an_unknown_key(written, _key, _means, stray):
    call = REGISTRY.inspect_call(written("kwargs", stray))

    assert (call.payload_kind, call.payload) == ("malformed", None)
    assert call.payload_metadata["error"]["code"] == "no_arguments"
    assert call.payload_metadata["error"]["found"] == ["kwargs"]


@pytest.mark.parametrize("stray", [{"path": "a"}, '{"path": "a"}', ["a"], 5])
@pytest.mark.parametrize("key", ["arguments", "args", "input", "parameters"])
@pytest.mark.parametrize(
    "call",
    [
        _chat("arguments", ABSENT),
        _gemini("args", ABSENT),
        {"functionCall": {"name": "f", "id": "c"}},
        _mcp("arguments", None),
        {"function": {"name": "f"}},
    ],
    ids=["chat", "gemini", "gemini with an id", "mcp", "ollama"],
)
def test_a_call_is_malformed_whose_arguments_stand_around_it(call, key, stray):
    read = REGISTRY.inspect_call({**call, key: stray})

    assert (read.payload_kind, read.payload) == ("malformed", None)
    assert read.payload_metadata["error"]["found"] == [key]


@pytest.mark.parametrize(
    ("other", "stray"), [("kwargs", {"path": "a"}), ("partial_json", '{"pa'), ("data", ["a"])]
)
@pytest.mark.parametrize("empty", ["", " \n", {}, "{}"], ids=["none", "blank", "object", "text of an object"])
@pytest.mark.parametrize(("written", "key", "_means"), OBJECTS.values(), ids=OBJECTS)
def test_a_call_is_malformed_whose_arguments_are_empty_beside_an_unknown_key(
    written, key, _means, empty, other, stray
):
    call = written(key, empty)
    inner = next((item for item in call.values() if isinstance(item, dict) and "name" in item), call)
    inner[other] = stray

    read = REGISTRY.inspect_call(call)

    assert (read.payload_kind, read.payload) == ("malformed", None)
    assert read.payload_metadata["error"]["code"] == "no_arguments"
    assert read.payload_metadata["error"]["found"] == [other]


@pytest.mark.parametrize(
    ("call", "other"),
    [
        (_chat("arguments", ""), "args"),
        (_responses("arguments", ""), "input"),
        (_anthropic("input", {}), "arguments"),
        (_bedrock("input", {}), "arguments"),
        (_gemini("args", {}), "arguments"),
        (_mcp("arguments", {}), "input"),
        (_ai_sdk("input", {}), "args"),
        (_ollama("arguments", {}), "args"),
        ({"type": "tool-f", "toolCallId": "c", "state": "input-available", "input": {}}, "args"),
    ],
)
def test_a_call_is_malformed_whose_arguments_are_empty_beside_those_of_another_form(call, other):
    read = REGISTRY.inspect_call({**call, other: {"path": "a"}})

    assert (read.payload_kind, read.payload_metadata["error"]["found"]) == ("malformed", [other])


@pytest.mark.parametrize("nothing", [None, "", " ", {}, []])
@pytest.mark.parametrize(("written", "key", "_means"), OBJECTS.values(), ids=OBJECTS)
def test_an_unknown_key_that_holds_nothing_is_no_lost_argument(written, key, _means, nothing):
    call = {**written(key, {}), "note": nothing}

    assert REGISTRY.inspect_call(call).payload == {}


@pytest.mark.parametrize(
    "call",
    [
        _with(_anthropic("input", {}), "cache_control", {"type": "ephemeral"}),
        _with(_anthropic("input", {}), "toolset_name", "memory"),
        _with(_responses("arguments", "{}"), "parsed_arguments", {"unit": "C"}),
        _with(_responses("arguments", "{}"), "provider_data", {"model": "m"}),
        _with(_responses("arguments", "{}"), "x_vendor", {"trace": "t"}),
        _with(_amplifier("args", {}), "extras", {"signature": "s"}),
        _with(_amplifier("input", {}), "visibility", "internal"),
        _with(_ai_sdk("input", {}), "providerMetadata", {"google": {"thoughtSignature": "s"}}),
        {
            "function": {
                "name": "f",
                "arguments": "{}",
                "provider_specific_fields": {"thought_signature": "s"},
            }
        },
    ],
    ids=["cache", "toolset", "parsed", "agents sdk", "vendor", "langchain", "amplifier", "ai sdk", "gateway"],
)
def test_what_a_form_has_beside_empty_arguments_is_no_lost_argument(call):
    assert REGISTRY.inspect_call(call).payload == {}


def test_unknown_keys_beside_arguments_are_no_arguments():
    call = REGISTRY.inspect_call(_with(_amplifier("arguments", {"path": "a"}), "note", "x"))

    assert (call.payload, call.payload_metadata["extras"]) == ({"path": "a"}, {"note": "x"})


def test_what_a_server_adds_to_a_call_is_no_lost_argument():
    chat = {**_chat("arguments", ABSENT), "extra_content": {"google": {"thought_signature": "s"}}}
    mcp = {"method": "tools/call", "params": {"name": "f", "_meta": {"progressToken": 1}}}

    assert REGISTRY.inspect_call(chat).payload == {}
    assert REGISTRY.inspect_call(mcp).payload == {}


@pytest.mark.parametrize("call_type", [{"type": "tool_call"}, {}], ids=["typed", "untyped"])
def test_a_call_of_langchain_keeps_its_arguments(call_type):
    call = {"name": "f", "args": {"path": "a"}, "id": "c", **call_type}

    inspected = REGISTRY.inspect_call(call)
    (there,) = REGISTRY.convert_tool_calls(
        [call], ToolInteropTarget("anthropic.messages"), refuse_losses=True
    )

    assert (inspected.format, inspected.payload) == ("amplifier.tool", {"path": "a"})
    assert there == {"type": "tool_use", "id": "c", "name": "f", "input": {"path": "a"}}


def test_a_call_with_two_sets_of_arguments_is_malformed():
    call = {"type": "tool_call", "id": "c", "name": "f", "args": {"path": "a"}, "arguments": {"path": "b"}}

    assert REGISTRY.inspect_call(call).payload_kind == "malformed"


@pytest.mark.parametrize(("written", "key", "means"), FORMS.values(), ids=FORMS)
def test_lost_arguments_are_not_made_up_by_a_conversion(written, key, means):
    call = written(key, ABSENT)
    if means == "object":
        converted = REGISTRY.convert_tool_call({**call}, ToolInteropTarget("mcp"), target_formats=["mcp"])
        assert converted.value["params"].get("arguments", {}) == {}
    else:
        with pytest.raises(ConversionError):
            REGISTRY.convert_tool_call(call, ToolInteropTarget("gemini.generate_content"))
