"""What a server wants to have back of its own answer, in its place: thoughts, callers, phases, a container. No other server is sent it."""

from __future__ import annotations

import asyncio

import pytest
from callboard import AgentCore
from callboard.agent.replay.faults import Fault, stream_reply
from callboard.agent.replay.server import ReplayServer
from callboard.providers import OpenAIChatProvider
from providers import SCRIPT, Asked, calls_of, result_of, user
from sdks import needs_sdk, sdks
from toolbox import Toolbox, asked, collected

ASKED = user("Look around")


@pytest.fixture(scope="module")
def server():
    with ReplayServer(SCRIPT) as server:
        yield server


def chat(*deltas, reason="tool_calls"):
    chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    return stream_reply([*chunks, {"choices": [{"delta": {}, "finish_reason": reason}]}], done=True)


def called(call_id="c1", **more):
    call = {"index": 0, "id": call_id, "type": "function", "function": {"name": "now", "arguments": "{}"}}
    return {"tool_calls": [{**call, **more}]}


def sent_back(server, asked, *messages):
    """What the server is sent of these messages of the assistant, each with the results of its calls."""
    history = [
        each for message in messages for each in (message, *(result_of(call) for call in calls_of(message)))
    ]
    asked.message(ASKED, *history, user("So?"))
    asked.provider.close()
    return server.requests[-1].body


def assistants(body):
    return [message for message in body["messages"] if message["role"] == "assistant"]


def answer_of(server, name, reply):
    asked = Asked(name, server.url)
    server.next(reply)
    message = asked.message(ASKED)
    asked.provider.close()
    return asked, message


def test_reasoning_content_goes_back_with_its_call(server):
    deltas = {"role": "assistant", "content": None, "reasoning_content": ""}, {"reasoning_content": "h"}
    asked, message = answer_of(server, "chat", chat(*deltas, {"reasoning_content": "m"}, called()))

    (sent,) = assistants(sent_back(server, asked, message))

    assert sent["reasoning_content"] == "hm"
    assert sent["tool_calls"][0]["id"] == "c1"


@pytest.mark.parametrize("drive", ["run", "arun"])
def test_a_thinking_model_is_asked_again_with_all_its_thoughts_in_every_later_request(
    server, tmp_path, drive
):
    def call(number):
        function = {"name": "add", "arguments": '{"a":1,"b":2}'}
        return {"tool_calls": [{"index": 0, "id": f"c{number}", "function": function}]}

    server.requests.clear()
    for number in (1, 2):
        server.next(chat({"reasoning_content": f"thought {number}"}, call(number)))
    server.next(chat({"reasoning_content": "thought 3"}, {"content": "So."}, reason="stop"))
    with AgentCore(session_dir=tmp_path) as core:
        core.register_tool(Toolbox())
        core.register_provider(OpenAIChatProvider, {"model": "m", "base_url": server.url})
        turn = getattr(core, drive)(asked(core), {})
        done = list(turn)[-1] if drive == "run" else asyncio.run(collected(turn))[-1]
        loaded, _ = core.sessions.load(done["session"].id)
        list(core.run(core.add_message(loaded, "user", "And?"), {}))

    thoughts = [
        [message.get("reasoning_content") for message in assistants(request.body)]
        for request in server.requests
    ]
    assert thoughts == [
        [],
        ["thought 1"],
        ["thought 1", "thought 2"],
        ["thought 1", "thought 2", "thought 3"],
    ]


def test_an_empty_reasoning_content_goes_back_too(server):
    asked, message = answer_of(server, "chat", chat({"content": None, "reasoning_content": ""}, called()))

    (sent,) = assistants(sent_back(server, asked, message))

    assert sent["reasoning_content"] == ""


