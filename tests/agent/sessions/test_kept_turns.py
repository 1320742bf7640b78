"""Turns that are kept, broken off and gone on with, and the asynchronous twins of what runs calls."""

from __future__ import annotations

import asyncio
from contextlib import closing

import pytest
from callboard import AgentCore, CallboardError
from callboard.agent.sessions import lines as session_lines
from callboard.agent.sessions.file import SessionFileError
from conversations import breaches, chat_call, says
from scripted_provider import Scripted, ScriptedAwaiting, asks, said
from toolbox import Meeting, Toolbox, asked, collected
from tools import schema


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


def test_a_generator_that_is_closed_ends_its_turn(core, toolbox, tmp_path):
    with AgentCore(board=core.board, session_dir=tmp_path) as keeping:
        keeping.register_provider(Scripted(asks(("hold", "a"), ("add", "b", '{"a":1,"b":2}'))))
        session = asked(keeping)

        with closing(keeping.run(session, {})) as events:
            for event in events:
                if event["type"] == "message":
                    break

        kept = keeping.sessions.load(session.id).session
        assert breaches(kept.messages) == []
        assert len(kept.messages) == 4


def test_a_task_that_is_cancelled_ends_its_turn(core, toolbox, tmp_path):
    with AgentCore(board=core.board, session_dir=tmp_path) as keeping:
        model = ScriptedAwaiting(asks(("hold", "a")), said("?"))
        keeping.register_provider(model)
        session = asked(keeping)

        async def impatient():
            task = asyncio.create_task(collected(keeping.arun(session, {})))
            await asyncio.to_thread(toolbox.begun.wait, 10)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        asyncio.run(impatient())

        assert breaches(keeping.sessions.load(session.id).session.messages) == []
        assert model.closed == 1


def test_a_session_is_kept_as_it_goes_on_and_can_be_gone_on_with(core, tmp_path):
    with AgentCore(board=core.board, session_dir=tmp_path) as keeping:
        keeping.register_provider(Scripted(asks(("add", "a", '{"a":1,"b":2}')), said("three")))
        session = asked(keeping)

        for event in keeping.run(session, {}):
            if event["type"] == "message":  # on the disk before it is told
                assert keeping.sessions.load(session.id).session.messages[-1] == event["message"]

        loaded, torn = keeping.sessions.load(session.id)
        assert (loaded, torn) == (event["session"], None)
        assert keeping.sessions.ids() == [session.id]
        events = list(keeping.run(keeping.add_message(loaded, "user", "again"), {}))
        assert keeping.sessions.load(session.id).session == events[-1]["session"]
        with pytest.raises(SessionFileError, match="holds"):  # it has gone on since
            list(keeping.run(keeping.add_message(loaded, "user", "otherwise"), {}))
        assert list(keeping.run(keeping.fork(loaded), {}))[-1]["reason"] == "answered"


def test_calls_that_a_killed_turn_left_open_are_answered_first(core):
    session = core.create_session().with_message(says("", chat_call("add", "a")))
    core.register_provider(Scripted(said("where were we?")))

    events = list(core.run(session, {}))

    assert events[0]["message"]["metadata"]["failure"]["outcome"] == "outcome_unknown"
    assert breaches(events[-1]["session"].messages) == []


def test_the_asynchronous_twins_answer_as_the_others_and_leave_the_loop_alone(core, toolbox):
    calls = [chat_call("count", "a", '{"to":2}'), chat_call("add", "b", '{"a":1,"b":2}'), {"no": "call"}]

    async def both():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.001)

        ticking = asyncio.create_task(tick())
        held = asyncio.create_task(core.aexecute_tool_calls([chat_call("hold", "h")], {}))
        await asyncio.to_thread(toolbox.begun.wait, 10)
        before = ticks
        await asyncio.sleep(0.01)
        assert ticks > before
        toolbox.go_on.set()
        ticking.cancel()
        return (
            await held,
            await core.aexecute_tool_calls(calls, {}),
            await collected(core.aiter_tool_messages(calls, {})),
        )

    held, executed, iterated = asyncio.run(both())

    assert held[0]["content"] == "went on"
    assert executed[:2] == core.execute_tool_calls(calls, {})[:2]
    assert [m["content"] for m in executed][:2] == ["counted", "3"]
    assert iterated[:4] == list(core.iter_tool_messages(calls, {}))[:4]


def test_who_stops_waiting_ends_the_calls_that_are_left(core, toolbox):
    async def impatient():
        async with asyncio.timeout(0.05):
            await core.aexecute_tool_calls([chat_call("hold", "h")], {})

    with pytest.raises(TimeoutError):
        asyncio.run(impatient())

    assert core.board.status()["plugins"]["toolbox"]["calls"]["by_result"] == {"cancelled": 1}


def test_what_cannot_be_kept_is_told_and_the_turn_goes_on(core, tmp_path, monkeypatch):
    monkeypatch.setattr(session_lines, "MAX_LINE_BYTES", 200)
    with AgentCore(board=core.board, session_dir=tmp_path) as keeping:
        keeping.register_provider(Scripted(said("long " * 100)))
        session = asked(keeping)

        events = list(keeping.run(session, {}))

        assert [event["code"] for event in events if event["type"] == "error"] == ["not_saved"]
        assert events[-1]["reason"] == "answered"
        assert keeping.sessions.load(session.id).session == session


def test_a_message_of_a_provider_that_is_none_ends_the_turn_and_not_its_caller(core):
    class Odd(Scripted):
        def finalize(self, final_messages, native_messages, state, *, context=None):
            return [{"role": "assistant", "content": "", "metadata": "none"}], native_messages, state

    core.register_provider(Odd(said("so far")))

    *_, error, message, done = core.run(asked(core), {})

    assert error["code"] == "provider_raised"
    assert message["message"]["content"].strip() == "so far"
    assert done["reason"] == "error"


def test_a_tool_may_run_a_turn_of_its_own_with_the_tools_of_its_core(core):
    class Delegates:
        name = "delegates"

        def get_tool_schemas(self, state):
            return [schema("delegate")]

        def execute_tool(self, tool_name, payload, state, *, context):
            *_, done = context["core"].run(asked(context["core"]), context["config"])
            return {"success": True, "result": done["session"].messages[-1]["content"]}

    core.register_tool(Delegates)
    core.register_provider(
        Scripted(asks(("delegate", "a")), asks(("add", "b", '{"a":1,"b":2}')), said("inner"), said("outer"))
    )

    *_, done = core.run(asked(core), {})

    assert [message["content"] for message in done["session"].messages[2:]] == ["inner", "outer"]


@pytest.mark.parametrize("session_id", ["../up", "", ".hidden", "a/b"])
def test_an_id_that_would_lead_elsewhere_names_no_file(tmp_path, session_id):
    with (
        AgentCore(session_dir=tmp_path) as keeping,
        pytest.raises(SessionFileError, match="cannot be the name"),
    ):
        keeping.sessions.load(session_id)


def test_a_core_that_keeps_no_sessions_says_so(core):
    with pytest.raises(CallboardError, match="session_dir"):
        _ = core.sessions
