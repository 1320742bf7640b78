"""What people attach to a message, in the blocks of five APIs. Pure.

A block of the API that is asked goes there as it is. Another API's is read, and written in the words of the one
that is asked, where that has any: ``None`` says that it has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .errors import InteropError
from .exact_json import exact_json
from .format_ids import ANTHROPIC_MESSAGES, BEDROCK_CONVERSE, GEMINI, OPENAI_CHAT, OPENAI_RESPONSES
from .formats import anthropic_content, bedrock_content, gemini_content, mcp_content, openai_content
from .media_types import is_text, media_type
from .parts import MediaPart, ResultPart, TextPart, UnreadPart
from .results.data_urls import data_url, inline_of, link_of, text_of_base64

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]

_IMAGES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_PDF: Final = "application/pdf"
_CHAT_AUDIO: Final = {"audio/wav": "wav", "audio/mpeg": "mp3"}
_BEDROCK_AUDIO: Final = {"audio/wav": "wav", "audio/mpeg": "mp3", "audio/flac": "flac", "audio/ogg": "ogg"}
_TEXT: Final = "text by value (text/*, JSON, XML, YAML)"
_BY_VALUE: Final = "images by value (PNG, JPEG, GIF, WebP)"

SENDS: Final[dict[str, tuple[str, ...]]] = {
    OPENAI_CHAT: (
        _BY_VALUE,
        "images by address",
        "audio by value (WAV, MP3)",
        "PDF by value",
        "files by file_id",
        _TEXT,
    ),
    OPENAI_RESPONSES: (
        _BY_VALUE,
        "images by address or file_id",
        "files of any type by value, address or file_id",
        _TEXT,
    ),
    ANTHROPIC_MESSAGES: (_BY_VALUE, "images by address", "PDF by value or address", _TEXT),
    GEMINI: (
        "images, audio and files by value",
        "the same by an address whose name tells the type",
        _TEXT,
    ),
    BEDROCK_CONVERSE: (
        _BY_VALUE,
        "audio by value (WAV, MP3, FLAC, Ogg)",
        "PDF, Word, Excel, CSV, HTML and Markdown by value",
        _TEXT,
    ),
}
"""What each API takes, in words."""

_WHOLLY_READ: Final = frozenset({OPENAI_CHAT, OPENAI_RESPONSES})
"""The APIs whose blocks are all understood here; of the others some lie in stores, or are of kinds of their own."""

_CHAT_TYPES: Final = frozenset({"image_url", "input_audio", "file"})
_RESPONSES_TYPES: Final = frozenset({"input_image", "input_file", "input_text", "output_text"})
_ANTHROPIC_TYPES: Final = frozenset({"image", "document", "search_result"})
_GEMINI_KEYS: Final = frozenset({"inlineData", "inline_data", "fileData", "file_data"})
_BEDROCK_KEYS: Final = frozenset({"image", "document", "audio", "video"})


def family_of_block(block: Json) -> str | None:
    """Return whose content block this is, by its keys alone; ``None`` if it is nobody's that is known."""
    stated = block.get("type")
    if stated is None:
        if not _GEMINI_KEYS.isdisjoint(block):
            return GEMINI
        return BEDROCK_CONVERSE if len(block) == 1 and not _BEDROCK_KEYS.isdisjoint(block) else None
    if stated in _CHAT_TYPES:
        return OPENAI_CHAT
    if stated in _RESPONSES_TYPES:
        return OPENAI_RESPONSES
    if stated in _ANTHROPIC_TYPES and ("source" in block or stated == "search_result"):
        return ANTHROPIC_MESSAGES
    return None


def read_block(block: Json) -> ResultPart:
    """Return what a content block of some API says; an `UnreadPart` if nobody knows. Raises nothing."""
    family = family_of_block(block)
    try:
        return _READERS[family](block) if family is not None else _read_mcp(block)
    except InteropError:
        return UnreadPart("a broken block")


def write_block(part: ResultPart, family: str) -> Json | None:
    """Return a part as a content block of a user's message; ``None`` if that API has none for it.

    Raises:
        KeyError: the family is not in `SENDS`.
    """
    return _WRITERS[family](part)


def own_block(block: Json, family: str) -> Json | None:
    """Return a copy of a block, if it is this API's own and can be read; ``None`` otherwise."""
    if family_of_block(block) != family:
        return None
    if family in _WHOLLY_READ and isinstance(read_block(block), UnreadPart):
        return None
    if not any(isinstance(value, dict | str) for key, value in block.items() if key != "type"):
        return None
    copy: Json = exact_json(block, what="$.block")
    if family == OPENAI_RESPONSES and block.get("type") == "input_image":  # its SDK wants to be told
        return {"detail": openai_content.DETAIL_IF_UNSAID, **copy}
    return copy


# Reading


