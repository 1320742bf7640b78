"""Cohere's API, version 2: Chat's declarations and calls to the letter, and results that are documents.

Declarations and calls go by Chat's ids. A result is a tool message whose content is a text, then it is Chat's as well, or a
list of texts and documents: objects that the model can cite. The plan that the model tells beside its calls
(``tool_plan``) is a matter of the message.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..calls.arguments import leftovers, parse_arguments
from ..conversion import HUB, ConversionContext, Converted, lost_extras
from ..exact_json import exact_json
from ..format_ids import COHERE_TOOL
from ..hub import InspectedResult
from ..parts import JsonPart, ResultPart, TextPart, UnreadPart
from ..results.structured import with_structure
from ..results.text_fallback import answered_call, write_parts
from .openai_chat_function import has_documents, is_tool_message
from .openai_content import read_content, write_chat_text


class CohereToolMessages:
    """Reads tool messages with documents."""

    format: ClassVar[str] = COHERE_TOOL
    discriminators: ClassVar[frozenset[str | None] | None] = frozenset({None})

    def matches(self, value: dict[str, Any]) -> bool:
        """A tool's message, and a document in it."""
        return is_tool_message(value) and has_documents(value)

    def inspect(self, value: dict[str, Any]) -> InspectedResult:
        """Return what the model is told; the ids of documents, by which it cites them, are Cohere's alone."""
        call_id = value.get("tool_call_id")
        extras = leftovers(value, ("role", "tool_call_id", "content"))
        plain = read_content(COHERE_TOOL, value["content"])
        parts: list[ResultPart] = []
        for place, item in enumerate(value["content"]):
            if item.get("type") != "document":
                parts.append(plain[place])
                continue
            part, beside = _document(item)
            parts.append(part)
            if beside:
                extras.setdefault("documents", {})[str(place)] = beside
        return InspectedResult(
            format=COHERE_TOOL,
            call_id=call_id if isinstance(call_id, str) and call_id else None,
            parts=tuple(parts),
            extras={COHERE_TOOL: extras} if extras else {},
        )


class ToCohereToolMessage:
    """Writes tool messages: data as documents, and all else as text; a failure is text throughout, behind the line that tells it."""

    source: ClassVar[str] = HUB
    target: ClassVar[str] = COHERE_TOOL

    def convert(self, value: InspectedResult, context: ConversionContext) -> Converted:
        """Return the result as a tool message."""
        call_id = answered_call(value)
        written, losses = (
            write_parts(value, write_chat_text)
            if value.is_error
            else write_parts(with_structure(value), _write)
        )
        alone = len(written) == 1 and "text" in written[0]
        content: Any = written[0]["text"] if alone else written or ""
        message = {"role": "tool", "tool_call_id": call_id, "content": content}
        return Converted(message, losses + lost_extras(value.extras))


def _document(item: dict[str, Any]) -> tuple[ResultPart, dict[str, Any]]:
    """Return the data of a document, and what it says beside them. Older clients sent the data as their text."""
    document = item.get("document")
    if isinstance(document, dict):
        data = document.get("data")
        beside = {**leftovers(item, ("type", "document")), **leftovers(document, ("data",))}
        if isinstance(data, dict):
            return JsonPart(exact_json(data, what="$.document.data")), beside
        if isinstance(data, str):
            read = parse_arguments(data)
            alike = read.kind == "object" and bool(data.strip())
            return (JsonPart(read.payload) if alike else TextPart(data)), beside
    return UnreadPart("document"), {}


def _write(part: ResultPart) -> dict[str, Any] | None:
    match part:
        case TextPart(text=text):
            return {"type": "text", "text": text}
        case JsonPart(value=dict(data)):
            return {"type": "document", "document": {"data": exact_json(data)}}
    return None
