"""The content blocks of Anthropic's tool results: text, images, documents, search results.

A file id names a file in one provider's store and means nothing to another, so media by id are read as
not understood, and are carried by copies within this format alone.
"""

from __future__ import annotations

from typing import Any, Final

from ..errors import InvalidShapeError
from ..parts import MediaPart, ResultPart, TextPart, UnreadPart
from ..results.data_urls import data_url, inline_of, link_of, text_of_base64

_IMAGES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
_PDF: Final = "application/pdf"


def read_blocks(format_id: str, content: Any) -> tuple[ResultPart, ...]:
    """Return the parts of a result's content: a text, or a list of blocks.

    Raises:
        InvalidShapeError: it is neither text, nor a list of objects, nor missing.
    """
    if content is None:
        return ()
    if isinstance(content, str):
        return (TextPart(content),)
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
        raise InvalidShapeError(format_id, "'content' must be a text or a list of blocks")
    return tuple(_read_block(block) for block in content)


def write_block(part: ResultPart) -> dict[str, Any] | None:
    """Return a part as a block; ``None`` if there is no block for it."""
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    if not isinstance(part, MediaPart) or part.kind == "audio":
        return None
    source = _source(part)
    if source is None:
        return None
    block = {"type": "image" if part.kind == "image" else "document", "source": source}
    return {**block, "title": part.filename} if part.kind == "file" and part.filename else block


def _source(part: MediaPart) -> dict[str, Any] | None:
    link = link_of(part)
    if link is not None:
        return {"type": "url", "url": link}
    inline = inline_of(part)
    if inline is None:
        return None
    if inline.mime in (_IMAGES if part.kind == "image" else (_PDF,)):
        return {"type": "base64", "media_type": inline.mime, "data": inline.data}
    text = text_of_base64(inline.data) if part.kind == "file" and inline.mime.startswith("text/") else None
    return None if text is None else {"type": "text", "media_type": "text/plain", "data": text}


def _read_block(block: dict[str, Any]) -> ResultPart:
    stated = block.get("type")
    read: ResultPart | None = None
    match stated:
        case "text":
            read = _read_text(block)
        case "image" | "document":
            read = _read_media(block, stated)
        case "search_result":
            read = _read_search_result(block)
    return read or UnreadPart(stated if isinstance(stated, str) else "block without a type")


def _read_text(block: dict[str, Any]) -> TextPart | None:
    text = block.get("text")
    return TextPart(text, _rest(block, "type", "text")) if isinstance(text, str) else None


def _read_media(block: dict[str, Any], stated: str) -> ResultPart | None:
    kind: Any = "image" if stated == "image" else "file"
    title = block.get("title")
    name = title if isinstance(title, str) and stated == "document" else None
    extras = _rest(block, "type", "source", *(("title",) if name else ()))
    match block.get("source"):
        case {"type": "url", "url": str(url)}:
            return MediaPart(kind, url=url, filename=name, extras=extras)
        case {"type": "base64", "media_type": str(mime), "data": str(data)}:
            return MediaPart(kind, url=data_url(mime, data), filename=name, extras=extras)
        case {"type": "text", "data": str(text)}:
            return TextPart(text, ("document", *extras, *(("title",) if name else ())))
        case {"type": "file"}:
            return UnreadPart(f"{stated} in a file store")
    return None


def _read_search_result(block: dict[str, Any]) -> TextPart | None:
    match block.get("content"):
        case [*found] if all(isinstance(item, dict) and isinstance(item.get("text"), str) for item in found):
            return TextPart("\n".join(item["text"] for item in found), _rest(block, "type", "content"))
    return None


def _rest(block: dict[str, Any], *known: str) -> tuple[str, ...]:
    return tuple(key for key, value in block.items() if key not in known and value is not None)