def test_where_one_message_has_reasoning_content_no_other_is_sent_without(server):
    asked, message = answer_of(server, "chat", chat({"reasoning_content": "hm"}, called("c2")))
    before = {
        "role": "assistant",
        "content": "",
        "metadata": {"tool_calls": [{**calls_of(message)[0], "id": "c1"}]},
    }
    behind = {"role": "assistant", "content": "Then.", "metadata": {}}

    sent = assistants(sent_back(server, asked, before, message, behind))

    assert [message.get("reasoning_content") for message in sent] == ["", "hm", ""]


MISSING = "The `reasoning_content` in the thinking mode must be passed back to the API."
FROM_ELSEWHERE = {
    "role": "assistant",
    "content": "",
    "metadata": {
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "now", "arguments": "{}"}}]
    },
}


@pytest.mark.parametrize("drive", ["events", "events_async"])
def test_a_server_that_misses_it_in_a_session_from_elsewhere_is_asked_again_with_an_empty_one(server, drive):
    history = [ASKED, FROM_ELSEWHERE, result_of(calls_of(FROM_ELSEWHERE)[0])]
    asked = Asked("chat", server.url, max_retries=0)
    server.next(Fault(status=400, error=MISSING))

    told = getattr(asked, drive)(*history)
    told = told if drive == "events" else asyncio.run(told)
    asked.provider.close()

    refused, taken = (assistants(request.body) for request in server.requests[-2:])
    assert [message.get("reasoning_content") for message in (*refused, *taken)] == [None, ""]
    assert [event["type"] for event in told if event["type"] in {"retry", "error"}] == ["retry"]
    assert asked.waits == [0.0]


@pytest.mark.parametrize("error", ["something else", MISSING])
def test_what_no_empty_one_would_mend_is_not_asked_again(server, error):
    asked, message = answer_of(server, "chat", chat({"reasoning_content": "hm"}, called()))
    history = [ASKED, message, result_of(calls_of(message)[0])]
    before = len(server.requests)
    server.next(Fault(status=400, error=error))

    told = asked.events(*history)
    asked.provider.close()

    assert [event["code"] for event in told if event["type"] == "error"] == ["refused"]
    assert len(server.requests) == before + 1


def test_a_server_that_sends_none_is_sent_none(server):
    deltas = {"content": None, "reasoning_content": None}, {"reasoning": "hm"}
    asked, message = answer_of(server, "chat", chat(*deltas, called()))

    (sent,) = assistants(sent_back(server, asked, message))

    assert sent.keys() == {"role", "content", "tool_calls"}
    assert "native" not in message["metadata"]


DETAILS = [
    {"type": "reasoning.summary", "summary": "One", "format": "openai-responses-v1", "index": 0},
    {"type": "reasoning.summary", "summary": " two", "format": "openai-responses-v1", "index": 0},
    {"type": "reasoning.text", "text": "h", "signature": None, "format": "anthropic-claude-v1", "index": 1},
    {"type": "reasoning.text", "text": "m", "index": 1},
    {"type": "reasoning.text", "text": None, "signature": "signed", "index": 1},
    {"type": "reasoning.text", "text": "again", "index": 2},
    {"type": "reasoning.encrypted", "data": "e1", "id": "rs_1", "index": 3},
    {"type": "reasoning.encrypted", "data": "e2", "id": "rs_2", "index": 3},
]
WHOLE = [
    {"type": "reasoning.summary", "summary": "One two", "format": "openai-responses-v1", "index": 0},
    {"type": "reasoning.text", "text": "hm", "signature": "signed", "format": "anthropic-claude-v1", "index": 1},
    {"type": "reasoning.text", "text": "again", "index": 2},
    {"type": "reasoning.encrypted", "data": "e1", "id": "rs_1", "index": 3},
    {"type": "reasoning.encrypted", "data": "e2", "id": "rs_2", "index": 3},
]  # fmt: skip


def test_reasoning_details_go_back_in_their_order_and_whole(server):
    pieces = [{"reasoning_details": [detail]} for detail in DETAILS]
    asked, message = answer_of(server, "chat", chat(*pieces, {"reasoning_details": [3, "x"]}, called()))

    (sent,) = assistants(sent_back(server, asked, message))

    assert sent["reasoning_details"] == WHOLE


