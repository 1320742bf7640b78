"""The content parts of OpenAI's two APIs: the same text, images and files under different names.

A reader takes whatever may stand as a result's content there, a text or a list of parts; a writer
returns ``None`` for what its API has no part for. Chat is read more widely than it is written: its
tool messages take text alone, though tolerant servers take images too. ``detail: "auto"`` is what unsaid
``detail`` means, so that the hub has neither.

A file by value is ``file_data`` with a ``filename``: the API fetches a ``file_url``, and a ``data:`` URL there is
refused. A file without a name is called after what it is, and read again, such a name is none.
"""

from __future__ import annotations

from typing import Any, Final

from ..errors import InvalidShapeError
from ..parts import MediaPart, ResultPart, TextPart, UnreadPart
from ..results.data_urls import data_url, inline_of

DETAIL_IF_UNSAID: Final = "auto"

_NO_NAME: Final = "file"
_ENDINGS: Final = {
    "application/pdf": ".pdf",
    "application/json": ".json",
    "text/plain": ".txt",
    "text/csv": ".csv",
    "text/html": ".html",
    "text/markdown": ".md",
}
_NO_NAMES: Final = frozenset({_NO_NAME, *(_NO_NAME + ending for ending in _ENDINGS.values())})


def read_content(format_id: str, content: Any) -> tuple[ResultPart, ...]:
    """Return the parts of a result's content, in either API's spelling.

    Raises:
        InvalidShapeError: it is neither text, nor a list of objects, nor missing.
    """
    if content is None:
        return ()
    if isinstance(content, str):
        return (TextPart(content),)
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        raise InvalidShapeError(format_id, "the content must be a text or a list of parts")
    return tuple(_read_part(part) for part in content)


def write_chat_text(part: ResultPart) -> dict[str, Any] | None:
    """Return a text part of a Chat tool message; there is no other."""
    return {"type": "text", "text": part.text} if isinstance(part, TextPart) else None


def write_responses_part(part: ResultPart) -> dict[str, Any] | None:
    """Return a part of a Responses output: text, image or file."""
    match part:
        case TextPart(text=text):
            return {"type": "input_text", "text": text}
        case MediaPart(kind="image", url=url, file_id=file_id, detail=detail) if url or file_id:
            source = {"image_url": url} if url else {"file_id": file_id}
            return {"type": "input_image", **source, **_said(detail=detail)}
        case MediaPart(kind="file"):
            return _write_file(part)
        case _:
            return None


def as_of_custom_tool(part: Any) -> Any:
    """Return a part of a function's output as a custom tool's may be: it says nothing as null, and an image has its detail."""
    if not isinstance(part, dict):
        return part
    unsaid = {"detail": DETAIL_IF_UNSAID} if part.get("type") == "input_image" else {}
    return unsaid | {key: value for key, value in part.items() if value is not None}


def _write_file(part: MediaPart) -> dict[str, Any] | None:
    inline = inline_of(part)
    if inline is not None:
        name = part.filename or f"{_NO_NAME}{_ENDINGS.get(inline.mime, '')}"
        return {"type": "input_file", "file_data": data_url(*inline), "filename": name}
    if (part.url or "").startswith("data:"):  # cut short, and refused by the API
        return None
    said = _said(file_url=part.url, file_id=part.file_id, file_data=part.data, filename=part.filename)
    return {"type": "input_file", **said}


def _read_part(part: dict[str, Any]) -> ResultPart:
    stated = part.get("type")
    read: ResultPart | None = None
    match stated:
        case "text" | "input_text" | "output_text":
            read = _read_text(part)
        case "image_url":
            read = _read_chat_image(part)
        case "input_audio":
            read = _read_chat_audio(part)
        case "file":
            read = _read_chat_file(part)
        case "input_image":
            read = _read_responses_image(part)
        case "input_file":
            read = _read_responses_file(part)
    return read or UnreadPart(stated if isinstance(stated, str) else "part without a type")


def _read_text(part: dict[str, Any]) -> TextPart | None:
    text = part.get("text")
    return TextPart(text, _rest(part, "type", "text")) if isinstance(text, str) else None


def _read_chat_image(part: dict[str, Any]) -> MediaPart | None:
    image = part.get("image_url")
    if not isinstance(image, dict) or not isinstance(image.get("url"), str):
        return None
    extras = _rest(part, "type", "image_url") + _rest(image, "url", "detail")
    return MediaPart("image", url=image["url"], detail=_detail(image), extras=extras)


def _read_chat_audio(part: dict[str, Any]) -> MediaPart | None:
    audio = part.get("input_audio")
    if not isinstance(audio, dict) or not isinstance(audio.get("data"), str):
        return None
    extras = _rest(part, "type", "input_audio") + _rest(audio, "data", "format")
    return MediaPart("audio", data=audio["data"], subtype=_text(audio, "format"), extras=extras)


def _read_chat_file(part: dict[str, Any]) -> MediaPart | None:
    file = part.get("file")
    if not isinstance(file, dict):
        return None
    extras = _rest(part, "type", "file") + _rest(file, "file_id", "file_data", "filename")
    return _file(file, None, extras)


def _read_responses_image(part: dict[str, Any]) -> MediaPart | None:
    url, file_id = _text(part, "image_url"), _text(part, "file_id")
    if url is None and file_id is None:
        return None
    extras = _rest(part, "type", "image_url", "file_id", "detail")
    return MediaPart("image", url=url, file_id=file_id, detail=_detail(part), extras=extras)


def _read_responses_file(part: dict[str, Any]) -> MediaPart | None:
    extras = _rest(part, "type", "file_url", "file_id", "file_data", "filename")
    return _file(part, _text(part, "file_url"), extras)


def _file(found: dict[str, Any], url: str | None, extras: tuple[str, ...]) -> MediaPart | None:
    file_id, data = _text(found, "file_id"), _text(found, "file_data")
    if url is None and file_id is None and data is None:
        return None
    filename = _text(found, "filename")
    if data is not None and filename in _NO_NAMES:
        filename = None
    return MediaPart("file", url=url, file_id=file_id, data=data, filename=filename, extras=extras)


def _text(found: dict[str, Any], key: str) -> str | None:
    value = found.get(key)
    return value if isinstance(value, str) else None


def _detail(image: dict[str, Any]) -> str | None:
    said = _text(image, "detail")
    return None if said == DETAIL_IF_UNSAID else said


def _rest(found: dict[str, Any], *known: str) -> tuple[str, ...]:
    return tuple(key for key, value in found.items() if key not in known and value is not None)


def _said(**values: str | None) -> dict[str, str]:
    return {key: value for key, value in values.items() if value is not None}
