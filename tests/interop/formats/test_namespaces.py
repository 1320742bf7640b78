"""Namespaces of the Responses API: one declaration of several tools, and names that are bare elsewhere."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode, ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import ConversionError, InvalidShapeError

RESPONSES = ToolInteropTarget("openai.responses")
CHAT = ToolInteropTarget("openai.chat_completions")
ANTHROPIC = ToolInteropTarget("anthropic.messages")
PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}}}


def function(name):
    return {"type": "function", "name": name, "parameters": PARAMETERS, "strict": False}


def namespace(name, *tools):
    return {"type": "namespace", "name": name, "description": "Files.", "tools": list(tools)}


FILES = namespace("files", function("ls"), {"type": "custom", "name": "patch"})


def test_a_namespace_declares_several_tools():
    inspected = REGISTRY.inspect_schema(FILES)

    assert (inspected.format, inspected.name) == ("openai.responses.namespace", "files")
    assert [(tool.namespace, tool.name, tool.kind) for tool in inspected.members] == [
        ("files", "ls", "object"),
        ("files", "patch", "text"),
    ]


def test_it_stays_whole_for_responses():
    (there,) = REGISTRY.convert_schemas([FILES], RESPONSES, refuse_losses=True)

    assert there == FILES
    assert there["tools"] is not FILES["tools"]


def test_it_is_taken_apart_for_others_in_place_and_said_so():
    other = {"type": "function", "function": {"name": "now"}}

    names = [tool["name"] for tool in REGISTRY.convert_schemas([other, FILES, other], ANTHROPIC)]

    assert names == ["now", "ls", "patch", "now"]
    with pytest.raises(ConversionError, match="namespace"):
        REGISTRY.convert_schemas([FILES], ANTHROPIC, refuse_losses=True)
    with pytest.raises(ConversionError, match="it declares 2 tools"):
        REGISTRY.convert_schema(FILES, ANTHROPIC)


@pytest.mark.parametrize(
    "tools",
    [
        [namespace("a", function("ls")), namespace("b", function("ls"))],
        [function("ls"), namespace("a", function("ls"))],
        [namespace("a", function("ls")), function("ls")],
    ],
    ids=["two namespaces", "before", "after"],
)
def test_two_tools_of_one_bare_name_are_refused_for_the_wrong_one_might_run(tools):
    with pytest.raises(ConversionError, match="two tools would be called 'ls'"):
        REGISTRY.convert_schemas(tools, CHAT)

    assert REGISTRY.convert_schemas(tools, RESPONSES) == tools


@pytest.mark.parametrize(
    "tool",
    [{"type": "web_search"}, {"type": "function", "name": ""}, "ls", None, namespace("inner")],
    ids=str,
)
def test_what_is_no_tool_in_it_is_refused_and_names_it(tool):
    with pytest.raises(InvalidShapeError, match="tool 'files'"):
        REGISTRY.inspect_schema(namespace("files", function("ls"), tool))


def test_a_call_bears_the_namespace_and_loses_it_elsewhere():
    call = {"type": "function_call", "call_id": "c", "name": "ls", "arguments": "{}", "namespace": "files"}

    converted = REGISTRY.convert_tool_call(call, ANTHROPIC)

    assert REGISTRY.inspect_call(call).namespace == "files"
    assert [(loss.code, loss.detail) for loss in converted.losses] == [(LossCode.NAMESPACE, "files")]


def test_a_freeform_tool_in_it_is_known_by_its_bare_name_as_well():
    registry = REGISTRY.for_request([FILES])
    call = {"id": "c", "type": "function", "function": {"name": "patch", "arguments": '{"input": "x"}'}}

    assert registry.inspect_call(call).payload == "x"


def test_one_bad_tool_is_told_by_its_place_and_the_others_are_converted():
    told = []

    there = REGISTRY.convert_schemas(
        [function("ls"), namespace("a", function("ls")), function("now")],
        CHAT,
        refused=lambda index, error: told.append((index, str(error))),
    )

    assert [tool["function"]["name"] for tool in there] == ["ls", "now"]
    assert [index for index, _ in told] == [1]
    assert "two tools would be called 'ls'" in told[0][1]
