from __future__ import annotations

import pytest
from callboard.base.errors import CallboardError
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import InvalidShapeError, UnknownFormatError
from callboard.interop.format_ids import ALIASES, belongs_to
from callboard.interop.formats.built_in import BUILT_IN
from hypothesis import given
from hypothesis import strategies as st
from interop_corpus import OURS, RECORDS, records
from interop_json import values
from thorough import every

ACCESSORS = {
    "schema": BUILT_IN.schema_accessors,
    "call": BUILT_IN.call_accessors,
    "result": BUILT_IN.result_accessors,
}
INSPECT = {
    "schema": REGISTRY.inspect_schema,
    "call": REGISTRY.inspect_call,
    "result": REGISTRY.inspect_result,
}


def claimants(kind, value):
    return [
        accessor.format
        for accessor in ACCESSORS[kind]
        if isinstance(value, dict)
        and (accessor.discriminators is None or value.get("type") in accessor.discriminators)
        and accessor.matches(value)
    ]


COLLISIONS = {("anthropic.messages.tool", "amplifier.tool"), ("core.host_result", "amplifier.tool")}
"""Shapes that two formats share to the letter: the first is taken, unless a hint says the other."""


@pytest.mark.parametrize("record", every(3, records()))
def test_exactly_one_built_in_format_claims_each_record_of_ours(record):
    claimed = claimants(record.kind, record.value)

    assert len(claimed) == 1 or tuple(claimed) in COLLISIONS
    assert any(belongs_to(format_id, OURS[record.format]) for format_id in claimed)
    assert INSPECT[record.kind](record.value).format == claimed[0]


def test_no_record_is_left_out_but_the_events_of_streams():
    left_out = {record.format for record in RECORDS if record.format not in OURS}

    assert {name for name in left_out if not name.endswith(".stream")} == set()


@pytest.mark.parametrize(
    ("kind", "value", "taken", "hinted"),
    [
        (
            "schema",
            {"name": "ls", "description": "List.", "input_schema": {}},
            "anthropic.messages.tool",
            "amplifier",
        ),
        ("result", {"success": False, "error": "no"}, "core.host_result", "amplifier"),
    ],
    ids=["declaration", "failure"],
)
def test_where_two_formats_look_alike_a_hint_decides(kind, value, taken, hinted):
    assert INSPECT[kind](value).format == taken
    assert INSPECT[kind](value, hinted).format == "amplifier.tool"


OTHERS = [
    ("schema", {"type": "web_search_of_next_year", "name": "web_search"}),
    ("schema", {"type": "bash_20250124", "name": "bash", "input_schema": {}}),
    ("schema", {"functionDeclarations": [{"name": "ls", "parametersJsonSchema": {}}]}),
    ("schema", {"cachePoint": "default"}),
    ("schema", {"type": "object"}),
    ("schema", {"type": "text", "text": "hi"}),
    ("schema", {"type": "web_search_call", "status": "completed"}),
    ("schema", {"type": "builtin_function", "function": {"name": "$web_search"}}),
    ("schema", {"patternProperties": {}}),
    ("schema", {"googleSearch": {}, "functionDeclarations": [{"name": "ls"}]}),
    ("schema", {"functionCall": {"name": "ls"}}),
    ("call", {"type": "server_tool_result", "id": "srvtoolu_1", "name": "web_search", "input": {}}),
    ("call", {"type": "reasoning", "id": "rs_1", "summary": []}),
    ("call", {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}),
    ("call", {"functionCall": None}),
    ("result", {"role": "user", "content": [{"type": "text", "text": "hi"}]}),
    ("result", {"type": "tool_result", "output": "done"}),
]


@pytest.mark.parametrize(("kind", "value"), OTHERS, ids=str)
def test_what_is_none_of_ours_is_refused_by_an_error_that_names_it(kind, value):
    assert claimants(kind, value) == []

    with pytest.raises(UnknownFormatError) as refusal:
        INSPECT[kind](value)

    assert refusal.value.kind == kind
    assert refusal.value.found in str(refusal.value)


class Dumped:
    """As the objects of the providers' SDKs, which are pydantic's."""

    def model_dump(self):
        return {"type": "tool_use", "id": "c", "name": "ls", "input": {}}


def test_an_object_of_a_provider_s_sdk_is_refused_with_the_way_to_its_value():
    with pytest.raises(UnknownFormatError, match=r"of type Dumped\. Give what its \.model_dump\(\) returns"):
        REGISTRY.inspect_call(Dumped())

    assert REGISTRY.inspect_call(Dumped().model_dump()).tool_name == "ls"


KNOWN_KEYS = {key for record in RECORDS if isinstance(record.value, dict) for key in record.value}
KEYS = st.sampled_from(sorted(KNOWN_KEYS | {"custom", "json", "args", "response", "parameters", "arguments"}))
TYPES = st.sampled_from(
    sorted({str(record.value.get("type")) for record in RECORDS if isinstance(record.value, dict)})
)
NEAR_MISSES = st.dictionaries(KEYS, values | TYPES | st.dictionaries(KEYS, values), max_size=6)


@pytest.mark.parametrize("kind", ["schema", "call", "result"])
@given(value=values | NEAR_MISSES)
def test_any_json_value_is_inspected_or_refused_by_an_error_of_ours(kind, value):
    try:
        inspected = INSPECT[kind](value)
    except CallboardError:
        return

    assert inspected.format


DEEP: list[object] = []
for _ in range(50_000):
    DEEP = [DEEP]


