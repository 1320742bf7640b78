"""What people attach to messages: the shapes that it may have, and what it is. Pure.

A message keeps what it was given, as JSON: a path, an address, bytes as base64, a reference into the application's
store, or a provider's own block. Paths and references are compact: they are looked up for each request (see
`attached_files.py`), and nothing of what they lead to gets into a history.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final

from ..interop.attachment_blocks import family_of_block, read_block
from ..interop.limits import MAX_ATTACHMENT_BYTES
from ..interop.media_types import media_type
from ..interop.parts import MediaPart, TextPart, UnreadPart
from ..interop.results.data_urls import data_url, inline_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..interop.parts import MediaKind, ResultPart

Json = dict[str, Any]

_SOURCES: Final = ("path", "ref", "url", "data")
_OURS: Final = frozenset({None, "attachment", "image", "audio", "file", "document", "text"})
_BYTES: Final = (bytes, bytearray, memoryview)
_KINDS: Final = frozenset({"image", "audio"})


class UnsendableError(Exception):
    """What is attached cannot be read; the text is why, as a sentence without its subject.

    Attributes:
        unread: it is a provider's block, which that provider may understand.
    """

    def __init__(self, problem: str, *, unread: bool = False) -> None:
        super().__init__(problem)
        self.unread = unread


def as_json(given: Any) -> Any:
    """Return what is attached as a message keeps it: bytes as base64, a path as an absolute one, all else as it is.

    Raises:
        ValueError: there are more bytes than may be attached.
    """
    if isinstance(given, _BYTES):
        return {"data": _base64(given)}
    if isinstance(given, PurePath):
        return {"path": _absolute(given)}
    if isinstance(given, Mapping):
        fields = dict(given)
        if isinstance(fields.get("data"), _BYTES):
            fields["data"] = _base64(fields["data"])
        if isinstance(fields.get("path"), PurePath):
            fields["path"] = _absolute(fields["path"])
        return fields
    return given


def source_of(kept: Any) -> str | None:
    """Return the shape of what a message keeps: ``path``, ``ref``, ``url`` or ``data``; ``None`` for a block of a provider."""
    if isinstance(kept, str):
        return "url" if kept.startswith(("https://", "http://", "data:")) else "ref"
    if not isinstance(kept, dict) or kept.get("type") not in _OURS:
        return None
    found = [source for source in _SOURCES if kept.get(source) is not None]
    return found[0] if len(found) == 1 else None


def is_compact(kept: Any) -> bool:
    """Say whether it has to be looked up for each request."""
    return source_of(kept) in {"path", "ref"}


def any_compact(messages: Sequence[Any]) -> bool:
    """Say whether something in these core messages has to be looked up."""
    for message in messages:
        metadata, result = message.get("metadata"), message.get("toolResult")
        attached = metadata.get("attachments") if isinstance(metadata, dict) else None
        content = result.get("content") if isinstance(result, dict) else None
        for listed in (attached, content):
            if isinstance(listed, list) and any(map(is_compact, listed)):
                return True
    return False


def read(kept: Any) -> ResultPart:
    """Return what is attached, of all that is not compact.

    Raises:
        UnsendableError: it is in no shape that is known, is too large, or nothing tells what it is.
    """
    match source_of(kept):
        case "url":
            return _of_url(hinted(kept, "url"))
        case "data":
            return _of_data(kept)
        case None:
            part = read_block(kept) if isinstance(kept, dict) else UnreadPart("attachment")
            if isinstance(part, TextPart | MediaPart):
                _require_small(part)
                return part
            family = family_of_block(kept) if isinstance(kept, dict) else None
            if family is not None:
                raise UnsendableError(f"is a block of {family} that no other API can be told", unread=True)
            shapes = "a path, a ref, a url, data, or a provider's block"
            raise UnsendableError(f"is {shown(kept)}, which is none of the known shapes: {shapes}")
        case source:
            raise UnsendableError(f"is a {source}, which has to be looked up")


def hinted(kept: Any, source: str) -> Json:
    """Return what a message keeps as an object, be it a text."""
    return {source: kept} if isinstance(kept, str) else kept


def _of_url(kept: Json) -> ResultPart:
    url, name = kept["url"], _text(kept, "name")
    if not isinstance(url, str):
        raise UnsendableError(f"has {shown(url)} for its url")
    if url.startswith("data:"):
        if len(url) > _most_base64() + 200:
            raise UnsendableError(too_large(len(url) * 3 // 4))
        part = MediaPart("file", url=url)
        inline = inline_of(part)
        if inline is None:
            raise UnsendableError("is a data: URL that is not base64 with a media type")
        return _media(_text(kept, "media_type") or inline.mime, inline.data, kept)
    if not url.startswith(("https://", "http://")):
        raise UnsendableError(f"has the address {shown(url)}; an address begins with https:// or http://")
    mime = media_type(_text(kept, "media_type"), name) or media_type(None, url)
    kind = _kind(kept, mime)
    if kind is None:
        raise UnsendableError("is an address that does not tell what is there; say its media_type")
    return MediaPart(kind, url=url, filename=name, detail=_text(kept, "detail") if kind == "image" else None)


def _of_data(kept: Json) -> ResultPart:
    data = kept["data"]
    if not isinstance(data, str):
        raise UnsendableError(f"has {shown(data)} for its data; that has to be base64")
    if len(data) > _most_base64():
        raise UnsendableError(too_large(len(data) * 3 // 4))
    try:
        content = base64.b64decode(data, validate=True)
    except ValueError:
        raise UnsendableError("has data that is not base64") from None
    return of_bytes(content, kept)


def of_bytes(content: bytes, kept: Json) -> MediaPart:
    """Return what bytes are, by what is said of them. Raises `UnsendableError`: nothing tells it."""
    if not content:
        raise UnsendableError("is empty")
    said = _text(kept, "media_type") or _text(kept, "mimeType")
    mime = media_type(said, _text(kept, "name"), content)
    if mime is None:
        raise UnsendableError("does not tell what it is, by name or content; say its media_type")
    if mime.startswith("text/"):
        try:
            content.decode()
        except UnicodeDecodeError:
            raise UnsendableError(f"is said to be {mime}, and is not UTF-8") from None
    return _media(mime, base64.b64encode(content).decode(), kept)


def _media(mime: str, data: str, kept: Json) -> MediaPart:
    kind = _kind({}, mime) or "file"
    detail = _text(kept, "detail") if kind == "image" else None
    return MediaPart(kind, url=data_url(mime, data), filename=_text(kept, "name"), detail=detail)


def _kind(kept: Json, mime: str | None) -> MediaKind | None:
    """By the media type, else by what is said: ``None`` if nothing tells it."""
    if mime is None:
        said = kept.get("kind") or kept.get("type")
        if said in _KINDS:
            return "image" if said == "image" else "audio"
        return "file" if said in {"file", "document", "text"} else None
    if mime.startswith("image/") and mime != "image/svg+xml":
        return "image"
    return "audio" if mime.startswith("audio/") else "file"


def _require_small(part: ResultPart) -> None:
    carried = (part.url or part.data or "") if isinstance(part, MediaPart) else ""
    if len(carried) > _most_base64() + 200:
        raise UnsendableError(too_large(len(carried) * 3 // 4))


def _most_base64() -> int:
    return 4 * -(-MAX_ATTACHMENT_BYTES // 3)


def too_large(size: int) -> str:
    """Say that there are too many bytes."""
    return f"has {size} bytes; {MAX_ATTACHMENT_BYTES} are the most"


def _base64(given: bytes | bytearray | memoryview) -> str:
    if len(given) > MAX_ATTACHMENT_BYTES:
        raise ValueError(f"an attachment {too_large(len(given))}")
    return base64.b64encode(given).decode()


def _absolute(path: PurePath) -> str:
    return str(Path(path).absolute())


def _text(kept: Json, key: str) -> str | None:
    value = kept.get(key)
    return value if isinstance(value, str) and value else None


def shown(value: Any) -> str:
    """Say in a few words what a value is."""
    if isinstance(value, dict):
        return f"an object with the keys {', '.join(repr(str(key)[:30]) for key in list(value)[:6])}"
    return f"{value!r:.80}"
