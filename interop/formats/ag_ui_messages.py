"""AG-UI, between an agent and its user's interface: messages, and the event that carries a result.

Declarations ``{name, description, parameters}`` are to the letter Amplifier's, and calls (``toolCalls`` of an assistant's
message) Chat's: they go by those ids. A result is a message of its own with an id of its own, answers by ``toolCallId``,
and has its failure beside what it says. In a stream it is the event ``TOOL_CALL_RESULT``.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from ..calls.arguments import leftovers
from ..conversion import HUB, ConversionContext, Converted, lost_extras
from ..errors import InvalidShapeError
from ..format_ids import AG_UI_TOOL
from ..hub import InspectedResult
from ..parts import MediaKind, MediaPart, ResultPart, TextPart, UnreadPart
from ..results.data_urls import data_url, inline_of, link_of
from ..results.text_fallback import answered_call, write_parts

_RESULT_EVENT: Final = "TOOL_CALL_RESULT"
_FAILED: Final = "the tool failed"
"""What an error says of which nothing else is known."""

_KINDS: Final[dict[str, MediaKind]] = {"image": "image", "audio": "audio", "document": "file"}
_TYPES: Final = {kind: stated for stated, kind in _KINDS.items()}


class AgUiResults:
    """Reads tool messages, and the events that become such."""

    format: ClassVar[str] = AG_UI_TOOL
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None, _RESULT_EVENT})

    def matches(self, value: dict[str, Any]) -> bool:
        """The id of a call in this protocol's spelling, and a message or an event of a tool."""
        tells = value.get("role") == "tool" or value.get("type") == _RESULT_EVENT
        return tells and "toolCallId" in value

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return what the tool returned, and after it why it failed, unless it says so itself. An event tells no failure."""
        call_id, error = value.get("toolCallId"), value.get("error")
        if not isinstance(error, str | None):
            raise InvalidShapeError(AG_UI_TOOL, "'error' must be a text")
        parts = _read(value.get("content"))
        texts = [part.text for part in parts if isinstance(part, TextPart)]
        if error and error not in {_FAILED, "\n".join(texts), *texts}:
            parts = (*(() if parts == (TextPart(""),) else parts), TextPart(error))
        extras = leftovers(value, ("type", "role", "toolCallId", "content", "error"))
        is_message = value.get("role") == "tool" and "type" not in value
        return InspectedResult(
            format=AG_UI_TOOL,
            call_id=call_id if isinstance(call_id, str) and call_id else None,
            parts=parts,
            is_error=bool(error) if is_message or error else None,
            extras={AG_UI_TOOL: extras} if extras else {},
        )


class ToAgUiResult:
    """Writes tool messages."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = AG_UI_TOOL

    def convert(self, value: InspectedResult, context: ConversionContext) -> Converted:
        """Return the result as a tool message, whose id follows from the call's."""
        call_id = answered_call(value)
        written, losses = write_parts(value, _write, flagged=True, keeps=())
        texts = [part["text"] for part in written if part["type"] == "text"]
        alone = len(written) == len(texts) == 1
        message: dict[str, Any] = {
            "id": f"{call_id}-result",
            "role": "tool",
            "toolCallId": call_id,
            "content": texts[0] if alone else written or "",
        }
        if value.is_error:
            message["error"] = "\n".join(texts) or _FAILED
        return Converted(message, losses + lost_extras(value.extras))


def _read(content: Any) -> tuple[ResultPart, ...]:
    if content is None:
        return ()
    if isinstance(content, str):
        return (TextPart(content),)
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        raise InvalidShapeError(AG_UI_TOOL, "the content must be a text or a list of parts")
    return tuple(_read_part(part) for part in content)


def _read_part(part: dict[str, Any]) -> ResultPart:
    stated = part.get("type")
    match part:
        case {"type": "text", "text": str(text)}:
            return TextPart(text, tuple(leftovers(part, ("type", "text"))))
        case {
            "type": "image" | "audio" | "document",
            "source": {"type": str(of), "value": str(said)} as source,
        }:
            extras = tuple(leftovers(part, ("type", "source")))
            kind = _KINDS[str(stated)]
            mime = source.get("mimeType")
            if of == "data" and isinstance(mime, str):
                return MediaPart(kind, url=data_url(mime, said), extras=extras)
            extras += tuple(leftovers(source, ("type", "value")))
            if of == "url":
                return MediaPart(kind, url=said, extras=extras)
            if of == "file":
                return MediaPart(kind, file_id=said, extras=extras)
    return UnreadPart(stated if isinstance(stated, str) else "part without a type")


def _write(part: ResultPart) -> dict[str, Any] | None:
    match part:
        case TextPart(text=text):
            return {"type": "text", "text": text}
        case MediaPart(kind=kind):
            inline, link = inline_of(part), link_of(part)
            if inline is not None:
                source = {"type": "data", "value": inline.data, "mimeType": inline.mime}
            elif link is not None:
                source = {"type": "url", "value": link}
            else:
                return None
            return {"type": _TYPES[kind], "source": source}
    return None
