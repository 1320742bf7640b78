"""What a schema, a call and a result mean, apart from any wire format.

Accessors read a format into these; adapters write a format from them. They carry meaning, not
bytes: a value that stays in its own format is copied, never rebuilt from here.

Frozen means that the fields stay; the payload of a call is a plain ``dict`` of its own, which the
tool that gets it may do with as it likes.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..base.frozen import frozen

if TYPE_CHECKING:
    from .parts import JsonPart, ResultPart

PayloadKind = Literal["object", "text", "json", "malformed"]
"""``object``: arguments; ``text``: raw input; ``malformed``: unreadable, or not to be run. ``json``: valid JSON that need
be no object, for formats of one's own alone; a function's arguments are an object, or malformed."""

Extras = dict[str, dict[str, Any]]
"""Keys that only one format knows, by the id of that format. They return to that format or are lost."""


@frozen
class TextFormat:
    """How the raw input of a freeform tool is written.

    Attributes:
        syntax: ``text`` for any text, else the grammar's language, such as ``lark`` or ``regex``.
        definition: the grammar; ``None`` for plain text.
    """

    syntax: str
    definition: str | None = None


@frozen
class InspectedSchema:
    """What a tool declaration declares.

    Attributes:
        format: id of the wire format it was read from.
        name: the tool's name.
        description: for the model; ``None`` if there is none, which is not the same as empty.
        kind: ``object`` if the tool takes arguments, ``text`` if it takes raw input; ``hosted`` if only its provider
            knows, which may run it too.
        parameters: JSON Schema of the arguments; ``None`` if the declaration has none.
        text_format: how the raw input is written; ``None`` if the declaration leaves it open.
        strict: whether the server must hold the model to the schema; ``None`` if nothing is said.
        strict_if_unset: what its own format takes unsaid ``strict`` to mean. Formats disagree, so a
            conversion that drops an unset ``strict`` may change it.
        output_schema: JSON Schema of the result, if declared.
        namespace: the group the name is unique in, if any.
        members: the tools of a namespace, each with its ``namespace``; ``None`` for a single tool. What
            stands beside them says nothing of their arguments.
        extras: keys that only the source format knows.
    """

    format: str
    name: str
    description: str | None = None
    kind: Literal["object", "text", "hosted"] = "object"
    parameters: dict[str, Any] | None = None
    text_format: TextFormat | None = None
    strict: bool | None = None
    strict_if_unset: bool = False
    output_schema: Any = None
    namespace: str | None = None
    members: tuple[InspectedSchema, ...] | None = None
    extras: Extras = field(default_factory=dict)


class InspectedCall(NamedTuple):
    """What a tool call asks for.

    Attributes:
        format: id of the wire format it was read from.
        call_id: what its result must refer to; ``None`` if the call has no id.
        tool_name: the tool's name; ``None`` if the call names none.
        namespace: the group the name is looked up in, if any.
        payload: the arguments (``object``, ``json``) or the raw input (``text``); ``None`` if malformed.
        payload_kind: how to take the payload. A ``malformed`` call must never be executed.
        payload_format: what the payload is written in: ``json``, or a freeform tool's syntax if known.
        payload_metadata: what else the wire said: ``item_id``, ``status``, ``caller``, ``extras`` (keys
            unknown to us), and for a malformed call ``error`` with ``code`` and ``message``. ``action`` marks a
            call to a tool of the provider's own that the client has to act on: the type of the item. ``answered`` marks one
            that has its answer, and must not be executed either: the state that says so.
        raw: the payload as the model wrote it, or as JSON text if it is malformed; ``None`` if it was no text on the wire.
    """

    format: str
    call_id: str | None
    tool_name: str | None
    namespace: str | None
    payload: Any
    payload_kind: PayloadKind
    payload_format: str | None
    payload_metadata: dict[str, Any]
    raw: str | None


@frozen
class NativeContent:
    """Content that a tool wrote in one provider's own form, to be handed on untouched.

    Attributes:
        format: the family it is written for, such as ``openai.chat_completions``.
        content: what goes into that provider's result.
    """

    format: str
    content: Any


@frozen
class InspectedResult:
    """What a tool result tells the model.

    Attributes:
        format: id of the wire format it was read from.
        call_id: the call it answers; ``None`` if the format does not say.
        tool_name: the tool that ran; ``None`` if the format does not say.
        parts: the content, in order.
        is_error: whether the tool failed; ``None`` if the format has no word for it.
        native: the content in a provider's own form, if the tool wrote it so.
        structured: the result as data, where its format has them beside the content; ``None`` if not.
        extras: keys that only the source format knows.
    """

    format: str
    call_id: str | None = None
    tool_name: str | None = None
    parts: tuple[ResultPart, ...] = ()
    is_error: bool | None = None
    native: NativeContent | None = None
    structured: JsonPart | None = None
    extras: Extras = field(default_factory=dict)
