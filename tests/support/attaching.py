"""Attachments of a user's message, as a shipped provider sends them, and what is in them."""

from __future__ import annotations

import base64
import json

from callboard import AgentCore
from callboard.agent.replay.server import ReplayServer
from providers import STACKS
from sdks import sdks

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


def b64(content):
    return base64.b64encode(content).decode()


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
