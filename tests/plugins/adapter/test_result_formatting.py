"""What the model and people see: the plugin's words, or the defaults, and never an exception."""

from __future__ import annotations

import json
import logging

import pytest
from callboard.base.errors import JsonValueError
from callboard.base.json import dump_json
from callboard.plugins.adapter.formatting import as_text, default_text
from callboard.plugins.contract.invocation import Invocation
from callboard.plugins.results.provider_native import (
    FORMAT_OPENAI_CHAT_COMPLETIONS,
    FORMAT_OPENAI_RESPONSES,
    is_provider_native_tool_result,
    make_provider_native_tool_result,
)
from hypothesis import given
from interop_json import canonical, values
from plugin_tools import CALL, GOOD, adapted

IMAGE = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]


class Unshowable:
    def __str__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ({"success": True, "result": "plain\ntext"}, "plain\ntext"),
        ({"success": True, "result": None}, ""),
        ({"success": True, "result": 5.0}, "5.0"),
        ({"success": True, "result": True}, "true"),
        ({"success": True, "result": {"a": [1]}}, '{"a":[1]}'),
        ({"success": True, "result": {}}, "{}"),
        ({"success": True}, ""),
        ({"success": True, "path": "README.md", "content": "# P"}, '{"path":"README.md","content":"# P"}'),
        ({"success": False, "error": "no such file"}, "Error: no such file"),
        (
            {"success": False, "error": "exit 1", "output": {"stderr": "boom"}},
            'Error: exit 1\n{"stderr":"boom"}',
        ),
        ({"success": False, "error": "exit 1", "output": None}, "Error: exit 1"),
    ],
)
def test_by_default_the_model_sees_text(result, text):
    assert default_text(result) == text
    assert adapted().format_result(result, {}) == text


@given(values)
def test_any_json_value_has_a_text(value):
    text = as_text(value)

    if value is None:
        assert text == ""
    elif isinstance(value, str):
        assert text == value
    else:
        assert canonical(json.loads(text)) == canonical(value)


@pytest.mark.parametrize(
    ("answer", "seen"),
    [
        ("formatted", "formatted"),
        ("", ""),
        (None, "done"),
        (7, "7"),
        ({"type": "text", "text": "x"}, '{"type":"text","text":"x"}'),
        ([1, 2], "[1,2]"),
        ({"type": "provider_native_tool_result"}, '{"type":"provider_native_tool_result"}'),
        ({1}, "{1}"),
        (Unshowable(), "(a Unshowable that cannot be shown)"),
    ],
)
def test_a_formatters_answer_is_text_or_is_made_text(answer, seen):
    adapter = adapted(format_tool_result=lambda result, state: answer)

    assert adapter.format_result(GOOD, {}) == seen


def test_an_explicit_envelope_passes_as_a_copy():
    envelope = make_provider_native_tool_result(format=FORMAT_OPENAI_CHAT_COMPLETIONS, content=IMAGE)
    adapter = adapted(format_tool_result=lambda result, state: envelope)

    seen = adapter.format_result(GOOD, {})

    assert seen == {
        "type": "provider_native_tool_result",
        "format": "openai.chat_completions",
        "content": IMAGE,
    }
    assert seen is not envelope


def test_an_envelope_shares_nothing_with_the_content_it_was_made_of():
    content = [{"type": "input_text", "text": "x"}]

    envelope = make_provider_native_tool_result(format=FORMAT_OPENAI_RESPONSES, content=content)
    content[0]["text"] = "changed"

    assert envelope["format"] == "openai.responses"
    assert envelope["content"] == [{"type": "input_text", "text": "x"}]


def test_an_envelope_needs_a_format_and_json():
    with pytest.raises(ValueError, match="id of its format"):
        make_provider_native_tool_result(format="", content=[])
    with pytest.raises(JsonValueError, match=r"content\[0\] is of type set"):
        make_provider_native_tool_result(format="x", content=[{1}])


@pytest.mark.parametrize(
    "value",
    [
        None,
        "provider_native_tool_result",
        {"type": "provider_native_tool_result", "content": []},
        {"type": "provider_native_tool_result", "format": 3, "content": []},
        {"type": "provider_native_tool_result", "format": "x"},
        {"type": "tool_result", "format": "x", "content": []},
        [("type", "provider_native_tool_result")],
    ],
)
def test_only_a_whole_envelope_is_one(value):
    assert not is_provider_native_tool_result(value)


def broken(*values, **facts):
    raise ValueError("broken")


async def late(*values):
    return "late"


