"""Results of at most so many bytes: what is beyond that is cut off, and kept here to be read part by part, as resources. No I/O."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote

from ...base.json import dump_json
from ...base.locks import Lock
from ..protocol.wire import Response

if TYPE_CHECKING:
    from ..protocol.wire import Message

Json = dict[str, Any]

RESULTS: Final = "callboard://results/"
"""What the address of each begins with; the plugin's name and 128 random bits follow, and then the part. Who knows one may read it."""

_RANDOM: Final = 16
"""Bytes."""

DEFAULT_LIMIT: Final = 1024 * 1024
"""Bytes of a result. Clients over HTTP refuse a single message beyond a megabyte, and no model reads as much."""

MOST_MEDIA: Final = 10 * 1024 * 1024
"""Bytes, decoded, of an image, audio or blob that is passed on whole, whatever else is in the result."""

MOST_RESULTS: Final = 16
MOST_BYTES: Final = 64 * 1024 * 1024
"""What is kept of a server's results; the oldest go first, and the newest stays however large it is."""

_CUT: Final = " [cut]"
_WIDEST: Final = 4
"""Bytes of a character, at most."""

_WORTHWHILE: Final = 256
"""Bytes of an item of a list that are worth more than its absence."""

_BESIDE_MEDIA: Final = 4096
"""Bytes that a block with media may have beside them, and be passed on."""

_TEXT, _JSON = "text/plain", "application/json"


class KeptParts:
    """What was cut off of results, by addresses that cannot be guessed. From any thread.

    Args:
        most: results of which it is kept.
    """

    def __init__(self, most: int = MOST_RESULTS) -> None:
        self._most = most
        self._kept: OrderedDict[str, dict[str, Json]] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._lock = Lock()

    def address(self, name: str) -> str:
        """A new address for what is cut off of one result of a plugin."""
        return f"{RESULTS}{quote(name, safe='')}/{secrets.token_hex(_RANDOM)}"

    def keep(self, address: str, parts: dict[str, Json], size: int) -> None:
        """Keep these contents of resources, by their addresses; ``size`` is what they count, in bytes."""
        with self._lock:
            self._kept[address] = parts
            self._sizes[address] = size
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        while len(self._kept) > self._most or (
            len(self._kept) > 1 and sum(self._sizes.values()) > MOST_BYTES
        ):
            del self._sizes[self._kept.popitem(last=False)[0]]

    def resources(self) -> list[Json]:
        """What can be read, as a server says its resources."""
        with self._lock:
            parts = [part for of_one in self._kept.values() for part in of_one.values()]
        return [
            {"uri": part["uri"], "name": part["uri"].partition("://")[2], "mimeType": part["mimeType"]}
            for part in parts
        ]

    def read(self, uri: str) -> Json | None:
        """What is there, as a server answers; ``None`` if it is not kept, or no more."""
        with self._lock:
            found = next((parts[uri] for parts in self._kept.values() if uri in parts), None)
        return None if found is None else {"contents": [found]}


class KeptResults(KeptParts):
    """What was cut off of one server's results. From any thread.

    Args:
        name: the plugin's, for the addresses.
        limit: the most bytes of a result, without images, audio and blobs of up to `MOST_MEDIA` each, which are passed on.

    Attributes:
        limit: as given.
    """

    def __init__(self, name: str, limit: int = DEFAULT_LIMIT) -> None:
        super().__init__()
        self.limit = limit
        self._name = name

    def passes(self, result: Any, size: int) -> bool:
        """Whether an answer of so many bytes with this result of MCP needs no cut."""
        return size <= self.limit or size - _media_in(result) <= self.limit

    def bounded(self, message: Message, size: int) -> Message:
        """An answer as it is if its result is small enough, else what is left of it.

        Args:
            message: the answer.
            size: bytes that it came in; if that is within the limit, nothing is looked at.
        """
        if size <= self.limit or not isinstance(message, Response) or not isinstance(message.value, dict):
            return message
        cut = _Cut(message.value, self.limit)
        if not cut.is_needed:
            return message
        address = self.address(self._name)
        result, parts = cut.made(address)
        self.keep(address, parts, cut.size)
        return message._replace(value=result)


def _media_in(result: Any) -> int:
    """Characters of the media in a result that are passed on."""
    blocks = result.get("content") if isinstance(result, dict) else None
    if not isinstance(blocks, list):
        return 0
    return sum(len(data) for data in map(media_of, blocks) if data is not None and _is_passed_on(data))


def media_of(block: Any) -> str | None:
    """The base64 text of an image, audio or embedded blob; ``None`` of any other block."""
    if not isinstance(block, dict):
        return None
    match block.get("type"):
        case "image" | "audio":
            data = block.get("data")
        case "resource":
            data = inner.get("blob") if isinstance(inner := block.get("resource"), dict) else None
        case _:
            return None
    return data if isinstance(data, str) else None


def decoded_size(data: str) -> int:
    """Bytes of what a base64 text stands for."""
    return len(data) * 3 // 4 - data.endswith("=") - data.endswith("==")


def _is_passed_on(data: str) -> bool:
    return decoded_size(data) <= MOST_MEDIA


def cut_from(uri: str) -> str | None:
    """The plugin from a result of which this address, if it is one of ours, has what was cut off."""
    return unquote(uri.removeprefix(RESULTS).partition("/")[0]) if uri.startswith(RESULTS) else None


