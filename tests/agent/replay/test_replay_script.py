"""The model that is not there: which step answers which request, in each of the three APIs."""

from __future__ import annotations

import pytest
from callboard.agent.replay.hearing import hear
from callboard.agent.replay.script import Heard, Script, ScriptedCall, Step
from callboard.agent.replay.telling import fragments, told_calls, words

CALL = {"id": "c1", "type": "function", "function": {"name": "now", "arguments": "{}"}}
IMAGE = {"type": "image_url", "image_url": {"url": "data:"}}

HISTORIES = {
    "/v1/chat/completions": {
        "messages": [
            {"role": "system", "content": "s"},
            {"role": "user", "content": "first"},
            {"role": "assistant", "content": "x"},
            {"role": "user", "content": [{"type": "text", "text": "second"}, IMAGE]},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": "seen"},
            {"role": "user", "content": [{"type": "text", "text": "Shown by c1"}, IMAGE]},
        ],
        "tools": [
            {"type": "function", "function": {"name": "now"}},
            {"type": "custom", "custom": {"name": "patch"}},
        ],
    },
    "/v1/responses": {
        "input": [
            {"role": "system", "content": "s"},
            {"role": "user", "content": "first"},
            {"role": "assistant", "content": "x"},
            {"role": "user", "content": [{"type": "input_text", "text": "second"}]},
            {"type": "reasoning", "id": "rs", "summary": []},
            {"type": "function_call", "call_id": "c1", "name": "now", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "seen"},
        ],
        "tools": [{"type": "function", "name": "now"}, {"type": "custom", "name": "patch"}],
    },
    "/v1/messages": {
        "system": "s",
        "messages": [
            {"role": "user", "content": "first"},
            {"role": "assistant", "content": [{"type": "text", "text": "x"}]},
            {"role": "user", "content": [{"type": "text", "text": "second"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "now", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "seen"}]},
        ],
        "tools": [
            {"name": "now", "input_schema": {}},
            {"type": "custom", "name": "patch", "input_schema": {}},
        ],
    },
}


@pytest.mark.parametrize("path", HISTORIES)
def test_a_request_tells_the_same_in_every_api(path):
    heard = hear(path, {"model": "m", "stream": True, **HISTORIES[path]})

    assert heard == Heard(
        user="second",
        turn=2,
        step=1,
        results=("seen",),
        tools={"now": False, "patch": path != "/v1/messages"},
        model="m",
        stream=True,
    )


@pytest.mark.parametrize("path", HISTORIES)
@pytest.mark.parametrize(
    "body", [{}, {"messages": 3, "input": 3, "tools": 3}, {"messages": [None], "input": "hi"}]
)
def test_whatever_else_a_request_says_it_is_heard(path, body):
    heard = hear(path, body)

    assert heard.step == 0
    assert heard.user == ("hi" if path == "/v1/responses" and body.get("input") == "hi" else "")


def test_nobody_lives_at_other_paths():
    assert hear("/v1/models", {}) is None
    assert hear("/v1/messages/", {}) == Heard(stream=False)


def test_what_the_user_says_behind_results_is_a_new_turn():
    body = HISTORIES["/v1/messages"]
    last = {"role": "user", "content": [*body["messages"][-1]["content"], {"type": "text", "text": "third"}]}

    heard = hear("/v1/messages", {"messages": [*body["messages"][:-1], last]})

    assert (heard.user, heard.step, heard.turn, heard.results) == ("third", 0, 2, ())


def test_the_first_rule_that_fits_what_the_user_said_gives_one_step_after_the_other():
    script = Script(
        [
            {"when": "weather", "steps": [{"text": "a"}, {"text": "It is {result}, {user}"}]},
            {"steps": [{"text": "else"}]},
        ]
    )

    assert script.answer(Heard("The WEATHER?")).text == "a"
    assert script.answer(Heard("weather", step=1, results=("x", "7"))).text == "It is 7, weather"
    assert script.answer(Heard("weather", step=2)).text == "(The script says nothing more.)"
    assert script.answer(Heard("hello")).text == "else"
    assert Script([]).answer(Heard("hello")).text == "(The script says nothing more.)"


@pytest.mark.parametrize(
    ("rules", "where"),
    [
        ([{"when": "x"}], r"rules\[0\] has to be"),
        ([{"steps": [], "step": 1}], r"rules\[0\] has to be"),
        ([{"steps": []}, 3], r"rules\[1\] has to be"),
        ([{"steps": [], "when": 3}], r"rules\[0\]\.when"),
        ([{"steps": [{"say": "x"}]}], r"rules\[0\]\.steps\[0\]"),
        ([{"steps": [{}, {"calls": [{"name": "x"}]}]}], r"rules\[0\]\.steps\[1\]\.calls\[0\]"),
    ],
)
def test_a_script_of_another_shape_is_refused_by_place(rules, where):
    with pytest.raises(ValueError, match=where):
        Script(rules)


def test_a_call_is_told_by_the_name_it_was_offered_by_and_raw_input_as_the_tool_takes_it():
    step = Step(
        calls=(ScriptedCall("get.it", {"a": "ü"}), ScriptedCall("patch", "x y"), ScriptedCall("gone", "x"))
    )

    told = told_calls(step, Heard(turn=3, tools={"get_it_12345678": False, "patch": True}))

    assert [(call.number, call.name, call.text, call.raw) for call in told] == [
        ("3_0", "get_it_12345678", '{"a":"ü"}', False),
        ("3_1", "patch", "x y", True),
        ("3_2", "gone", '{"input":"x"}', False),
    ]


def test_pieces_are_the_text():
    assert list(words(" a  b\nc ")) == [" a", " ", " b\nc", " "]
    assert "".join(fragments("0123456789" * 3)) == "0123456789" * 3
    assert max(map(len, fragments("0123456789" * 3))) < 10
