"""Chat Completions, of OpenAI and of the many servers that speak it: messages, body, stream. Pure.

Where OpenAI and the others disagree, the address decides: ``max_completion_tokens`` is for OpenAI's own
alone. Images of a tool's result stand in a user message behind the results, for a tool message takes
text and nothing else, unless the configuration says that this server takes more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from ...interop.format_ids import CHAT_CUSTOM, CHAT_FUNCTION, OPENAI_CHAT
from ...interop.parts import TextPart
from .wire import Block, Spoken, StreamReader, Wire, shown_behind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .options import Options
    from .wire import Entry, Part, StopReason

Json = dict[str, Any]


def write_history(entries: Sequence[Entry]) -> list[Json]:
    """Return messages; one of which nothing is left is left out."""
    messages: list[Json] = []
    for entry in entries:
        if entry.role == "assistant":
            text = "".join(part.text for part in entry.parts if isinstance(part, TextPart))
            calls = [call for _, call in entry.calls]
            if text or calls:
                messages += write_answer({"content": text, "tool_calls": calls})
            messages += [result.value for result in entry.results]
            messages += shown_behind(entry.results, "tool_call_id", _text)
        elif entry.parts:
            messages.append({"role": entry.role, "content": _content(entry.parts)})
    return messages


def write_answer(partial: Json) -> list[Json]:
    """Return the assistant's message."""
    message: Json = {"role": "assistant", "content": partial["content"] or None}
    if partial["tool_calls"]:
        message["tool_calls"] = partial["tool_calls"]
    return [message]


def read_answer(messages: Sequence[Any]) -> Spoken:
    """Return what assistant messages say."""
    content = ""
    calls: list[Any] = []
    for message in messages:
        said = message.get("content")
        content += said if isinstance(said, str) else ""
        calls += message.get("tool_calls") or ()
    return Spoken(content, tuple(calls))


def write_payload(messages: list[Json], options: Options) -> Json:
    """Return the body, without tools."""
    payload: Json = {
        "model": options.model,
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if options.max_output_tokens is not None:
        key = "max_completion_tokens" if options.at_home else "max_tokens"
        payload[key] = options.max_output_tokens
    if options.temperature is not None:
        payload["temperature"] = options.temperature
    return payload


def _content(parts: Sequence[Part]) -> str | list[Json]:
    if all(isinstance(part, TextPart) for part in parts):
        return "\n".join(part.text for part in parts if isinstance(part, TextPart))
    return [part.value if isinstance(part, Block) else _text(part.text) for part in parts]


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


_STOPS: Final[dict[str, StopReason]] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "refused",
}


class ChatReader(StreamReader):
    """Reads the chunks of a completion, its first choice alone."""

    family: ClassVar = OPENAI_CHAT

    def _error(self, event: Json) -> Any:
        return event.get("error")

    def _read(self, event: Json) -> Iterator[Json]:
        if isinstance(event.get("usage"), dict):
            self.partial.usage = event["usage"]
        choices = event.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, dict) or (choice.get("index") or 0) != 0:
                continue
            delta = choice.get("delta")
            if isinstance(delta, dict):
                yield from self._think(delta.get("reasoning_content") or delta.get("reasoning"))
                yield from self._say(delta.get("content"))
                yield from self._say(delta.get("refusal"))
            reason = choice.get("finish_reason")
            if isinstance(reason, str):
                self.ended = True
                self.partial.stop_reason = _STOPS.get(reason, "other")


CHAT: Final = Wire(
    family=OPENAI_CHAT,
    path="/chat/completions",
    schemas=(CHAT_FUNCTION,),
    custom=(CHAT_CUSTOM,),
    calls=(CHAT_FUNCTION, CHAT_CUSTOM),
    write_history=write_history,
    write_payload=write_payload,
    tool_choice="auto",
    write_answer=write_answer,
    read_answer=read_answer,
    read=ChatReader,
    results_hold_images=False,
)
