"""Result parts in a format that cannot carry them all: a note for the model instead of silence.

Whatever a format has no form for is counted and named in one line of text, so that the model knows
that something was there. A failure is told by a fixed first line where the format has no flag for it;
a text that begins with that line already is not marked twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..conversion import Loss, LossCode, merged
from ..errors import ConversionError
from ..exact_json import json_text
from ..format_ids import belongs_to
from ..parts import JsonPart, MediaPart, ResultPart, TextPart
from .structured import lost_structure

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..hub import InspectedResult

    Write = Callable[[ResultPart], dict[str, Any] | None]

ERROR_LINE: Final = "[tool error]"
"""The first line of a failed tool's text, where the format has no error flag."""


def write_parts(
    result: InspectedResult,
    write: Write,
    *,
    flagged: bool = False,
    keeps: tuple[str, ...] = ("detail", "filename"),
) -> tuple[list[dict[str, Any]], tuple[Loss, ...]]:
    """Return the parts of a result in some format, and what was lost.

    Args:
        result: what to write.
        write: returns one part in the format, or ``None`` if the format has no form for it. It must
            have one for `TextPart`. JSON that it has no form for becomes its text.
        flagged: the format has an error flag, and failure need not be told in the text.
        keeps: which particulars of media it writes.
    """
    losses: list[Loss] = list(lost_structure(result))
    written: list[dict[str, Any]] = []
    missing: list[str] = []
    for part in _told(result, write, losses, flagged=flagged):
        item = write(part)
        if item is None:
            missing.append(part.kind if not isinstance(part, (TextPart, JsonPart)) else "text")
            losses.append(Loss(_code_of(part), missing[-1]))
            continue
        written.append(item)
        unsaid = _unsaid(part, keeps)
        if unsaid:
            losses.append(Loss(LossCode.EXTRAS, ", ".join(unsaid)))
    if missing:
        note = write(TextPart(_note(missing)))
        assert note is not None
        written.append(note)
    return written, merged(losses)


def native_content(
    result: InspectedResult, family: str, *, flagged: bool = False
) -> tuple[Any, tuple[Loss, ...]] | None:
    """Return the content that a tool wrote for just this provider, and what was lost; ``None`` if none.

    ``flagged`` says that the format has an error flag beside the content.
    """
    if result.native is None or not belongs_to(result.native.format, family):
        return None
    if flagged or result.is_error is None:
        return result.native.content, ()
    return result.native.content, (Loss(LossCode.ERROR_FLAG, "native content has no error flag"),)


def answered_call(result: InspectedResult) -> str:
    """Return the id of the call that a result answers.

    Raises:
        ConversionError: it does not say.
    """
    if result.call_id is None:
        raise ConversionError("it does not say which call it answers: give the call, or a core tool message")
    return result.call_id


def as_text(result: InspectedResult) -> tuple[str, tuple[Loss, ...]]:
    """Return a result as one text, and what was lost."""
    written, losses = write_parts(result, _text_only)
    texts = [item["text"] for item in written]
    if len(texts) > 1:
        losses += (Loss(LossCode.BOUNDARIES, f"{len(texts)} texts became one"),)
    return "\n".join(texts), losses


def _unsaid(part: ResultPart, keeps: tuple[str, ...]) -> list[str]:
    if isinstance(part, TextPart):
        return list(part.extras)
    if not isinstance(part, MediaPart):
        return []
    particulars = [name for name in ("detail", "filename") if getattr(part, name) is not None]
    return [*part.extras, *(name for name in particulars if name not in keeps)]


def _text_only(part: ResultPart) -> dict[str, Any] | None:
    return {"text": part.text} if isinstance(part, TextPart) else None


def _told(result: InspectedResult, write: Write, losses: list[Loss], *, flagged: bool) -> list[ResultPart]:
    parts: list[ResultPart] = []
    for part in result.parts:
        if isinstance(part, JsonPart) and write(part) is None:
            losses.append(Loss(LossCode.STRUCTURE, "JSON became its text"))
            parts.append(TextPart(json_text(part.value)))
        else:
            parts.append(part)
    if flagged:
        return parts
    if result.is_error:
        losses.append(Loss(LossCode.ERROR_FLAG, f"told by the line {ERROR_LINE!r}"))
        first = parts[0] if parts else None
        if not isinstance(first, TextPart):
            parts.insert(0, TextPart(ERROR_LINE))
        elif first.text != ERROR_LINE and not first.text.startswith(ERROR_LINE + "\n"):
            told = ERROR_LINE if not first.text and len(parts) == 1 else f"{ERROR_LINE}\n{first.text}"
            parts[0] = TextPart(told, first.extras)
    elif result.is_error is not None:
        losses.append(Loss(LossCode.ERROR_FLAG, "success is no longer said"))
    return parts


def _code_of(part: ResultPart) -> LossCode:
    return LossCode.MEDIA if isinstance(part, MediaPart) else LossCode.UNREAD


def _note(missing: list[str]) -> str:
    noun = "part" if len(missing) == 1 else "parts"
    return f"[{len(missing)} {noun} not representable: {', '.join(dict.fromkeys(missing))}]"