@pytest.mark.parametrize("record", [record for record in RECORDS if isinstance(record.value, dict)][:200])
def test_a_record_with_any_key_spoilt_is_inspected_or_refused_by_an_error_of_ours(record):
    for key in record.value:
        for spoilt in (None, 5, "", [], {}, [None], {"": 0}, DEEP, float("nan"), object()):
            for kind in ("schema", "call", "result"):
                try:
                    inspected = INSPECT[kind]({**record.value, key: spoilt})
                except CallboardError:
                    continue
                assert inspected.format


def test_a_declaration_is_no_call_and_a_call_is_no_declaration():
    declaration = {"type": "function", "function": {"name": "ls", "parameters": {"type": "object"}}}
    call = {"id": "call_1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}

    with pytest.raises(UnknownFormatError):
        REGISTRY.inspect_call(declaration)
    with pytest.raises(UnknownFormatError):
        REGISTRY.inspect_schema(call)


@pytest.mark.parametrize("value", [None, "ls", 5, [], [{"type": "function_call"}], {}, b"{}"], ids=repr)
def test_what_is_no_object_is_no_call(value):
    with pytest.raises(UnknownFormatError, match="no known tool call: found"):
        REGISTRY.inspect_call(value)


def test_a_call_without_type_and_id_is_still_a_chat_call():
    inspected = REGISTRY.inspect_call({"function": {"name": "ls"}})

    assert (inspected.tool_name, inspected.call_id, inspected.payload) == ("ls", None, {})
    assert inspected.payload_kind == "object"


@pytest.mark.parametrize(
    "call",
    [
        {"id": 5, "type": "function", "function": {"name": "ls", "arguments": "{}"}},
        {"id": "call_1", "type": "function", "function": {"name": ["ls"], "arguments": "{}"}},
        {"type": "function_call", "call_id": "c", "name": "ls", "arguments": "{}", "namespace": {}},
        {"type": "custom_tool_call", "call_id": "c", "name": 5, "input": "x"},
        {"type": "custom_tool_call", "call_id": "c", "name": "exec", "input": {"cmd": "ls"}},
        {"type": "custom_tool_call", "call_id": "c", "name": "exec"},
    ],
    ids=lambda call: str(call)[:60],
)
def test_a_call_whose_pieces_are_no_text_is_malformed(call):
    inspected = REGISTRY.inspect_call(call)

    assert inspected.payload_kind == "malformed"
    assert inspected.payload is None
    assert inspected.payload_metadata["error"]["code"] == "bad_call"


@pytest.mark.parametrize("key", ["tool_use_id", "tool_call_id"])
def test_a_tool_result_that_names_its_call_is_not_the_core_s(key):
    value = {"type": "tool_result", "text": "done", key: "call_1"}

    assert "core.tool_result" not in claimants("result", value)


def test_what_the_wire_says_beside_the_call_is_kept_as_metadata():
    call = {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "ls",
        "arguments": "{}",
        "status": "completed",
        "namespace": "files",
        "caller": {"type": "program"},
        "provider_data": {"trace": [1]},
    }

    inspected = REGISTRY.inspect_call(call)

    assert inspected.namespace == "files"
    assert inspected.payload_metadata == {
        "item_id": "fc_1",
        "status": "completed",
        "caller": {"type": "program"},
        "extras": {"provider_data": {"trace": [1]}},
    }
    assert inspected.payload_metadata["caller"] is not call["caller"]


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"type": "function", "function": {}}, "'name' must be"),
        ({"type": "function", "name": ""}, "'name' must be"),
        ({"type": "custom", "name": "x", "format": {"type": "grammar"}}, "tool 'x': 'format' must be"),
        ({"type": "function", "name": "x", "parameters": [1]}, "tool 'x': 'parameters' must be an object"),
        ({"type": "function", "name": "x", "strict": "yes"}, "tool 'x': 'strict' must be true or false"),
        ({"type": "function", "name": "x", "description": 5}, "tool 'x': 'description' must be a string"),
        (
            {"type": "function", "name": "x", "parameters": {"a": {1}}},
            r"tool 'x': parameters.a is of type set",
        ),
    ],
    ids=lambda value: str(value)[:50],
)
def test_a_declaration_that_breaks_its_format_is_refused_by_name(schema, problem):
    with pytest.raises(InvalidShapeError, match=problem):
        REGISTRY.inspect_schema(schema)


@pytest.mark.parametrize("kind", ["schema", "call", "result"])
def test_every_alias_leads_to_a_format_that_is_built_in(kind):
    built_in = {accessor.format for accessor in ACCESSORS[kind]}

    assert set(ALIASES[kind].values()) <= built_in
    assert not set(ALIASES[kind]) & built_in


@pytest.mark.parametrize(
    "hint", ["openai.responses.custom", "openai.responses.custom_tool_call", "openai.responses"]
)
def test_a_hint_may_be_a_format_an_alias_or_a_family(hint):
    call = {"type": "custom_tool_call", "call_id": "c", "name": "exec", "input": "ls"}

    assert REGISTRY.inspect_call(call, format=hint).format == "openai.responses.custom"


def test_a_hint_that_the_value_does_not_bear_out_is_an_error():
    call = {"type": "custom_tool_call", "call_id": "c", "name": "exec", "input": "ls"}

    with pytest.raises(UnknownFormatError, match=r"of format 'openai.chat_completions'"):
        REGISTRY.inspect_call(call, format="openai.chat_completions")
