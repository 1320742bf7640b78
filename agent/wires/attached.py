"""What is attached to messages, put into the body of a request.

A history is written before it is known what is in a file or in the store: a block of the type ``attachment`` stands
there until the request is made. What cannot be sent of a user's message is an `AttachmentError`. What a tool
refers to in its result is told to the model in words instead, since the history can never be sent otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.foreign import Log
from ...interop.attachment_blocks import SENDS
from ...interop.parts import TextPart
from ..attached_files import expanded
from ..attachments import UnsendableError, as_json
from ..errors import AttachmentError
from .attached_parts import PLACE_OF_ATTACHMENT, part_of, written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Json = dict[str, Any]

logger: Log = Log("callboard.agent")


def with_attachments(
    native: Sequence[Any], family: str, *, provider: str, context: Mapping[str, Any] | None
) -> list[Any]:
    """Return native messages with what their attachments lead to. Blocks: files are read, and the store is asked.

    Args:
        native: of any of these APIs; they are not changed.
        family: of the API.
        provider: its name, for errors.
        context: of the request, with ``session_asset_store``.

    Raises:
        AttachmentError: something cannot be looked up, or not be sent.
    """
    store = (context or {}).get("session_asset_store")
    return [_filled(message, family, provider, store) for message in native]


def _filled(message: Any, family: str, provider: str, store: Any) -> Any:
    # The user's alone: the content of a tool message may be the tool's own, which must not look anything up by itself.
    said_by_user = isinstance(message, dict) and message.get("role") == "user"
    content = message.get("content") if said_by_user else None
    if not isinstance(content, list) or not any(map(_is_place, content)):
        return message
    blocks = [_block(each, family, provider, store) if _is_place(each) else each for each in content]
    return {**message, "content": blocks}


def _is_place(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == PLACE_OF_ATTACHMENT


def attachment_block(
    attachment: Any, family: str, *, provider: str = "", context: Mapping[str, Any] | None = None
) -> Json:
    """Return an attachment as a content block of an API, for a provider of one's own. Blocks, as `with_attachments`.

    Args:
        attachment: in any shape.
        family: the API: ``openai.chat_completions``, ``openai.responses``, ``anthropic.messages``,
            ``gemini.generate_content`` or ``bedrock.converse``, whose bytes are base64 here.
        provider: its name, for errors.
        context: of the request, with ``session_asset_store``.

    Raises:
        AttachmentError: it cannot be looked up, or not be sent.
        KeyError: no such API is known.
    """
    if family not in SENDS:
        raise KeyError(f"no API is called {family!r:.60}; there are {', '.join(SENDS)}")
    try:
        part = part_of(as_json(attachment), "$", family, provider=provider)
    except ValueError as error:
        raise AttachmentError("$", str(error), provider=provider) from error
    if isinstance(part, TextPart):
        return written(part, "$", family, provider=provider)
    store = (context or {}).get("session_asset_store")
    return _block(part.value, family, provider, store) if _is_place(part.value) else part.value


def _block(place: Json, family: str, provider: str, store: Any) -> Json:
    where = place["where"]
    try:
        try:
            return written(expanded(place["attachment"], store), where, family, provider=provider)
        except UnsendableError as error:
            raise AttachmentError(where, str(error), provider=provider) from error
    except AttachmentError as error:
        if not place["told"]:
            raise
        logger.warning("%s", error)
        return written(
            TextPart(f"(an attachment cannot be shown: it {error.problem})"), where, family, provider=provider
        )
