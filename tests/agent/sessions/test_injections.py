"""What hooks want said reaches the model behind the results that it is about: for good, or in the next request alone."""

from __future__ import annotations

import copy
from itertools import pairwise

import pytest
from boards import Recorder
from callboard import AgentCore
from callboard.agent.requests.injections import with_injections
from callboard.agent.sessions.session import calls_of, tool_call_id
from callboard.agent.sessions.tool_messages import tool_message
from callboard.plugins.hooks.injections import LONGEST
from conversations import chat_call
from hypothesis import given
from hypothesis import strategies as st
from scripted_provider import Scripted, asks, said
from toolbox import Toolbox, asked

GO = {"role": "user", "content": "go"}
DONE = {"role": "assistant", "content": "done"}


def calls(*ids):
    return {
        "role": "assistant",
        "content": "",
        "metadata": {"tool_calls": [chat_call("t", i, "{}") for i in ids]},
    }


def result(call_id, *notes, formatted="said"):
    notes = tuple({"hook": "lint", "event": "tool:post", **note} for note in notes)
    facts = {"tool_name": "t", "plugin_name": "p", "display": {}, "result": {"success": True}}
    return tool_message(call_id=call_id, formatted=formatted, notes=notes, **facts)


def inject(text, **fields):
    return {"context_injection": text, **fields}


def told(messages):
    return [(message["role"], message["content"]) for message in with_injections(messages)]


ONCE = inject("now", ephemeral=True)
UNDER = inject("under it", ephemeral=True, append_to_last_tool_result=True)
SEVERAL = {
    **inject("a\n\nb"),
    "context_injections": [{"content": "a"}, {"content": "b", "role": "user", "ephemeral": True}],
}
NATIVE = {"type": "provider_native_tool_result", "format": "openai.chat_completions", "content": "said"}


@pytest.mark.parametrize(
    ("messages", "behind"),
    [
        ([result("1", inject("x"))], [("tool", "said"), ("system", "x")]),
        (
            [result("1", inject("x", context_injection_role="user")), result("2", ONCE)],
            [("tool", "said"), ("tool", "said"), ("user", "x"), ("system", "now")],
        ),
        ([result("1", UNDER), result("2")], [("tool", "said"), ("tool", "said\n\nunder it")]),
        ([result("1", UNDER, formatted=NATIVE)], [("tool", "said"), ("system", "under it")]),
        (
            [result("1", inject("x"), ONCE, UNDER), DONE],
            [("tool", "said"), ("system", "x"), ("assistant", "done")],
        ),
        ([result("1", ONCE), GO], [("tool", "said"), ("system", "now"), ("user", "go")]),
        ([result("1", SEVERAL)], [("tool", "said"), ("system", "a"), ("user", "b")]),
        (
            [result("1", inject("x" * (LONGEST + 1)), inject("x", context_injection_role="tool"))],
            [("tool", "said")],
        ),
        ([{**result("1"), "metadata": {"tool_call_id": "1", "hooks": "edited"}}], [("tool", "said")]),
    ],
)
def test_it_stands_behind_the_results_in_the_role_that_it_asks_for(messages, behind):
    history = [GO, calls("1", "2"), *messages]
    before = copy.deepcopy(history)

    assert told(history) == [("user", "go"), ("assistant", ""), *behind]
    assert history == before


def test_it_says_whose_words_it_is_and_both_ways_to_read_a_result_have_what_is_appended():
    *_, longer, words = with_injections([calls("1"), result("1", inject("x"), UNDER)])

    assert words["metadata"] == {"source": "hook", "hook_name": "lint", "event": "tool:post"}
    assert longer["content"] == longer["toolResult"]["text"] == "said\n\nunder it"


NOTES = st.sampled_from([inject("x"), ONCE, UNDER, SEVERAL, inject("x", context_injection_role="assistant")])
STEPS = st.one_of(
    st.just([GO]),
    st.just([DONE]),
    st.lists(NOTES, max_size=3).map(lambda notes: [calls("1", "2"), result("1", *notes), result("2")]),
)


@given(st.lists(STEPS, max_size=5))
def test_what_was_told_for_good_stays_where_it_is_and_nothing_comes_between_calls_and_results(steps):
    history = [message for step in steps for message in step]

    now, later = with_injections(history), with_injections([*history, DONE, GO])

    for one, two in pairwise([*now, GO]):
        assert not calls_of(one) or two["role"] == "tool"
        if two["role"] == "tool":
            assert one["role"] == "tool" or calls_of(one)[0]["id"] == tool_call_id(two)
    assert not any("now" in str(message["content"]) for message in later)
    assert [m for m in later if m["role"] != "tool"][:-2] == [
        m for m in now if m["role"] != "tool" and m["content"] not in {"now", "under it", "b"}
    ]


def test_the_model_is_told_in_the_same_turn_and_the_conversation_is_kept_as_it_was():
    def hook(_event, data):
        if data["tool_input"]["a"] == 1:
            return {
                "action": "inject_context",
                **inject("line 3 is wrong"),
                "context_injections": [
                    {"content": "line 3 is wrong"},
                    {"content": "2 to do", "role": "user", "ephemeral": True},
                ],
            }
        return {"action": "continue", **inject("x" * (LONGEST + 1))}

    model = Scripted(asks(("add", "a", '{"a":1,"b":2}')), asks(("add", "b", '{"a":3,"b":4}')), said("fixed"))
    with AgentCore() as core:
        core.register_tool(Toolbox())
        core.register_provider(model)
        core.hook("tool:post", hook, name="lint")
        recorder = Recorder(core.board)
        done = list(core.run(asked(core), {}))[-1]
        [failed] = recorder.wait("hook_failed")

    requests = [[(m["role"], m["content"]) for m in request] for request in model.requests]
    assert requests[1][2:] == [("tool", "3"), ("system", "line 3 is wrong"), ("user", "2 to do")]
    assert requests[2][2:] == [("tool", "3"), ("system", "line 3 is wrong"), ("assistant", ""), ("tool", "7")]
    assert [m["role"] for m in done["session"].messages] == ["user", *["assistant", "tool"] * 2, "assistant"]
    assert "has 10,241 characters, and at most 10,240 are put into a conversation" in failed.facts["error"]
