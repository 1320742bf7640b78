"""The content blocks of MCP's tool results: text, images, audio, resources and links to them."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidShapeError
from ..parts import MediaPart, ResultPart, TextPart, UnreadPart
from ..results.data_urls import data_url, inline_of, link_of


def read_blocks(format_id: str, content: Any) -> tuple[ResultPart, ...]:
    """Return the parts of a result's content.

    Raises:
        InvalidShapeError: it is neither a list of objects nor missing.
    """
    if content is None:
        return ()
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
        raise InvalidShapeError(format_id, "'content' must be a list of blocks")
    return tuple(_read_block(block) for block in content)


def write_block(part: ResultPart) -> dict[str, Any] | None:
    """Return a part as a block; ``None`` if there is no block for it."""
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    if not isinstance(part, MediaPart):
        return None
    inline = inline_of(part)
    link = link_of(part)
    if inline is not None and part.kind != "file":
        return {"type": part.kind, "data": inline.data, "mimeType": inline.mime}
    if inline is not None:
        resource = {
            "uri": f"attachment:{part.filename or 'file'}".replace(" ", "%20"),
            "mimeType": inline.mime,
            "blob": inline.data,
        }
        return {"type": "resource", "resource": resource}
    if link is not None:
        return {"type": "resource_link", "uri": link, "name": part.filename or part.kind}
    return None


def _read_block(block: dict[str, Any]) -> ResultPart:
    match block:
        case {"type": "text", "text": str(text)}:
            return TextPart(text, _rest(block, "type", "text"))
        case {"type": "image" | "audio" as kind, "data": str(data), "mimeType": str(mime)}:
            extras = _rest(block, "type", "data", "mimeType")
            return MediaPart(kind, url=data_url(mime, data), extras=extras)
        case {"type": "resource", "resource": {"text": str(text)} as resource}:
            return TextPart(text, _rest(resource, "text"))
        case {"type": "resource", "resource": {"blob": str(data)} as resource}:
            mime = resource.get("mimeType")
            known = mime if isinstance(mime, str) else "application/octet-stream"
            return MediaPart("file", url=data_url(known, data), extras=_rest(resource, "blob", "mimeType"))
        case {"type": "resource_link", "uri": str(uri)}:
            # What a server's own scheme leads to, nobody but its client can fetch: the model is told.
            name = block.get("name")
            about = f"{name}: {uri}" if isinstance(name, str) and name else uri
            return TextPart(about, _rest(block, "uri", "name"))
    stated = block.get("type")
    return UnreadPart(stated if isinstance(stated, str) else "block without a type")


def _rest(block: dict[str, Any], *known: str) -> tuple[str, ...]:
    return tuple(key for key, value in block.items() if key not in known and value is not None)
