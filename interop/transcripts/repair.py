"""A whole transcript made fit for its provider: every call has its one result, where the provider wants it.

Trimming a long conversation cuts calls from their results; a program that is killed leaves calls without
any; a merge of two histories doubles both. A provider refuses the whole request for one of these. This is
a pass of its own, after trimming and before sending, for those who want it. It is no conversion, and it
looks at nothing but calls and results: whatever else stands in a transcript stays as it is.

Nothing is invented but what is true. A call whose result is missing is given one that says that no result is
known. What is left out is told, by code and with its value.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ...base.validation import a_type
from ..errors import ConversionError
from ..format_ids import (
    ANTHROPIC_MESSAGES,
    BEDROCK_CONVERSE,
    GEMINI,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    family_of,
)
from .block_messages import repair_blocks
from .chat_messages import repair_chat
from .dialects import ANTHROPIC, BEDROCK
from .dialects import GEMINI as GEMINI_BLOCKS
from .repair_report import NO_RESULT, Repaired
from .responses_items import repair_responses

if TYPE_CHECKING:
    from collections.abc import Callable

_WAYS: Final[dict[str, Callable[..., Repaired]]] = {
    OPENAI_CHAT: repair_chat,
    OPENAI_RESPONSES: repair_responses,
    ANTHROPIC_MESSAGES: partial(repair_blocks, dialect=ANTHROPIC),
    BEDROCK_CONVERSE: partial(repair_blocks, dialect=BEDROCK),
    GEMINI: partial(repair_blocks, dialect=GEMINI_BLOCKS),
}


def repair_transcript(
    transcript: list[Any],
    format: str,  # noqa: A002 - as elsewhere in the interop layer
    *,
    keep_pending: bool = False,
    continues: bool | None = None,
    no_result: str = NO_RESULT,
) -> Repaired:
    """Return a transcript whose calls and results its provider takes, and what was done to it.

    A valid transcript comes back as the same object; so does one that was repaired before. Nothing that
    is given is changed.

    Args:
        transcript: all messages, or items of the Responses API, in order.
        format: the family of the provider's wire, or one of its formats; ``anthropic``, ``bedrock`` and ``gemini`` are
            short for theirs.
        keep_pending: leave calls at the end alone that have no results yet, because they are about to run.
        continues: of the Responses API: the request goes on from what the server has, by ``previous_response_id``
            or in a ``conversation``, so that outputs may answer calls that are not there. Without it that is so if
            nothing in the items was said by the model, or if they refer to items.
        no_result: what a result says that had to be made up.

    Raises:
        ConversionError: the format has no transcripts, or what is given is no list.
    """
    if not isinstance(transcript, list):
        raise ConversionError(f"a transcript is a list of messages, and not {a_type(transcript)}")
    family = family_of(format, _WAYS)
    if family is None:
        raise ConversionError(f"there are no transcripts of {format!r}; there are of {', '.join(_WAYS)}")
    more = {"continues": continues} if family == OPENAI_RESPONSES else {}
    return _WAYS[family](transcript, no_result=no_result, keep_pending=keep_pending, **more)