def test_the_text_of_details_is_told_once(server):
    asked = Asked("chat", server.url)
    server.next(
        chat({"reasoning": "One", "reasoning_details": DETAILS[:1]}, {"content": "So."}, reason="stop")
    )
    server.next(chat({"reasoning_details": DETAILS[:1]}, {"content": "So."}, reason="stop"))

    thoughts = [
        [event["text"] for event in asked.events(ASKED) if event["type"] == "reasoning"] for _ in range(2)
    ]
    asked.provider.close()

    assert thoughts == [["One"], ["One"]]


def test_what_came_beside_a_call_goes_back_with_it(server):
    signature = {"google": {"thought_signature": "signed"}}
    asked, message = answer_of(server, "chat", chat(called(extra_content=signature)))

    (sent,) = assistants(sent_back(server, asked, message))

    assert sent["tool_calls"][0]["extra_content"] == signature


def test_a_server_that_refuses_it_is_spared(server):
    reply = chat({"reasoning_content": "hm"}, called())
    _, message = answer_of(server, "chat", reply)

    (sent,) = assistants(sent_back(server, Asked("chat", server.url, send_back=False), message))

    assert "reasoning_content" not in sent


def test_another_server_of_the_same_api_is_not_sent_it(server):
    _, message = answer_of(server, "chat", chat({"reasoning_content": "hm"}, called()))
    other = Asked("chat", server.url.replace("127.0.0.1", "localhost"))

    (sent,) = assistants(sent_back(server, other, message))

    assert sent.keys() == {"role", "content", "tool_calls"}


def test_a_session_that_does_not_say_whose_it_is_goes_back_as_before(server):
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    native = {"format": "anthropic.messages", "items": [thought]}
    message = {"role": "assistant", "content": "So.", "metadata": {"native": native}}

    (sent,) = assistants(sent_back(server, Asked("anthropic", server.url), message))

    assert sent["content"][0] == thought


def said(text, **more):
    item = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text}],
        **more,
    }
    return [
        {"type": "response.output_text.delta", "delta": text},
        {"type": "response.output_item.done", "item": item},
    ]


FUNCTION = {"type": "function_call", "call_id": "c1", "name": "now", "arguments": "{}"}


@needs_sdk
@pytest.mark.parametrize("name", ["responses", "responses extension"])
def test_each_message_goes_back_with_its_own_text_and_phase(server, name):
    events = [
        *said("Let me see. ", phase="commentary"),
        *said("And ", phase="commentary"),
        {"type": "response.output_item.done", "item": FUNCTION},
        *said("it is 7.", phase="final_answer"),
        {"type": "response.completed", "response": {}},
    ]
    asked, message = answer_of(server, name, stream_reply(events, done=False))

    sent = sent_back(server, asked, message)["input"]

    assert message["content"] == "Let me see. And it is 7."
    assert [(item.get("phase"), item.get("content")) for item in sent if item.get("role") == "assistant"] == [
        ("commentary", "Let me see. "), ("commentary", "And "), ("final_answer", "it is 7."),
    ]  # fmt: skip
    assert [item.get("type", item.get("role")) for item in sent] == [
        "user", "assistant", "assistant", "function_call", "assistant", "function_call_output", "user",
    ]  # fmt: skip
    assert [found for item in sent for found in sdks().message_refusals("openai.responses", item)] == []


def test_a_message_whose_text_was_changed_goes_back_as_one(server):
    events = [
        *said("One. ", phase="commentary"),
        *said("Two.", phase="final_answer"),
        {"type": "response.completed", "response": {}},
    ]
    asked, message = answer_of(server, "responses", stream_reply(events, done=False))

    sent = sent_back(server, asked, {**message, "content": "Something else."})["input"]

    assert [item["content"] for item in sent if item.get("role") == "assistant"] == ["Something else."]


