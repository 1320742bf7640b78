"""A turn that a provider pauses goes on: what has come is kept and sent back, and the model is asked again, as often as it may be."""

from __future__ import annotations

import asyncio

import pytest
from callboard import AgentCore
from callboard.agent.loop.turn import Turn
from callboard.agent.loop.turn_effects import Append, Ask, Finish, Reason
from callboard.agent.replay.faults import stream_reply
from callboard.agent.replay.server import ReplayServer
from callboard.providers import AnthropicProvider, OpenAIChatProvider
from conversations import breaches, says, step
from providers import SCRIPT, said
from scripted_provider import Scripted, ScriptedAwaiting
from toolbox import Toolbox, asked, collected, of

SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
SIGNED = {"type": "thinking", "thinking": "hm", "signature": "s"}


def text(words):
    return {"type": "text", "text": words}


def message_of(*blocks, reason="pause_turn", **delta):
    events = []
    for index, block in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events.append({"type": "content_block_stop", "index": index})
    ending = {"type": "message_delta", "delta": {"stop_reason": reason, **delta}}
    return stream_reply([*events, ending, {"type": "message_stop"}], done=False)


@pytest.fixture(scope="module")
def server():
    with ReplayServer(SCRIPT) as server:
        yield server


@pytest.fixture
def core(server):
    server.requests.clear()
    with AgentCore() as core:
        core.register_provider(AnthropicProvider, {"model": "m", "base_url": server.url})
        yield core


def run(core, session, **options):
    return list(core.run(session, {}, **options))


def arun(core, session, **options):
    return asyncio.run(collected(core.arun(session, {}, **options)))


@pytest.mark.parametrize("drive", [run, arun])
@pytest.mark.parametrize("begun", [(SEARCH, FOUND), (SIGNED, SEARCH), (text("I look. "), SEARCH, FOUND)])
def test_a_paused_turn_goes_on_with_what_has_come(server, core, drive, begun):
    server.next(message_of(*begun), message_of(text("It is x."), reason="end_turn"))

    told = drive(core, asked(core))

    first, second = (request.body["messages"] for request in server.requests)
    assert told[-1]["reason"] == "answered"
    assert second == [*first, {"role": "assistant", "content": list(begun)}]
    assert told[-1]["session"].messages[-1]["content"] == "It is x."
    assert of("no_answer", told) == of("error", told) == []


def test_several_pauses_are_one_message_to_the_provider(server, core):
    more = {**SEARCH, "id": "srvtoolu_2"}
    server.next(message_of(SEARCH, FOUND), message_of(more), message_of(text("Done."), reason="end_turn"))

    told = run(core, asked(core))

    assert server.requests[-1].body["messages"][-1] == {"role": "assistant", "content": [SEARCH, FOUND, more]}
    assert said(told) == "Done."


def test_what_is_kept_of_a_pause_goes_back_in_later_turns_too(server, core):
    server.next(message_of(SEARCH, FOUND), message_of(text("It is x."), reason="end_turn"))
    session = run(core, asked(core))[-1]["session"]

    run(core, core.add_message(session, "user", "And now?"))

    assert server.requests[-1].body["messages"][1]["content"] == [SEARCH, FOUND, text("It is x.")]


def test_the_container_of_a_pause_is_asked_for_again(server, core):
    server.next(
        message_of(SEARCH, container={"id": "container_1"}), message_of(text("So."), reason="end_turn")
    )

    run(core, asked(core))

    assert [request.body.get("container") for request in server.requests] == [None, "container_1"]


def test_calls_of_a_paused_answer_are_run_before_it_goes_on(server, core):
    core.register_tool(Toolbox())
    use = {"type": "tool_use", "id": "t1", "name": "add", "input": {"a": 1, "b": 2}}
    server.next(message_of(SEARCH, use, reason="tool_use"), message_of(FOUND, text("3"), reason="end_turn"))

    told = run(core, asked(core))

    assert told[-1]["reason"] == "answered"
    assert [m["role"] for m in server.requests[-1].body["messages"]] == ["user", "assistant", "user"]
    assert breaches(told[-1]["session"].messages) == []


def test_a_model_that_pauses_for_ever_is_asked_as_often_as_it_may_be(server, core):
    server.next(*[message_of({**SEARCH, "id": f"srvtoolu_{number}"}) for number in range(3)])

    told = run(core, asked(core), max_rounds=3)

    assert told[-1]["reason"] == "max_rounds"
    assert len(server.requests) == 3


def test_a_pause_of_which_nothing_came_is_an_empty_answer(server, core):
    server.next(message_of())

    told = run(core, asked(core))

    assert told[-1]["reason"] == "empty"
    assert len(server.requests) == 1


def test_another_provider_goes_on_from_a_session_with_a_pause(server, core):
    core.register_provider(OpenAIChatProvider, {"model": "m", "base_url": server.url})
    server.next(message_of(SEARCH, FOUND), message_of(text("It is x."), reason="end_turn"))
    session = list(core.run(asked(core), {"provider": "anthropic_messages"}))[-1]["session"]

    list(core.run(core.add_message(session, "user", "And now?"), {"provider": "openai_chat"}))

    sent = server.requests[-1].body["messages"]
    assert [(message["role"], message["content"]) for message in sent[1:]] == [
        ("assistant", "It is x."), ("user", "And now?"),
    ]  # fmt: skip


def test_what_a_pause_left_unfinished_is_not_sent_once_the_user_has_spoken(server, core):
    server.next(message_of(text("I look. "), SEARCH, FOUND, SIGNED, {**SEARCH, "id": "srvtoolu_2"}))
    session = run(core, asked(core), max_rounds=1)[-1]["session"]

    run(core, core.add_message(session, "user", "Never mind"))

    assert server.requests[-1].body["messages"][1]["content"] == [text("I look. "), SEARCH, FOUND]


def test_a_pause_of_which_nothing_was_finished_is_left_out_once_the_user_has_spoken(server, core):
    server.next(message_of(SIGNED, SEARCH))
    session = run(core, asked(core), max_rounds=1)[-1]["session"]

    run(core, core.add_message(session, "user", "Never mind"))

    assert server.requests[-1].body["messages"] == [
        {"role": "user", "content": [text("go"), text("Never mind")]}
    ]


@pytest.mark.parametrize("provider", [Scripted, ScriptedAwaiting])
def test_a_provider_of_ones_own_may_pause_too(provider):
    model = provider({"content": "So far.", "stop_reason": "pause_turn"}, {"content": "Done."})
    with AgentCore() as core:
        core.register_provider(model)
        told = list(core.run(asked(core), {}))

    assert [message["content"].strip() for message in told[-1]["session"].messages[1:]] == [
        "So far.",
        "Done.",
    ]
    assert len(model.requests[-1]) == 2


def test_the_machine_asks_again_behind_a_paused_answer():
    turn, message = Turn(2), says("So far.")
    turn.begin()

    assert turn.answered([step()._replace(message=message)], "paused") == [Append(message), Ask(2)]
    assert turn.answered([step()._replace(message=message)], "paused")[-1] == Finish(Reason.MAX_ROUNDS)
