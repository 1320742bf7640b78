"""What a Gemini function response says: an object, and media beside it.

By convention the object has ``output`` or ``error``; with neither, all of it is the output. That is how
success and failure are told here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..conversion import Loss, LossCode
from ..errors import InvalidShapeError
from ..exact_json import exact_json
from ..names.gemini_spelling import wire_key, wire_keys
from ..parts import JsonPart, MediaPart, ResultPart, TextPart, UnreadPart
from ..results.data_urls import data_url, inline_of
from ..results.structured import with_structure
from ..results.text_fallback import write_parts

if TYPE_CHECKING:
    from ..hub import InspectedResult


def read_response(format_id: str, response: dict[str, Any]) -> tuple[tuple[ResultPart, ...], bool | None]:
    """Return the parts of a response, and whether it tells a failure.

    Raises:
        InvalidShapeError: ``response`` is no object, or ``parts`` no list of objects.
    """
    said, media = response.get("response"), response.get("parts")
    if not isinstance(said, dict | None):
        raise InvalidShapeError(format_id, "'response' must be an object")
    if not isinstance(media, list | None) or not all(isinstance(item, dict) for item in media or ()):
        raise InvalidShapeError(format_id, "'parts' must be a list of objects")
    told, failed = _read_object(said or {})
    if media and told == [JsonPart(None)]:
        told = []
    return (*told, *(read_media(item) for item in media or ())), failed


def write_response(
    result: InspectedResult,
) -> tuple[dict[str, Any], list[dict[str, Any]], tuple[Loss, ...]]:
    """Return the object that says a result, the media beside it, and what was lost."""
    written, losses = write_parts(with_structure(result), _write, flagged=True, keeps=())
    media = [item for item in written if "value" not in item]
    if written != sorted(written, key=lambda item: "value" not in item):
        losses += (Loss(LossCode.BOUNDARIES, "media follow what is said"),)
    values = [item["value"] for item in written if "value" in item]
    if len(values) > 1 and all(isinstance(value, str) for value in values):
        losses += (Loss(LossCode.BOUNDARIES, f"{len(values)} texts became one"),)
        values = ["\n".join(values)]
    elif len(values) > 1:
        losses += (Loss(LossCode.BOUNDARIES, f"{len(values)} parts became one list"),)
        values = [values]
    # Media that nothing is said about stand beside a null: a text, be it empty, would be one more part.
    value = values[0] if values else None if media else ""
    if result.is_error:
        return {"error": value}, media, losses
    return {"output": value}, media, losses


def _read_object(said: dict[str, Any]) -> tuple[list[ResultPart], bool | None]:
    parts: list[ResultPart] = []
    if "error" in said:
        there = [key for key in ("error", "output") if said.get(key) is not None]
        parts += [_part(said[key]) for key in there or ("error",)]
        return parts, True
    if "output" in said:
        rest = {key: item for key, item in said.items() if key != "output"}
        return [_part(said if rest else said["output"])], False
    return ([_part(said)] if said else []), None


def _part(value: Any) -> ResultPart:
    return TextPart(value) if isinstance(value, str) else JsonPart(exact_json(value, what="$.response"))


def read_media(item: dict[str, Any]) -> ResultPart:
    """Return the media of one part. A label of a file is its name; images and recordings have none, and lose it."""
    item = wire_keys(item)
    inline = item.get("inlineData")
    if isinstance(inline, dict):
        said = wire_keys(inline)
        mime, data, label = said.get("mimeType"), said.get("data"), said.get("displayName")
        if isinstance(mime, str) and isinstance(data, str):
            kind: Any = mime.split("/", 1)[0] if mime.startswith(("image/", "audio/")) else "file"
            named = kind == "file" and isinstance(label, str)
            known = {"mimeType", "data", *({"displayName"} if named else ())}
            extras = [key for key in item if key != "inlineData"]
            extras += [key for key in inline if inline[key] is not None and wire_key(key) not in known]
            name: Any = label if named else None
            return MediaPart(kind, url=data_url(mime, data), filename=name, extras=tuple(extras))
    if isinstance(item.get("fileData"), dict):
        return UnreadPart("file in a file store")
    return UnreadPart("media")


def _write(part: ResultPart) -> dict[str, Any] | None:
    match part:
        case TextPart(text=text):
            return {"value": text}
        case JsonPart(value=value) if not isinstance(value, str):
            return {"value": exact_json(value)}
        case MediaPart():
            inline = inline_of(part)
            if inline is not None:
                return {"inlineData": {"mimeType": inline.mime, "data": inline.data}}
    return None