def test_messages_without_phases_leave_nothing_to_keep(server):
    events = [*said("One. "), *said("Two."), {"type": "response.completed", "response": {}}]
    _, message = answer_of(server, "responses", stream_reply(events, done=False))

    assert message == {"role": "assistant", "content": "One. Two."}


CODE = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": {"code": "now()"}}
CALLER = {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}
CONTAINER = {"id": "container_1", "expires_at": "2026-11-25T10:00:00Z"}


def ran(code):
    return {"type": "code_execution_tool_result", "tool_use_id": code["id"], "content": {}}


def use(**more):
    return {"type": "tool_use", "id": "toolu_1", "name": "now", "input": {}, **more}


def text(words):
    return {"type": "text", "text": words}


def message_of(*blocks, reason="tool_use", **delta):
    events = [{"type": "message_start", "message": {"usage": {"input_tokens": 1}}}]
    for index, block in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": reason, **delta}
    return stream_reply(
        [*events, {"type": "message_delta", "delta": delta}, {"type": "message_stop"}], done=False
    )


@needs_sdk
def test_a_call_that_code_made_goes_back_as_that_code_s(server):
    reply = message_of(CODE, use(caller=CALLER, toolset_name="memory"))
    asked, message = answer_of(server, "anthropic", reply)

    (sent,) = assistants(sent_back(server, asked, message))

    assert sent["content"] == [CODE, use(caller=CALLER, toolset_name="memory")]
    assert sdks().message_refusals("anthropic.messages", sent) == []


def test_a_call_that_the_model_made_itself_leaves_nothing_to_keep(server):
    _, message = answer_of(server, "anthropic", message_of(use(caller={"type": "direct"})))

    assert "native" not in message["metadata"]


def test_texts_between_the_work_of_the_servers_tools_go_back_where_they_stood(server):
    more = {**CODE, "id": "srvtoolu_2"}
    blocks = [text("I look. "), CODE, ran(CODE), text("So far. "), more, ran(more), text("It is 7.")]
    asked, message = answer_of(server, "anthropic", message_of(*blocks, reason="end_turn"))

    (sent,) = assistants(sent_back(server, asked, message))

    assert message["content"] == "I look. So far. It is 7."
    assert sent["content"] == blocks


@pytest.mark.parametrize("where", ["message_delta", "message_start"])
def test_a_container_is_asked_for_again_while_its_turn_goes_on(server, where):
    asked = Asked("anthropic", server.url)
    if where == "message_delta":
        server.next(message_of(CODE, use(caller=CALLER), container=CONTAINER))
    else:
        reply = message_of(CODE, use(caller=CALLER))
        start = {"type": "message_start", "message": {"container": CONTAINER}}
        (opened, *_) = stream_reply([start], done=False).pieces
        server.next(type(reply)(reply.status, reply.headers, (opened, *reply.pieces[1:])))
    message = asked.message(ASKED)
    history = [ASKED, message, *(result_of(call) for call in calls_of(message))]

    asked.message(*history)
    going_on = server.requests[-1].body
    asked.message(*history, {"role": "assistant", "content": "It is 7."}, user("And now?"))
    asked.provider.close()
    later = server.requests[-1].body

    assert going_on["container"] == "container_1"
    assert "container" not in later
    for body in (going_on, later):
        assert all(message.keys() == {"role", "content"} for message in body["messages"])


def test_a_call_outlives_the_code_that_made_it_and_was_never_finished(server):
    asked, message = answer_of(server, "anthropic", message_of(CODE, use(caller=CALLER)))

    sent = assistants(sent_back(server, asked, message, {"role": "assistant", "content": "Well."}))

    assert sent[0]["content"] == [use()]


def test_a_container_of_the_configuration_goes_before(server):
    reply = message_of(CODE, use(caller=CALLER), container=CONTAINER)
    asked = Asked("anthropic", server.url, extra={"container": "mine"})
    server.next(reply)
    message = asked.message(ASKED)

    asked.message(ASKED, message, *(result_of(call) for call in calls_of(message)))
    asked.provider.close()

    assert server.requests[-1].body["container"] == "mine"
