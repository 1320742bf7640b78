"""A turn says that it was answered only if it was: refusals, filters and answers of nothing end it by their names."""

from __future__ import annotations

import asyncio

import pytest
from callboard import AgentCore
from callboard.agent.replay.faults import stream_reply
from callboard.agent.replay.server import ReplayServer
from callboard.agent.requests.stop_reasons import stop_reason
from callboard.agent.sampling import NoAnswer
from callboard.hosts.mcp.sampling import Sampling
from conversations import breaches
from providers import SCRIPT, STACKS, said
from scripted_provider import Scripted, ScriptedAwaiting, asks
from scripted_provider import said as says
from toolbox import Toolbox, asked, collected, of


@pytest.fixture(scope="module")
def server():
    with ReplayServer(SCRIPT) as server:
        yield server


def chat(*deltas, reason):
    chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    return [*chunks, {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}]


def responses(*deltas, kind="output_text", **details):
    events = [{"type": f"response.{kind}.delta", "delta": delta} for delta in deltas]
    ending = "incomplete" if details else "completed"
    return [*events, {"type": f"response.{ending}", "response": {"incomplete_details": details or None}}]


def messages(*texts, **delta):
    blocks = [
        event
        for index, text in enumerate(texts)
        for event in (
            {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": text}},
            {"type": "content_block_stop", "index": index},
        )
    ]
    return [*blocks, {"type": "message_delta", "delta": delta}, {"type": "message_stop"}]


CALL = {"index": 0, "id": "c1", "function": {"name": "add", "arguments": '{"a":1,"b":2}'}}
DETAILS = {"type": "refusal", "category": "cyber", "explanation": "It could do harm."}
NO_ANSWERS = {
    "a filter": ("chat", chat(reason="content_filter"), "refused", ""),
    "a filter in the midst": ("chat", chat({"content": "So"}, reason="content_filter"), "refused", "So"),
    "a filter of Gemini's": ("chat", chat(reason="SAFETY"), "refused", ""),
    "a filter that says more": ("chat", chat(reason="content_filter: RECITATION"), "refused", ""),
    "a refusal": ("chat", chat({"refusal": "I can"}, {"refusal": "not."}, reason="stop"), "refused", "I cannot."),
    "nothing": ("chat", chat(reason="stop"), "empty", ""),
    "nothing but blanks": ("chat", chat({"content": " \n"}, reason="stop"), "empty", " \n"),
    "nothing but thoughts": ("chat", chat({"reasoning_content": "hm"}, reason="length"), "empty", ""),
    "a filter of Responses": ("responses", responses(reason="content_filter"), "refused", ""),
    "a refusal of Responses": ("responses", responses("I can", "not.", kind="refusal"), "refused", "I cannot."),
    "nothing of Responses": ("responses", responses(reason="max_output_tokens"), "empty", ""),
    "a refusal of Messages": ("anthropic", messages(stop_reason="refusal", stop_details=DETAILS), "refused", ""),
    "a refusal in the midst": ("anthropic", messages("So", stop_reason="refusal"), "refused", "So"),
    "nothing of Messages": ("anthropic", messages(stop_reason="end_turn"), "empty", ""),
}  # fmt: skip


@pytest.mark.parametrize("what", NO_ANSWERS)
@pytest.mark.parametrize("drive", ["run", "arun"])
def test_a_turn_without_an_answer_ends_by_what_came_in_its_place(server, what, drive):
    name, events, reason, text = NO_ANSWERS[what]
    with AgentCore() as core:
        core.register_provider(STACKS[name][0], {"model": "m", "base_url": server.url})
        server.next(stream_reply(events, done=name == "chat"))
        turn = getattr(core, drive)(asked(core), {})
        told = list(turn) if drive == "run" else asyncio.run(collected(turn))

    (event,) = of("no_answer", told)
    kept = [message["content"] for message in told[-1]["session"].messages[1:]]
    assert (told[-1]["reason"], event["reason"]) == (reason, reason)
    assert said(told) == text
    assert kept == ([text] if text else [])
    assert of("error", told) == []


@pytest.mark.parametrize("what", NO_ANSWERS)
def test_a_single_request_says_so_too(server, what):
    name, events, reason, _ = NO_ANSWERS[what]
    with AgentCore() as core:
        core.register_provider(STACKS[name][0], {"model": "m", "base_url": server.url})
        server.next(stream_reply(events, done=name == "chat"))

        (event,) = of("no_answer", list(core.send_request_stream(asked(core), {})))

    assert event["reason"] == reason


def test_the_event_has_the_providers_own_words_and_so_has_the_message(server):
    with AgentCore() as core:
        core.register_provider(STACKS["anthropic"][0], {"model": "m", "base_url": server.url})
        server.next(stream_reply(messages("So", stop_reason="refusal", stop_details=DETAILS), done=False))
        told = list(core.run(asked(core), {}))

    (event,) = of("no_answer", told)
    assert event["stop_reason"] == "refused"
    assert "cyber" in event["error"]
    assert "It could do harm." in event["error"]
    incomplete = told[-1]["session"].messages[-1]["metadata"]["incomplete"]
    assert incomplete == {"code": "refused", "error": event["error"]}


def test_what_a_server_says_of_it_is_told_in_one_line_of_bounded_length(server):
    with AgentCore() as core:
        core.register_provider(STACKS["chat"][0], {"model": "m", "base_url": server.url})
        server.next(stream_reply(chat(reason="content_filter:\n" + "x" * 9999), done=True))
        (event,) = of("no_answer", list(core.run(asked(core), {})))

    assert len(event["error"]) < 1000
    assert "\n" not in event["error"]


def test_the_calls_of_an_answer_that_a_filter_stopped_are_answered_but_not_run(server):
    toolbox = Toolbox()
    with AgentCore() as core:
        core.register_tool(toolbox)
        core.register_provider(STACKS["chat"][0], {"model": "m", "base_url": server.url})
        server.next(stream_reply(chat({"tool_calls": [CALL]}, reason="content_filter"), done=True))
        told = list(core.run(asked(core), {}))

    session = told[-1]["session"]
    assert told[-1]["reason"] == "refused"
    assert toolbox.order == []
    assert breaches(session.messages) == []
    assert session.messages[-1]["metadata"]["failure"] == {"code": "cancelled", "outcome": "not_sent"}


CUT_OFF = {
    "chat": chat({"content": "So"}, reason="length"),
    "responses": responses("So", reason="max_output_tokens"),
    "anthropic": messages("So", stop_reason="max_tokens"),
}


@pytest.mark.parametrize("name", CUT_OFF)
def test_an_answer_that_the_length_cut_off_says_so_in_its_message_and_at_the_end_of_the_turn(server, name):
    with AgentCore() as core:
        core.register_provider(STACKS[name][0], {"model": "m", "base_url": server.url})
        server.next(stream_reply(CUT_OFF[name], done=name == "chat"))
        told = list(core.run(asked(core), {}))

    message = told[-1]["session"].messages[-1]
    assert (told[-1]["reason"], told[-1]["stop_reason"]) == ("length", "length")
    assert (message["content"], message["metadata"]["incomplete"]["code"]) == ("So", "length")
    assert of("no_answer", told) == of("usage", told) == []


def test_whole_calls_of_an_answer_that_the_length_cut_off_are_run_and_the_turn_goes_on():
    toolbox = Toolbox()
    cut = {**asks(("add", "a", '{"a":1,"b":2}')), "stop_reason": "length"}
    with AgentCore() as core:
        core.register_tool(toolbox)
        core.register_provider(Scripted(cut, says("3")))
        told = list(core.run(asked(core), {}))

    messages = told[-1]["session"].messages
    assert (told[-1]["reason"], [name for name, _ in toolbox.order]) == ("answered", ["add"])
    assert [m.get("metadata", {}).get("incomplete", {}).get("code") for m in messages[1:]] == [
        "length",
        None,
        None,
    ]


def test_a_server_that_has_the_model_asked_hears_that_the_length_cut_it_off(server):
    asked_for = Sampling("p", (("user", "Say it", ()),), None, 10, None)
    with AgentCore() as core:
        core.register_provider(STACKS["chat"][0], {"model": "m", "base_url": server.url})
        server.next(stream_reply(CUT_OFF["chat"], done=True))
        answer = core.board.hooks.sampler.sample(asked_for, lambda: False)

    assert answer["stopReason"] == "maxTokens"


@pytest.mark.parametrize(("stop", "told_of"), [("end_turn", "stop"), (None, None)])
def test_an_answer_of_nothing_says_why_the_model_stopped(stop, told_of):
    with AgentCore() as core:
        core.register_provider(Scripted({"content": "", "stop_reason": stop}))
        told = list(core.run(asked(core), {}))

    (event,) = of("no_answer", told)
    assert event["stop_reason"] == told[-1]["stop_reason"] == told_of


@pytest.mark.parametrize("provider", [Scripted, ScriptedAwaiting])
@pytest.mark.parametrize(
    "word", ["SAFETY", "guardrail_intervened", "content_filtered", "refused", "JAILBREAK"]
)
def test_a_provider_of_ones_own_may_say_it_in_the_words_of_its_server(provider, word):
    with AgentCore() as core:
        core.register_provider(provider({"content": "", "stop_reason": word}))
        told = list(core.run(asked(core), {}))

    assert told[-1]["reason"] == "refused"
    assert (f"({word})" in of("no_answer", told)[0]["error"]) == (word != "refused")


def test_a_server_that_has_the_model_asked_hears_why_there_is_no_answer(server):
    asked_for = Sampling("p", (("user", "Say it", ()),), None, 10, None)
    with AgentCore() as core:
        core.register_provider(STACKS["chat"][0], {"model": "m", "base_url": server.url})
        server.next(stream_reply(chat(reason="content_filter"), done=True))

        with pytest.raises(NoAnswer, match="content_filter"):
            core.board.hooks.sampler.sample(asked_for, lambda: False)


def test_a_provider_that_only_yields_says_it_with_its_usage():
    class Yields:
        name = "yields"

        def send_request_stream(self, native_messages, state):
            yield {"type": "usage", "input_tokens": 1, "stop_reason": "PROHIBITED_CONTENT"}

    with AgentCore() as core:
        core.register_provider(Yields)

        assert list(core.run(asked(core), {}))[-1]["reason"] == "refused"


def test_an_answer_with_a_word_or_with_calls_is_an_answer():
    toolbox = Toolbox()
    with AgentCore() as core:
        core.register_tool(toolbox)
        core.register_provider(Scripted(asks(("add", "a", '{"a":1,"b":2}')), says("3")))
        told = list(core.run(asked(core), {}))

    assert told[-1]["reason"] == "answered"
    assert of("no_answer", told) == []


def test_a_model_that_falls_silent_behind_its_tools_has_not_answered():
    with AgentCore() as core:
        core.register_tool(Toolbox())
        core.register_provider(Scripted(asks(("add", "a", '{"a":1,"b":2}')), says("")))
        told = list(core.run(asked(core), {}))

    assert told[-1]["reason"] == "empty"
    assert told[-1]["session"].messages[-1]["content"] == "3"


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("STOP", "stop"), ("end_turn", "stop"), ("MAX_TOKENS", "length"), ("model_length", "length"),
        ("tool_use", "tool_calls"), ("pause_turn", "paused"), ("RECITATION", "refused"),
        ("MALFORMED_FUNCTION_CALL", "other"), ("insufficient_system_resource", "other"),
        ("", None), (None, None), (3, None),
    ],
)  # fmt: skip
def test_the_words_of_all_providers_come_to_a_few(word, reason):
    assert stop_reason(word) == reason
