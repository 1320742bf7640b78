from __future__ import annotations

from dataclasses import replace

import pytest
from callboard.interop.conversion import LossCode, ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import ConversionError, InteropError, InvalidShapeError, UnknownFormatError
from callboard.interop.hub import InspectedResult
from callboard.interop.parts import JsonPart, MediaPart, TextPart
from callboard.interop.results.text_fallback import ERROR_LINE, as_text
from hypothesis import given
from interop_json import anything

CHAT = ToolInteropTarget("openai.chat_completions")
RESPONSES = ToolInteropTarget("openai.responses")
CALL = {"id": "call_1", "type": "function", "function": {"name": "shot", "arguments": "{}"}}
PICTURE = [
    {"type": "text", "text": "<image>"},
    {"type": "image_url", "image_url": {"url": "https://example.com/a.png", "detail": "low"}},
]


def envelope(family, content):
    return {"type": "provider_native_tool_result", "format": family, "content": content}


@given(anything)
def test_text_goes_from_the_core_to_a_provider_and_back(text):
    result = {"type": "tool_result", "text": text}

    for target in (CHAT, RESPONSES):
        (sent,) = REGISTRY.convert_results([result], target, calls=[CALL])
        assert REGISTRY.convert_results([sent], ToolInteropTarget("core.tool_result")) == [result]


def test_a_result_that_does_not_say_which_call_it_answers_is_not_sent():
    with pytest.raises(ConversionError, match="does not say which call it answers"):
        REGISTRY.convert_results([{"type": "tool_result", "text": "x"}], CHAT)


def test_a_result_is_not_sent_as_the_answer_to_another_call():
    result = {"type": "function_call_output", "call_id": "call_2", "output": "x"}

    with pytest.raises(ConversionError, match="does not answer call 'call_1'"):
        REGISTRY.convert_results([result], CHAT, calls=[CALL])


def test_every_result_needs_a_call_if_any_is_given():
    with pytest.raises(InteropError, match="2 results cannot answer 1 calls"):
        REGISTRY.convert_results([{"type": "tool_result", "text": "x"}] * 2, CHAT, calls=[CALL])


def test_an_envelope_is_read_by_another_provider_as_far_as_it_can_be():
    (output,) = REGISTRY.convert_results(
        [envelope("openai.chat_completions", PICTURE)], RESPONSES, calls=[CALL]
    )

    assert output["output"] == [
        {"type": "input_text", "text": "<image>"},
        {"type": "input_image", "image_url": "https://example.com/a.png", "detail": "low"},
    ]


def test_an_envelope_of_an_unknown_provider_leaves_its_text_and_a_note():
    content = [
        {"type": "text", "text": "a"},
        {"type": "hologram", "rays": [1]},
        {"type": "image", "source": {}},
    ]

    converted = REGISTRY.convert_result(envelope("acme.chat", content), CHAT, call=CALL)

    assert [part["text"] for part in converted.value["content"]] == [
        "a",
        "[2 parts not representable: hologram, image]",
    ]
    assert {loss.code for loss in converted.losses} == {LossCode.UNREAD}


def test_media_that_a_tool_message_cannot_carry_are_named_in_a_note():
    output = {
        "type": "function_call_output",
        "call_id": "call_1",
        "output": [{"type": "input_image", "file_id": "f"}],
    }

    converted = REGISTRY.convert_result(output, CHAT)

    assert converted.value["content"] == "[1 part not representable: image]"
    assert [(loss.code, loss.detail) for loss in converted.losses] == [(LossCode.MEDIA, "image")]


def test_native_content_is_a_copy():
    content = [{"type": "text", "text": "a"}]

    (message,) = REGISTRY.convert_results([envelope("openai.chat_completions", content)], CHAT, calls=[CALL])

    assert message["content"] == content
    assert message["content"] is not content
    assert message["content"][0] is not content[0]


@pytest.mark.parametrize(
    "broken",
    [
        envelope("openai.chat_completions", {"text": "x"}),
        {"type": "provider_native_tool_result", "content": []},
        {"type": "provider_native_tool_result", "format": "openai.responses"},
        {"type": "tool_result", "text": 5},
        {"role": "tool", "tool_call_id": "c", "content": 5},
        {"role": "tool", "tool_call_id": "c", "content": ["x"]},
        {"type": "function_call_output", "call_id": "c", "output": {"a": 1}},
    ],
    ids=lambda value: str(value)[:70],
)
def test_a_result_that_breaks_its_format_is_refused(broken):
    with pytest.raises(InvalidShapeError):
        REGISTRY.inspect_result(broken)