class _Cut:
    """A result of a tool, to be made smaller."""

    def __init__(self, result: Json, limit: int) -> None:
        self._result = result
        self._limit = limit
        self._key = "result" if result.get("success") else "error"
        told = result.get(self._key)
        self._is_text = told is None or isinstance(told, str)
        self._text = (told or "").encode("utf-8", "surrogatepass") if self._is_text else dump_json(told)
        blocks = result.get("content", [])
        self._blocks = [block for block in blocks if block.get("type") != "text"]
        self._block_sizes = list(map(_counted, self._blocks))
        self.size = len(self._text) + sum(self._block_sizes)

    @property
    def is_needed(self) -> bool:
        return self.size > self._limit

    def made(self, address: str) -> tuple[Json, dict[str, Json]]:
        """What is left, and what was cut off by its address."""
        pages = _pages(self._text, self._limit)
        parts: dict[str, Json] = {}
        # Of a value that is cut in many places, all parts make up the whole; of a text, those behind the first.
        first = 2 if self._is_text else 1
        if len(pages) > 1:
            for number, page in enumerate(pages[first - 1 :], first):
                uri = f"{address}/{number}"
                parts[uri] = {"uri": uri, "mimeType": _TEXT if self._is_text else _JSON, "text": _read(page)}
        notes = self._notes(list(parts))
        left = self._limit - len(pages[0])
        kept = []
        for number, (block, size) in enumerate(zip(self._blocks, self._block_sizes, strict=True), 1):
            if size <= left:
                left -= size
                kept.append(block)
                continue
            uri = f"{address}/block/{number}"
            parts[uri] = content_of(uri, block)
            notes.append(f"[Left out: {block.get('type')!s:.40} of {size:,} bytes. It is the resource {uri}]")
        if self._is_text:
            text = "\n".join(filter(None, [_read(pages[0]), *notes]))
            result = {**self._result, self._key: text}
        else:  # of the shape that its tool may have declared: clients hold it to that
            value = self._result[self._key]
            value = shrunk(value, self._limit) if len(pages) > 1 else value
            text = "\n".join([dump_json(value).decode(), *notes])
            result = {**self._result, self._key: value}
        if "content" in result or not self._is_text:
            result["content"] = [{"type": "text", "text": text}, *kept]
        return result, parts

    def _notes(self, uris: list[str]) -> list[str]:
        if not uris:
            return []
        where = uris[0] if len(uris) == 1 else f"{uris[0]} to {uris[-1]}"
        whole = "The rest" if self._is_text else "The whole"
        return [f"[Cut: {len(self._text):,} bytes are more than {self._limit:,}. {whole}: resource {where}]"]


def _counted(block: Json) -> int:
    """Bytes of a block that count; none of one that is passed on."""
    size, data = len(dump_json(block)), media_of(block)
    beside = size if data is None or not _is_passed_on(data) else size - len(data)
    return 0 if beside <= _BESIDE_MEDIA and beside < size else size


def shrunk(value: Any, room: int) -> Any:
    """A value of about so many bytes at most, of the same shape: texts and lists lose their ends, and objects no key.

    What is neither, and the keys, is never cut, so that there may be more.
    """
    if len(dump_json(value)) <= room:
        return value
    if isinstance(value, str):
        return (
            _read(_pages(value.encode("utf-8", "surrogatepass"), max(room - len(_CUT) - 2, _WIDEST))[0])
            + _CUT
        )
    if isinstance(value, dict):
        return _of_object(value, room)
    if isinstance(value, list):
        kept: list[Any] = []
        room -= 2
        for item in value:
            size = len(dump_json(item)) + 1
            if size > room:
                return [*kept, shrunk(item, room)] if room > _WORTHWHILE or not kept else kept
            kept.append(item)
            room -= size
        return kept
    return value


def _of_object(value: Json, room: int) -> Json:
    sizes = {key: len(dump_json(each)) for key, each in value.items()}
    room -= 2 + sum(len(key) + 4 for key in value)
    found, waiting = {}, len(value)
    for key in sorted(sizes, key=sizes.__getitem__):  # the small ones leave their share to the large ones
        found[key] = shrunk(value[key], max(room // waiting, 1))
        room -= min(sizes[key], max(room // waiting, 1))
        waiting -= 1
    return {key: found[key] for key in value}


def content_of(uri: str, block: Json) -> Json:
    """A block as what a resource of this address holds: media as a blob, any other as JSON."""
    data, inner = media_of(block), block.get("resource")
    if data is not None:
        mime = (inner if isinstance(inner, dict) else block).get("mimeType")
        return {
            "uri": uri,
            "mimeType": mime if isinstance(mime, str) else "application/octet-stream",
            "blob": data,
        }
    return {"uri": uri, "mimeType": _JSON, "text": dump_json(block).decode()}


def _pages(text: bytes, limit: int) -> list[bytes]:
    """Pieces of at most so many bytes, four or more, none of which begins within a character."""
    pages, start = [], 0
    while len(text) - start > limit:
        end = start + limit
        while end > start + 1 and text[end] & 0xC0 == 0x80:  # noqa: PLR2004 - what follows the first byte of a character
            end -= 1
        pages.append(text[start:end])
        start = end
    return [*pages, text[start:]]


def _read(page: bytes) -> str:
    return page.decode("utf-8", "surrogatepass")
