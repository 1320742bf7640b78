"""What a provider may say, and what becomes of a turn whose provider says something else."""

from __future__ import annotations

import asyncio

import pytest
from callboard import AgentCore
from callboard.agent.requests.provider_answers import gathered, kept, told
from callboard.base.errors import ContractError
from scripted_provider import Scripted, said
from toolbox import asked, collected, of

EVENTS = [
    {"type": "text", "text": "so"},
    {"type": "usage", "input_tokens": 3},
    {"type": "something_of_its_own"},
    {"type": "message", "message": {"role": "assistant", "content": "so"}},
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event["type"])
def test_an_event_is_told_as_it_is_and_is_nobody_elses_to_change(event):
    heard = told("p", event)

    assert heard == event
    assert heard is not event


@pytest.mark.parametrize(
    ("event", "why"),
    [
        ("so", "it yielded 'so'; an event is a dict with a type"),
        (None, "it yielded None"),
        ({"text": "so"}, "an event is a dict with a type"),
        ({"type": 3}, "an event is a dict with a type"),
        ({"type": "text", "text": 3}, "of type 'text' has 3 for its text"),
        ({"type": "reasoning"}, "of type 'reasoning' has None for its text"),
        ({"type": "done", "session": None}, "'done', which only the turn tells"),
        ({"type": "message", "message": "so"}, "its message 'so' has no role"),
    ],
)
def test_what_is_no_event_of_a_provider_is_named(event, why):
    with pytest.raises(ContractError, match="provider 'p'") as caught:
        told("p", event)

    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("partial", "heard", "whole"),
    [
        (None, {"content": "so"}, {"content": "so"}),
        ({"content": "all of it"}, {"content": "so"}, {"content": "all of it"}),
        ({"content": "", "usage": 3}, {"content": "so"}, {"content": "so", "usage": 3}),
        ({"tool_calls": None}, {"tool_calls": [{}]}, {"tool_calls": [{}]}),
        ({"tool_calls": []}, {"tool_calls": [{}]}, {"tool_calls": []}),
        ({}, {}, {}),
    ],
)
def test_what_a_provider_leaves_out_of_its_answer_is_what_was_heard(partial, heard, whole):
    assert gathered("p", partial, heard) == whole


@pytest.mark.parametrize(
    ("partial", "why"),
    [
        (["so"], "state['partial'] is ['so']; it has to be a dict"),
        ({"content": [{"type": "text"}]}, "has to be a text"),
        ({"tool_calls": {"id": "call_1"}}, "has to be a list"),
    ],
)
def test_what_cannot_be_an_answer_is_named(partial, why):
    with pytest.raises(ContractError) as caught:
        gathered("p", partial, {})

    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (3, "its message 3 has no role"),
        ({"content": "so"}, "has no role"),
        ({"role": "assistant", "metadata": "so"}, "the metadata of its message is 'so'"),
        ({"role": "assistant", "content": {1}}, "message.content is of type set, which is not JSON"),
    ],
)
def test_what_cannot_be_kept_is_named_before_it_is_in_a_session(message, why):
    with pytest.raises(ContractError) as caught:
        kept("p", [{"role": "assistant", "content": "well"}, message])

    assert why in str(caught.value)


class Odd:
    """Answers with whatever it was given."""

    def __init__(self, answer):
        self.answer = answer

    def send_request_stream(self, native_messages, state):
        return self.answer() if callable(self.answer) else self.answer


async def awaited():
    return []


@pytest.mark.parametrize(
    "answer", [None, "so", {"type": "text"}, awaited], ids=["nothing", "a text", "an event", "a coroutine"]
)
def test_what_is_no_stream_of_events_is_named_and_ends_the_turn(answer):
    with AgentCore() as core:
        core.register_provider(Odd(answer))

        events = list(core.run(asked(core), {}))

    (error,) = of("error", events)
    assert "send_request_stream has to return events to iterate; it returned a" in error["error"]
    assert events[-1]["reason"] == "error"


class Thrown(Scripted):
    """Says a word, and is then ended by what no handler of exceptions sees."""

    def __init__(self, error):
        super().__init__(said("so"))
        self.error = error

    def send_request_stream(self, native_messages, state, *, context):
        yield from super().send_request_stream(native_messages, state, context=context)
        raise self.error


class ThrownAwaiting(Thrown):
    send_request_stream = None

    async def send_request_stream_async(self, native_messages, state, *, context):
        yield {"type": "text", "text": "so "}
        raise self.error


@pytest.mark.parametrize("error", [asyncio.CancelledError, GeneratorExit, SystemExit])
@pytest.mark.parametrize("provider", [Thrown, ThrownAwaiting])
def test_whatever_ends_a_provider_the_turn_ends_too_and_keeps_what_was_said(provider, error):
    with AgentCore() as core:
        core.register_provider(provider(error))
        session = asked(core)

        plain = list(core.run(session, {}))
        awaited = asyncio.run(collected(core.arun(session, {})))

    for events in (plain, awaited):
        assert of("error", events)[0]["code"] == "provider_raised"
        assert events[-1]["reason"] == "error"
        assert events[-1]["session"].messages[-1]["content"] == "so "
        assert "incomplete" in events[-1]["session"].messages[-1]["metadata"]
