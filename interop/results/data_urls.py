"""Media by value: the ``data:`` URL is what they are in the hub, and each format spells them its own way.

Only base64 that can be decoded counts as media. A URL that was cut short, as in logs and recorded
requests, is no image, and a provider would refuse the whole request for it.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from ..parts import MediaPart

_DATA_URL = re.compile(r"data:([^;,\s]+/[^;,\s]+)(?:;[^;,\s]+)*;base64,([A-Za-z0-9+/=]*)")
_AUDIO_NAMES: Final = {"mp3": "mpeg"}


class Inline(NamedTuple):
    """Media by value: the MIME type, and the bytes as base64 text."""

    mime: str
    data: str


def data_url(mime: str, data: str) -> str:
    """Return the URL that carries base64 text of a MIME type."""
    return f"data:{mime};base64,{data}"


def text_of_base64(data: str) -> str | None:
    """Return the UTF-8 text that base64 encodes; ``None`` if it encodes none."""
    try:
        return base64.b64decode(data, validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return None


def inline_of(part: MediaPart) -> Inline | None:
    """Return the media that a part carries by value; ``None`` if it is by reference, or unreadable."""
    carried = part.url or part.data
    if carried is None:
        return None
    if part.kind == "audio" and part.data and part.subtype:
        subtype = _AUDIO_NAMES.get(part.subtype, part.subtype)
        return Inline(f"audio/{subtype}", part.data) if _is_base64(part.data) else None
    found = _DATA_URL.fullmatch(carried)
    if found is None or not _is_base64(found[2]):
        return None
    return Inline(found[1], found[2])


def link_of(part: MediaPart) -> str | None:
    """Return the address that anybody could fetch a part from; ``None`` if it has none."""
    url = part.url or ""
    return url if url.startswith(("https://", "http://")) else None


def _is_base64(data: str) -> bool:
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return False
    return bool(data)
