"""Which media type something has: what is said of it, else its name, else how it begins. Pure.

The tables are our own: those of a system differ from machine to machine.
"""

from __future__ import annotations

from typing import Final

_ENDINGS: Final = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "bmp": "image/bmp",
    "svg": "image/svg+xml",
    "heic": "image/heic",
    "mp3": "audio/mpeg",
    "wav": "audio/wav",
    "flac": "audio/flac",
    "ogg": "audio/ogg",
    "m4a": "audio/mp4",
    "pdf": "application/pdf",
    "txt": "text/plain",
    "log": "text/plain",
    "md": "text/markdown",
    "csv": "text/csv",
    "html": "text/html",
    "htm": "text/html",
    "xml": "application/xml",
    "json": "application/json",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

_BEGINNINGS: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"%PDF-", "application/pdf"),
    (b"fLaC", "audio/flac"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
)

_IN_RIFF: Final = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}

_ALIASES: Final = {
    "image/jpg": "image/jpeg",
    "audio/mp3": "audio/mpeg",
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/vnd.wave": "audio/wav",
    "application/x-yaml": "application/yaml",
}

_WRITTEN: Final = frozenset(
    {"application/json", "application/xml", "application/yaml", "application/x-ndjson", "image/svg+xml"}
)

SNIFFED: Final = 4096
"""Bytes of the beginning that are looked at."""


def media_type(said: str | None, name: str | None, begins: bytes = b"") -> str | None:
    """Return the media type, without parameters; ``None`` if nothing tells it.

    Args:
        said: what was said of it.
        name: a name, a path or an address.
        begins: its first bytes; nothing for what lies elsewhere.
    """
    if said:
        plain = said.partition(";")[0].strip().lower()
        return _ALIASES.get(plain, plain)
    ending = (name or "").partition("?")[0].partition("#")[0].rpartition(".")[2].lower()
    return _ENDINGS.get(ending) or _of_beginning(begins[:SNIFFED])


def is_text(mime: str) -> bool:
    """Say whether what has this type can be read as text."""
    return mime.startswith("text/") or mime in _WRITTEN


def _of_beginning(begins: bytes) -> str | None:
    if begins.startswith(b"RIFF"):
        return _IN_RIFF.get(begins[8:12])
    for magic, mime in _BEGINNINGS:
        if begins.startswith(magic):
            return mime
    if not begins or b"\0" in begins:
        return None
    try:
        begins.decode()
    except UnicodeDecodeError as error:  # a character may be cut at the end of what is looked at
        if error.start < len(begins) - 3:
            return None
    return "text/plain"
