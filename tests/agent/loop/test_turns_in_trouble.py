"""Whole turns through each of the APIs while the provider goes wrong: the history stays lawful, whatever was cut off."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from callboard import AgentCore, Cancellation
from callboard.agent.replay.chat_telling import tell_chat
from callboard.agent.replay.faults import Fault, stream_reply
from callboard.agent.replay.messages_telling import tell_messages
from callboard.agent.replay.responses_telling import tell_responses
from callboard.agent.replay.script import Heard, ScriptedCall, Step
from callboard.authoring.replay_server import ReplayServer
from conversations import breaches
from providers import STACKS
from toolbox import Toolbox, asked

SCRIPT = [
    {
        "steps": [
            {
                "text": "Let me see all of this.",
                "calls": [
                    {"name": "add", "arguments": {"a": 1, "b": 2}},
                    {"name": "count", "arguments": {"to": 2}},
                ],
            },
            {"text": "{result}"},
        ]
    }
]
FATAL = [*(Fault(cut_after=n) for n in range(1, 22, 3)), Fault(event_error=13), Fault(garbage_after=13)]
BORNE = [Fault(same_ids=True), Fault(unknown_events=True), Fault(malformed=True)]


@pytest.fixture(scope="module")
def server():
    with ReplayServer(SCRIPT) as server:
        yield server


@pytest.fixture(params=STACKS)
def core(request, server):
    provider, extensions = STACKS[request.param]
    with AgentCore() as core:
        core.register_tool(Toolbox())
        core.register_provider(provider, {"model": "m", "base_url": server.url, "max_retries": 0})
        for extension in extensions:
            core.register_provider_extension(extension)
        yield core


def test_an_answer_that_breaks_off_anywhere_leaves_a_lawful_history_that_can_be_gone_on_with(core, server):
    for fault in FATAL:
        server.next(fault)
        *_, broken = core.run(asked(core), {})
        *_, after = core.run(core.add_message(broken["session"], "user", "again"), {})

        assert broken["reason"] == "error", fault
        assert breaches(broken["session"].messages) == [], fault
        assert after["reason"] == "answered", fault
        assert after["session"].messages[-1]["content"] == "counted", fault


def test_an_answer_that_is_odd_is_borne_and_each_call_has_its_own_result(core, server):
    for fault in BORNE:
        server.next(fault)
        *_, done = core.run(asked(core), {})

        assert done["reason"] in {"answered", "error"}, fault
        assert breaches(done["session"].messages) == [], fault


TELLERS = {"chat": tell_chat, "responses": tell_responses, "anthropic": tell_messages}
BEGUN_ANEW = [
    (name, again) for name in TELLERS for again in (0, 2, 5, 8) if again == 0 or name != "chat"
]  # a chunk of Chat Completions does not say that it is the first


@pytest.mark.parametrize(("name", "again"), BEGUN_ANEW)
def test_each_call_of_an_answer_that_comes_twice_or_begins_anew_runs_once(server, name, again):
    calls = (ScriptedCall("add", {"a": 1, "b": 2}), ScriptedCall("count", {"to": 2}))
    events = list(TELLERS[name](Step("Let me see.", calls), Heard()))
    first = stream_reply(events[:again] or events, done=name == "chat")
    rest = stream_reply(events, done=name == "chat")
    server.next(replace(first, pieces=first.pieces + rest.pieces))
    toolbox = Toolbox()

    with AgentCore() as core:
        core.register_tool(toolbox)
        core.register_provider(STACKS[name][0], {"model": "m", "base_url": server.url, "max_retries": 0})
        *_, done = core.run(asked(core), {})

    assert toolbox.order == [("add", {"a": 1, "b": 2}), ("count", {"to": 2})]
    assert done["session"].messages[1]["content"] == "Let me see."
    assert breaches(done["session"].messages) == []


@pytest.mark.timeout(20)
def test_an_answer_that_hangs_is_given_up_at_once_and_what_was_said_is_kept(core, server):
    def cancelling(cancel, event):
        if event["type"] == "text":
            cancel.cancel()
        return event

    async def awaited(session):
        cancel = Cancellation()
        return [cancelling(cancel, event) async for event in core.arun(session, {}, cancel=cancel)]

    cancel = Cancellation()
    server.next(Fault(hang_after=6), Fault(hang_after=6))
    waited = [cancelling(cancel, event) for event in core.run(asked(core), {}, cancel=cancel)]

    for events in (waited, asyncio.run(awaited(asked(core)))):
        assert events[-1]["reason"] == "cancelled"
        assert events[-1]["session"].messages[-1]["metadata"]["incomplete"]["code"] == "cancelled"
        assert "Let me".startswith(events[-1]["session"].messages[-1]["content"][:6])