def _read_openai(block: Json) -> ResultPart:
    return openai_content.read_content(OPENAI_CHAT, [block])[0]


def _read_mcp(block: Json) -> ResultPart:
    return mcp_content.read_blocks("mcp", [block])[0]


def _read_gemini(block: Json) -> ResultPart:
    return gemini_content.read_media(block)


def _read_bedrock(block: Json) -> ResultPart:
    return bedrock_content.read_blocks(BEDROCK_CONVERSE, [block])[0]


def _read_anthropic(block: Json) -> ResultPart:
    return anthropic_content.read_blocks(ANTHROPIC_MESSAGES, [block])[0]


_READERS: Final[dict[str, Callable[[Json], ResultPart]]] = {
    OPENAI_CHAT: _read_openai,
    OPENAI_RESPONSES: _read_openai,
    ANTHROPIC_MESSAGES: _read_anthropic,
    GEMINI: _read_gemini,
    BEDROCK_CONVERSE: _read_bedrock,
}


# Writing


def _text_of(part: MediaPart) -> str | None:
    """The text of a file by value, under its name; ``None`` if it is none."""
    inline = inline_of(part)
    text = text_of_base64(inline.data) if inline is not None and is_text(inline.mime) else None
    return text if text is None or not part.filename else f"{part.filename}:\n\n{text}"


def _write_chat(part: ResultPart) -> Json | None:
    match part:
        case TextPart(text=text):
            return {"type": "text", "text": text}
        case MediaPart(kind="image"):
            url = _image_url(part)
            detail = {} if part.detail is None else {"detail": part.detail}
            return None if url is None else {"type": "image_url", "image_url": {"url": url, **detail}}
        case MediaPart(kind="audio"):
            inline = inline_of(part)
            if inline is None or inline.mime not in _CHAT_AUDIO:
                return None
            return {
                "type": "input_audio",
                "input_audio": {"data": inline.data, "format": _CHAT_AUDIO[inline.mime]},
            }
        case MediaPart():
            return _write_chat_file(part)
    return None


def _write_chat_file(part: MediaPart) -> Json | None:
    inline = inline_of(part)
    if inline is None:
        return {"type": "file", "file": {"file_id": part.file_id}} if part.file_id else None
    if inline.mime == _PDF:
        file = {"file_data": data_url(*inline), "filename": part.filename or "file.pdf"}
        return {"type": "file", "file": file}
    text = _text_of(part)
    return None if text is None else {"type": "text", "text": text}


def _write_responses(part: ResultPart) -> Json | None:
    if isinstance(part, MediaPart) and part.kind == "image" and not part.file_id and not _image_url(part):
        return None
    written = openai_content.write_responses_part(part)
    if written is not None and written["type"] == "input_image":
        return {"detail": openai_content.DETAIL_IF_UNSAID, **written}
    return written


def _write_anthropic(part: ResultPart) -> Json | None:
    written = anthropic_content.write_block(part)
    if written is None and isinstance(part, MediaPart) and part.kind == "file":
        text = _text_of(part)
        return {"type": "text", "text": text} if text is not None else None
    return written


def _write_gemini(part: ResultPart) -> Json | None:
    if isinstance(part, TextPart):
        return {"text": part.text}
    if not isinstance(part, MediaPart):
        return None
    inline, link = inline_of(part), link_of(part)
    if inline is not None:
        return {"inlineData": {"mimeType": inline.mime, "data": inline.data}}
    mime = media_type(None, part.filename) or media_type(None, link)
    return {"fileData": {"mimeType": mime, "fileUri": link}} if link and mime else None


def _write_bedrock(part: ResultPart) -> Json | None:
    if not isinstance(part, TextPart | MediaPart):
        return None
    if isinstance(part, MediaPart) and part.kind == "audio":
        inline = inline_of(part)
        if inline is None or inline.mime not in _BEDROCK_AUDIO:
            return None
        return {"audio": {"format": _BEDROCK_AUDIO[inline.mime], "source": {"bytes": inline.data}}}
    written = bedrock_content.write_block(part)
    if written is None and isinstance(part, MediaPart) and part.kind == "file":
        text = _text_of(part)
        return {"text": text} if text is not None else None
    return written


def _image_url(part: MediaPart) -> str | None:
    """Where an image is, or its data URL, if it is of a type that these APIs take."""
    inline = inline_of(part)
    if inline is not None:
        return data_url(*inline) if inline.mime in _IMAGES else None
    return link_of(part)


_WRITERS: Final[dict[str, Callable[[ResultPart], Json | None]]] = {
    OPENAI_CHAT: _write_chat,
    OPENAI_RESPONSES: _write_responses,
    ANTHROPIC_MESSAGES: _write_anthropic,
    GEMINI: _write_gemini,
    BEDROCK_CONVERSE: _write_bedrock,
}
