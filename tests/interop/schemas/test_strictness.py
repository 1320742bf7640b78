"""``strict`` has three values, and what unsaid means differs from format to format."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode, ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY

CHAT = ToolInteropTarget("openai.chat_completions")
RESPONSES = ToolInteropTarget("openai.responses")
UNSAID = object()


def chat(strict):
    said = {} if strict is UNSAID else {"strict": strict}
    return {"type": "function", "function": {"name": "ls", "parameters": {"type": "object"}, **said}}


def responses(strict):
    said = {} if strict is UNSAID else {"strict": strict}
    return {"type": "function", "name": "ls", "parameters": {"type": "object"}, **said}


@pytest.mark.parametrize(("said", "written"), [(True, True), (False, False), (UNSAID, False), (None, False)])
def test_a_chat_function_that_is_not_strict_does_not_become_so_in_responses(said, written):
    converted = REGISTRY.convert_schema(chat(said), RESPONSES)

    assert converted.value["strict"] is written
    assert converted.losses == ()


@pytest.mark.parametrize("said", [True, False])
def test_what_responses_says_is_said_in_chat(said):
    converted = REGISTRY.convert_schema(responses(said), CHAT)

    assert converted.value["function"]["strict"] is said
    assert converted.losses == ()


@pytest.mark.parametrize("said", [UNSAID, None])
def test_what_responses_leaves_to_the_server_is_never_forced_in_chat(said):
    converted = REGISTRY.convert_schema(responses(said), CHAT)

    assert "strict" not in converted.value["function"]
    assert [loss.code for loss in converted.losses] == [LossCode.STRICT]


@pytest.mark.parametrize("make", [chat, responses])
def test_unsaid_is_told_apart_from_false(make):
    assert REGISTRY.inspect_schema(make(UNSAID)).strict is None
    assert REGISTRY.inspect_schema(make(None)).strict is None
    assert REGISTRY.inspect_schema(make(False)).strict is False


def test_the_required_keys_of_responses_are_there_even_if_there_is_nothing_to_say():
    converted = REGISTRY.convert_schemas([{"type": "function", "function": {"name": "ls"}}], RESPONSES)

    assert converted == [{"type": "function", "name": "ls", "parameters": None, "strict": False}]


def test_keys_that_only_one_format_knows_do_not_leak_into_another():
    source = {**chat(True), "cache_control": {"type": "ephemeral"}}

    converted = REGISTRY.convert_schema(source, RESPONSES)

    assert "cache_control" not in converted.value
    assert [(loss.code, loss.detail) for loss in converted.losses] == [(LossCode.EXTRAS, "cache_control")]


def test_keys_that_both_kinds_of_responses_tools_know_stay_within_responses():
    source = {"type": "custom", "name": "exec", "defer_loading": True, "x_vendor": 1}

    converted = REGISTRY.convert_schema(source, ToolInteropTarget("openai.responses.function"))

    assert converted.value["defer_loading"] is True
    assert "x_vendor" not in converted.value
    assert {loss.code for loss in converted.losses} == {LossCode.TEXT_WRAPPED, LossCode.EXTRAS}
