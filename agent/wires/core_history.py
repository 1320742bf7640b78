"""Core messages read for one provider: who said what, with calls and results as that provider spells them. Pure.

All conversions of a history stand here, and those of its answer: names and ids that the provider refuses are
replaced, results stand with the calls that they answer, and nothing is in it that cannot be replayed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...interop.attachment_blocks import write_block
from ...interop.calls.marks import METADATA
from ...interop.default_registry import (
    ToolInteropTarget,
    get_registry_from_context,
    get_schema_target_formats_from_context,
)
from ...interop.errors import InteropError
from ...interop.format_ids import OPENAI_CHAT, belongs_to
from ...interop.formats.openai_content import read_content
from ...interop.parts import MediaPart, TextPart
from ...interop.registry.request_conversion import RequestConversion
from ..attachments import source_of
from ..errors import AttachmentError
from ..requests.partial_answer import apart, assistant_message, core_calls
from ..sessions.session import call_id
from .attached_parts import part_of, place_of
from .wire import Answer, Block, Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...interop.default_registry import ToolInteropRegistry
    from .options import Options
    from .wire import Part, Spoken, Wire

Json = dict[str, Any]

IMAGES_FOLLOW: Final = "The result is shown in the next message."
"""What a result says that is nothing but images or attachments, where they have to stand behind it."""

_WITHOUT: Final = frozenset({"assistant", "system", "developer"})
"""Roles whose messages are text, to all of these APIs."""


def conversion_of(
    wire: Wire,
    options: Options,
    state: Json,
    context: Mapping[str, Any] | None,
    turns: Iterable[Iterable[Any]] = (),
) -> RequestConversion:
    """Return what converts for one request; made again of the same, it says the same.

    Formats that the stack accepts and another API of it writes are none of this one's.
    """
    asked = get_schema_target_formats_from_context(context) or ()
    formats = [name for name in asked if belongs_to(name, wire.family)]
    custom = wire.custom if options.custom_tools else ()
    schemas = formats or [*custom, *wire.schemas]
    no_custom = not any(name in schemas for name in wire.custom)
    return RequestConversion(
        get_registry_from_context(context),
        ToolInteropTarget(wire.family, options.model),
        [tool for tool in state.get("_tools") or () if isinstance(tool, dict)],
        turns=turns,
        schema_formats=schemas,
        call_formats=[name for name in wire.calls if not (no_custom and name in wire.custom)],
        names=options.spelling,
        ids=options.spelling,
    )


def read_history(
    messages: Sequence[Json],
    wire: Wire,
    options: Options,
    state: Json,
    context: Mapping[str, Any] | None,
) -> list[Entry]:
    """Return what the messages say, in order. A result that answers no call before it is left out.

    Raises:
        InteropError: a call or a result cannot be said to this provider, or a content is none.
        AttachmentError: what is attached, or shown, cannot be said to it.
    """
    registry = conversion_of(wire, options, state, context).registry
    called = {
        number: _replayable(message, registry, number)
        for number, message in enumerate(messages)
        if message.get("role") == "assistant"
    }
    answered = _pair(messages, called)
    _name_apart(called, answered)
    conversion = conversion_of(wire, options, state, context, [calls.values() for calls in called.values()])
    turns = {number: turn for turn, number in enumerate(called)}
    entries = []
    for number, message in enumerate(messages):
        calls: tuple[tuple[str, Json], ...] = ()
        results: tuple[Answer, ...] = ()
        if number in called:
            given = [answered.get((number, its)) for its in called[number]]
            read = [None if each is None else _readable(each, registry, wire, options) for each in given]
            calls = tuple(zip(called[number], conversion.calls(turns[number]), strict=True))
            written = conversion.results(turns[number], [each and _as_worded(each[0]) for each in read])
            there = [each for each in read if each is not None]
            results = tuple(
                Answer(value, failed="failure" in _metadata(message), shown=shown)
                for value, (message, shown) in zip(written, there, strict=True)
            )
        elif message.get("role") == "tool":
            continue
        parts = _parts(message, f"$[{number}]", wire, options)
        entries.append(Entry(str(message.get("role")), parts, calls, results, _kept(message, wire, options)))
    return entries


def core_messages(
    spoken: Spoken, wire: Wire, conversion: RequestConversion, *, turn: int, server: str
) -> list[Json]:
    """Return the core's messages of what was spoken: one, or none if nothing was.

    Calls bear the tools' own names, are spelt as Chat Completions spells them, and safe to replay. What is kept for the
    provider bears the name of its server: another one of the same API may refuse it.
    """
    calls = core_calls(map(conversion.received, spoken.calls), conversion.registry, turn=turn)
    if not spoken.content and not calls and not spoken.kept:
        return []
    message = assistant_message(spoken.content, calls)
    if spoken.kept:
        native = {"format": wire.family, "server": server, "items": list(spoken.kept)}
        message["metadata"] = {**message.get("metadata", {}), "native": native}
    return [message]


def as_sent(native: Sequence[Any]) -> list[Any]:
    """Return native messages, or calls, without the notes that native history bears for ourselves."""
    return [_without_notes(each) for each in native]


def _without_notes(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {
        key: [_without_notes(each) for each in item] if isinstance(item, list) else item
        for key, item in value.items()
        if key != METADATA
    }


def _replayable(message: Json, registry: ToolInteropRegistry, number: int) -> dict[str, Json]:
    """The calls of a message by id, without what only the core has to know of them."""
    calls = _metadata(message).get("tool_calls")
    spelt = core_calls(calls if isinstance(calls, list) else (), registry, turn=number)
    return {call_id(call) or "": _wrapped(call, registry) for call in as_sent(spelt)}


def _wrapped(call: Json, registry: ToolInteropRegistry) -> Json:
    """A call to a freeform tool that was not given its text, as if what it was given were the text."""
    if registry.inspect_call(call).payload_kind != "malformed" or "function" not in call:
        return call
    function = call["function"]
    return {**call, "function": {**function, "arguments": registry.wrapper.wrap(function["arguments"])}}


def _pair(messages: Sequence[Json], called: Mapping[int, Mapping[str, Json]]) -> dict[tuple[int, str], Json]:
    """Results by the message and the id of the call that they answer: the latest before them that has none."""
    answered: dict[tuple[int, str], Json] = {}
    for number, message in enumerate(messages):
        if message.get("role") != "tool":
            continue
        its = str(_metadata(message).get("tool_call_id"))
        for caller in reversed([each for each in called if each < number]):
            if its in called[caller]:
                answered.setdefault((caller, its), message)
                break
    return answered


def _name_apart(called: Mapping[int, dict[str, Json]], answered: Mapping[tuple[int, str], Json]) -> None:
    """Give a call that nothing answers an id of its own, if a later message has a call with its id.

    Some wires run two messages into one, where nothing stands between; there the later result would go to the first.
    """
    taken = {its for calls in called.values() for its in calls}
    later: set[str] = set()
    for number in reversed(list(called)):
        calls = called[number]
        for its, call in calls.items():
            if its in later and (number, its) not in answered and call.get("id") == its:
                calls[its] = apart(call, taken)
        later |= calls.keys()


def _readable(
    message: Json, registry: ToolInteropRegistry, wire: Wire, options: Options
) -> tuple[Json, tuple[Block, ...]]:
    """A tool message whose result can be said, and what the result has no room for."""
    message, shown = _without_references(message)
    text = {"type": "tool_result", "text": str(message.get("content") or "")}
    try:
        parts = registry.inspect_result(message).parts
    except InteropError:  # its content says what there is to say
        return {**message, "toolResult": text}, shown
    images = [part for part in parts if isinstance(part, MediaPart) and part.kind == "image"]
    written = [write_block(image, wire.family) for image in images]
    if not images or wire.results_hold_images or options.result_images == "within" or None in written:
        return message, shown
    beside = tuple(Block(block) for block in written if block is not None)
    return {**message, "toolResult": {**text, "text": text["text"] or IMAGES_FOLLOW}}, (*beside, *shown)


def _as_worded(message: Json) -> Json:
    """A tool message that reports no failure: its tool has worded the text for the model, and the wire's flag is set beside it."""
    about = {key: value for key, value in _metadata(message).items() if key != "failure"}
    return {**message, "metadata": about}


