"""The content blocks of Bedrock's tool results: each an object with one key that says what it is.

Bytes are base64 text here, as they are on the wire. boto3 wants them raw and encodes them itself: who
calls it decodes ``bytes`` first. What lies in S3 can be fetched by nobody else.
"""

from __future__ import annotations

import re
from typing import Any, Final

from ..errors import InvalidShapeError
from ..exact_json import exact_json
from ..parts import JsonPart, MediaPart, ResultPart, TextPart, UnreadPart
from ..results.data_urls import data_url, inline_of

_IMAGES: Final = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"}
_OFFICE: Final = "application/vnd.openxmlformats-officedocument"
_DOCUMENTS: Final = {
    "application/pdf": "pdf",
    "text/csv": "csv",
    "application/msword": "doc",
    f"{_OFFICE}.wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    f"{_OFFICE}.spreadsheetml.sheet": "xlsx",
    "text/html": "html",
    "text/plain": "txt",
    "text/markdown": "md",
}
_NO_NAME: Final = "document"
"""The name of a document that has none; Bedrock wants one. Read, it is no name: nobody else wants it."""

_MIMES: Final = {name: mime for mime, name in (_IMAGES | _DOCUMENTS).items()}
_ILLEGAL_IN_NAME = re.compile(r"[^A-Za-z0-9()\[\]-]+")
_LONGEST_NAME: Final = 200


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
    """Return a part as a block; ``None`` if there is no block for it. JSON must be an object."""
    match part:
        case TextPart(text=text):
            return {"text": text}
        case JsonPart(value=dict() as value):
            return {"json": exact_json(value)}
        case MediaPart(kind=kind, filename=filename):
            inline = inline_of(part)
            if inline is None:
                return None
            source = {"bytes": inline.data}
            if kind == "image" and inline.mime in _IMAGES:
                return {"image": {"format": _IMAGES[inline.mime], "source": source}}
            if kind == "file" and inline.mime in _DOCUMENTS:
                name = _ILLEGAL_IN_NAME.sub(" ", filename or "").strip()[:_LONGEST_NAME] or _NO_NAME
                return {"document": {"format": _DOCUMENTS[inline.mime], "name": name, "source": source}}
    return None


def _read_block(block: dict[str, Any]) -> ResultPart:
    match block:
        case {"text": str(text)}:
            return TextPart(text, _rest(block, "text"))
        case {"json": value}:
            return JsonPart(exact_json(value, what="$.json"))
        case {"image": {"source": {"bytes": str(data)}, "format": str(name)}} if name in _MIMES:
            return MediaPart("image", url=data_url(_MIMES[name], data))
        case {"document": {"source": {"bytes": str(data)}, "format": str(name)} as document} if (
            name in _MIMES
        ):
            title = document.get("name")
            extras = _rest(document, "source", "format", "name")
            filename = title if isinstance(title, str) and title != _NO_NAME else None
            return MediaPart("file", url=data_url(_MIMES[name], data), filename=filename, extras=extras)
        case {"document": {"source": {"text": str(text)}}}:
            return TextPart(text, ("document",))
        case {"searchResult": {"content": [*found]} as result} if all(_is_text(item) for item in found):
            return TextPart("\n".join(item["text"] for item in found), _rest(result, "content"))
    return UnreadPart(next(iter(block), "empty block"))


def _is_text(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("text"), str)


def _rest(block: dict[str, Any], *known: str) -> tuple[str, ...]:
    return tuple(key for key, value in block.items() if key not in known and value is not None)
