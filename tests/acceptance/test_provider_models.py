"""Law 4: whatever is converted is accepted where it goes, by the provider's own models and its server's rules.

The models are those of the SDKs, of the versions that the extra ``sdk`` pins.
"""

from __future__ import annotations

import pytest
from callboard.interop.errors import HostedError
from callboard.interop.format_ids import NATIVE, belongs_to
from callboard.interop.registry.request_conversion import RequestConversion
from hypothesis import given, settings
from hypothesis import strategies as st
from interop_corpus import RECORDS
from interop_routes import (
    KINDS,
    REGISTRY,
    WRITABLE,
    ToolInteropTarget,
    attempt,
    format_of,
    generated,
    inspect,
    readable_records,
)
from interop_streams import assembled
from provider_rules import PROVIDERS, breaches, is_schema, legal
from sdks import needs_sdk, sdks
from thorough import every, times

pytestmark = needs_sdk

NOBODYS = ("core.", "amplifier.", "ai_sdk.", "cohere.", "ollama.")
"""Formats that no provider reads; and those whose models in Python are none, check nothing, or lack what the server takes."""

JUDGED = [(kind, target) for kind in KINDS for target in WRITABLE[kind] if not target.startswith(NOBODYS)]


def is_sound(kind, value):
    """Say whether a value is one that its own format allows, so that nothing excuses what it becomes.

    Names and ids that a provider refuses are rewritten for a whole request, before it is converted.
    """
    meaning = inspect(kind, value)
    if kind == "call" and meaning.payload_kind not in {"object", "text"}:
        return False
    return kind != "schema" or meaning.parameters is None or is_schema(meaning.parameters)


def is_named_for(kind, value, target):
    meaning = inspect(kind, value)
    name = getattr(meaning, "name", None) or getattr(meaning, "tool_name", None)
    return legal(target, name=name, call_id=getattr(meaning, "call_id", None))


def is_handed_on(kind, value, target):
    """Say whether a tool wrote the content for this very provider: then it answers for it."""
    native = getattr(inspect(kind, value), "native", None)
    return native is not None and target.startswith(native.format)


def complaints(kind, value, target):
    """Return what a provider has against a value that was converted for it."""
    converted = attempt(kind, value, target)
    if converted is None or format_of(kind, value) == target or is_handed_on(kind, value, target):
        return []
    form = format_of(kind, converted.value)
    if form in NATIVE:  # what only that provider has goes home as it is
        return sdks().refusals(kind, form, converted.value)
    found, named = sdks().refusals(kind, target, converted.value), is_named_for(kind, value, target)
    if is_sound(kind, value) and named:
        found += breaches(kind, target, converted.value)
    # What a name becomes is settled for a whole request: see the tests of requests below.
    return found if named else [refusal for refusal in found if ".name does not match" not in refusal]


def test_every_format_that_a_provider_reads_has_its_models_to_judge_it():
    assert set(JUDGED) <= sdks().JUDGES.keys()
    assert all(target.startswith(tuple(PROVIDERS)) for _, target in JUDGED)


@pytest.mark.parametrize(("kind", "target"), every(3, JUDGED))
def test_law_4_recorded_values_are_accepted_where_they_go(kind, target):
    refused = {
        name: found
        for name, record in readable_records(kind)
        if (found := complaints(kind, record.value, target))
    }

    assert refused == {}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=times(20, 200))
@given(data=st.data())
def test_law_4_generated_values_are_accepted_where_they_go(kind, data):
    value = data.draw(generated(kind))
    target = data.draw(st.sampled_from([target for of, target in JUDGED if of == kind]))

    assert complaints(kind, value, target) == []


FAMILIES = {
    "openai.chat_completions": "openai.chat_completions.function",
    "openai.responses": "openai.responses.function",
    "anthropic.messages": "anthropic.messages.tool",
    "gemini.generate_content": "gemini.generate_content.function",
    "bedrock.converse": "bedrock.converse.tool",
}
spelt = st.sampled_from(["a.b", "a/b", "天気", "", "x" * 300, "x" * 64, "ls", "1st", "a b", "🔧"]) | st.text(
    st.characters(exclude_categories=()), min_size=1, max_size=80
)


