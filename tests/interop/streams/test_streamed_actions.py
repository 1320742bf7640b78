"""Calls to tools of the Responses API's own that the client has to act on: they come out of a stream as they are."""

from __future__ import annotations

import pytest
from callboard.interop.assembly.assembler import StreamLimits
from callboard.interop.assembly.stream_errors import StreamError
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.streams.calls import assembler
from interop_json import canonical, containers
from native_forms import ACTIONS, HOSTED_CALLS

FAMILY = "openai.responses"


def added(item, index=0):
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(item, index=0):
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def begun(item):
    """An action as it begins: its own keys are still to come."""
    own = {"type", "id", "call_id", "server_label", "name", "execution"}
    return {**{key: value for key, value in item.items() if key in own}, "status": "in_progress"}


@pytest.mark.parametrize("item", ACTIONS.values(), ids=ACTIONS)
@pytest.mark.parametrize("announced", [True, False])
def test_an_action_comes_out_once_as_it_is_and_is_marked_when_it_is_read(item, announced):
    calls = assembler(FAMILY)
    event = done(item)

    came = [*(calls.feed(added(begun(item))) if announced else ()), *calls.feed(event), *calls.finish()]

    assert [canonical(call) for call in came] == [canonical(item)]
    assert not containers(came[0]) & containers(event)
    assert REGISTRY.inspect_call(came[0]).payload_metadata["action"] == item["type"]


@pytest.mark.parametrize("item", HOSTED_CALLS["openai.responses.hosted"], ids=lambda item: item["type"])
def test_what_the_server_runs_itself_does_not_come_out(item):
    calls = assembler(FAMILY)

    came = [*calls.feed(added(begun(item))), *calls.feed(done(item)), *calls.finish()]

    assert came == []


def test_the_pieces_of_a_command_are_passed_over():
    calls = assembler(FAMILY)
    item = ACTIONS["shell"]
    pieces = [
        {"type": "response.shell_call_command.added", "output_index": 0, "command_index": 0, "command": ""},
        {"type": "response.shell_call_command.delta", "output_index": 0, "command_index": 0, "delta": "ls"},
        {"type": "response.shell_call_command.done", "output_index": 0, "command_index": 0, "command": "ls"},
    ]

    came = [call for event in [added(begun(item)), *pieces, done(item)] for call in calls.feed(event)]

    assert came == [item]


def test_actions_and_functions_of_one_answer_come_out_in_the_order_of_their_ends():
    calls = assembler(FAMILY)
    function = {"type": "function_call", "id": "fc_1", "call_id": "c2", "name": "ls", "arguments": "{}"}

    events = [added(begun(ACTIONS["shell"])), added(function, 1), done(function, 1), done(ACTIONS["shell"])]
    came = [call for event in events for call in calls.feed(event)]

    assert came == [function, ACTIONS["shell"]]


@pytest.mark.parametrize("item", ACTIONS.values(), ids=ACTIONS)
def test_an_action_whose_stream_broke_off_comes_out_malformed(item):
    calls = assembler(FAMILY)
    calls.feed(added(begun(item)))

    (came,) = calls.finish()

    inspected = REGISTRY.inspect_call(came)
    assert (inspected.payload_kind, inspected.call_id) == ("malformed", "c1")
    assert inspected.payload_metadata["error"]["code"] == "cut_off"


def test_an_action_that_is_done_and_incomplete_is_malformed():
    calls = assembler(FAMILY)

    (came,) = calls.feed(done({**ACTIONS["local_shell"], "status": "incomplete"}))

    assert REGISTRY.inspect_call(came).payload_kind == "malformed"


def test_an_action_that_ends_twice_or_as_another_is_a_contradiction():
    calls = assembler(FAMILY)
    calls.feed(done(ACTIONS["shell"]))

    with pytest.raises(StreamError):
        calls.feed(done(ACTIONS["shell"]))

    other = assembler(FAMILY)
    other.feed(added(begun(ACTIONS["shell"])))
    with pytest.raises(StreamError):
        other.feed(done({**ACTIONS["shell"], "call_id": "c9"}))
    (came,) = other.finish()
    assert REGISTRY.inspect_call(came).payload_metadata["error"]["code"] == "contradicted"


def test_a_search_for_tools_that_is_done_under_another_id_is_answered_by_that():
    calls = assembler(FAMILY)
    search = {**ACTIONS["tool_search"], "call_id": "c9"}
    calls.feed(added(begun(ACTIONS["tool_search"])))

    (came,) = calls.feed(done(search))

    assert came == search
    assert REGISTRY.inspect_call(came).call_id == "c9"


def test_an_action_counts_among_the_calls_and_the_characters_of_a_stream():
    few = assembler(FAMILY, StreamLimits(calls=1))
    few.feed(done(ACTIONS["shell"]))
    with pytest.raises(StreamError):
        few.feed(done(ACTIONS["computer"], 1))

    short = assembler(FAMILY, StreamLimits(chars=9))
    with pytest.raises(StreamError):
        short.feed(done(ACTIONS["shell"]))
    (came,) = short.finish()
    assert REGISTRY.inspect_call(came).payload_kind == "malformed"
