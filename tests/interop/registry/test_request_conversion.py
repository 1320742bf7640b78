"""A whole request: tools, history and returned calls agree on names and ids, whatever the provider takes."""

from __future__ import annotations

import pytest
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.default_registry import (
    Converted,
    Tier,
    TieredContribution,
    ToolInteropContribution,
    ToolInteropTarget,
    compose_registry,
)
from callboard.interop.errors import ConversionError, InteropError
from callboard.interop.hub import InspectedSchema
from callboard.interop.registry.request_conversion import RequestConversion
from hypothesis import given
from hypothesis import strategies as st
from interop_json import canonical
from interop_shapes import problems

TARGETS = {
    "openai.chat_completions": "openai.chat_completions.function",
    "openai.responses": "openai.responses.function",
    "anthropic.messages": "anthropic.messages.tool",
    "gemini.generate_content": "gemini.generate_content.function",
    "bedrock.converse": "bedrock.converse.tool",
}
NAMES = ["a.b", "a/b", "a_b", "ls", "x" * 65 + "1", "x" * 65 + "2", "天気"]
PATCH = {"type": "custom", "name": "code.apply patch", "description": "Apply a patch."}

names = st.sampled_from(NAMES)
ids = st.sampled_from(["call_1", "functions.ls:0", "a|b", "c" * 70 + "1", "c" * 70 + "2", "ü", None])


def schema(name):
    parameters = {"type": "object", "properties": {"path": {"type": "string"}}}
    return {"name": name, "description": "x", "inputSchema": parameters}


def call(name, call_id, path="a"):
    """A call as the core has it, or as Gemini sends it, which may have no id."""
    if call_id is None:
        return {"functionCall": {"name": name, "args": {"path": path}}}
    function = {"name": name, "arguments": f'{{"path":"{path}"}}'}
    return {"id": call_id, "type": "function", "function": function}


def result(call_id):
    metadata = {} if call_id is None else {"tool_call_id": call_id}
    return {
        "role": "tool",
        "content": "x",
        "toolResult": {"type": "tool_result", "text": "x"},
        "metadata": metadata,
    }


histories = st.lists(
    st.lists(st.tuples(names, ids), max_size=3, unique_by=lambda pair: pair[1] or object()), max_size=3
)


@pytest.mark.parametrize("family", TARGETS)
@given(history=histories)
def test_a_request_is_valid_and_its_calls_and_results_fit_together(family, history):
    turns = [[call(name, call_id, str(n)) for n, (name, call_id) in enumerate(turn)] for turn in history]
    request = RequestConversion(
        REGISTRY, ToolInteropTarget(family), [schema(name) for name in NAMES], turns=turns
    )

    declared = request.schemas()

    sent = [REGISTRY.inspect_schema(value).name for value in declared]
    assert len(set(sent)) == len(NAMES)
    assert [problem for value in declared for problem in problems("schema", TARGETS[family], value)] == []
    for turn, pairs in enumerate(history):
        calls = request.calls(turn)
        results = request.results(turn, [result(call_id) for _, call_id in pairs])
        for (name, call_id), said, answer in zip(pairs, calls, results, strict=True):
            copied = family.startswith("gemini") and call_id is None
            asked, told = REGISTRY.inspect_call(said), REGISTRY.inspect_result(answer)
            assert copied or problems("call", TARGETS[family], said) == []
            assert problems("result", TARGETS[family], answer) == []
            assert asked.tool_name == request.names.forward(name)
            assert told.call_id == asked.call_id
            assert bool(asked.call_id) is not copied
            assert request.inspect_received(said).tool_name == name


@pytest.mark.parametrize("family", TARGETS)
def test_what_is_said_again_is_the_same(family):
    turns = [[call("a.b", None), call("a.b", "a|b")]]

    def said():
        request = RequestConversion(REGISTRY, ToolInteropTarget(family), map(schema, NAMES), turns=turns)
        return canonical(
            [request.schemas(), request.calls(0), request.results(0, [result(None), result("a|b")])]
        )

    assert said() == said()


