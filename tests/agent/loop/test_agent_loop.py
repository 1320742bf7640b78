"""The tool loop carried out: model, calls, results, model, … with a real board, from either side."""

from __future__ import annotations

import asyncio
import threading

import pytest
from callboard import AgentCore
from callboard.agent.errors import ProviderError
from callboard.agent.loop.cancellation import Cancellation
from conversations import breaches, chat_call
from scripted_provider import Scripted, ScriptedAwaiting, asks, said
from toolbox import Meeting, Toolbox, asked, collected, of
from tools import schema


def run_sync(core, session, **options):
    return list(core.run(session, {}, **options))


def run_awaiting(core, session, **options):
    return asyncio.run(collected(core.arun(session, {}, **options)))


EITHER = pytest.mark.parametrize(
    ("run", "provider"),
    [
        (run_sync, Scripted),
        (run_sync, ScriptedAwaiting),
        (run_awaiting, Scripted),
        (run_awaiting, ScriptedAwaiting),
    ],
)


@pytest.fixture
def toolbox():
    box = Toolbox()
    yield box
    box.go_on.set()


@pytest.fixture
def core(toolbox):
    with AgentCore() as core:
        core.register_tool(toolbox)
        core.register_tool(Meeting(toolbox))
        yield core


@EITHER
def test_the_loop_goes_on_until_the_model_asks_for_nothing(core, run, provider):
    model = provider(
        asks(("add", "a", '{"a":1,"b":2}'), ("count", "b", '{"to":2}'), content="let me see"),
        asks(("add", "c", '{"a":3,"b":4}')),
        said("three and seven"),
    )
    core.register_provider(model)

    events = run(core, asked(core))

    done = events[-1]
    assert done["reason"] == "answered"
    assert [m["content"] for m in done["session"].messages] == [
        "go", "let me see", "3", "counted", "", "7", "three and seven",
    ]  # fmt: skip
    assert [event["message"] for event in of("message", events)] == list(done["session"].messages[1:])
    assert [len(request) for request in model.requests] == [1, 4, 6]
    assert model.tools[0] == ["add", "count", "hold", "meet"]
    assert [(part["part"], part["tool_call_id"], part["tool_name"]) for part in of("part", events)] == [
        (0, "b", "count"), (1, "b", "count"),
    ]  # fmt: skip
    assert [(p["tool_call_id"], p["preview"]) for p in of("preview", events)] == [
        ("a", "add {'a': 1, 'b': 2}"), ("c", "add {'a': 3, 'b': 4}"),
    ]  # fmt: skip
    assert "".join(event["text"] for event in of("text", events)) == "let me see three and seven "
    assert [call["tool_call"]["id"] for call in of("tool_call", events)] == ["a", "b", "c"]
    assert model.contexts[0]["tool_interop"]["registry"] is not None


@EITHER
def test_calls_of_one_answer_run_at_the_same_time_and_are_kept_in_their_order(core, run, provider):
    core.register_provider(provider(asks(("hold", "a"), ("meet", "b")), said("met")))

    events = run(core, asked(core))

    kept = [
        e["message"]["metadata"]["tool_call_id"]
        for e in of("message", events)
        if e["message"]["role"] == "tool"
    ]
    assert kept == ["a", "b"]
    assert [m["content"] for m in events[-1]["session"].messages[2:4]] == ["went on", "met"]


@EITHER
def test_a_cancel_while_the_model_speaks_keeps_what_was_said(core, run, provider):
    cancel = Cancellation()
    model = provider(said("a long story"))
    model.held.clear()
    core.register_provider(model)
    threading.Thread(target=lambda: (model.speaking.wait(10), cancel.cancel())).start()

    events = run(core, asked(core), cancel=cancel)

    model.held.set()
    assert events[-1]["reason"] == "cancelled"
    assert events[-1]["session"].messages[-1]["content"].strip() == "a long story"
    assert events[-1]["session"].messages[-1]["metadata"]["incomplete"]["code"] == "cancelled"


@EITHER
def test_a_cancel_while_tools_run_ends_them_and_answers_every_call(core, toolbox, run, provider):
    cancel = Cancellation()
    core.register_provider(
        provider(asks(("add", "a", '{"a":1,"b":2}'), ("hold", "b"), ("hold", "c")), said("?"))
    )
    threading.Thread(target=lambda: (toolbox.begun.wait(10), cancel.cancel())).start()

    events = run(core, asked(core), cancel=cancel)

    session = events[-1]["session"]
    assert events[-1]["reason"] == "cancelled"
    assert breaches(session.messages) == []
    assert [m["metadata"].get("failure", {}).get("code") for m in session.messages[2:]] == [
        None, "cancelled", "cancelled",
    ]  # fmt: skip


@pytest.mark.parametrize("run", [run_sync, run_awaiting])
def test_a_turn_that_was_cancelled_before_it_began_asks_nobody(core, run):
    cancel, model = Cancellation(), Scripted(said("?"))
    core.register_provider(model)
    cancel.cancel()

    (done,) = run(core, asked(core), cancel=cancel)

    assert done["reason"] == "cancelled"
    assert model.requests == []


