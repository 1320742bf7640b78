"""Behaviours of other converters that their users reported, in calls, results, names and ids.

Each test denies what goes wrong elsewhere; its docstring says where that was seen, and how.
"""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.default_registry import (
    Tier,
    TieredContribution,
    ToolInteropContribution,
    ToolInteropTarget,
    compose_registry,
)
from callboard.interop.errors import ConversionError
from callboard.interop.format_ids import (
    ANTHROPIC_TOOL,
    BEDROCK_TOOL,
    CHAT_CUSTOM,
    CHAT_FUNCTION,
    GEMINI_FUNCTION,
    MCP_2025,
    RESPONSES_CUSTOM,
    RESPONSES_FUNCTION,
)
from callboard.interop.formats.openai_chat_function import ChatFunctionCalls
from callboard.interop.registry.request_conversion import RequestConversion
from interop_routes import attempt, convert
from interop_streams import assembled

OF_OBJECTS = [ANTHROPIC_TOOL, GEMINI_FUNCTION, BEDROCK_TOOL, MCP_2025]
OF_TEXT = [CHAT_FUNCTION, RESPONSES_FUNCTION]
PATCH = {"type": "custom", "name": "patch"}
CORRUPT = ['{"path": "a', '{"a":1}{"a":2}', "path=a", '{"a":NaN}', '{"a":1,"a":2}', '\ufeff{"a":1}']


def chat(arguments, name="ls", call_id="call_1"):
    function = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function}


def custom(text):
    return {"type": "custom_tool_call", "call_id": "call_1", "name": "patch", "input": text}


def delta(arguments, **keys):
    function = {"arguments": arguments, "name": "ls"} if "id" in keys else {"arguments": arguments}
    return {"choices": [{"index": 0, "delta": {"tool_calls": [{**keys, "function": function}]}}]}


STOP = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}


# -- arguments


@pytest.mark.parametrize("nothing", ["", " \n", None, "{}", {}])
@pytest.mark.parametrize("target", OF_OBJECTS + OF_TEXT)
def test_no_call_without_arguments_breaks_parsing_or_gets_a_schema_for_arguments(target, nothing):
    """litellm, langchain, haystack, vercel/ai, vllm, OpenRouter: blank, or not there at all."""
    done = convert("call", chat(nothing), target)

    assert REGISTRY.inspect_call(done.value).payload == {}


@pytest.mark.parametrize("text", CORRUPT)
def test_no_corrupt_call_is_run_as_if_it_had_no_arguments_nor_ends_the_turn(text):
    """open-webui, litellm's Bedrock path: an exception, or ``{}`` in its place."""
    call = REGISTRY.inspect_call(chat(text))

    assert (call.payload_kind, call.payload, call.raw) == ("malformed", None, text)
    assert call.payload_metadata["error"]["message"]


@pytest.mark.parametrize("text", CORRUPT)
@pytest.mark.parametrize("target", OF_OBJECTS)
def test_no_corrupt_call_is_replayed_as_something_else(target, text):
    """litellm: three paths, three outcomes for one call. vercel/ai, bounty-challenge: text, or ``{"raw": ...}``."""
    with pytest.raises(ConversionError, match="malformed"):
        convert("call", chat(text), target)

    replayed = convert("call", REGISTRY.sanitize_tool_call(chat(text)), target)

    assert REGISTRY.inspect_call(replayed.value).payload == {}


@pytest.mark.parametrize("text", ["null", "[1]", '"x"', "1"])
@pytest.mark.parametrize("target", OF_OBJECTS)
def test_no_input_is_sent_that_is_not_an_object(target, text):
    """litellm: null and a list are passed on as ``input`` and ``args``, which both types reject."""
    assert attempt("call", chat(text), target) is None


def test_no_two_objects_in_one_call_are_split_or_merged():
    """litellm, gcli2api, omnigent: ``{..}{..}`` becomes several calls, or one of them."""
    call = REGISTRY.inspect_call(chat('{"a":1}{"b":2}'))

    assert call.payload_kind == "malformed"
    assert call.payload_metadata["error"]["parts"] == ['{"a":1}', '{"b":2}']


