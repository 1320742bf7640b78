"""What a tool result is made of, whatever the wire format: text, JSON, media, or something unread.

A part never holds what it was read from: text and references are copied, and JSON is a copy.
"""

from __future__ import annotations

from typing import Any, Literal

from ..base.frozen import frozen

MediaKind = Literal["image", "audio", "file"]


@frozen
class TextPart:
    """Text for the model.

    Attributes:
        extras: names of keys beside the text that no other format can carry.
    """

    text: str
    extras: tuple[str, ...] = ()


@frozen
class JsonPart:
    """Structured data for the model."""

    value: Any


@frozen
class MediaPart:
    """An image, a recording or a file, by reference or by value.

    At least one of ``url`` (which may be a ``data:`` URL), ``file_id`` and ``data`` (base64) is set.

    Attributes:
        subtype: the encoding of ``data`` as its format names it, such as ``mp3``.
        detail: how closely the model is to look at an image.
        extras: names of further keys that no other format can carry.
    """

    kind: MediaKind
    url: str | None = None
    file_id: str | None = None
    data: str | None = None
    subtype: str | None = None
    filename: str | None = None
    detail: str | None = None
    extras: tuple[str, ...] = ()


@frozen
class UnreadPart:
    """Content that is legal where it stood and that this library does not understand.

    Attributes:
        kind: what it calls itself, for the note that takes its place elsewhere.
    """

    kind: str


ResultPart = TextPart | JsonPart | MediaPart | UnreadPart
