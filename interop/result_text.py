"""Result parts in a format that cannot carry them all: a note for the model instead of silence.

Whatever a format has no form for is counted and named in one line of text, so that the model knows
that something was there. A failure is told by a fixed first line where the format has no flag for it;
a text that begins with that line already is not marked twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .conversion import Loss, LossCode, merged
from .format_ids import belongs_to
from .json_copy import json_text
from .parts import JsonPart, MediaPart, ResultPart, TextPart

if TYPE_CHECKING:
    from collections.abc import Callable

    from .hub import InspectedResult

    Write = Callable[[ResultPart], dict[str, Any] | None]

ERROR_LINE: Final = "[tool error]"
"""The first line of a failed tool's text, where the format has no error flag."""


def write_parts(result: InspectedResult, write: Write) -> tuple[list[dict[str, Any]], tuple[Loss, ...]]:
    """Return the parts of a result in a format without an error flag, and what was lost.

    Args:
        result: what to write.
        write: returns one part in the format, or ``None`` if the format has no form for it. It must
            have one for `TextPart`.
    """
    losses: list[Loss] = []
    written: list[dict[str, Any]] = []
    missing: list[str] = []
    for part in _told(result, losses):
        item = write(part)
        if item is not None:
            written.append(item)
        else:
            missing.append(part.kind if not isinstance(part, (TextPart, JsonPart)) else "text")
            losses.append(Loss(_code_of(part), missing[-1]))
        if isinstance(part, (TextPart, MediaPart)) and part.extras:
            losses.append(Loss(LossCode.EXTRAS, ", ".join(part.extras)))
    if missing:
        note = write(TextPart(_note(missing)))
        assert note is not None
        written.append(note)
    return written, merged(losses)


def native_content(result: InspectedResult, family: str) -> tuple[Any, tuple[Loss, ...]] | None:
    """Return the content that a tool wrote for just this provider, and what was lost; ``None`` if none."""
    if result.native is None or not belongs_to(result.native.format, family):
        return None
    flag = () if result.is_error is None else (Loss(LossCode.ERROR_FLAG, "native content has no error flag"),)
    return result.native.content, flag


def as_text(result: InspectedResult) -> tuple[str, tuple[Loss, ...]]:
    """Return a result as one text, and what was lost."""
    written, losses = write_parts(result, _text_only)
    texts = [item["text"] for item in written]
    if len(texts) > 1:
        losses += (Loss(LossCode.BOUNDARIES, f"{len(texts)} texts became one"),)
    return "\n".join(texts), losses


def _text_only(part: ResultPart) -> dict[str, Any] | None:
    return {"text": part.text} if isinstance(part, TextPart) else None


def _told(result: InspectedResult, losses: list[Loss]) -> list[ResultPart]:
    parts: list[ResultPart] = []
    for part in result.parts:
        if isinstance(part, JsonPart):
            losses.append(Loss(LossCode.STRUCTURE, "JSON became its text"))
            parts.append(TextPart(json_text(part.value)))
        else:
            parts.append(part)
    if result.is_error:
        losses.append(Loss(LossCode.ERROR_FLAG, f"told by the line {ERROR_LINE!r}"))
        first = parts[0] if parts else None
        if not isinstance(first, TextPart):
            parts.insert(0, TextPart(ERROR_LINE))
        elif first.text != ERROR_LINE and not first.text.startswith(ERROR_LINE + "\n"):
            parts[0] = TextPart(f"{ERROR_LINE}\n{first.text}", first.extras)
    elif result.is_error is not None:
        losses.append(Loss(LossCode.ERROR_FLAG, "success is no longer said"))
    return parts


def _code_of(part: ResultPart) -> LossCode:
    return LossCode.MEDIA if isinstance(part, MediaPart) else LossCode.UNREAD


def _note(missing: list[str]) -> str:
    noun = "part" if len(missing) == 1 else "parts"
    return f"[{len(missing)} {noun} not representable: {', '.join(dict.fromkeys(missing))}]"
