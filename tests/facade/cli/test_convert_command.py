"""`callboard convert`: values from one wire format to another, as somebody runs it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from callboard.tool_interop import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.tool_interop import ToolInteropTarget
from command_line import callboard, lines, ndjson, on_a_terminal

PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}}}
MCP = {"name": "read", "inputSchema": PARAMETERS, "annotations": {"readOnlyHint": True}}
CHAT = {"type": "function", "function": {"name": "read", "parameters": PARAMETERS}}
CUSTOM = {"type": "custom", "name": "patch", "format": {"type": "grammar", "syntax": "lark", "definition": "start: /.+/"}}  # fmt: skip
USE = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a"}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "no such file", "is_error": True}


def converted(value: Any, target: str) -> Any:
    family = ToolInteropTarget(target)
    return REGISTRY.convert_schema(value, family, [target]).value


def test_values_come_out_one_a_line_in_their_order():
    ended = callboard("convert", "--to", "openai.responses", text=ndjson([CHAT, USE, RESULT]))

    assert ended.returncode == 0
    schema, call, result = lines(ended.stdout)
    assert schema == converted(CHAT, "openai.responses")
    assert call == {
        "type": "function_call",
        "call_id": "toolu_1",
        "name": "read",
        "arguments": '{"path":"a"}',
    }
    assert (result["type"], result["call_id"]) == ("function_call_output", "toolu_1")


@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_is_converted_item_by_item(indent):
    text = json.dumps([CHAT, CHAT], indent=indent)

    ended = callboard("convert", "--from", "openai.chat_completions", "--to", "anthropic.messages", text=text)

    assert lines(ended.stdout) == [converted(CHAT, "anthropic.messages")] * 2
    assert (ended.returncode, ended.stderr) == (0, "")


def test_what_is_lost_is_told_by_code_with_its_line():
    ended = callboard("convert", "--to", "openai.responses.function", text=ndjson([CHAT, MCP, CUSTOM]))

    assert ended.returncode == 0
    assert len(lines(ended.stdout)) == 3
    told = ended.stderr.splitlines()
    assert "callboard: line 2: lost extras: annotations" in told
    assert any(line.startswith("callboard: line 3: lost grammar: ") for line in told)
    assert not any("line 1" in line for line in told)


def test_with_strict_a_loss_is_a_failure_and_the_value_comes_out_all_the_same():
    lossy = callboard("convert", "--to", "openai.responses", "--strict", text=ndjson([MCP]))
    whole = callboard("convert", "--to", "anthropic.messages", "--strict", text=ndjson([CHAT]))

    assert (lossy.returncode, len(lines(lossy.stdout))) == (1, 1)
    assert whole.returncode == 0


def test_what_is_broken_is_told_with_its_line_and_costs_no_other():
    text = f'{json.dumps(CHAT)}\n{{"broken": \n{json.dumps(CHAT)}\n{{"what": 1}}\n3\n{json.dumps(CHAT)}\n'

    ended = callboard("convert", "--to", "openai.responses", text=text)

    assert ended.returncode == 1
    assert lines(ended.stdout) == [converted(CHAT, "openai.responses")] * 3
    told = ended.stderr.splitlines()
    assert [line.split(":")[1] for line in told] == [" line 2", " line 4", " line 5"]
    assert "is not JSON" in told[0]
    assert "no schema, call or result of any known format" in told[1]


def test_what_a_format_cannot_say_is_told_and_left_out():
    ended = callboard("convert", "--to", "openai.responses.custom", text=ndjson([CHAT, CUSTOM]))

    assert ended.returncode == 1
    assert lines(ended.stdout) == [CUSTOM]
    assert ended.stderr.startswith("callboard: line 1: ")
    assert "'read'" in ended.stderr


def test_a_value_that_could_be_several_things_needs_to_be_told_which_it_is():
    text = ndjson([{"id": "c", "type": "function", "function": {"name": "read"}}])

    unsaid = callboard("convert", "--to", "anthropic.messages", text=text)
    said = callboard("convert", "--to", "anthropic.messages", "--kind", "call", text=text)

    assert (unsaid.returncode, unsaid.stdout) == (1, "")
    assert "could be a schema or a call; say which it is by --kind" in unsaid.stderr
    assert lines(said.stdout) == [{"type": "tool_use", "id": "c", "name": "read", "input": {}}]


def test_a_call_without_an_id_gets_one_that_is_the_same_each_time():
    text = ndjson([{"functionCall": {"name": "read", "args": {}}}])

    once, again = (callboard("convert", "--to", "anthropic.messages", text=text).stdout for _ in range(2))

    assert once == again
    assert lines(once)[0]["id"].startswith("call_")


def test_nothing_comes_of_nothing():
    ended = callboard("convert", "--to", "openai.responses", text="\n\n")

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--to", "openai.response"], "did you mean 'openai.responses'?"),
        (["--from", "mpc", "--to", "openai.responses"], "nothing can be read as 'mpc'"),
        (["--to", "core.host_result"], "nothing can be written as 'core.host_result'"),
        (["--to", "mcp.sampling.tool_result", "--kind", "call"], "no call can be written"),
        ([], "--list shows them all"),
        (["--to", "mcp", "--kind", "tool"], "'schema', 'call', 'result'"),
    ],
)
def test_a_format_that_there_is_not_is_a_wrong_command_line(arguments, said):
    ended = callboard("convert", *arguments, text=ndjson([CHAT]))

    assert ended.returncode == 2
    assert said in ended.stderr
    assert ended.stdout == ""


def test_the_formats_are_listed_with_what_can_be_done():
    ended = callboard("convert", "--list", "--json")

    listed = {row["format"]: row for row in lines(ended.stdout)}
    assert ended.returncode == 0
    assert listed["openai.chat_completions.function"] == {
        "format": "openai.chat_completions.function",
        "schema": ["read", "write"],
        "call": ["read", "write"],
        "result": ["read", "write"],
    }
    assert listed["core.host_result"]["call"] == []


def test_the_formats_are_listed_for_people_on_a_terminal():
    status, shown = on_a_terminal("convert", "--list", columns=60)

    assert status == 0
    assert "openai.responses.function" in shown
    assert "read, write" in shown
    assert "schemas" in shown
    assert "…" not in shown


TOLD = {"content": [{"type": "text", "text": "done"}]}
ASKED = {"method": "tools/call", "params": {"name": "read", "arguments": {}}}


def test_a_call_and_its_result_are_given_the_id_that_they_do_not_say():
    said = callboard("convert", "--to", "openai.chat_completions", "--call-id", "c7", text=ndjson([TOLD]))
    asked = callboard("convert", "--to", "anthropic.messages", "--call-id", "c7", text=ndjson([ASKED]))
    unsaid = callboard("convert", "--to", "openai.chat_completions", text=ndjson([TOLD]))

    assert lines(said.stdout) == [{"role": "tool", "tool_call_id": "c7", "content": "done"}]
    assert lines(asked.stdout) == [{"type": "tool_use", "id": "c7", "name": "read", "input": {}}]
    assert (said.returncode, asked.returncode, unsaid.returncode) == (0, 0, 1)
    assert asked.stderr == ""  # an id that is given is none that was made up
    assert "--call-id" in unsaid.stderr


def test_ids_go_in_their_order_to_those_that_have_none():
    given = ("--call-id", "c1", "--call-id", "c2")

    ended = callboard(
        "convert", "--to", "openai.responses", *given, text=ndjson([ASKED, USE, CHAT, TOLD, TOLD])
    )

    call, own, _, told = lines(ended.stdout)
    assert [call["call_id"], own["call_id"], told["call_id"]] == ["c1", "toolu_1", "c2"]
    assert ended.returncode == 1  # there was none left for the last
