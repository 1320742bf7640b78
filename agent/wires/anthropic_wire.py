"""Anthropic Messages: blocks, body, stream. Pure.

Roles take turns: results, and what the user says next, are one message. Text that is blank is refused, and left
out. What the model thought is signed and has to come back as it was, and so has what the provider's own tools
did; both are kept in their places (see `skeleton.py`). A thought whose signature did not come is dropped.
What matters only while a turn goes on stands in `anthropic_turns.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from ...interop.calls.arguments import parse_arguments
from ...interop.exact_json import exact_json
from ...interop.format_ids import ANTHROPIC_MESSAGES, ANTHROPIC_TOOL
from ...interop.parts import TextPart
from .anthropic_turns import CONTAINER, added, container_of, finished
from .skeleton import call_place, filled, text_place, worth_keeping
from .wire import Block, Spoken, StreamReader, Wire, shown_behind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .options import Options
    from .wire import Entry, Part

Json = dict[str, Any]

MAX_TOKENS: Final = 4096
"""What the model may say if nothing is configured: the API wants a number, and every model takes this one."""


def write_history(entries: Sequence[Entry]) -> list[Json]:
    """Return messages; what the system says comes first, as a message that `write_payload` takes out."""
    said = [
        part.text
        for entry in entries
        if entry.role == "system"
        for part in entry.parts
        if isinstance(part, TextPart)
    ]
    messages: list[Json] = [{"role": "system", "content": "\n\n".join(said)}] if said else []
    for entry in entries:
        if entry.role == "assistant":
            text = "".join(part.text for part in entry.parts if isinstance(part, TextPart))
            added(messages, "assistant", filled(entry.kept, text, entry.calls, _text))
            added(messages, "user", [_flagged(*result[:2]) for result in entry.results])
            for behind in shown_behind(entry.results, "tool_use_id", lambda text: _text(text)[0]):
                added(messages, "user", behind["content"])
        elif entry.role != "system":
            added(messages, "user", [block for part in entry.parts for block in _blocks(part)])
    return finished(messages)


def write_answer(partial: Json) -> list[Json]:
    """Return the assistant's message; none, if nothing was said."""
    calls = [(str(call.get("id")), call) for call in partial["tool_calls"]]
    messages: list[Json] = []
    added(messages, "assistant", filled(worth_keeping(partial["kept"]), partial["content"], calls, _text))
    return messages


def read_answer(messages: Sequence[Any]) -> Spoken:
    """Return what assistant messages say."""
    content, calls, kept = "", [], []
    for block in (block for message in messages for block in message["content"]):
        match block:
            case {"type": "text", "text": str(text)}:
                content += text
                kept.append(text_place(len(text)))
            case {"type": "tool_use"}:
                calls.append(block)
                kept.append(_call_place(block))
            case _:
                kept.append(block)
    kept += ({CONTAINER: message[CONTAINER]} for message in messages if CONTAINER in message)
    return Spoken(content, tuple(calls), worth_keeping(kept))


def write_payload(messages: list[Json], options: Options) -> Json:
    """Return the body, without tools."""
    payload: Json = {
        "model": options.model,
        "messages": [_sent(message) for message in messages if message["role"] != "system"],
        "max_tokens": options.max_output_tokens or MAX_TOKENS,
        "stream": True,
    }
    system = "\n\n".join(message["content"] for message in messages if message["role"] == "system")
    if system:
        payload["system"] = system
    if (container := container_of(messages)) is not None:
        payload["container"] = container
    return payload


def _sent(message: Json) -> Json:
    return {key: value for key, value in message.items() if key != CONTAINER}


def _call_place(block: Json) -> Json:
    """The place of a call. Its ``caller`` is kept, unless the model itself has made it."""
    made_by = {key: block[key] for key in ("caller", "toolset_name") if block.get(key) is not None}
    if made_by.get("caller") == {"type": "direct"}:
        del made_by["caller"]
    return call_place(str(block.get("id")), made_by)


def _text(text: str) -> list[Json]:
    return [{"type": "text", "text": text}] if text.strip() else []