def objections(kind, values):
    """Return what the provider has against values of a request, read in whatever format they came out."""
    return [
        found
        for value in values
        for found in sdks().refusals(kind, format_of(kind, value), value)
        + breaches(kind, format_of(kind, value), value)
    ]


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=times(10, 100))
@given(data=st.data())
def test_law_4_whole_requests_are_accepted_whatever_their_names_and_ids(family, data):
    names = data.draw(st.lists(spelt.filter(bool), min_size=1, max_size=4, unique=True))
    ids = data.draw(st.lists(spelt.filter(bool), max_size=4, unique=True))
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    called = [
        {"id": call_id, "type": "function", "function": {"name": names[n % len(names)], "arguments": "{}"}}
        for n, call_id in enumerate(ids)
    ]
    request = RequestConversion(REGISTRY, ToolInteropTarget(family), tools, turns=[called])

    answers = [{"role": "tool", "tool_call_id": call_id, "content": "x"} for call_id in ids]

    assert objections("schema", request.schemas()) == []
    assert objections("call", request.calls(0)) == []
    assert objections("result", request.results(0, answers)) == []


@pytest.mark.parametrize("family", FAMILIES)
def test_law_4_recorded_tools_are_accepted_together_whatever_their_names(family):
    tools = [record.value for _, record in readable_records("schema") if is_sound("schema", record.value)]
    told = []

    for tool in tools:
        request = RequestConversion(REGISTRY, ToolInteropTarget(family), [tool])
        found = objections("schema", request.schemas(refused=lambda _, error: told.append(error)))
        assert belongs_to(format_of("schema", tool), family) or found == []

    left_out = [error for error in told if not isinstance(error, HostedError)]
    assert len(left_out) < len(tools) / 10


STREAMS = {
    "openai.chat_completions.stream": "openai.chat_completions",
    "openai.responses.stream": "openai.responses",
    "anthropic.stream": "anthropic.messages",
    "bedrock.converse.stream": "bedrock.converse",
    "gemini.stream": "gemini.generate_content",
}


def test_law_4_calls_out_of_recorded_streams_are_accepted_where_they_go():
    recorded = [(STREAMS[each.format], each.value) for each in RECORDS if each.format in STREAMS]
    calls = [call for family, events in recorded for call in assembled(family, events)]
    sent = []
    for family in FAMILIES:  # at home they go back as they came
        foreign = [call for call in calls if not belongs_to(format_of("call", call), family)]
        sent += RequestConversion(REGISTRY, ToolInteropTarget(family), [], turns=[foreign]).calls(0)

    assert len(calls) >= len(recorded)
    assert [found for call in sent for found in sdks().refusals("call", format_of("call", call), call)] == []


@pytest.mark.parametrize(
    ("kind", "format_id", "value"),
    [
        (
            "call",
            "openai.chat_completions.function",
            {"id": "c", "type": "function", "function": {"name": "x", "arguments": "{}"}},
        ),
        (
            "call",
            "openai.responses.function",
            {"type": "function_call", "call_id": "c", "name": "x", "arguments": "{}"},
        ),
        ("call", "anthropic.messages.tool", {"type": "tool_use", "id": "c", "name": "x", "input": {}}),
        ("call", "gemini.generate_content.function", {"functionCall": {"name": "x"}}),
        ("call", "bedrock.converse.tool", {"toolUse": {"toolUseId": "c", "name": "x", "input": {}}}),
        ("result", "mcp.2025_11_25.tool", {"content": []}),
        ("result", "openai.chat_completions.function", {"role": "tool", "tool_call_id": "c", "content": "x"}),
        (
            "result",
            "anthropic.messages.tool",
            {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "x"}]},
        ),
    ],
)
def test_a_key_that_a_provider_does_not_know_is_refused_wherever_it_stands(kind, format_id, value):
    judge = sdks().refusals

    assert judge(kind, format_id, value) == []
    assert judge(kind, format_id, {**value, "_metadata": {"tool_name": "x"}}) != []
    for key, inner in value.items():
        if isinstance(inner, dict) and key not in {"input", "args"}:
            assert judge(kind, format_id, {**value, key: {**inner, "_ours": 1}}) != []
        if isinstance(inner, list) and inner:
            assert judge(kind, format_id, {**value, key: [{**inner[0], "_ours": 1}]}) != []