@pytest.mark.parametrize("index", [0, None])
def test_no_parallel_calls_are_merged_because_their_index_is_useless(index):
    """hermes-agent, plexus, lens: all at index 0; langchain: null."""
    events = [
        delta('{"a":', index=index, id="call_1"),
        delta("1}", index=index),
        delta('{"a":2}', index=index, id="call_2"),
        STOP,
    ]

    came = assembled("openai.chat_completions", events)

    assert [call["function"]["arguments"] for call in came] == ['{"a":1}', '{"a":2}']


@pytest.mark.parametrize("text", ["", '{"a":1}'])
def test_no_path_is_guarded_and_the_other_not(text):
    """camel: what is streamed is read otherwise than what is not."""
    (streamed,) = assembled("openai.chat_completions", [delta(text, index=0, id="call_1"), STOP])

    one, other = REGISTRY.inspect_call(streamed), REGISTRY.inspect_call(chat(text))
    assert (one.payload, one.payload_kind) == (other.payload, other.payload_kind)


def test_no_layer_of_encoding_is_undone_unasked():
    """forgecode, huf, OpenManus, kimi-cli, openclaw: guesses that corrupt legal text."""
    twice = chat('"{\\"path\\":\\"C:\\\\\\\\new\\"}"')
    reader = ToolInteropContribution(call_accessors=(ChatFunctionCalls(decode_twice=True),))
    asked_for = compose_registry([TieredContribution(Tier.EXPLICIT, "configuration", reader)])

    assert REGISTRY.inspect_call(twice).payload_kind == "malformed"
    assert asked_for.inspect_call(twice).payload == {"path": "C:\\new"}
    assert REGISTRY.inspect_call(chat('{"text":"\\\\n"}')).payload == {"text": "\\n"}


# -- freeform tools


@pytest.mark.parametrize(
    "arguments", ['{"content":"x"}', '{"input":1}', '{"input":null}', "{}", '{"input":"x","b":1}']
)
def test_no_freeform_tool_is_run_on_the_text_of_its_arguments(arguments):
    """litellm: the raw JSON, Python's repr, or the word None; fabro: ``{}``."""
    request = REGISTRY.for_request([PATCH])

    assert request.inspect_call(chat(arguments, name="patch")).payload_kind == "malformed"
    assert request.inspect_call(chat('{"input":"x"}', name="patch")).payload == "x"


@pytest.mark.parametrize("target", [*OF_TEXT, *OF_OBJECTS, CHAT_CUSTOM])
def test_no_freeform_call_is_dropped_from_the_history(target):
    """litellm: a Chat custom call vanishes, and its result is an orphan."""
    for call in (custom("x"), {"id": "call_1", "type": "custom", "custom": {"name": "patch", "input": "x"}}):
        done = convert("call", call, target)

        assert REGISTRY.for_request([PATCH]).inspect_call(done.value).payload == "x"


def test_no_flat_custom_tool_is_sent_to_chat():
    """litellm, vercel/ai: the server answers 400."""
    (tool,) = REGISTRY.convert_schemas([PATCH], ToolInteropTarget("openai.chat_completions"))

    assert tool["type"] == "function"


def test_no_raw_input_is_mended():
    """CLIProxyAPI: text that looks like broken JSON is legal here."""
    assert REGISTRY.sanitize_tool_call(custom('{"path":')) == custom('{"path":')
    assert REGISTRY.inspect_call(custom('{"path":')).payload == '{"path":'


def test_no_freeform_call_is_answered_by_the_output_of_a_function():
    """foundry-local: the server refuses the pair."""
    done = REGISTRY.convert_result(
        {"type": "tool_result", "text": "x"}, ToolInteropTarget("openai.responses"), call=custom("x")
    )

    assert done.value["type"] == "custom_tool_call_output"