def _blocks(part: Part) -> list[Json]:
    return [part.value] if isinstance(part, Block) else _text(part.text)


def _flagged(value: Json, failed: bool) -> Json:
    return {**value, "is_error": True} if failed else value


class AnthropicReader(StreamReader):
    """Reads the events of a message."""

    family: ClassVar[str] = ANTHROPIC_MESSAGES

    def _begin_anew(self) -> None:
        super()._begin_anew()
        self._open: dict[Any, tuple[Json, list[str]]] = {}
        self._container: str | None = None

    def _error(self, event: Json) -> Any:
        return (event.get("error") or event) if event.get("type") == "error" else None

    def _read(self, event: Json) -> Iterator[Json]:
        match event:
            case {"type": "message_start", "message": dict(message)}:
                self._begin(message)
            case {"type": "content_block_start", "content_block": {"type": str()} as block}:
                yield from self._start(event.get("index"), block)
            case {"type": "content_block_delta", "delta": {"type": str()} as delta}:
                yield from self._add(event.get("index"), delta)
            case {"type": "content_block_stop"}:
                self._stop(event.get("index"))
            case {"type": "message_delta"}:
                self._end(event)

    def _begin(self, message: Json) -> None:
        if isinstance(message.get("usage"), dict):
            self.partial.usage = dict(message["usage"])
        self._runs_in(message.get("container"))

    def _runs_in(self, container: Any) -> None:
        if isinstance(container, dict) and isinstance(container.get("id"), str):
            self._container = container["id"]

    def _start(self, index: Any, block: Json) -> Iterator[Json]:
        self._place_text()
        if block["type"] == "text":
            yield from self._say(block.get("text"))
        elif block["type"] == "tool_use":
            self.partial.kept.append(exact_json(_call_place(block), what="$.content_block"))
        else:
            self._open[_key(index)] = (exact_json(block, what="$.content_block"), [])

    def _add(self, index: Any, delta: Json) -> Iterator[Json]:
        block, pieces = self._open.get(_key(index), ({}, []))
        match delta:
            case {"type": "text_delta", "text": text}:
                yield from self._say(text)
            case {"type": "thinking_delta", "thinking": str(text)}:
                block["thinking"] = str(block.get("thinking") or "") + text
                yield from self._think(text)
            case {"type": "signature_delta", "signature": str(signature)}:
                block["signature"] = str(block.get("signature") or "") + signature
            case {"type": "input_json_delta", "partial_json": str(piece)}:
                pieces.append(piece)

    def _stop(self, index: Any) -> None:
        block, pieces = self._open.pop(_key(index), ({}, []))
        if pieces:
            block["input"] = parse_arguments("".join(pieces)).payload or {}
        if block and (block["type"] != "thinking" or block.get("signature")):
            self.partial.kept.append(block)

    def _end(self, event: Json) -> None:
        delta, usage = event.get("delta"), event.get("usage")
        self._runs_in(delta.get("container") if isinstance(delta, dict) else None)
        if isinstance(usage, dict):
            self.partial.usage = {**self.partial.usage, **usage}
        match delta:
            case {"stop_reason": str(reason), "stop_details": dict(details)}:
                why = [
                    details[key] for key in ("category", "explanation") if isinstance(details.get(key), str)
                ]
                self._stopped(reason, ": ".join(why))
            case {"stop_reason": str(reason)}:
                self._stopped(reason)

    def close(self) -> None:
        """Keep the place of the last text and the container, and do as `StreamReader.close` does."""
        if not self._finished:
            self._place_text()
            if self._container is not None:
                self.partial.kept.append({CONTAINER: self._container})
        super().close()


def _key(index: Any) -> Any:
    return index if isinstance(index, int | str) else None


ANTHROPIC: Final = Wire(
    family=ANTHROPIC_MESSAGES,
    path="/messages",
    schemas=(ANTHROPIC_TOOL,),
    custom=(),
    calls=(ANTHROPIC_TOOL,),
    write_history=write_history,
    write_payload=write_payload,
    tool_choice=None,
    write_answer=write_answer,
    read_answer=read_answer,
    read=AnthropicReader,
)
