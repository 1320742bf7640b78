"""What paths and references of messages lead to: files of this machine, and the application's store.

The store is ``session_asset_store`` of the request's context. Whatever has ``get(reference)`` is one, a dict too. It
answers with bytes, or with any shape of `attachments.py` but a reference, and ``None`` for what it does not know.

Only regular files are read, and none of more than `MAX_ATTACHMENT_BYTES`; the size is known before they are.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Awaitable
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ..base.foreign import blames
from ..interop.limits import MAX_ATTACHMENT_BYTES
from ..plugins.results.failures import describe
from .attachments import UnsendableError, as_json, hinted, of_bytes, read, shown, source_of, too_large

if TYPE_CHECKING:
    from ..interop.parts import ResultPart

Json = dict[str, Any]


def expanded(kept: Any, store: Any) -> ResultPart:
    """Look up what is compact, and read it. It blocks: a file is read, and the store is asked.

    Args:
        kept: what the message has.
        store: the application's; ``None`` if there is none.

    Raises:
        UnsendableError: there is no such file or reference, or what it leads to cannot be sent.
    """
    match source_of(kept):
        case "path":
            return of_bytes(_read_file(kept["path"]), {"name": PurePath(str(kept["path"])).name, **kept})
        case "ref":
            return _of_store(hinted(kept, "ref"), store)
    return read(kept)


def _of_store(kept: Json, store: Any) -> ResultPart:
    reference = kept["ref"]
    if store is None:
        raise UnsendableError(
            f"refers to {shown(reference)}, and the context has no session_asset_store to look it up in"
        )
    try:
        found = store.get(reference)
    except LookupError:
        found = None
    except BaseException as error:  # the store is the program's
        if not blames(error):
            raise
        raise UnsendableError(
            f"refers to {shown(reference)}; asking the session_asset_store raised {describe(error)}"
        ) from error
    if found is None:
        raise UnsendableError(f"refers to {shown(reference)}, which the session_asset_store does not know")
    if isinstance(found, Awaitable):
        if hasattr(found, "close"):
            found.close()  # a coroutine that is dropped unclosed warns
        raise UnsendableError(
            f"refers to {shown(reference)}; the session_asset_store has to answer at once, and its get is asynchronous"
        )
    try:
        return _of_answer(found, kept)
    except UnsendableError as error:
        raise UnsendableError(
            f"refers to {shown(reference)}, and what the session_asset_store has for it {error}"
        ) from error


def _of_answer(found: Any, kept: Json) -> ResultPart:
    reference = kept["ref"]
    hints = {key: kept[key] for key in ("media_type", "name", "kind", "detail") if kept.get(key) is not None}
    if isinstance(found, bytes | bytearray | memoryview):
        if len(found) > MAX_ATTACHMENT_BYTES:
            raise UnsendableError(too_large(len(found)))
        return of_bytes(bytes(found), {**_named(reference), **hints})
    answer = as_json(found)
    if isinstance(answer, dict) and source_of(answer) is not None:
        answer = {**_named(reference), **answer, **hints}
    if source_of(answer) == "ref":
        raise UnsendableError("is a reference once more")
    return expanded(answer, None)


def _named(reference: Any) -> Json:
    """The reference as a name that may tell the type of what has no other."""
    return {"name": reference} if isinstance(reference, str) and "." in reference else {}


def _read_file(path: Any) -> bytes:
    """Read a regular file; what is none is not waited for, and what is too large is not read."""
    if not isinstance(path, str) or not path:
        raise UnsendableError(f"has {shown(path)} for its path")
    try:
        with open(path, "rb", opener=_at_once) as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise UnsendableError(f"is {shown(path)}, which is no regular file")
            if about.st_size > MAX_ATTACHMENT_BYTES:
                raise UnsendableError(too_large(about.st_size))
            content = file.read(MAX_ATTACHMENT_BYTES + 1)
    except (OSError, ValueError) as error:
        raise UnsendableError(f"is {shown(path)}, which cannot be read: {describe(error)}") from error
    if len(content) > MAX_ATTACHMENT_BYTES:  # it has grown since, or is of no size that anybody tells
        raise UnsendableError(too_large(len(content)))
    return content


def _at_once(path: str, flags: int) -> int:
    """Open without waiting: a pipe without a writer would hold up the request."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