# -- ids and names


def request(family, *names, calls=()):
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
    return RequestConversion(REGISTRY, ToolInteropTarget(family), tools, turns=[list(calls)])


def test_no_item_id_is_made_of_a_call_id():
    """tingly-box, nodetool: a server wants ``fc_``, and answers 400."""
    done = convert("call", chat("{}"), RESPONSES_FUNCTION)

    assert done.value["call_id"] == "call_1"
    assert "id" not in done.value


@pytest.mark.parametrize("family", ["anthropic.messages", "bedrock.converse"])
def test_no_two_ids_become_one(family):
    """litellm: ``a.b`` and ``a:b`` are both ``a_b``, and a result answers the wrong call."""
    ids = ["a.b", "a:b", "a b", "x" * 446, "x" * 446 + "y"]
    out = request(family, "ls", calls=[chat("{}", call_id=call_id) for call_id in ids])

    sent = [REGISTRY.inspect_call(call).call_id for call in out.calls(0)]

    assert len(set(sent)) == len(ids)
    assert all(len(call_id) <= 64 for call_id in sent) or family == "anthropic.messages"


def test_no_missing_id_is_the_word_undefined_or_the_name_of_the_tool():
    """pi: ``call_a|undefined``; bytebase: two calls of one tool get one id."""
    part = {"functionCall": {"name": "ls", "args": {}}}
    out = request("openai.responses", "ls", calls=[part, part])

    one, other = (call["call_id"] for call in out.calls(0))

    assert one != other
    assert attempt("call", part, RESPONSES_FUNCTION).value["call_id"] not in {None, "ls"}


def test_no_id_is_too_long_for_mistral():
    """eca: exactly nine letters and digits."""
    target = ToolInteropTarget("openai.chat_completions")
    out = RequestConversion(REGISTRY, target, [], turns=[[chat("{}")]], ids="mistral")

    (call,) = out.calls(0)

    assert len(call["id"]) == 9
    assert call["id"].isalnum()


def test_no_name_runs_the_wrong_tool_after_cleaning():
    """hermes-agent, sourcebot, nanobot: ``a.b`` and ``a/b`` are both ``a_b``, and one of them is run."""
    names = ["a.b", "a/b", "a_b"]
    out = request("anthropic.messages", *names)

    sent = [tool["name"] for tool in out.schemas()]

    assert len(set(sent)) == len(names)
    returned = [{"type": "tool_use", "id": "t", "name": name, "input": {}} for name in sent]
    assert [out.inspect_received(call).tool_name for call in returned] == names


@pytest.mark.parametrize("family", ["openai.responses", "anthropic.messages", "bedrock.converse"])
def test_no_illegal_name_passes_for_a_legal_one(family):
    """litellm: ``天気`` and eighty characters stay; vscode, chrome-devtools-mcp: dots and slashes do."""
    out = request(family, "天気", "x" * 80, "mcp.server/tool")

    names = [REGISTRY.inspect_schema(tool).name for tool in out.schemas()]

    assert all(name.isascii() and len(name) <= 64 and "." not in name and "/" not in name for name in names)


def test_no_map_of_names_is_shared_by_two_requests():
    """litellm: the way back from a name is a cache of the whole process."""
    one, other = request("anthropic.messages", "a.b"), request("anthropic.messages", "other")
    (tool,) = one.schemas()

    call = {"type": "tool_use", "id": "t", "name": tool["name"], "input": {}}

    assert one.inspect_received(call).tool_name == "a.b"
    assert other.inspect_received(call).tool_name == tool["name"]


# -- results