def _without_references(message: Json) -> tuple[Json, tuple[Block, ...]]:
    """A tool message without the references of its envelope, and the places of what they lead to.

    Only references: a tool that names a path must not have a file of this machine sent.
    """
    result = message.get("toolResult")
    content = result.get("content") if isinstance(result, dict) else None
    if not isinstance(result, dict) or not isinstance(content, list):
        return message, ()
    refers = [_is_reference(block) for block in content]
    if not any(refers):
        return message, ()
    where = f"the result of call {_metadata(message).get('tool_call_id')!r}"
    shown = tuple(
        place_of(block, where, told=True) for block, refer in zip(content, refers, strict=True) if refer
    )
    rest = [block for block, refer in zip(content, refers, strict=True) if not refer]
    text = str(message.get("content") or "") or IMAGES_FOLLOW
    left = {**result, "content": rest} if rest else {"type": "tool_result", "text": text}
    return {**message, "toolResult": left}, shown


def _is_reference(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "attachment" and source_of(block) == "ref"


def _parts(message: Json, where: str, wire: Wire, options: Options) -> tuple[Part, ...]:
    """What a message says, and what was attached to it, as this provider is told it."""
    content, attached = message.get("content"), _metadata(message).get("attachments")
    role = str(message.get("role"))
    said = () if content == "" else read_content(OPENAI_CHAT, content)
    if isinstance(content, list) and role != "assistant":
        shown = [(each, f"{where}.content[{index}]") for index, each in enumerate(content)]
        parts: list[Part] = []
    else:
        shown = []
        parts = [part for part in said if isinstance(part, TextPart)]
    for index, each in enumerate(attached if isinstance(attached, list) else ()):
        shown.append((each, f"{where}.metadata.attachments[{index}]"))
    for each, its_place in shown:
        part = part_of(each, its_place, wire.family, provider=options.provider)
        if role in _WITHOUT and not isinstance(part, TextPart):
            why = f"stands in a message of the role {role!r}, which is text alone"
            raise AttachmentError(its_place, why, provider=options.provider)
        parts.append(part)
    return tuple(parts)


def _kept(message: Json, wire: Wire, options: Options) -> tuple[Json, ...]:
    match _metadata(message).get("native"):
        case {"format": str(family), "items": list(items), **about} if belongs_to(family, wire.family):
            if options.send_back and about.get("server", options.server) == options.server:
                return tuple(item for item in items if isinstance(item, dict))
    return ()


def _metadata(message: Json) -> Json:
    metadata = message.get("metadata")
    return metadata if isinstance(metadata, dict) else {}
