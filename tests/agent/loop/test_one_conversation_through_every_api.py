"""One whole conversation through each of the APIs: what is kept of it is the same, byte for byte, but for the ids."""

from __future__ import annotations

import asyncio
import os
import re
import signal

import pytest
from boards import QUICK, add_node
from callboard import AgentCore
from callboard.actors.board import Board
from callboard.agent.replay.server import ReplayServer
from conversations import breaches
from programs import NODE
from providers import STACKS
from toolbox import Meeting, Toolbox, asked, of
from tools import schema

STEADY = NODE / "steady.mjs"

SCRIPT = [
    {
        "steps": [
            {
                "text": "Two at once.",
                "calls": [{"name": "hold", "arguments": {}}, {"name": "meet", "arguments": {}}],
            },
            {"text": "One that streams.", "calls": [{"name": "count", "arguments": {"to": 3}}]},
            {"calls": [{"name": "echo", "arguments": {"value": "größer ❤"}}]},
            {"text": "One that dies.", "calls": [{"name": "linger", "arguments": {"value": "on"}}]},
            {"text": "Again.", "calls": [{"name": "echo", "arguments": {"value": [1, {"deep": None}]}}]},
            {
                "text": "A patch, and a sum.",
                "calls": [
                    {"name": "patch", "input": "*** Begin\n+{x}"},
                    {"name": "add", "arguments": {"a": 0.5, "b": 2}},
                ],
            },
            {"calls": [{"name": "nobody", "arguments": {}}, {"name": "add", "arguments": {"a": 1}}]},
            {"text": "That was {result}"},
        ]
    }
]


class Patch:
    """A freeform tool."""

    name = "patch"

    def get_tool_schemas(self, state):
        return [{"type": "custom", "name": "patch", "format": {"type": "text"}}, schema("unused.tool")]

    def execute_tool(self, tool_name, payload, state, *, payload_kind=None):
        return {"success": True, "result": f"{payload_kind}: {payload}"}


def kept(name, url, folder, drive):
    """Have the conversation through one of the APIs; return what its file holds, and its events."""
    provider, extensions = STACKS[name]
    toolbox = Toolbox()
    with Board() as board, AgentCore(board=board, session_dir=folder) as core:
        add_node(board, STEADY, name="steady", policy=QUICK, quarantine=None)
        for tool in (toolbox, Meeting(toolbox), Patch):
            core.register_tool(tool)
        core.register_provider(provider, {"model": "m", "base_url": url})
        for extension in extensions:
            core.register_provider_extension(extension)
        session = asked(core)
        events = []
        for event in drive(core, session):
            events.append(event)
            if event["type"] == "part" and event["part"] == "begun":
                os.kill(board.status()["plugins"]["steady"]["host"]["pid"], signal.SIGKILL)
        return core.sessions.path(session.id).read_bytes(), events


def waiting(core, session):
    yield from core.run(session, {})


def awaiting(core, session):
    """The asynchronous loop, an event at a time."""
    with asyncio.Runner() as runner:
        events = core.arun(session, {})
        while (event := runner.run(anext(events, None))) is not None:
            yield event


def but_for_ids(kept):
    """The bytes with all ids of calls, crashes and the session numbered in the order in which they come."""
    ids = dict.fromkeys(re.findall(rb'"(?:id|tool_call_id|crash)":"([^"]+)"', kept))
    for number, its in enumerate(ids):
        kept = kept.replace(b'"' + its + b'"', b'"id %d"' % number)
    return kept


@pytest.mark.timeout(60)
def test_a_conversation_of_ten_calls_is_kept_the_same_through_every_api_but_for_the_ids(tmp_path):
    drives = {"anthropic": awaiting, "chat": waiting, "responses": awaiting, "responses extension": waiting}

    with ReplayServer(SCRIPT) as server:
        files, events = zip(
            *(kept(name, server.url, tmp_path / name, drive) for name, drive in drives.items()), strict=True
        )
        sent = len(server.requests)

    assert len({but_for_ids(file) for file in files}) == 1
    session = events[0][-1]["session"]
    results = {
        m["metadata"]["tool_name"]: m["metadata"].get("failure") or m["content"]
        for m in session.messages
        if m["role"] == "tool"
    }
    assert breaches(session.messages) == []
    assert (
        sum(
            len(m["metadata"]["tool_calls"])
            for m in session.messages
            if "tool_calls" in m.get("metadata", {})
        )
        == 10
    )
    assert len(results["linger"].pop("crash")) == 16  # the id of its report
    assert results == {
        "hold": "went on",
        "meet": "met",
        "count": "counted",
        "echo": '[1,{"deep":null}]',
        "linger": {"code": "host_crashed", "outcome": "outcome_unknown"},
        "patch": "text: *** Begin\n+{x}",
        "nobody": {"code": "unknown_tool", "outcome": "not_sent"},
        "add": {"code": "tool_raised", "outcome": "outcome_unknown"},
    }
    assert sent == 8 * len(drives)
    for told in events:
        assert told[-1]["reason"] == "answered"
        assert [event["part"] for event in of("part", told)] == [0, 1, 2, "begun"]
        assert "linger on" in [event["preview"] for event in of("preview", told)]