@pytest.mark.parametrize("source", ["anthropic", "mcp", "bedrock"])
@pytest.mark.parametrize(
    "target", [ANTHROPIC_TOOL, BEDROCK_TOOL, GEMINI_FUNCTION, MCP_2025, CHAT_FUNCTION, RESPONSES_FUNCTION]
)
def test_no_failure_is_told_as_a_success_and_no_word_of_it_is_lost(source, target):
    """bifrost, sglang, koog, langchain4j, tidebreak: the flag; google-genai: the text of the error."""
    failures = {
        "anthropic": {
            "type": "tool_result",
            "tool_use_id": "call_1",
            "content": "no such file",
            "is_error": True,
        },
        "mcp": {"content": [{"type": "text", "text": "no such file"}], "isError": True},
        "bedrock": {
            "toolResult": {"toolUseId": "call_1", "content": [{"text": "no such file"}], "status": "error"}
        },
    }

    done = convert("result", failures[source], target)

    result = REGISTRY.inspect_result(done.value)
    assert "no such file" in str(done.value)
    assert result.is_error or "[tool error]" in str(done.value)


def test_no_structured_content_is_dropped_or_doubled():
    """kimi-code: dropped, then doubled, then the content, else the structure."""
    both = {"content": [{"type": "text", "text": '{"n":1}'}], "structuredContent": {"n": 1}}
    alone = {"content": [], "structuredContent": {"n": 1}}

    for result in (both, alone):
        assert convert("result", result, CHAT_FUNCTION).value["content"] == '{"n":1}'
        block = convert("result", result, BEDROCK_TOOL).value["toolResult"]["content"]
        assert block == [{"json": {"n": 1}}]


def test_no_list_of_parts_is_put_where_a_text_belongs():
    """litellm: ``{"text": [..]}``; others: Python's repr of the list."""
    result = {
        "type": "tool_result",
        "tool_use_id": "call_1",
        "content": [
            {"type": "text", "text": "a"},
            {"type": "image", "source": {"type": "url", "url": "https://e.x/i.png"}},
        ],
    }

    done = convert("result", result, CHAT_FUNCTION)

    assert [part["type"] for part in done.value["content"]] == ["text", "text"]
    assert done.value["content"][1]["text"] == "[1 part not representable: image]"
    assert {loss.code for loss in done.losses} == {LossCode.MEDIA}


def test_no_result_is_sent_to_gemini_without_the_name_of_its_tool():
    """Gemini asks for it, and other formats do not say it: the call does."""
    result = {"role": "tool", "tool_call_id": "call_1", "content": "x"}
    target = ToolInteropTarget("gemini.generate_content")

    assert REGISTRY.convert_result(result, target, call=chat("{}")).value["functionResponse"]["name"] == "ls"
    with pytest.raises(ConversionError):
        REGISTRY.convert_result(result, target)


# -- signatures


SIGNED = {"functionCall": {"name": "ls", "args": {}, "id": "g1"}, "thoughtSignature": "c2ln"}


def test_no_signature_is_lost_in_a_replay_to_gemini():
    """dify, ellmer, GoModel, code_puppy: without it the server answers 400."""
    assert convert("call", SIGNED, GEMINI_FUNCTION).value == SIGNED


@pytest.mark.parametrize("target", [*OF_TEXT, ANTHROPIC_TOOL, BEDROCK_TOOL])
def test_no_signature_is_hidden_in_an_id(target):
    """litellm: ``call_x__thought__...`` breaks every limit that other providers have on ids."""
    done = convert("call", SIGNED, target)

    assert REGISTRY.inspect_call(done.value).call_id == "g1"
    assert "c2ln" not in str(done.value)
    assert LossCode.SIGNATURE in {loss.code for loss in done.losses}


def test_no_result_type_is_guessed_from_type_alone():
    """Three formats say ``tool_result`` and three say ``custom``: keys tell them apart."""
    assert REGISTRY.inspect_result({"type": "tool_result", "tool_use_id": "t"}).format == ANTHROPIC_TOOL
    assert REGISTRY.inspect_result({"type": "tool_result", "text": "x"}).format == "core.tool_result"
    assert REGISTRY.inspect_call(custom("x")).format == RESPONSES_CUSTOM
    assert REGISTRY.inspect_schema({"type": "custom", "name": "x", "input_schema": {}}).kind == "object"
