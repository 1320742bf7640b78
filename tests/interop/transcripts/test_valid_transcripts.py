"""A transcript that its provider takes is left alone, whatever there is in it."""

from __future__ import annotations

from typing import Any

import pytest
from callboard.interop.transcripts.repair import repair_transcript
from transcript_writers import ANTHROPIC, BEDROCK, GEMINI, RESPONSES


def said(role: str, *content: Any) -> dict[str, Any]:
    return {"role": role, "content": list(content)}


def use(its: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": its, "name": "read", "input": {}, **more}


def result(its: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": its, "content": "done"}


def hosted(its: str, kind: str = "server_tool_use") -> dict[str, Any]:
    return {"type": kind, "id": its, "name": "code_execution", "input": {}}


def text(its: str) -> dict[str, Any]:
    return {"type": "text", "text": its}


def tool_use(its: str, **more: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": its, "name": "read", "input": {}, **more}}


def tool_result(its: str, **more: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": its, "content": [{"text": "done"}], **more}}


def output(its: str, kind: str = "function_call_output") -> dict[str, Any]:
    return {"type": kind, "call_id": its, "output": "done"}


def function_call(its: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": its, "name": "read", "arguments": "{}"}


SERVER = {"type": "server_tool_use"}
SHELL = {"type": "shell_call", "call_id": "s", "action": {"commands": ["ls"]}}
SHELL_OUTPUT = {"type": "shell_call_output", "call_id": "s", "output": []}

VALID = {
    "bedrock runs a tool itself": (
        BEDROCK,
        [
            said("user", {"text": "x"}),
            said("assistant", tool_use("s", **SERVER), tool_result("s"), {"text": "x"}),
        ],
    ),
    "bedrock runs one tool, and we another": (
        BEDROCK,
        [
            said("assistant", tool_use("s", **SERVER), tool_result("s", type="nova_result"), tool_use("a")),
            said("user", tool_result("a")),
        ],
    ),
    "bedrock has not run it yet": (BEDROCK, [said("assistant", tool_use("s", **SERVER))]),
    "anthropic runs a tool, and code of it calls ours": (
        ANTHROPIC,
        [
            said(
                "assistant", hosted("s"), use("a", caller={"type": "code_execution_20250825", "tool_id": "s"})
            ),
            said("user", result("a")),
            said("assistant", {"type": "code_execution_tool_result", "tool_use_id": "s", "content": {}}),
        ],
    ),
    "the result of anthropic's own tool is a plain one": (
        ANTHROPIC,
        [said("assistant", hosted("s"), result("s"), text("x")), said("user", text("go on"))],
    ),
    "so it is for a tool of mcp": (
        ANTHROPIC,
        [said("assistant", hosted("s", "mcp_tool_use"), result("s")), said("user", text("go on"))],
    ),
    "anthropic paused, and went on": (
        ANTHROPIC,
        [said("assistant", hosted("s")), said("assistant", text("x"), use("a")), said("user", result("a"))],
    ),
    "anthropic's calls stand in two messages, and so do the results": (
        ANTHROPIC,
        [
            said("assistant", use("a")),
            said("assistant", use("b")),
            said("user", result("a")),
            said("user", result("b"), text("go on")),
            {"role": "user", "content": "go on"},
        ],
    ),
    "responses go on from the last answer": (
        RESPONSES,
        [output("a"), output("b", "custom_tool_call_output")],
    ),
    "responses go on, and the user says more": (
        RESPONSES,
        [
            output("a"),
            {"role": "user", "content": "go on"},
            {"type": "message", "role": "developer", "content": "x"},
        ],
    ),
    "responses go on from items that are referred to": (
        RESPONSES,
        [{"type": "item_reference", "id": "fc_1"}, output("a"), {"role": "assistant", "content": "x"}],
    ),
    "responses go on with what a shell said": (RESPONSES, [SHELL_OUTPUT, output("a")]),
    "a shell was called beside a function": (
        RESPONSES,
        [SHELL, function_call("a"), SHELL_OUTPUT, output("a")],
    ),
}


@pytest.mark.parametrize(("provider", "transcript"), VALID.values(), ids=VALID)
def test_what_the_provider_takes_is_left_alone(provider, transcript):
    repaired = repair_transcript(transcript, provider)

    assert repaired.transcript is transcript
    assert repaired.repairs == ()


def test_an_input_that_is_said_to_go_on_keeps_its_outputs_and_loses_nothing_else():
    transcript = [output("a"), {"role": "assistant", "content": "x"}, function_call("b"), output("c")]

    on = repair_transcript(transcript, RESPONSES, continues=True)
    whole = repair_transcript(transcript, RESPONSES)

    assert [repair.code.value for repair in on.repairs] == ["missing_result"]
    assert [repair.code.value for repair in whole.repairs] == [
        "orphan_result",
        "missing_result",
        "orphan_result",
    ]


def test_an_input_that_is_said_to_be_whole_loses_outputs_without_their_calls():
    assert repair_transcript([output("a")], RESPONSES, continues=False).transcript == []


def test_calls_in_two_messages_get_their_results_in_the_one_turn_that_follows():
    transcript = [said("assistant", use("a")), said("assistant", use("b")), said("user", result("b"))]

    repaired, repairs = repair_transcript(transcript, ANTHROPIC)

    assert [block["tool_use_id"] for block in repaired[2]["content"]] == ["b", "a"]
    assert repaired[:2] == transcript[:2]
    assert [repair.code.value for repair in repairs] == ["missing_result"]


def test_our_own_call_beside_a_hosted_one_of_its_id_is_answered_all_the_same():
    transcript = [
        said("assistant", tool_use("s", **SERVER), tool_result("s"), tool_use("s")),
        said("user", tool_result("s")),
    ]

    assert repair_transcript(transcript, BEDROCK).transcript is transcript


@pytest.mark.parametrize("short", ["gemini", "gemini.live", "anthropic", "bedrock"])
def test_families_go_by_the_names_that_assemblers_know(short):
    messages = {"gemini": {"role": "model", "parts": [{"text": "x"}]}}
    transcript = [messages.get(short.split(".")[0], said("assistant", text("x")))]

    assert repair_transcript(transcript, short).transcript is transcript


def test_a_short_name_repairs_as_the_long_one_does():
    transcript = [{"role": "model", "parts": [{"functionCall": {"name": "read", "args": {}}}]}]

    assert repair_transcript(transcript, "gemini") == repair_transcript(transcript, GEMINI)


def test_an_output_without_an_id_answers_no_call_wherever_that_is():
    nameless = {"type": "function_call_output", "call_id": None, "output": "said"}

    repaired = repair_transcript([output("a"), nameless], RESPONSES)

    assert repaired.transcript == [output("a")]
    assert [(one.code.value, one.turn) for one in repaired.repairs] == [("orphan_result", 1)]
