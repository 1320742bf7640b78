"""What only one provider has: read and written back at home as it is, and elsewhere a loss that is declared."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode, ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import ConversionError, HostedError, LossRefusedError
from callboard.interop.parts import MediaPart, TextPart
from callboard.interop.registry.request_conversion import RequestConversion
from interop_json import canonical, containers
from native_forms import (
    ACTION_OUTPUTS,
    ACTIONS,
    HOSTED_CALLS,
    HOSTED_RESULTS,
    HOSTED_TOOLS,
    NEW_CALLS,
    NEW_RESULTS,
    NEW_TOOLS,
    PENDING,
)

RESPONSES = ToolInteropTarget("openai.responses")
FUNCTIONS = {
    "openai.chat_completions": "openai.chat_completions.function",
    "openai.responses": "openai.responses.function",
    "anthropic.messages": "anthropic.messages.tool",
    "gemini.generate_content": "gemini.generate_content.function",
    "bedrock.converse": "bedrock.converse.tool",
}
PLAIN = {"type": "function", "function": {"name": "ls", "parameters": {"type": "object", "properties": {}}}}
CALL = {"id": "call_1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
ANSWER = {"role": "tool", "tool_call_id": "call_1", "content": "x"}


def both(table, new):
    return {name: [*of, *new.get(name, [])] for name, of in table.items()}


TOOLS = both(HOSTED_TOOLS, NEW_TOOLS)
CALLS = both(HOSTED_CALLS, NEW_CALLS)
RESULTS = both(HOSTED_RESULTS, NEW_RESULTS)


def each(table):
    return [
        pytest.param(name, value, id=f"{name}-{n}")
        for name, of in table.items()
        for n, value in enumerate(of)
    ]


def elsewhere(format_id):
    return [family for family in FUNCTIONS if not format_id.startswith(family)]


def home_of(format_id):
    return format_id.rpartition(".")[0]


@pytest.mark.parametrize(("format_id", "tool"), each(TOOLS))
def test_a_hosted_tool_is_read_and_goes_home_as_it_is(format_id, tool):
    inspected = REGISTRY.inspect_schema(tool)
    home = home_of(format_id)

    assert (inspected.format, inspected.kind, inspected.parameters) == (format_id, "hosted", None)
    for formats in (None, [home], [FUNCTIONS[home]]):  # whoever takes functions there takes these
        converted = REGISTRY.convert_schema(tool, ToolInteropTarget(home), formats)
        assert canonical(converted.value) == canonical(tool)
        assert converted.losses == ()
        assert not containers(converted.value) & containers(tool)


@pytest.mark.parametrize(("format_id", "tool"), each(TOOLS))
def test_a_hosted_tool_is_left_out_elsewhere_and_that_is_a_loss(format_id, tool):
    for family in elsewhere(format_id):
        target = ToolInteropTarget(family)
        told = {}

        assert len(REGISTRY.convert_schemas([tool, PLAIN], target)) == 1
        assert len(REGISTRY.convert_schemas([tool, PLAIN], target, refused=told.__setitem__)) == 1
        with pytest.raises(LossRefusedError) as refusal:
            REGISTRY.convert_schemas([PLAIN, tool], target, refuse_losses=True)
        with pytest.raises(HostedError):
            REGISTRY.convert_schema(tool, target)

        assert list(told) == [0]
        assert LossCode.HOSTED in [loss.code for loss in refusal.value.losses]


@pytest.mark.parametrize("family", FUNCTIONS)
def test_hosted_tools_do_not_break_a_request_for_all_others(family):
    tools = [tool for of in TOOLS.values() for tool in of]
    turn = [call for of in CALLS.values() for call in of] + [CALL]
    request = RequestConversion(REGISTRY, ToolInteropTarget(family), [*tools, PLAIN], turns=[turn])
    ours = [name for name in TOOLS if name.startswith(family)]

    schemas, calls = request.schemas(), request.calls(0)
    results = request.results(0, [None] * (len(turn) - 1) + [ANSWER])

    assert schemas[:-1] == [tool for name in ours for tool in TOOLS[name]]
    assert calls[:-1] == [call for name in ours for call in CALLS[name]]
    assert REGISTRY.inspect_call(calls[-1]).tool_name == "ls"
    assert len(results) == 1


@pytest.mark.parametrize(("format_id", "call"), each(CALLS))
def test_a_call_that_the_provider_runs_is_never_run_here_and_goes_home_as_it_is(format_id, call):
    inspected = REGISTRY.inspect_call(call)

    assert (inspected.format, inspected.payload_kind) == (format_id, "malformed")
    assert inspected.payload_metadata["error"]["code"] == "hosted"
    assert REGISTRY.sanitize_tool_call(call) is call
    converted = REGISTRY.convert_tool_call(call, ToolInteropTarget(home_of(format_id)))
    assert (canonical(converted.value), converted.losses) == (canonical(call), ())
    for family in elsewhere(format_id):
        with pytest.raises(HostedError):
            REGISTRY.convert_tool_call(call, ToolInteropTarget(family))
        assert REGISTRY.convert_tool_calls([call], ToolInteropTarget(family)) == []


@pytest.mark.parametrize(("format_id", "result"), each(RESULTS))
def test_what_the_provider_s_own_call_came_to_goes_home_as_it_is(format_id, result):
    converted = REGISTRY.convert_result(result, ToolInteropTarget(home_of(format_id)))

    assert REGISTRY.inspect_result(result).format == format_id
    assert (canonical(converted.value), converted.losses) == (canonical(result), ())
    for family in elsewhere(format_id):
        assert REGISTRY.convert_results([result], ToolInteropTarget(family)) == []


@pytest.mark.parametrize(("tool", "call"), ACTIONS.items(), ids=ACTIONS)
def test_a_call_that_the_client_has_to_act_on_is_read_and_marked(tool, call):
    inspected = REGISTRY.inspect_call(call)

    own = {"type", "id", "call_id", "status", "caller"}
    assert (inspected.format, inspected.call_id, inspected.tool_name) == (
        "openai.responses.action",
        "c1",
        tool,
    )
    assert (inspected.payload_kind, inspected.payload_metadata["action"]) == ("object", call["type"])
    assert inspected.payload == {key: item for key, item in call.items() if key not in own}


@pytest.mark.parametrize(("tool", "call"), ACTIONS.items(), ids=ACTIONS)
def test_such_a_call_goes_home_as_it_is_and_elsewhere_as_a_function_with_a_declared_loss(tool, call):
    for formats in (None, ["openai.responses.function"]):
        home = REGISTRY.convert_tool_call(call, RESPONSES, formats)
        assert (canonical(home.value), home.losses) == (canonical(call), ())

    away = REGISTRY.convert_tool_call(call, ToolInteropTarget("anthropic.messages"))

    assert (away.value["name"], away.value["id"]) == (tool, "c1")
    assert LossCode.HOSTED in [loss.code for loss in away.losses]


@pytest.mark.parametrize(("tool", "output"), ACTION_OUTPUTS.items(), ids=ACTION_OUTPUTS)
def test_an_answer_of_the_api_s_own_form_goes_home_as_it_is_and_is_read_elsewhere(tool, output):
    home = REGISTRY.convert_result(output, RESPONSES, ["openai.responses.function"], call=ACTIONS[tool])
    away = REGISTRY.convert_result(output, ToolInteropTarget("anthropic.messages"), call=ACTIONS[tool])

    assert (canonical(home.value), home.losses) == (canonical(output), ())
    assert away.value["tool_use_id"] == "c1"
    assert LossCode.HOSTED in [loss.code for loss in away.losses]


@pytest.mark.parametrize(
    ("tool", "parts", "failed"),
    [
        ("shell", (TextPart("a\nb"),), True),
        ("apply_patch", (TextPart("no"),), True),
        ("computer", (MediaPart("image", url="data:image/png;base64,AAAA"),), None),
        ("local_shell", (TextPart("a"),), None),
    ],
)
def test_what_such_an_answer_tells_is_read(tool, parts, failed):
    inspected = REGISTRY.inspect_result(ACTION_OUTPUTS[tool])

    assert (inspected.parts, inspected.is_error, inspected.call_id) == (parts, failed, "c1")


def answered(tool, result):
    return REGISTRY.convert_result(result, RESPONSES, ["openai.responses.function"], call=ACTIONS[tool]).value


TEXT = {"type": "tool_result", "text": "done"}
FAILED = {"success": False, "error": "no"}
IMAGE = {"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}]}


@pytest.mark.parametrize(
    ("tool", "result", "said"),
    [
        (
            "shell",
            TEXT,
            {"output": [{"stdout": "done", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]},
        ),
        (
            "shell",
            FAILED,
            {"output": [{"stdout": "", "stderr": "no", "outcome": {"type": "exit", "exit_code": 1}}]},
        ),
        ("apply_patch", TEXT, {"status": "completed", "output": "done"}),
        ("apply_patch", FAILED, {"status": "failed", "output": "no"}),
        ("local_shell", TEXT, {"output": "done"}),
        (
            "computer",
            IMAGE,
            {"output": {"type": "computer_screenshot", "image_url": "data:image/png;base64,AAAA"}},
        ),
        (
            "tool_search",
            {"success": True, "result": {"tools": [{"type": "shell"}]}},
            {"tools": [{"type": "shell"}], "execution": "client", "status": "completed"},
        ),
        ("mcp_approval", {"success": True, "result": {"approve": True}}, {"approve": True}),
        ("mcp_approval", {"success": True, "result": {"approve": "yes"}}, {"approve": False}),
        ("mcp_approval", TEXT, {"approve": False, "reason": "done"}),
        ("mcp_approval", FAILED, {"approve": False, "reason": "no"}),
    ],
)
def test_what_a_tool_answers_takes_the_form_of_the_call(tool, result, said):
    item = answered(tool, result)

    frame = {
        key: ACTION_OUTPUTS[tool][key]
        for key in ("type", "call_id", "id", "approval_request_id")
        if key in ACTION_OUTPUTS[tool]
    }
    assert item == {**frame, **said}


@pytest.mark.parametrize("tool", ["computer", "tool_search"])
def test_an_answer_that_has_no_such_form_is_refused(tool):
    with pytest.raises(ConversionError):
        answered(tool, TEXT)


def test_what_a_tool_wrote_in_the_api_s_own_form_goes_in_untouched():
    content = {key: item for key, item in ACTION_OUTPUTS["shell"].items() if key != "call_id"}
    envelope = {"type": "provider_native_tool_result", "format": "openai.responses", "content": content}

    assert answered("shell", envelope) == ACTION_OUTPUTS["shell"]


@pytest.mark.parametrize("broken", [{"call_id": 3}, {"call_id": None, "id": None}])
def test_an_action_without_an_id_cannot_be_answered_and_says_so(broken):
    inspected = REGISTRY.inspect_call({**ACTIONS["shell"], **broken})

    assert inspected.call_id is None


@pytest.mark.parametrize("pending", PENDING)
def test_what_is_no_result_yet_is_read_goes_home_as_it_is_and_is_noted_elsewhere(pending):
    inspected = REGISTRY.inspect_result(pending)
    away = REGISTRY.convert_result(pending, ToolInteropTarget("openai.chat_completions"), call=CALL)

    assert (
        REGISTRY.convert_result(pending, ToolInteropTarget(inspected.format), [inspected.format]).value
        == pending
    )
    assert away.value["content"].startswith("[1 part not representable: ")
    assert {LossCode.UNREAD, LossCode.EXTRAS} <= {loss.code for loss in away.losses}
