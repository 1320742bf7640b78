"""Answers of MCP that are too large for one event, made small enough: what is cut off becomes resources. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from ..base.frozen import frozen
from ..hosts.mcp.result_bound import RESULTS, content_of, decoded_size, media_of, shrunk
from ..interop.exact_json import json_text

if TYPE_CHECKING:
    from collections.abc import Callable

    Measure = Callable[[Any], int]
    """Bytes of a value as JSON."""

Json = dict[str, Any]

MOST_NOTES: Final = 16
"""Blocks that are named one by one; of more of them the rest are one JSON text."""

_KEPT_KEYS: Final = ("content", "structuredContent", "isError", "resultType")
_OWN: Final = "callboard/"
_LEAST: Final = 1024
"""Bytes of a text or of a structure that are worth more than its absence."""

_QUANTUM: Final = 4
"""Characters of base64 that can be decoded apart."""

_AROUND: Final = 1024
"""Bytes around a part in the answer that has it, without its address."""


@frozen
class Event:
    """One message to a client over HTTP.

    Attributes:
        most: bytes that it may have.
        room: bytes that its answer may have.
        measure: bytes of a value in it.
    """

    most: int
    room: int
    measure: Measure


def text_pieces(text: str, room: int, measure: Measure) -> list[str]:
    """Return pieces that make up a text, each of at most ``room`` bytes as JSON; a character is never cut.

    Args:
        text: any text that UTF-8 can carry.
        room: at least 64.
        measure: of a text; longer for a longer one.
    """
    pieces: list[str] = []
    start = 0
    while start < len(text) or not pieces:
        piece = text[start : start + room]
        while (size := measure(piece)) > room:
            piece = piece[: max(len(piece) * room // size * 99 // 100, 1)]
        pieces.append(piece)
        start += len(piece)
    return pieces


def media_pieces(data: str, room: int) -> list[str]:
    """Return pieces of a base64 text, each of at most ``room`` characters, which can be decoded apart and put together then."""
    step = room // _QUANTUM * _QUANTUM
    return [data[start : start + step] for start in range(0, len(data), step)] or [""]


class _Parts:
    """What is cut off of one answer."""

    def __init__(self, address: str, event: Event) -> None:
        self._address = address
        self._event = event
        self._room = event.room - _AROUND - 2 * event.measure(address)
        self.kept: dict[str, Json] = {}
        self.size = 0
        self.notes: list[str] = []

    @property
    def reserve(self) -> int:
        """Bytes that all notes may need."""
        return MOST_NOTES * _LEAST + (MOST_NOTES + 4) * (2 * self._event.measure(self._address) + 256)

    def text(self, text: str, where: str, mime: str, first: int = 1) -> str:
        """Keep a text, from its part of this number on; returns where."""
        pieces = text_pieces(text, self._room, self._event.measure)
        return self._keep([{"mimeType": mime, "text": piece} for piece in pieces], where, first)

    def media(self, content: Json, where: str) -> str:
        """Keep media; returns where."""
        pieces = media_pieces(content["blob"], self._room)
        return self._keep([{"mimeType": content["mimeType"], "blob": piece} for piece in pieces], where, 1)

    def _keep(self, pieces: list[Json], where: str, first: int) -> str:
        uris = [f"{self._address}{where}/{number}" for number in range(first, first + len(pieces))]
        for uri, piece in zip(uris, pieces, strict=True):
            self.kept[uri] = {"uri": uri, **piece}
            self.size += len(piece.get("text") or piece.get("blob") or "")
        return f"resource {uris[0]}" if len(uris) == 1 else f"resources {uris[0]} to {uris[-1]}, in parts"


def bounded_result(result: Json, address: str, event: Event) -> tuple[Json, dict[str, Json], int]:
    """A result of ``tools/call`` that is too large, as one that is not; with the contents of resources that have the rest, and their size.

    Media come first, up to half of the room; then blocks in their order. The first text that does not fit is cut.

    Args:
        result: with any keys.
        address: what the addresses of the resources begin with.
        event: what the answer is held to.
    """
    parts = _Parts(address, event)
    result = _without_large_keys(result, parts, event)
    measure = event.measure
    blocks = blocks if isinstance(blocks := result.get("content"), list) else []
    structured = result.get("structuredContent")
    beside = {key: value for key, value in result.items() if key not in _KEPT_KEYS[:2]}
    left = event.room - measure(beside) - parts.reserve
    if structured is not None:
        wanted = measure(structured)
        mirrored, earlier = _is_mirrored(blocks, structured)
        room = max(left // 2, left - (wanted if mirrored else measure(blocks)))
        if wanted > room or (mirrored and measure(blocks) + wanted > left):
            where = parts.text(json_text(structured), "/structured", "application/json")
            parts.notes += _joined(f"structured content of {wanted:,} bytes", event, "whole", where, earlier)
            structured = _shrunk(structured, min(room, left // 2), measure, mirrored=mirrored)
            if mirrored and structured is not None:
                blocks = [{**blocks[0], "text": json_text(structured)}]
        left -= measure(structured)
    content = _blocks(blocks, left, parts, event)
    if parts.notes:
        content.append({"type": "text", "text": "\n".join(parts.notes)})
    made = {**result, "content": content}
    if structured is None:
        made.pop("structuredContent", None)
    else:
        made["structuredContent"] = structured
    return made, parts.kept, parts.size


def bounded_read(result: Json, address: str, event: Event) -> tuple[Json, dict[str, Json], int]:
    """As `bounded_result`, of ``resources/read``: of each content that is too large the first part, and behind it where the rest is."""
    parts = _Parts(address, event)
    contents = [each for each in result.get("contents") or () if isinstance(each, dict)][: 4 * MOST_NOTES]
    room = (event.room - parts.reserve - _AROUND) // max(len(contents), 1)
    found = []
    for number, content in enumerate(contents, 1):
        if event.measure(content) <= room:
            found.append(content)
            continue
        beside = {key: each for key, each in content.items() if key in ("uri", "mimeType")}
        left = max(room - event.measure(beside) - 64, _LEAST)
        mime = mime if isinstance(mime := content.get("mimeType"), str) else None
        where = f"/content/{number}"
        if isinstance(text := content.get("text"), str):
            first = text_pieces(text, left, event.measure)[0]
            size, rest = event.measure(text), text[len(first) :]
            told = parts.text(rest, where, mime or "text/plain", 2) if rest else ""
            found.append({**beside, "text": first})
        else:
            blob = blob if isinstance(blob := content.get("blob"), str) else ""
            first = media_pieces(blob, left)[0]
            size, rest = len(blob), blob[len(first) :]
            kind = mime or "application/octet-stream"
            told = parts.media({"mimeType": kind, "blob": rest}, f"{where}/rest") if rest else ""
            found.append({**beside, "blob": first})
        if told:
            uri = str(content.get("uri"))
            parts.notes.append(f"[Cut: {uri:.200} of {size:,} bytes {_why(event)}. The rest: {told}]")
    if parts.notes:
        note = {"uri": address, "mimeType": "text/plain", "text": "\n".join(parts.notes[:MOST_NOTES])}
        found.append(note)
    return {**result, "contents": found}, parts.kept, parts.size


def _why(event: Event) -> str:
    return f"is more than one message over HTTP may have ({event.most:,}; '--max-event' sets it)"


def _without_large_keys(result: Json, parts: _Parts, event: Event) -> Json:
    """Leave out ``_meta`` of others and unknown keys where they take more than a quarter."""
    others = {key: value for key, value in result.items() if key not in _KEPT_KEYS}
    size = event.measure(others)
    if size <= event.room // 4:
        return result
    where = parts.text(json_text(others), "/beside", "application/json")
    parts.notes.append(
        f"[Left out: what stands beside the content, {size:,} bytes, which {_why(event)}: {where}]"
    )
    kept = {key: value for key, value in result.items() if key in _KEPT_KEYS}
    meta = others.get("_meta")
    if isinstance(meta, dict) and (own := {key: each for key, each in meta.items() if key.startswith(_OWN)}):
        kept["_meta"] = own
    return kept


def _is_mirrored(blocks: list[Any], structured: Any) -> tuple[bool, list[str]]:
    """Whether the content is the structured content as text, as servers are to say it; and the notes behind that text."""
    if (
        len(blocks) != 1
        or not isinstance(blocks[0], dict)
        or not isinstance(text := blocks[0].get("text"), str)
    ):
        return False, []
    text, notes = _notes_apart(text)
    try:
        return (True, notes) if json.loads(text) == structured else (False, [])
    except (ValueError, RecursionError):
        return False, []


def _shrunk(value: Any, room: int, measure: Measure, *, mirrored: bool) -> Any:
    """A value of this shape within the room, as JSON or as a text of JSON; ``None`` if its shape alone is larger."""
    target = room
    while target >= _LEAST:
        smaller = shrunk(value, target)
        if (size := measure(json_text(smaller) if mirrored else smaller)) <= room:
            return smaller
        target = min(target * room // size, target) * 9 // 10
    return None


def _blocks(blocks: list[Any], room: int, parts: _Parts, event: Event) -> list[Any]:
    """The blocks that fit; of the first text that does not its beginning."""
    measure = event.measure
    sizes = [measure(each) + 1 for each in blocks]
    media = [index for index, each in enumerate(blocks) if media_of(each) is not None]
    others = sum(sizes) - sum(sizes[index] for index in media)
    left = room - min(others, room // 2)
    kept: dict[int, Any] = {}
    for index in sorted(media, key=sizes.__getitem__):
        if sizes[index] <= left:
            kept[index] = blocks[index]
            left -= sizes[index]
    left = room - sum(sizes[index] for index in kept)
    unnamed: list[Any] = []
    is_full = False
    for index, block in enumerate(blocks):
        if index in kept:
            continue
        data = media_of(block)
        if data is not None and len(parts.notes) < MOST_NOTES:
            where = parts.media(content_of("", block), f"/block/{index + 1}")
            kind = f"{block.get('type')!s:.40} of {decoded_size(data):,} bytes"
            parts.notes.append(f"[Left out: {kind}, as base64, {_why(event)}. It is the {where}]")
        elif data is None and not is_full and sizes[index] <= left:
            kept[index] = block
            left -= sizes[index]
        elif data is None and not is_full and _text_of(block) is not None and left > _LEAST:
            kept[index], is_full = _cut(block, left, index, parts, event), True
        else:
            is_full = is_full or data is None
            unnamed.append(block)
    if unnamed:
        where = parts.text(json_text(unnamed), "/blocks", "application/json")
        parts.notes.append(f"[Left out: {len(unnamed):,} blocks. As a JSON list: {where}]")
    return [kept[index] for index in sorted(kept)]


def _text_of(block: Any) -> str | None:
    text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
    return text if isinstance(text, str) else None


def _cut(block: Json, left: int, index: int, parts: _Parts, event: Event) -> Json:
    """The beginning of a block of text; the rest is kept."""
    text, notes = _notes_apart(str(_text_of(block)))
    beside = {key: each for key, each in block.items() if key != "text"}
    if event.measure(beside) > left // 2:
        beside = {"type": "text"}
    first = text_pieces(text, left - event.measure(beside) - 16, event.measure)[0]
    if rest := text[len(first) :]:
        where = parts.text(rest, f"/block/{index + 1}", "text/plain", 2)
        notes = _joined(f"{event.measure(text):,} bytes of text", event, "rest", where, notes)
    parts.notes += notes
    return {**beside, "text": first}


def _notes_apart(text: str) -> tuple[str, list[str]]:
    """A text without what says at its end that it was cut before, and where the rest is; and those notes."""
    found: list[str] = []
    while len(found) < MOST_NOTES:
        before, _, line = text.rpartition("\n")
        if not line.startswith(("[Cut: ", "[Left out: ")) or RESULTS not in line or len(line) > _LEAST:
            break
        text = before
        found.insert(0, line)
    return text, found


def _joined(what: str, event: Event, part: str, where: str, earlier: list[str]) -> list[str]:
    """The notes of a cut: of one that was cut before, its note says this too.

    Args:
        what: is cut.
        event: that it is too large for.
        part: the ``rest`` of it, or the ``whole``, is kept.
        where: it is kept.
        earlier: the notes of it.
    """
    for number, note in enumerate(earlier):
        for kept, between in (("rest", ", then "), ("whole", "; what was left: ")):
            head, found, before = note.removesuffix("]").partition(f". The {kept}: ")
            if found and note.startswith("[Cut: "):
                pair = (where, before) if kept == "rest" else (before, where)
                said = f"{head}, and what was left {_why(event)}{found}{between.join(pair)}]"
                return [*earlier[:number], said, *earlier[number + 1 :]]
    return [f"[Cut: {what} {_why(event)}. The {part}: {where}]", *earlier]