@pytest.mark.parametrize(
    "hook", [broken, lambda result, state: late(), lambda result, state: not_json_envelope()]
)
def test_a_formatter_that_fails_gives_way_to_the_default_and_is_reported(hook):
    faults = []
    adapter = adapted(report=faults.append, format_tool_result=hook)

    assert adapter.format_result(GOOD, {}) == "done"
    assert [(fault.plugin, fault.hook) for fault in faults] == [("tool", "format_tool_result")]
    assert faults[0].problem.endswith("; the default stands in")


def not_json_envelope():
    return {"type": "provider_native_tool_result", "format": "x", "content": {1}}


def test_faults_are_logged_unless_somebody_else_is_told(caplog):
    with caplog.at_level(logging.WARNING, logger="callboard.plugins"):
        adapted(format_tool_result=broken).format_result(GOOD, {})

    assert caplog.messages == [
        "plugin 'tool': format_tool_result raised ValueError: broken; the default stands in"
    ]


def test_a_formatter_cannot_change_the_result():
    result = {"success": True, "result": {"lines": [1]}}

    def format_tool_result(result, state):
        result["result"]["lines"].clear()
        return "seen"

    adapter = adapted(
        format_tool_result=format_tool_result, to_display_format=lambda text, result, state: result.clear()
    )
    adapter.format_result(result, {})
    adapter.display("seen", result, {})

    assert result == {"success": True, "result": {"lines": [1]}}


def test_by_default_there_is_no_preview():
    assert adapted().preview(CALL, {}) == ""


@pytest.mark.parametrize(
    ("answer", "shown"), [("echo hello", "echo hello"), (None, ""), (3, "3"), ({"a": 1}, '{"a":1}')]
)
def test_a_preview_is_text(answer, shown):
    assert (
        adapted(format_tool_call_preview=lambda tool_name, payload, state: answer).preview(CALL, {}) == shown
    )


def test_a_preview_sees_the_prepared_data():
    def hook(tool_name, payload, state, *, prepared=None, payload_kind=None):
        return f"{tool_name} {payload_kind} {prepared}"

    call = Invocation("echo", "raw", "text", prepared={"p": 1})

    assert adapted(format_tool_call_preview=hook).preview(call, {}) == "echo text {'p': 1}"


def test_a_preview_that_fails_is_none_and_is_reported():
    faults = []

    assert adapted(report=faults.append, format_tool_call_preview=broken).preview(CALL, {}) == ""
    assert [fault.hook for fault in faults] == ["format_tool_call_preview"]


def test_a_preview_of_the_older_contract_is_not_asked_about_text():
    adapter = adapted(format_tool_call_preview=lambda tool_name, arguments, state: arguments["value"])

    assert adapter.preview(CALL, {}) == "hello"
    assert adapter.preview(Invocation("echo", "raw", "text"), {}) == ""


def test_by_default_people_see_what_the_model_sees():
    assert adapted().display("done", GOOD, {}) == {"type": "text", "content": "done"}


def test_a_display_is_the_plugins_own():
    adapter = adapted(
        to_display_format=lambda text, result, state: {"type": "text", "content": text, "n": (1,)}
    )

    assert adapter.display("done", GOOD, {}) == {"type": "text", "content": "done", "n": [1]}


def test_of_an_envelope_the_display_hook_is_told_as_empty_text():
    envelope = make_provider_native_tool_result(format=FORMAT_OPENAI_CHAT_COMPLETIONS, content=IMAGE)
    adapter = adapted(to_display_format=lambda text, result, state: {"text": text, "result": result})

    assert adapter.display(envelope, GOOD, {}) == {"text": "", "result": GOOD}
    assert adapted().display(envelope, GOOD, {}) == {"type": "text", "content": ""}


@pytest.mark.parametrize(
    "hook", [broken, lambda *seen: "text", lambda *seen: {"when": {1}}, lambda *seen: late()]
)
def test_a_display_that_fails_gives_way_to_the_default_and_is_reported(hook):
    faults = []
    adapter = adapted(report=faults.append, to_display_format=hook)

    assert adapter.display("done", GOOD, {}) == {"type": "text", "content": "done"}
    assert [fault.hook for fault in faults] == ["to_display_format"]


def test_a_display_without_an_opinion_is_the_default():
    assert adapted(to_display_format=lambda *seen: None).display("done", GOOD, {})["content"] == "done"


def test_what_the_model_sees_of_numbers_beyond_64_bits_is_every_digit():
    assert default_text({"success": True, "result": 10**30}) == dump_json(10**30).decode() == "1" + "0" * 30
