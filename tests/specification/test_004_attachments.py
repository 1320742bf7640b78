"""Attachments of messages: in every shape, to every provider that can take them, and a clear error where it cannot.

002 has ``add_message(session, role, content, attachments, metadata)`` and a ``session_asset_store`` "for file
attachments"; 004 keeps "compact attachment refs until request-time expansion", which is ``initialize_request``.
What is sent is held to the official SDKs' types, with unknown keys refused.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import threading
from pathlib import Path

import pytest
from callboard import AgentCore
from callboard.agent.replay.server import ReplayServer
from callboard.interop.attachment_blocks import SENDS
from callboard.interop.limits import MAX_ATTACHMENT_BYTES
from callboard.providers import AttachmentError, attachment_block
from providers import STACKS, Asked
from sdks import sdks
from tools import Tool

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
PDF = b"%PDF-1.7\n1 0 obj\n"
WAV = b"RIFF\x24\0\0\0WAVEfmt "
TEXT = "größer\n".encode()
WORD = b"PK\x03\x04\0\0"

CHAT, RESPONSES, ANTHROPIC = "openai.chat_completions", "openai.responses", "anthropic.messages"
GEMINI, BEDROCK = "gemini.generate_content", "bedrock.converse"
FAMILIES = {"chat": CHAT, "responses": RESPONSES, "responses extension": RESPONSES, "anthropic": ANTHROPIC}
CONTENTS = {"image": PNG, "pdf": PDF, "audio": WAV, "text": TEXT, "word": WORD}
NAMES = {
    "image": "a.png",
    "pdf": "a.pdf",
    "audio": "a.wav",
    "text": "a.txt",
    "word": "a.docx",
}
TAKES = {
    CHAT: {"image", "pdf", "audio", "text"},
    RESPONSES: {"image", "pdf", "text", "word"},
    ANTHROPIC: {"image", "pdf", "text"},
    GEMINI: {"image", "pdf", "audio", "text", "word"},
    BEDROCK: {"image", "pdf", "audio", "text", "word"},
}


def b64(content):
    return base64.b64encode(content).decode()


def objections(family, blocks):
    """What the official SDK has against a user's message of these blocks."""
    content = "parts" if family == GEMINI else "content"
    return sdks().message_refusals(family, {"role": "user", content: blocks})


class Sent:
    """A conversation with a shipped provider at a server that keeps what it was sent."""

    def __init__(self, stack, **context):
        self.stack = stack
        self.context = context
        self.events = []
        self.session = None

    def say(self, *attachments, text="look", role="user"):
        provider, extensions = STACKS[self.stack]
        with ReplayServer([{"steps": [{"text": "well"}]}]) as server, AgentCore() as core:
            core.register_provider(provider, {"model": "m", "base_url": server.url})
            for extension in extensions:
                core.register_provider_extension(extension)
            session = core.add_message(core.create_session(), role, text, attachments)
            self.events = list(core.run(session, {}, context=self.context))
            self.session = self.events[-1]["session"]
            self.bodies = [request.body for request in server.requests]
        return self

    @property
    def message(self):
        (body,) = self.bodies
        return (body.get("messages") or body["input"])[-1]

    @property
    def blocks(self):
        message = self.message
        assert sdks().message_refusals(FAMILIES[self.stack], message) == []
        content = message["content"]
        return [{"type": "text", "text": content}] if isinstance(content, str) else content

    @property
    def error(self):
        (error,) = [event for event in self.events if event["type"] == "error"]
        assert self.events[-1]["reason"] == "error"
        assert self.bodies == []
        return error


