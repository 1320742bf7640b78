"""What people attach to messages, as one provider is told it. Pure: what has to be looked up gets a place instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...interop.attachment_blocks import SENDS, own_block, write_block
from ...interop.parts import MediaPart, TextPart
from ...interop.results.data_urls import inline_of
from ..attachments import UnsendableError, is_compact, read, source_of
from ..errors import AttachmentError
from .wire import Block

if TYPE_CHECKING:
    from ...interop.parts import ResultPart
    from .wire import Part

Json = dict[str, Any]

PLACE_OF_ATTACHMENT: Final = "attachment"
"""The type of a block that stands for what is looked up when the request is made; no API has such a block."""


def part_of(kept: Any, where: str, family: str, *, provider: str) -> Part:
    """Return one thing that is said or attached; the place of it, if it is compact.

    Args:
        kept: as the message keeps it.
        where: it is in the history, for errors.
        family: of the API.
        provider: its name, for errors.

    Raises:
        AttachmentError: it is in no known shape, or the API has no block for it.
    """
    if is_compact(kept):
        return place_of(kept, where)
    own = own_block(kept, family) if isinstance(kept, dict) and source_of(kept) is None else None
    try:
        part = read(kept)
    except UnsendableError as error:
        if own is not None and error.unread:
            return Block(own)
        raise AttachmentError(where, str(error), provider=provider) from error
    if isinstance(part, TextPart) and (own is None or not part.extras):
        return part
    return Block(own or written(part, where, family, provider=provider))


def written(part: ResultPart, where: str, family: str, *, provider: str) -> Json:
    """Return the block of a part. Raises `AttachmentError`: the API has none for it."""
    block = write_block(part, family)
    if block is None:
        raise AttachmentError(where, _unwritable(part), provider=provider, could_send=SENDS[family])
    return block


def place_of(kept: Any, where: str, *, told: bool = False) -> Block:
    """Return what stands for an attachment until the request is made.

    Args:
        kept: the attachment, as the message keeps it.
        where: it is in the history, for errors.
        told: what is wrong with it is told to the model, and is no error.
    """
    return Block({"type": PLACE_OF_ATTACHMENT, "attachment": kept, "where": where, "told": told})


def _unwritable(part: ResultPart) -> str:
    if not isinstance(part, MediaPart):
        return f"is {getattr(part, 'kind', 'JSON')!r:.60}, which its API does not know"
    inline = inline_of(part)
    if inline is not None:
        return f"is {inline.mime:.60}, by value, for which its API has no block"
    how = "by file_id" if part.file_id else "by address"
    return f"is of the kind {part.kind!r}, {how}, for which its API has no block"
