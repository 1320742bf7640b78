"""What is given wrong to a core, and what it says to it."""

from __future__ import annotations

import asyncio
import math
import threading

import pytest
from callboard import AgentCore
from scripted_provider import Scripted, said
from toolbox import asked, collected

LIMITS = [
    ({"max_rounds": "3"}, "max_rounds is '3' of type str"),
    ({"max_rounds": None}, "max_rounds is None"),
    ({"max_rounds": 0}, "max_rounds is 0"),
    ({"cancel": threading.Event()}, "has to be a Cancellation"),
    ({"deadline": "5"}, "deadline is '5' of type str; it has to be a number of seconds"),
    ({"deadline": -1}, "deadline is -1"),
    ({"deadline": math.nan}, "deadline is nan"),
]


@pytest.fixture
def core():
    with AgentCore() as core:
        core.register_provider(Scripted(said("x")))
        yield core


@pytest.mark.parametrize("given", [None, [{"role": "user", "content": "hi"}], "hi"])
def test_what_is_no_session_is_refused_by_whoever_takes_one(core, given):
    ways = (
        lambda: core.add_message(given, "user", "hi"),
        lambda: core.run(given, {}),
        lambda: list(core.send_request_stream(given, {})),
        lambda: asyncio.run(collected(core.arun(given, {}))),
        lambda: asyncio.run(collected(core.asend_request_stream(given, {}))),
    )

    for way in ways:
        with pytest.raises(TypeError, match="a session is wanted"):
            way()


@pytest.mark.parametrize("given", [None, "gpt", [("model", "gpt")]])
def test_what_is_no_configuration_is_refused_before_anybody_is_asked(core, given):
    for way in (core.run, lambda *values: list(core.send_request_stream(*values))):
        with pytest.raises(TypeError, match="a configuration is wanted"):
            way(asked(core), given)


@pytest.mark.parametrize(("limit", "why"), LIMITS)
def test_what_cannot_limit_a_turn_is_refused_before_it_begins(core, limit, why):
    for way in (core.run, lambda *values, **limits: asyncio.run(collected(core.arun(*values, **limits)))):
        with pytest.raises((TypeError, ValueError)) as caught:
            way(asked(core), {}, **limit)

        assert why in str(caught.value)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ((3, "hi"), "the role of a message is 3"),
        (("user", "hi", None, [1]), "the metadata of a message is"),
        (("user", "hi", None, "by me"), "the metadata of a message is"),
        (("user", "hi", "a.png"), "they have to be a list"),
    ],
)
def test_what_makes_no_message_is_refused(core, message, why):
    with pytest.raises((TypeError, ValueError)) as caught:
        core.add_message(core.create_session(), *message)

    assert why in str(caught.value)


@pytest.mark.parametrize("given", [None, {"id": "call_1", "type": "function"}, "double"])
def test_one_call_alone_is_no_list_of_calls(core, given):
    ways = (
        lambda: core.execute_tool_calls(given, {}),
        lambda: list(core.iter_tool_messages(given, {})),
        lambda: asyncio.run(core.aexecute_tool_calls(given, {})),
        lambda: asyncio.run(collected(core.aiter_tool_messages(given, {}))),
    )

    for way in ways:
        with pytest.raises(TypeError, match="a list of tool calls is wanted"):
            way()