def holds(blocks, content):
    """Whether the blocks have this content by value, or its text."""
    said = json.dumps(blocks, ensure_ascii=False)
    return b64(content) in said or (content == TEXT and "größer" in said)


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("stack", STACKS)
def test_each_kind_is_sent_by_each_provider_that_takes_it_and_refused_by_name_by_the_others(stack, kind):
    family = FAMILIES[stack]
    sent = Sent(stack).say({"data": CONTENTS[kind], "name": NAMES[kind]})

    if kind in TAKES[family]:
        assert holds(sent.blocks, CONTENTS[kind])
        assert len(sent.blocks) == 2
    else:
        assert (sent.error["code"], sent.error["retryable"]) == ("bad_attachment", False)
        assert sent.error["attachment"] == "$[0].metadata.attachments[0]"
        assert tuple(sent.error["could_send"]) == SENDS[family]


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("family", TAKES)
def test_each_kind_has_a_block_that_the_official_sdk_takes(family, kind):
    attachment = {"data": CONTENTS[kind], "name": NAMES[kind]}

    if kind in TAKES[family]:
        block = attachment_block(attachment, family, provider="mine")
        assert objections(family, [block]) == []
        assert holds([block], CONTENTS[kind])
    else:
        with pytest.raises(AttachmentError) as caught:
            attachment_block(attachment, family, provider="mine")
        assert (caught.value.provider, caught.value.could_send) == ("mine", SENDS[family])


def shapes(folder, kind):
    """The same content in every shape."""
    content, name = CONTENTS[kind], NAMES[kind]
    path = folder / name
    path.write_bytes(content)
    types = {"image": "image/png", "pdf": "application/pdf", "text": "text/plain"}
    return {
        "path": {"path": str(path)},
        "a Path": path,
        "bytes": content,
        "bytes in data": {"data": content, "media_type": types[kind]},
        "base64": {"data": b64(content), "media_type": types[kind]},
        "data url": {"url": f"data:{types[kind]};base64,{b64(content)}"},
        "data url as text": f"data:{types[kind]};base64,{b64(content)}",
        "mcp": {"type": "image", "data": b64(content), "mimeType": types[kind]},
        "reference": {"ref": "asset-1"},
        "reference as text": "asset-1",
    }


SHAPES = [
    "path",
    "a Path",
    "bytes",
    "bytes in data",
    "base64",
    "data url",
    "data url as text",
    "mcp",
    "reference",
    "reference as text",
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["image", "pdf", "text"])
@pytest.mark.parametrize("stack", STACKS)
def test_every_shape_is_sent_by_every_provider(stack, kind, shape, tmp_path):
    given = shapes(tmp_path, kind)[shape]

    sent = Sent(stack, session_asset_store={"asset-1": CONTENTS[kind]}).say(given)

    assert holds(sent.blocks, CONTENTS[kind])


ADDRESS = "https://example.org/pictures/a.png?size=1"


@pytest.mark.parametrize(
    "given", [ADDRESS, {"url": ADDRESS}, {"url": "https://example.org/1", "kind": "image"}]
)
@pytest.mark.parametrize("family", [CHAT, RESPONSES, ANTHROPIC])
def test_an_address_of_an_image_is_sent_as_an_address(family, given):
    block = attachment_block(given, family)

    assert objections(family, [block]) == []
    assert "https://example.org" in json.dumps(block)


def test_an_address_that_does_not_tell_what_is_there_is_refused():
    with pytest.raises(AttachmentError):
        attachment_block("https://example.org/1", CHAT)
    with pytest.raises(AttachmentError):
        attachment_block({"url": "file:///etc/passwd"}, ANTHROPIC)


