"""The reasoning of a Chat answer, as its server wants it back with the message. Pure.

OpenAI's own API shows none. DeepSeek and Kimi send ``reasoning_content``, and refuse each later request whose messages of
turns with calls lack it; an empty one counts. OpenRouter and others send ``reasoning_details``, which may be signed or encrypted and have to come
back in their order, put together from their pieces. What is called ``reasoning`` is for people: strict servers refuse it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...interop.exact_json import exact_json

if TYPE_CHECKING:
    from collections.abc import Sequence

Json = dict[str, Any]

CONTENT: Final = "reasoning_content"
DETAILS: Final = "reasoning_details"

_TEXTS: Final = {"reasoning.text": "text", "reasoning.summary": "summary"}
"""Type of a detail -> the key of its text, which comes in pieces. Any other detail comes whole."""


def shown(said: Json) -> list[Json]:
    """Return what the details of a delta or a message say to people, as parts of a content."""
    return [
        {"type": "text", "text": detail.get(key)}
        for detail in _details(said)
        if (key := _text_key(detail)) is not None
    ]


def kept_of(message: Json) -> list[Json]:
    """Return what a server wants back of a message of the assistant."""
    found: Json = {key: message[key] for key in (CONTENT, DETAILS) if key in message}
    return [found] if found else []


def with_reasoning(message: Json, kept: Sequence[Json]) -> Json:
    """Return a message of the assistant with what was kept of its reasoning."""
    return {**message, **{key: item[key] for item in kept for key in (CONTENT, DETAILS) if key in item}}


def wants_content(kept: Sequence[Json]) -> bool:
    """Whether a server from which this was kept wants ``reasoning_content`` with all messages of the assistant."""
    return any(CONTENT in item for item in kept)


def with_empty_reasoning(payload: Json, said: str) -> Json | None:
    """Return a body whose messages of the assistant have an empty ``reasoning_content``, if a server refused it for want of one.

    That is of a session which another server has begun. ``None`` if the server speaks of something else, or if it was
    sent some already: then an empty one would not help.
    """
    messages = payload.get("messages")
    if CONTENT not in said or not isinstance(messages, list):
        return None
    own = [each for each in messages if isinstance(each, dict) and each.get("role") == "assistant"]
    if not own or any(CONTENT in each for each in own):
        return None
    filled = [{**each, CONTENT: ""} if any(each is one for one in own) else each for each in messages]
    return {**payload, "messages": filled}


class Reasoning:
    """Puts the reasoning of one answer together."""

    def __init__(self) -> None:
        self._content: list[str] | None = None
        self._details: list[tuple[Json, list[str]]] = []

    def note(self, said: Json, *, whole: bool) -> None:
        """Take in what a delta has beside the text of ``reasoning_content``, or a message, which has all of it."""
        if isinstance(said.get(CONTENT), str):
            self._content = self._content or []
        details = _details(said)
        if whole and details:
            self._details.clear()
        for detail in details:
            self._add(detail)

    def say(self, text: str) -> None:
        """Take in a piece of the text of ``reasoning_content``."""
        if self._content is None:
            self._content = []
        self._content.append(text)

    def kept(self) -> list[Json]:
        """Return what the server wants back."""
        message: Json = {}
        if self._content is not None:
            message[CONTENT] = "".join(self._content)
        if self._details:
            message[DETAILS] = [_joined(detail, pieces) for detail, pieces in self._details]
        return kept_of(message)

    def _add(self, detail: Json) -> None:
        detail = exact_json(detail, what=f"$.{DETAILS}")
        key = _text_key(detail)
        piece = detail.get(key) if key is not None else None
        last = self._details[-1][0] if self._details else {}
        if key is not None and (detail["type"], detail.get("index")) == (last.get("type"), last.get("index")):
            last.update({name: value for name, value in detail.items() if name != key and value is not None})
        else:
            self._details.append((detail, []))
        if isinstance(piece, str):
            self._details[-1][1].append(piece)


def _details(said: Json) -> list[Json]:
    details = said.get(DETAILS)
    return [each for each in details if isinstance(each, dict)] if isinstance(details, list) else []


def _text_key(detail: Json) -> str | None:
    stated = detail.get("type")
    return _TEXTS.get(stated) if isinstance(stated, str) else None


def _joined(detail: Json, pieces: list[str]) -> Json:
    return {**detail, _TEXTS[detail["type"]]: "".join(pieces)} if pieces else detail