@pytest.mark.parametrize("family", TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_a_returned_call_bears_the_tools_own_name_and_the_providers_id(family, name):
    request = RequestConversion(
        REGISTRY, ToolInteropTarget(family), map(schema, NAMES), turns=[[call(name, "id_1")]]
    )
    (returned,) = request.calls(0)
    before = canonical(returned)

    own = request.inspect_received(returned)

    assert (own.tool_name, own.call_id, own.payload) == (name, "id_1", {"path": "a"})
    assert canonical(returned) == before


@pytest.mark.parametrize("name", ["a_b_deadbeef", "unheard.of", "LS"])
def test_a_returned_name_that_was_never_sent_is_left_alone(name):
    request = RequestConversion(REGISTRY, ToolInteropTarget("openai.responses"), map(schema, NAMES))
    returned = {"type": "function_call", "call_id": "call_1", "name": name, "arguments": "{}"}

    assert request.received(returned) is returned


def test_a_freeform_tool_with_an_illegal_name_gets_its_text_back():
    request = RequestConversion(REGISTRY, ToolInteropTarget("openai.chat_completions"), [PATCH])
    (declared,) = request.schemas()
    sent = declared["function"]["name"]
    returned = {
        "id": "call_1",
        "type": "function",
        "function": {"name": sent, "arguments": '{"input":"*** x"}'},
    }

    own = request.inspect_received(returned)

    assert sent.startswith("code_apply_patch_")
    assert (own.tool_name, own.payload_kind, own.payload) == ("code.apply patch", "text", "*** x")


def test_native_history_that_has_aliases_in_it_keeps_them():
    target = ToolInteropTarget("openai.chat_completions")
    sent = RequestConversion(REGISTRY, target, [schema("a.b")]).names.forward("a.b")

    request = RequestConversion(REGISTRY, target, [schema("a.b")], turns=[[call(sent, "call_1")]])

    assert request.names.forward("a.b") == sent
    assert request.calls(0)[0]["function"]["name"] == sent


def test_a_tool_that_is_gone_is_still_called_by_a_legal_name():
    request = RequestConversion(
        REGISTRY, ToolInteropTarget("anthropic.messages"), [], turns=[[call("old.tool", "call_1")]]
    )

    assert request.calls(0)[0]["name"].startswith("old_tool_")


def test_namespaces_that_are_kept_are_renamed_within():
    tools = [{"type": "function", "name": "get.rate", "parameters": None, "strict": None}]
    namespace = {"type": "namespace", "name": "rates", "description": "x", "tools": tools}
    request = RequestConversion(REGISTRY, ToolInteropTarget("openai.responses"), [namespace])

    (said,) = request.schemas()

    assert said["tools"][0]["name"] == request.names.forward("get.rate") != "get.rate"
    assert tools[0]["name"] == "get.rate"


def test_mistral_wants_nine_letters_and_digits():
    turns = [[call("ls", "call_1"), call("ls", None), call("ls", "abcDEF123")]]
    request = RequestConversion(
        REGISTRY,
        ToolInteropTarget("openai.chat_completions"),
        [schema("ls")],
        turns=turns,
        ids="mistral",
    )

    sent = [said["id"] for said in request.calls(0)]
    answered = [
        said["tool_call_id"]
        for said in request.results(0, [result("call_1"), result(None), result("abcDEF123")])
    ]

    assert all(len(call_id) == 9 and call_id.isalnum() for call_id in sent)
    assert sent[2] == "abcDEF123"
    assert answered == sent


def test_a_result_that_there_is_not_is_left_out():
    turns = [[call("ls", "call_1"), call("ls", "call_2")]]
    request = RequestConversion(
        REGISTRY, ToolInteropTarget("openai.chat_completions"), [schema("ls")], turns=turns
    )

    assert [said["tool_call_id"] for said in request.results(0, [None, result("call_2")])] == ["call_2"]
    with pytest.raises(InteropError, match="1 results cannot answer the 2 calls of turn 0"):
        request.results(0, [result("call_1")])


def test_a_call_that_cannot_be_said_is_told_with_its_place():
    turns = [[call("ls", "call_1"), {"id": "call_2", "function": {"name": 5, "arguments": "{}"}}]]
    request = RequestConversion(
        REGISTRY, ToolInteropTarget("anthropic.messages"), [schema("ls")], turns=turns
    )
    refused = []

    said = request.calls(0, refused=lambda index, error: refused.append((index, type(error))))

    assert [value["id"] for value in said] == ["call_1"]
    assert refused == [(1, ConversionError)]


class AcmeSchemas:
    format = "acme.chat"

    def matches(self, value):
        return "acme" in value

    def inspect(self, value):
        return InspectedSchema("acme.chat", value["acme"])


class ToAcme:
    source = "callboard.hub"
    target = "acme.chat"

    def convert(self, value, context):
        return Converted({"acme": value.name})


class ToLegalAcme(ToAcme):
    def convert(self, value, context):
        return Converted({"acme": context.names.forward(value.name)})


def acme(adapter):
    contribution = ToolInteropContribution(schema_accessors=(AcmeSchemas(),), schema_adapters=(adapter,))
    return compose_registry([TieredContribution(Tier.PROVIDER, "acme", contribution)])


def test_an_adapter_of_a_plugins_own_format_finds_legal_names_in_its_context():
    request = RequestConversion(acme(ToLegalAcme()), ToolInteropTarget("acme"), [schema("a.b"), schema("ls")])

    assert request.schemas() == [{"acme": request.names.forward("a.b")}, {"acme": "ls"}]


def test_a_format_that_nobody_knows_is_not_sent_with_names_that_are_refused():
    legal = RequestConversion(acme(ToAcme()), ToolInteropTarget("acme"), [schema("ls")]).schemas()

    assert legal == [{"acme": "ls"}]
    with pytest.raises(ConversionError, match="not known where they stand"):
        RequestConversion(acme(ToAcme()), ToolInteropTarget("acme"), [schema("a.b")]).schemas()