def test_a_core_message_without_a_tool_result_gives_its_content():
    message = {
        "role": "tool",
        "content": "Result: 5",
        "metadata": {"tool_call_id": "call_1", "tool_name": "add", "tool_plugin": "calculator"},
    }

    inspected = REGISTRY.inspect_result(message)

    assert inspected == InspectedResult(
        "core.tool_result", call_id="call_1", tool_name="add", parts=(TextPart("Result: 5"),)
    )


def test_a_core_message_whose_result_nobody_knows_is_refused():
    with pytest.raises(UnknownFormatError):
        REGISTRY.inspect_result(
            {"role": "tool", "content": "x", "toolResult": {"type": "acme"}, "metadata": {}}
        )


def test_what_native_history_notes_beside_the_tool_s_name_is_declared_lost():
    message = {
        "role": "tool",
        "tool_call_id": "c",
        "content": "x",
        "_metadata": {"tool_name": "ls", "took": 3},
    }

    converted = REGISTRY.convert_result(message, RESPONSES)

    assert [(loss.code, loss.detail) for loss in converted.losses] == [(LossCode.EXTRAS, "_metadata")]


def test_failure_is_told_once_where_there_is_no_flag_for_it():
    failed = InspectedResult("acme", is_error=True, parts=(TextPart("disk full"),))

    text, losses = as_text(failed)
    again, _ = as_text(replace(failed, parts=(TextPart(text),)))

    assert text == again == f"{ERROR_LINE}\ndisk full"
    assert [loss.code for loss in losses] == [LossCode.ERROR_FLAG]


def test_failure_is_told_before_anything_else():
    failed = InspectedResult(
        "acme", is_error=True, parts=(MediaPart("image", url="https://example.com/a.png"),)
    )

    assert as_text(failed)[0] == f"{ERROR_LINE}\n[1 part not representable: image]"


def test_structure_becomes_its_text():
    text, losses = as_text(InspectedResult("acme", parts=(JsonPart({"a": [1, True]}),)))

    assert text == '{"a":[1,true]}'
    assert [loss.code for loss in losses] == [LossCode.STRUCTURE]


def test_several_texts_become_one_by_a_loss_that_is_declared():
    message = {
        "role": "tool",
        "tool_call_id": "c",
        "content": [{"type": "text", "text": t} for t in ("4", '["4"]')],
    }

    converted = REGISTRY.convert_result(message, ToolInteropTarget("core.tool_result"))

    assert converted.value["text"] == '4\n["4"]'
    assert LossCode.BOUNDARIES in {loss.code for loss in converted.losses}


PDF = "data:application/pdf;base64,AAAA"


@pytest.mark.parametrize(
    ("source", "written"),
    [
        (
            {
                "content": [
                    {
                        "type": "resource",
                        "resource": {"uri": "file:///a", "blob": "AAAA", "mimeType": "application/pdf"},
                    }
                ]
            },
            {"file_data": PDF, "filename": "file.pdf"},
        ),
        (
            {
                "type": "tool_result",
                "tool_use_id": "call_1",
                "content": [
                    {
                        "type": "document",
                        "title": "b.pdf",
                        "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"},
                    }
                ],
            },
            {"file_data": PDF, "filename": "b.pdf"},
        ),
        (
            {
                "type": "function_call_output",
                "call_id": "call_1",
                "output": [{"type": "input_file", "file_data": PDF}],
            },
            {"file_data": PDF, "filename": "file.pdf"},
        ),
        (
            {
                "type": "function_call_output",
                "call_id": "call_1",
                "output": [{"type": "input_file", "file_url": "https://example.com/a.pdf"}],
            },
            {"file_url": "https://example.com/a.pdf"},
        ),
    ],
    ids=["resource", "document", "no name", "address"],
)
def test_a_file_by_value_goes_into_responses_as_data_with_a_name(source, written):
    custom = {"type": "custom_tool_call", "call_id": "call_1", "name": "shot", "input": "x"}

    output = REGISTRY.convert_result(source, RESPONSES, call=custom).value["output"]

    assert output == [{"type": "input_file", **written}]


def test_a_file_that_was_cut_short_is_noted_and_not_sent():
    cut = {
        "type": "function_call_output",
        "call_id": "call_1",
        "output": [{"type": "input_file", "file_url": PDF + "..."}],
    }
    custom = {"type": "custom_tool_call", "call_id": "call_1", "name": "shot", "input": "x"}

    converted = REGISTRY.convert_result(cut, RESPONSES, call=custom)

    assert "input_file" not in str(converted.value)
    assert LossCode.MEDIA in [loss.code for loss in converted.losses]


def test_a_name_that_was_made_up_for_a_file_is_none_when_it_is_read():
    output = [{"type": "input_file", "file_data": PDF, "filename": "file.pdf"}]

    (part,) = REGISTRY.inspect_result(
        {"type": "function_call_output", "call_id": "c", "output": output}
    ).parts

    assert part == MediaPart("file", data=PDF)
