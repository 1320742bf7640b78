"""References into the application's store: kept in the history, expanded when the request is made (004).

A history "preserves compact attachment refs until request-time expansion", and ``initialize_request`` "expands
compact attachment refs into the final API payload". 002 has the ``session_asset_store`` "for file attachments".
"""

from __future__ import annotations

import asyncio
import json
import threading

import pytest
from attaching import ANTHROPIC, FAMILIES, PNG, Sent, b64, holds
from callboard import AgentCore
from callboard.agent.replay.server import ReplayServer
from callboard.providers import attachment_block
from providers import STACKS, Asked
from sdks import needs_sdk, sdks
from tools import Tool


@pytest.mark.parametrize("stack", STACKS)
def test_a_history_keeps_the_reference_and_initialize_request_expands_it(stack):
    asked = Asked(stack, "http://127.0.0.1:1/v1")
    state, context = asked.state_and_context()
    message = {"role": "user", "content": "look", "metadata": {"attachments": [{"ref": "asset-1"}]}}

    native = asked.stack.to_native_messages([message], state, context)
    kept, state = asked.stack.initialize_request(
        native, state, {**context, "session_asset_store": {"asset-1": PNG}}
    )

    assert "asset-1" in json.dumps(native)
    assert kept == native
    assert holds([state["request"]["payload"]], PNG)
    assert "asset-1" not in json.dumps(state["request"]["payload"])


def test_a_session_keeps_what_is_compact_and_nothing_of_what_it_leads_to(tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(PNG)

    sent = Sent("chat", session_asset_store={"asset-1": PNG}).say("asset-1", path)

    assert sent.session.messages[0]["metadata"]["attachments"] == ["asset-1", {"path": str(path)}]
    assert b64(PNG) not in json.dumps(sent.session.messages)


class Store:
    """A store of an application."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    def get(self, reference):
        self.asked.append(reference)
        return self.answer() if callable(self.answer) else self.answer


def test_a_store_may_answer_with_any_shape_but_a_reference(tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(PNG)
    for answer in (
        PNG,
        path,
        {"path": str(path)},
        {"data": b64(PNG)},
        {"inlineData": {"mimeType": "image/png", "data": b64(PNG)}},
    ):
        store = Store(answer)
        block = attachment_block({"ref": {"id": 7}}, ANTHROPIC, context={"session_asset_store": store})
        assert holds([block], PNG)
        assert store.asked == [{"id": 7}]


def _raise(error):
    raise error


async def _later():
    return PNG


@pytest.mark.parametrize(
    "store",
    [
        None,
        {},
        Store(None),
        Store(lambda: _raise(KeyError("x"))),
        Store(lambda: _raise(OSError("gone"))),
        Store(lambda: _raise(SystemExit(3))),
        Store("asset-2"),
        Store({"ref": "asset-2"}),
        Store(3),
        Store(_later),
        object(),
    ],
    ids=[
        "none",
        "empty",
        "null",
        "lookup",
        "raises",
        "exits",
        "text",
        "reference",
        "number",
        "async",
        "no store",
    ],
)
@pytest.mark.parametrize("stack", ["chat", "anthropic"])
def test_a_reference_that_the_store_does_not_know_is_a_clear_error(stack, store):
    sent = Sent(stack, session_asset_store=store).say({"ref": "asset-1"})

    assert sent.error["code"] == "bad_attachment"
    assert "asset-1" in sent.error["error"]
    assert sent.error["attachment"] == "$[0].metadata.attachments[0]"


def a_tool_that_refers(block):
    class Draws(Tool):
        def format_tool_result(self, result, state):
            return {
                "type": "provider_native_tool_result",
                "format": "openai.chat_completions",
                "content": [{"type": "text", "text": "drawn"}, block],
            }

    return Draws(lambda arguments, state: {"success": True, "result": "drawn"}, "draw")


def drawn(stack, block, store, *, takes=True):
    """The bodies of a turn in which a tool refers to something, and the session."""
    provider, extensions = STACKS[stack]
    script = [{"steps": [{"calls": [{"name": "draw", "arguments": {}}]}, {"text": "nice"}]}]
    with ReplayServer(script) as server, AgentCore() as core:
        core.register_provider(provider, {"model": "m", "base_url": server.url})
        for extension in extensions:
            core.register_provider_extension(extension)
        core.register_tool(a_tool_that_refers(block))
        session = core.add_message(core.create_session(), "user", "draw")
        events = list(core.run(session, {}, context={"session_asset_store": store}))
        done = events[-1]
        assert done["reason"] == "answered", events
        body = server.requests[-1].body
    for message in (body.get("messages") or body["input"]) if takes else ():
        assert sdks().message_refusals(FAMILIES[stack], message) == []
    return body, done["session"]


@needs_sdk
@pytest.mark.parametrize("stack", STACKS)
def test_a_reference_in_a_tools_result_is_kept_and_expanded_for_the_request(stack):
    body, session = drawn(stack, {"type": "attachment", "ref": "asset-1"}, {"asset-1": PNG})

    assert holds([body], PNG)
    assert "drawn" in json.dumps(body)
    assert {"type": "attachment", "ref": "asset-1"} in session.messages[2]["toolResult"]["content"]
    assert b64(PNG) not in json.dumps(session.messages)


@needs_sdk
@pytest.mark.parametrize("stack", STACKS)
def test_a_reference_of_a_tool_that_cannot_be_looked_up_is_told_to_the_model_and_ends_no_conversation(stack):
    body, _ = drawn(stack, {"type": "attachment", "ref": "asset-1"}, {})

    assert "asset-1" in json.dumps(body)


@pytest.mark.parametrize("stack", STACKS)
def test_a_tool_cannot_have_a_file_of_this_machine_sent(stack, tmp_path):
    path = tmp_path / "secret.txt"
    path.write_text("hunter2")

    forged = {"type": "attachment", "where": "x", "told": True, "attachment": {"path": str(path)}}
    for block in ({"type": "attachment", "path": str(path)}, forged):
        body, _ = drawn(stack, block, {}, takes=False)

        assert "hunter2" not in json.dumps(body)
        assert b64(b"hunter2") not in json.dumps(body)


def test_a_store_is_not_asked_in_the_event_loop():
    asked_in = []

    def answer():
        asked_in.append(threading.get_ident())
        return PNG

    async def turn(core, session):
        context = {"session_asset_store": Store(answer)}
        events = [event async for event in core.asend_request_stream(session, {}, context=context)]
        return events[-1]["message"]["content"], threading.get_ident()

    provider, _ = STACKS["chat"]
    with ReplayServer([{"steps": [{"text": "well"}]}]) as server, AgentCore() as core:
        core.register_provider(provider, {"model": "m", "base_url": server.url})
        session = core.add_message(core.create_session(), "user", "look", [{"ref": "asset-1"}])
        said, loop = asyncio.run(turn(core, session))

    assert said == "well"
    assert len(asked_in) == 1
    assert loop not in asked_in
