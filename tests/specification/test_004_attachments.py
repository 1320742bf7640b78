"""Attachments of messages: in every shape, to every provider that can take them, and a clear error where it cannot.

002 has ``add_message(session, role, content, attachments, metadata)``. What is sent is held to the official SDKs'
types, with unknown keys refused. References have a file of their own.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from attaching import (
    ANTHROPIC,
    BEDROCK,
    CHAT,
    CONTENTS,
    FAMILIES,
    GEMINI,
    NAMES,
    PDF,
    PNG,
    RESPONSES,
    Sent,
    b64,
    holds,
)
from callboard import AgentCore
from callboard.interop.attachment_blocks import SENDS
from callboard.interop.limits import MAX_ATTACHMENT_BYTES
from callboard.providers import AttachmentError, attachment_block
from providers import STACKS
from sdks import needs_sdk, sdks
from thorough import each_once

TAKES = {
    CHAT: {"image", "pdf", "audio", "text"},
    RESPONSES: {"image", "pdf", "text", "word"},
    ANTHROPIC: {"image", "pdf", "text"},
    GEMINI: {"image", "pdf", "audio", "text", "word"},
    BEDROCK: {"image", "pdf", "audio", "text", "word"},
}


def objections(family, blocks):
    """What the official SDK has against a user's message of these blocks."""
    content = "parts" if family == GEMINI else "content"
    return sdks().message_refusals(family, {"role": "user", content: blocks})


@needs_sdk
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


@needs_sdk
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


@needs_sdk
@pytest.mark.parametrize(("stack", "kind", "shape"), each_once(STACKS, ["image", "pdf", "text"], SHAPES))
def test_every_shape_is_sent_by_every_provider(stack, kind, shape, tmp_path):
    given = shapes(tmp_path, kind)[shape]

    sent = Sent(stack, session_asset_store={"asset-1": CONTENTS[kind]}).say(given)

    assert holds(sent.blocks, CONTENTS[kind])


ADDRESS = "https://example.org/pictures/a.png?size=1"


@needs_sdk
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


@needs_sdk
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
