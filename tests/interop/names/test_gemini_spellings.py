"""Gemini as its Python SDK dumps it, in snake case and with a null for what is unsaid; and as Vertex AI's proto does."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode, ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import InvalidShapeError
from callboard.interop.parts import MediaPart, TextPart
from callboard.interop.registry.request_conversion import RequestConversion
from callboard.interop.streams.calls import assembler
from callboard.interop.transcripts.repair import repair_transcript

FAMILY = "gemini.generate_content"
GEMINI, CHAT = ToolInteropTarget(FAMILY), ToolInteropTarget("openai.chat_completions")


def call(name="find", **more):
    return {"function_call": {"id": None, "name": name, "args": {"path": "a"}, "will_continue": None, **more}}


def response(name="find", **more):
    return {"function_response": {"id": None, "name": name, "response": {"output": "x"}, **more}}


@pytest.mark.parametrize("signature", ["c2ln", b"sig"])
def test_a_call_of_the_sdk_is_read_and_nothing_of_it_is_lost_but_its_signature(signature):
    dumped = call(id="c1") | {"thought_signature": signature, "text": None, "inline_data": None}

    converted = REGISTRY.convert_tool_call(dumped, CHAT)

    assert converted.value == {
        "id": "c1",
        "type": "function",
        "function": {"name": "find", "arguments": '{"path":"a"}'},
    }
    assert [loss.code for loss in converted.losses] == [LossCode.SIGNATURE]
    assert REGISTRY.inspect_call(dumped).payload_metadata == {"thought_signature": "c2ln"}


def test_what_the_sdk_dumps_goes_home_as_it_is():
    dumped = call() | {"thought_signature": "c2ln"}

    assert REGISTRY.convert_tool_call(dumped, GEMINI).value == dumped
    assert REGISTRY.convert_result(response(), GEMINI).value == response()


@pytest.mark.parametrize("args", [None, "[]", [1]])
def test_a_call_of_the_sdk_is_sanitized_in_its_own_spelling(args):
    clean = REGISTRY.sanitize_tool_call(call(args=args))

    assert clean == (call(args=None) if args is None else call(args={}))


def test_a_response_of_the_sdk_is_read_with_its_media():
    media = [{"inline_data": {"mime_type": "image/png", "data": "AAAA", "display_name": None}}]

    inspected = REGISTRY.inspect_result(response(id="c1", parts=media))

    assert (inspected.call_id, inspected.tool_name, inspected.is_error) == ("c1", "find", False)
    assert inspected.parts == (TextPart("x"), MediaPart("image", url="data:image/png;base64,AAAA"))
    assert inspected.extras == {}


def test_a_whole_request_replaces_names_and_ids_in_the_sdk_s_spelling():
    tools = [{"name": "a/b", "parameters_json_schema": {"type": "object"}}]
    request = RequestConversion(REGISTRY, GEMINI, tools, turns=[[call("a/b", id="ü")]])

    (sent,), (answer,) = request.calls(0), request.results(0, [response("a/b", id="ü")])

    assert sent["function_call"]["name"] == answer["function_response"]["name"] == request.names.said["a/b"]
    assert sent["function_call"]["id"] == answer["function_response"]["id"] == request.ids.said["ü"]


def chunk(*parts, **more):
    return {"candidates": [{"content": {"parts": list(parts), "role": "model"}, "index": None, **more}]}


def test_a_stream_of_the_sdk_comes_out_in_its_own_spelling():
    calls = assembler(FAMILY)
    event = chunk({"text": "x", "function_call": None}, call() | {"thought_signature": b"sig", "text": None})

    (came,) = calls.feed(event)

    assert came["function_call"] == {"id": None, "name": "find", "args": {"path": "a"}}
    assert came["thought_signature"] == "c2ln"
    assert calls.finish() == ()


def test_arguments_that_grow_come_together_in_the_sdk_s_spelling():
    calls = assembler(FAMILY)
    patch = {"json_path": "$.path", "string_value": "a", "number_value": None, "null_value": None}

    begun = calls.feed(chunk(call(args=None, partial_args=None, will_continue=True)))
    grown = calls.feed(chunk(call(None, args=None, partial_args=[patch], will_continue=True)))
    ended = calls.feed(chunk(finish_reason="STOP"))

    assert (begun, grown) == ((), ())
    assert [REGISTRY.inspect_call(each).payload for each in ended] == [{"path": "a"}]


def test_a_call_of_the_sdk_that_is_cut_off_is_malformed():
    calls = assembler(FAMILY)

    calls.feed(chunk(call(will_continue=True)))
    (came,) = calls.feed(chunk(finish_reason="MAX_TOKENS"))

    assert REGISTRY.inspect_call(came).payload_kind == "malformed"


def test_a_valid_transcript_of_the_sdk_comes_back_as_it_is():
    transcript = [
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [call(), call("other")]},
        {"role": "user", "parts": [response(), response("other")]},
    ]

    repaired = repair_transcript(transcript, FAMILY)

    assert repaired.transcript is transcript
    assert repaired.repairs == ()


def test_a_transcript_of_the_sdk_is_repaired():
    transcript = [
        {"role": "user", "parts": [response("gone"), {"text": "go"}]},
        {"role": "model", "parts": [call(id="c1"), call("other", id="c2")]},
        {"role": "user", "parts": [response(id="c1")]},
    ]

    repaired, repairs = repair_transcript(transcript, FAMILY)

    assert [repair.code.value for repair in repairs] == ["orphan_result", "missing_result"]
    assert repaired[0]["parts"] == [{"text": "go"}]
    assert [REGISTRY.inspect_result(each).call_id for each in repaired[2]["parts"]] == ["c1", "c2"]


OBJECT = {"path": {"type": "string", "maxLength": 9}, "tags": {"type": "array", "items": {"type": "integer"}}}


@pytest.mark.parametrize("key", ["type", "type_"])
def test_a_schema_in_the_words_of_the_proto_is_read_and_is_not_amplifier_s(key):
    # What a proto does not say has the value of nothing: an empty text, a zero, an empty list.
    path = {key: 1, "max_length": "9", "description": "", "nullable": False, "enum": []}
    tags = {key: 5, "items": {key: 3}, "min_items": "0"}
    tool = {
        "name": "find",
        "parameters": {key: 6, "properties": {"path": path, "tags": tags}, "required": []},
    }

    inspected = REGISTRY.inspect_schema(tool)

    assert inspected.format == "gemini.generate_content.function_openapi"
    assert inspected.parameters == {"type": "object", "properties": OBJECT}


@pytest.mark.parametrize("stated", [8, -1, 99])
def test_a_type_that_the_proto_has_not_is_refused(stated):
    with pytest.raises(InvalidShapeError):
        REGISTRY.inspect_schema(
            {"name": "find", "parameters": {"type": 6, "properties": {"a": {"type": stated}}}}
        )


def test_a_declaration_of_the_sdk_is_read_with_a_null_for_all_that_is_unsaid():
    schema = {
        "type": "OBJECT",
        "properties": {
            "path": {"type": "STRING", "max_length": 9, "any_of": None},
            "tags": {"type": "ARRAY", "items": {"type": "INTEGER", "title": None}, "min_items": None},
        },
        "property_ordering": None,
        "required": None,
    }
    unsaid = dict.fromkeys(["parameters_json_schema", "response", "response_json_schema", "behavior"])

    inspected = REGISTRY.inspect_schema({"name": "find", "parameters": schema, **unsaid})

    assert inspected.parameters == {"type": "object", "properties": OBJECT}
    assert inspected.extras == {}


def test_the_alternatives_of_a_declaration_of_the_sdk_are_read():
    either = {"any_of": [{"type": "STRING"}, {"type": "INTEGER"}], "nullable": True}
    tool = {"name": "find", "parameters": {"type": "OBJECT", "properties": {"a": either}}}

    read = REGISTRY.inspect_schema(tool).parameters["properties"]["a"]

    assert read == {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}


@pytest.mark.parametrize("key", ["displayName", "display_name"])
def test_a_label_of_media_is_a_file_s_name_and_a_declared_loss_of_an_image(key):
    def result(mime):
        inline = {"inlineData": {"mimeType": mime, "data": "AAAA", key: "a.pdf"}}
        return {"functionResponse": {"name": "find", "id": "c1", "response": {}, "parts": [inline]}}

    image = REGISTRY.convert_result(result("image/png"), ToolInteropTarget("anthropic.messages"))
    file = REGISTRY.inspect_result(result("application/pdf"))

    assert [(loss.code, loss.detail) for loss in image.losses] == [(LossCode.EXTRAS, key)]
    assert file.parts == (MediaPart("file", url="data:application/pdf;base64,AAAA", filename="a.pdf"),)


@pytest.mark.parametrize(
    ("model", "signed"),
    [
        ("gemini-3-pro-preview", True),
        ("models/gemini-3.5-flash", True),
        ("publishers/google/models/gemini-10-pro", True),
        ("gemini-flash-latest", True),
        ("gemini-2.5-pro", False),
        ("gemini-2.0-flash-latest", False),
        (None, False),
    ],
)
def test_a_foreign_call_bears_the_documented_sentinel_for_gemini_3_and_that_is_a_loss(model, signed):
    foreign = {"type": "tool_use", "id": "c1", "name": "find", "input": {}}

    converted = REGISTRY.convert_tool_call(foreign, ToolInteropTarget(FAMILY, model))

    sentinel = {"thoughtSignature": "skip_thought_signature_validator"} if signed else {}
    assert converted.value == {"functionCall": {"name": "find", "args": {}, "id": "c1"}, **sentinel}
    assert [loss.code for loss in converted.losses] == ([LossCode.SIGNATURE] if signed else [])


def test_a_sentinel_is_no_signature_that_is_lost_elsewhere():
    sent = {
        "functionCall": {"name": "find", "args": {}, "id": "c1"},
        "thoughtSignature": "skip_thought_signature_validator",
    }

    assert REGISTRY.convert_tool_call(sent, CHAT).losses == ()
    assert REGISTRY.convert_tool_call(sent, GEMINI).value == sent