BLOCKS = {
    "chat image": (CHAT, {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{b64(PNG)}"}}),
    "chat file": (
        CHAT,
        {
            "type": "file",
            "file": {"file_data": f"data:application/pdf;base64,{b64(PDF)}", "filename": "a.pdf"},
        },
    ),
    "responses image": (
        RESPONSES,
        {"type": "input_image", "image_url": f"data:image/png;base64,{b64(PNG)}", "detail": "low"},
    ),
    "anthropic image": (
        ANTHROPIC,
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": b64(PNG)}},
    ),
    "anthropic document": (
        ANTHROPIC,
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": b64(PDF)},
            "citations": {"enabled": True},
        },
    ),
    "gemini image": (GEMINI, {"inlineData": {"mimeType": "image/png", "data": b64(PNG)}}),
    "bedrock image": (BEDROCK, {"image": {"format": "png", "source": {"bytes": b64(PNG)}}}),
}


@pytest.mark.parametrize("family", TAKES)
@pytest.mark.parametrize("block", BLOCKS)
def test_a_providers_own_block_goes_home_untouched_and_to_the_others_in_their_words(block, family):
    home, value = BLOCKS[block]
    written = attachment_block(value, family)

    assert objections(family, [written]) == []
    assert holds([written], PDF if "file" in block or "document" in block else PNG)
    assert home != family or written == value


def test_what_lies_in_a_providers_own_store_is_sent_to_that_one_alone():
    block = {"type": "image", "source": {"type": "file", "file_id": "f1"}}

    assert attachment_block(block, ANTHROPIC) == block
    with pytest.raises(AttachmentError):
        attachment_block(block, CHAT)


# References


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
    for answer in (PNG, path, {"path": str(path)}, {"data": b64(PNG)}, BLOCKS["gemini image"][1]):
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


@pytest.mark.parametrize("stack", STACKS)
def test_a_reference_in_a_tools_result_is_kept_and_expanded_for_the_request(stack):
    body, session = drawn(stack, {"type": "attachment", "ref": "asset-1"}, {"asset-1": PNG})

    assert holds([body], PNG)
    assert "drawn" in json.dumps(body)
    assert {"type": "attachment", "ref": "asset-1"} in session.messages[2]["toolResult"]["content"]
    assert b64(PNG) not in json.dumps(session.messages)


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


# Files


def test_a_path_is_bounded_before_it_is_read(tmp_path):
    large = tmp_path / "large.png"
    with large.open("wb") as file:
        file.truncate(MAX_ATTACHMENT_BYTES + 1)

    with pytest.raises(AttachmentError) as caught:
        attachment_block(large, CHAT)
    assert str(MAX_ATTACHMENT_BYTES) in caught.value.problem


def test_only_regular_files_are_read(tmp_path):
    pipe = tmp_path / "pipe.png"
    os.mkfifo(pipe)

    for path in (pipe, tmp_path, Path("/dev/zero"), tmp_path / "gone.png", Path("nul\0.png")):
        with pytest.raises(AttachmentError):
            attachment_block({"path": str(path)}, CHAT)


def test_a_path_is_that_of_where_it_was_given(tmp_path, monkeypatch):
    (tmp_path / "a.png").write_bytes(PNG)
    monkeypatch.chdir(tmp_path)
    with AgentCore() as core:
        session = core.add_message(core.create_session(), "user", "look", [Path("a.png")])
    monkeypatch.chdir("/")

    assert session.messages[0]["metadata"]["attachments"] == [{"path": str(tmp_path / "a.png")}]


@pytest.mark.parametrize(
    "given",
    [
        3,
        {},
        {"data": "not base64"},
        {"data": ""},
        {"data": 3},
        {"data": b64(b"\x01\x00\x02")},
        {"data": b64(b"\xff\xfe\x00"), "media_type": "text/plain"},
        {"data": b64(PNG), "path": "/a.png"},
        {"url": "data:image/png,plain"},
        {"url": 3},
        {"path": 3},
        {"type": "hologram"},
        {"type": "image_url", "image_url": 3},
    ],
    ids=str,
)
@pytest.mark.parametrize("family", TAKES)
def test_what_is_in_no_known_shape_is_a_clear_error(family, given):
    with pytest.raises(AttachmentError) as caught:
        attachment_block(given, family)
    assert caught.value.attachment


def test_bytes_beyond_the_bound_are_refused_when_they_are_given():
    with AgentCore() as core, pytest.raises(ValueError, match=str(MAX_ATTACHMENT_BYTES)):
        core.add_message(core.create_session(), "user", "x", [bytes(MAX_ATTACHMENT_BYTES + 1)])


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("role", ["system", "assistant"])
def test_an_attachment_of_anybody_but_the_user_is_a_clear_error(stack, role):
    for given in (PNG, {"ref": "asset-1"}):
        provider, extensions = STACKS[stack]
        with AgentCore() as core:
            core.register_provider(provider, {"model": "m", "base_url": "http://127.0.0.1:1/v1"})
            for extension in extensions:
                core.register_provider_extension(extension)
            session = core.add_message(core.create_session(), role, "x", [given])
            session = core.add_message(session, "user", "y")
            error, done = list(core.run(session, {}))[-2:]
        assert (error["code"], done["reason"]) == ("bad_attachment", "error")


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
