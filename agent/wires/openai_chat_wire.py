"""Chat Completions, of OpenAI and of the many servers that speak it: messages, body, stream. Pure.

Where OpenAI and the others disagree, the address decides: ``max_completion_tokens`` is for OpenAI's own
alone. Images of a tool's result stand in a user message behind the results, for a tool message takes
text and nothing else, unless the configuration says that this server takes more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from ...interop.format_ids import CHAT_CUSTOM, CHAT_FUNCTION, OPENAI_CHAT
from ...interop.parts import TextPart
from .chat_reasoning import (
    CONTENT,
    Reasoning,
    kept_of,
    shown,
    wants_content,
    with_empty_reasoning,
    with_reasoning,
)
from .wire import Block, Spoken, StreamReader, Wire, shown_behind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .options import Options
    from .wire import Entry, Part

Json = dict[str, Any]


def write_history(entries: Sequence[Entry]) -> list[Json]:
    """Return messages; one of which nothing is left is left out."""
    messages: list[Json] = []
    wanted = any(wants_content(entry.kept) for entry in entries)
    for entry in entries:
        if entry.role == "assistant":
            text = "".join(part.text for part in entry.parts if isinstance(part, TextPart))
            calls = [call for _, call in entry.calls]
            kept = [{CONTENT: ""}, *entry.kept] if wanted else entry.kept
            if text or calls:
                messages += write_answer({"content": text, "tool_calls": calls, "kept": kept})
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
    return [with_reasoning(message, partial["kept"])]


def read_answer(messages: Sequence[Any]) -> Spoken:
    """Return what assistant messages say."""
    content = ""
    calls: list[Any] = []
    kept: list[Json] = []
    for message in messages:
        kept += kept_of(message)
        content += "".join(text for kind, text in _texts("text", message.get("content")) if kind != "thought")
        calls += message.get("tool_calls") or ()
    return Spoken(content, tuple(calls), tuple(kept))


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


class ChatReader(StreamReader):
    """Reads the chunks of a completion, its first choice alone.

    Some servers send a ``message`` in place of a ``delta``, or beside it. It may be whole, may grow from chunk to chunk, or
    may be a piece. It is read only if no delta has said anything, and text that it repeats is left out.
    """

    family: ClassVar[str] = OPENAI_CHAT

    def _begin_anew(self) -> None:
        super()._begin_anew()
        self._in_deltas = False
        self._in_messages: dict[str, str] = {}
        self._reasoning = Reasoning()

    def close(self) -> None:
        """Keep the reasoning, and do as `StreamReader.close` does."""
        if not self._finished:
            self.partial.kept += self._reasoning.kept()
        super().close()

    def _error(self, event: Json) -> Any:
        return event.get("error")

    def _read(self, event: Json) -> Iterator[Json]:
        if isinstance(event.get("usage"), dict):
            self.partial.usage = event["usage"]
        choices = event.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, dict) or (choice.get("index") or 0) != 0:
                continue
            for kind, text in self._pieces(choice):
                yield from self._tell(kind, text)
            reason = choice.get("finish_reason")
            if isinstance(reason, str) and reason:  # some servers send an empty one with each chunk
                self._stopped(reason)

    def _pieces(self, choice: Json) -> Iterator[tuple[str, str]]:
        delta, message = choice.get("delta"), choice.get("message")
        if isinstance(delta, dict):
            self._reasoning.note(delta, whole=False)
            for piece in _pieces_of(delta):
                self._in_deltas = True
                yield piece
        if self._in_deltas or not isinstance(message, dict):
            return
        self._reasoning.note(message, whole=True)
        said: dict[str, str] = {}
        for kind, text in _pieces_of(message):
            said[kind] = said.get(kind, "") + text
        for kind, text in said.items():
            before = self._in_messages.get(kind, "")
            rest = text.removeprefix(before)
            self._in_messages[kind] = before + rest
            yield kind, rest

    def _tell(self, kind: str, text: str) -> Iterator[Json]:
        match kind:
            case "text":
                return self._say(text)
            case "refusal":
                return self._refuse(text)
        if kind == CONTENT:
            self._reasoning.say(text)
        return self._think(text)


def _pieces_of(said: Json) -> Iterator[tuple[str, str]]:
    """Yield the texts of a delta or a message, each with its kind.

    Kinds are ``text``, ``refusal``, ``thought``, and ``reasoning_content``, a thought that the server wants back.
    """
    thought = said.get(CONTENT)
    yield from _texts(CONTENT, thought)
    if not thought:
        yield from _texts("thought", said.get("reasoning") or shown(said))
    yield from _texts("text", said.get("content"))
    yield from _texts("refusal", said.get("refusal"))


def _texts(kind: str, content: Any) -> Iterator[tuple[str, str]]:
    """Yield what a content says, which is a text or, of Mistral's servers, a list of parts."""
    for part in content if isinstance(content, list) else (content,):
        match part:
            case str() if part:
                yield kind, part
            case {"type": "text", "text": str(text)} if text:
                yield kind, text
            case {"type": "thinking", "thinking": thoughts} if kind != "thought":
                yield from _texts("thought", thoughts)
            case {"type": "refusal", "refusal": refusal}:
                yield from _texts("refusal", refusal)


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
    mend=with_empty_reasoning,
)