@pytest.mark.parametrize("run", [run_sync, run_awaiting])
def test_a_turn_ends_when_its_time_is_over(core, run):
    core.register_provider(Scripted(asks(("hold", "a"))))

    events = run(core, asked(core), deadline=0.1)

    assert events[-1]["reason"] == "deadline"
    assert breaches(events[-1]["session"].messages) == []


@EITHER
def test_the_bound_on_rounds_ends_a_model_that_never_stops(core, toolbox, run, provider):
    core.register_provider(provider(asks(("add", "a", '{"a":1,"b":2}'))))

    events = run(core, asked(core), max_rounds=3)

    session = events[-1]["session"]
    assert events[-1]["reason"] == "max_rounds"
    assert breaches(session.messages) == []
    assert len(toolbox.order) == 2
    assert session.messages[-1]["metadata"]["failure"] == {"code": "cancelled", "outcome": "not_sent"}


TROUBLES = {
    "overloaded": ProviderError("no room", provider="scripted", code="overloaded"),
    "provider_raised": ZeroDivisionError("a bug"),
}


@EITHER
@pytest.mark.parametrize("code", TROUBLES)
def test_a_model_that_fails_is_told_and_its_calls_are_answered_but_not_run(
    core, toolbox, run, provider, code
):
    core.register_provider(provider((asks(("add", "a", '{"a":1,"b":2}'), content="I will"), TROUBLES[code])))

    events = run(core, asked(core))

    session = events[-1]["session"]
    (error,) = of("error", events)
    assert error["code"] == code
    assert events[-1]["reason"] == "error"
    assert breaches(session.messages) == []
    assert session.messages[1]["content"].strip() == "I will"
    assert toolbox.order == []


@pytest.mark.parametrize("run", [run_sync, run_awaiting])
def test_calls_that_cannot_be_read_are_answered_and_harm_no_other(core, run):
    calls = [
        chat_call("add", "a", '{"a":1,"b":2}'),
        chat_call("add", "a", '{"a":1,'),
        chat_call("add", None, '{"a":1,"b":3}'),
        "no call",
        chat_call("nobody", "z"),
    ]
    core.register_provider(Scripted({"content": "", "tool_calls": calls}, said("hm")))

    events = run(core, asked(core))

    session = events[-1]["session"]
    codes = [m["metadata"].get("failure", {}).get("code") for m in session.messages[2:-1]]
    assert breaches(session.messages) == []
    assert codes == [None, "invalid_call", None, "unknown_tool"]


def test_a_preview_that_hangs_delays_its_call_and_no_longer_than_it_may(toolbox):
    class Slow(Toolbox):
        name = "slow"

        def get_tool_schemas(self, state):
            return [schema("add")]

        def format_tool_call_preview(self, tool_name, payload, state):
            toolbox.go_on.wait()

    with AgentCore(preview_timeout=0.05) as core:
        core.register_tool(Slow)
        core.register_provider(Scripted(asks(("add", "a", '{"a":1,"b":2}')), said("3")))

        events = run_sync(core, asked(core))

    assert of("preview", events) == []
    assert events[-1]["session"].messages[2]["content"] == "3"


@pytest.mark.parametrize("name", ["nobody", None])
def test_a_request_whose_provider_is_not_known_is_told(core, name):
    core.register_provider(Scripted(said("a")), name="one")
    core.register_provider(Scripted(said("b")), name="two")

    events = list(core.run(asked(core), {} if name is None else {"provider": name}))

    assert [event["type"] for event in events] == ["error", "done"]
    assert "'one', 'two'" in events[0]["error"]
    assert list(core.run(asked(core), {"provider": "two"}))[-2]["message"]["content"] == "b"


@EITHER
def test_one_request_tells_its_calls_and_runs_none(core, toolbox, run, provider):
    core.register_provider(provider(asks(("add", "a", '{"a":1,"b":2}'), content="well")))
    session = asked(core)

    if run is run_sync:
        events = list(core.send_request_stream(session, {}))
    else:
        events = asyncio.run(collected(core.asend_request_stream(session, {})))

    assert [event["type"] for event in events] == ["text", "tool_call", "message"]
    assert toolbox.order == []
    session = session.with_message(events[-1]["message"])
    assert len(session.messages) == 2


@EITHER
def test_a_hook_denies_within_a_turn_and_knows_its_session(core, run, provider):
    core.register_provider(provider(asks(("add", "a", '{"a":1,"b":2}')), said("never mind")))
    seen = []
    core.hook(
        "tool:pre", lambda _e, data: seen.append(data["session_id"]) or {"action": "deny", "reason": "no"}
    )
    session = core.add_message(core.create_session(), "user", "add")

    events = run(core, session)

    messages = events[-1]["session"].messages
    assert seen == [session.id]
    assert messages[2]["metadata"]["failure"] == {"code": "denied", "outcome": "not_sent"}
    assert messages[3]["content"] == "never mind"
    assert breaches(messages) == []
