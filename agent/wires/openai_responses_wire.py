"""The Responses API: input items, body, stream. Pure.

Nothing is left with the provider (``store: false``): each request has the whole history, as everywhere else.
So of the model's reasoning only what came encrypted can be sent back; ask for it by
``extra: {"include": ["reasoning.encrypted_content"]}``, which models that do not reason refuse. What the server's own
tools did is sent back too, and so are calls to tools of its own that are acted on here, with their answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from ...interop.exact_json import exact_json
from ...interop.format_ids import (
    OPENAI_RESPONSES,
    RESPONSES_CUSTOM,
    RESPONSES_CUSTOM_SCHEMA,
    RESPONSES_FUNCTION,
)
from ...interop.names.native_types import (
    ACTIONS,
    OUTPUTS,
    is_for_the_client,
    is_hosted_call,
    is_hosted_result,
)
from ...interop.parts import TextPart
from .skeleton import call_place, filled, text_place, worth_keeping
from .wire import Block, Spoken, StreamReader, Wire, shown_behind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .options import Options
    from .wire import Entry, Part

Json = dict[str, Any]

_CALLS: Final = ("function_call", "custom_tool_call")


def write_history(entries: Sequence[Entry]) -> list[Json]:
    """Return input items."""
    items: list[Json] = []
    for entry in entries:
        if entry.role == "assistant":
            text = "".join(part.text for part in entry.parts if isinstance(part, TextPart))
            items += filled(entry.kept, text, entry.calls, _message)
            items += [result.value for result in entry.results]
            items += shown_behind(entry.results, "call_id", _text)
        elif entry.parts:
            items.append({"role": entry.role, "content": _content(entry.parts)})
    return items


def write_answer(partial: Json) -> list[Json]:
    """Return the items of an answer, in their order."""
    calls = [(_its_id(call), call) for call in partial["tool_calls"]]
    return filled(worth_keeping(partial["kept"]), partial["content"], calls, _message)


def read_answer(items: Sequence[Any]) -> Spoken:
    """Return what the items of an answer say."""
    content, calls, kept = "", [], []
    for item in items:
        if item.get("role") == "assistant":
            content += item["content"]
            kept.append(text_place(len(item["content"]), _phase(item)))
        elif _is_call(item):
            calls.append(item)
            kept.append(call_place(_its_id(item)))
        else:
            kept.append(item)
    return Spoken(content, tuple(calls), worth_keeping(kept))


def write_payload(items: list[Json], options: Options) -> Json:
    """Return the body, without tools."""
    payload: Json = {"model": options.model, "input": items, "stream": True, "store": False}
    if options.max_output_tokens is not None:
        payload["max_output_tokens"] = options.max_output_tokens
    if options.temperature is not None:
        payload["temperature"] = options.temperature
    return payload


def _is_call(item: Json) -> bool:
    stated = item.get("type")
    return stated in _CALLS or (stated in ACTIONS and is_for_the_client(item))


def _its_id(call: Json) -> str:
    return str(call.get("call_id") or call.get("id"))


def _message(text: str) -> list[Json]:
    return [{"role": "assistant", "content": text}] if text else []


def _phase(message: Json) -> Json:
    """Whether a message is the final answer or comes before it, if it says so: a model that is not told takes the one for the other."""
    return {"phase": message["phase"]} if isinstance(message.get("phase"), str) else {}


def _content(parts: Sequence[Part]) -> str | list[Json]:
    if all(isinstance(part, TextPart) for part in parts):
        return "\n".join(part.text for part in parts if isinstance(part, TextPart))
    return [part.value if isinstance(part, Block) else _text(part.text) for part in parts]


def _text(text: str) -> Json:
    return {"type": "input_text", "text": text}


class ResponsesReader(StreamReader):
    """Reads the events of a response."""

    family: ClassVar[str] = OPENAI_RESPONSES

    def _error(self, event: Json) -> Any:
        match event:
            case {"type": "error"}:
                return event.get("error") or event
            case {"type": "response.failed", "response": {"error": dict(error)}}:
                return error
            case {"type": "response.failed"}:
                return {"message": "the response failed"}
        return event.get("error") if "type" not in event else None

    def _read(self, event: Json) -> Iterator[Json]:
        match event:
            case {"type": "response.output_text.delta", "delta": text}:
                yield from self._say(text)
            case {"type": "response.refusal.delta", "delta": text}:
                yield from self._refuse(text)
            case {
                "type": "response.reasoning_summary_text.delta" | "response.reasoning_text.delta",
                "delta": text,
            }:
                yield from self._think(text)
            case {"type": "response.output_item.done", "item": dict(item)}:
                self._keep(item)
            case {"type": "response.completed" | "response.incomplete", "response": dict(response)}:
                self._end(response)

    def _keep(self, item: Json) -> None:
        match item:
            case {"type": "reasoning", "encrypted_content": str()}:
                known = {"type", "id", "summary", "content", "encrypted_content"}
                kept = {key: value for key, value in item.items() if key in known and value is not None}
                self.partial.kept.append(exact_json(kept, what="$.item"))
            case {"type": "message"}:
                self._place_text(_phase(item))
            case {"type": str()} if _is_call(item):
                self.partial.kept.append(call_place(_its_id(item)))
            case {"type": str(stated)} if stated in OUTPUTS or is_hosted_call(item) or is_hosted_result(item):
                self.partial.kept.append(exact_json(item, what="$.item"))

    def _end(self, response: Json) -> None:
        usage, details = response.get("usage"), response.get("incomplete_details")
        if isinstance(usage, dict):
            self.partial.usage = usage
        reason = details.get("reason") if isinstance(details, dict) else None
        self._stopped(str(reason) if reason else "stop")


RESPONSES: Final = Wire(
    family=OPENAI_RESPONSES,
    path="/responses",
    schemas=(RESPONSES_CUSTOM_SCHEMA, RESPONSES_FUNCTION),
    custom=(),
    calls=(RESPONSES_FUNCTION, RESPONSES_CUSTOM),
    write_history=write_history,
    write_payload=write_payload,
    tool_choice="auto",
    write_answer=write_answer,
    read_answer=read_answer,
    read=ResponsesReader,
)
