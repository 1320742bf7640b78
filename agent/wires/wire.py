"""What the API of a provider is made of, apart from HTTP. Pure.

A `Wire` turns a history that has been read (`Entry`) into the provider's messages, and what came of an answer
(`Partial`) into the message that the history keeps of it. One API is one wire; all else is the same for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from ...base.frozen import frozen
from ...interop.assembly.stream_errors import StreamError
from ...interop.parts import TextPart
from ...interop.streams.calls import assembler
from ..requests.stop_reasons import stop_reason
from .attempts import AttemptFailed, Failure, of_error
from .skeleton import text_place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..requests.stop_reasons import StopReason
    from .options import Options

Json = dict[str, Any]

SHOWN_BY: Final = "Shown by the call"
"""How a message begins that shows what results have no room for."""


@frozen
class Block:
    """A content block as the API writes it, or the place of one: see `attached_parts`."""

    value: Json


Part = TextPart | Block
"""What is said in a message, as far as this provider can be told it."""


class Answer(NamedTuple):
    """The result of a call, as it is sent.

    Attributes:
        value: in the provider's format.
        failed: Callboard reports a failure of its own.
        shown: beside it, for what the value has no room for: images, and what its tool refers to.
    """

    value: Json
    failed: bool = False
    shown: tuple[Block, ...] = ()


class Entry(NamedTuple):
    """One message of a history that was read; results stand with the calls that they answer.

    Attributes:
        role: who speaks; ``system``, ``user`` or ``assistant``.
        parts: what is said.
        calls: in the provider's format, by their own ids.
        results: of these calls, as far as there are any.
        kept: what this provider wants to have back; see `skeleton`.
    """

    role: str
    parts: tuple[Part, ...] = ()
    calls: tuple[tuple[str, Json], ...] = ()
    results: tuple[Answer, ...] = ()
    kept: tuple[Json, ...] = ()


class Spoken(NamedTuple):
    """The assistant's message, read out of the provider's own.

    Attributes:
        content: the text.
        calls: in the provider's format.
        kept: what this provider wants to have back, with placeholders for text and calls; empty if nothing.
    """

    content: str
    calls: tuple[Any, ...] = ()
    kept: tuple[Json, ...] = ()


def shown_behind(results: Sequence[Answer], call_key: str, text: Callable[[str], Json]) -> list[Json]:
    """Return the user's message that shows what results have no room for; none, if there is nothing.

    Args:
        results: of one turn.
        call_key: the key of a result's value that says which call it answers.
        text: writes a text as a content block.
    """
    content: list[Json] = []
    for result in results:
        if result.shown:
            content.append(text(f"{SHOWN_BY} {result.value[call_key]}:"))
            content += [block.value for block in result.shown]
    return [{"role": "user", "content": content}] if content else []


@frozen
class Wire:
    """One API.

    Attributes:
        family: the family of its formats.
        path: of its call, behind the base address.
        schemas: formats of declarations that are sent.
        custom: those that are sent only where freeform tools are taken, before the others.
        calls: formats of calls; one in ``custom`` only where freeform tools are taken.
        write_history: entries to native messages.
        write_payload: native messages to the body, without tools.
        tool_choice: what is said of the choice among tools; ``None`` for nothing.
        write_answer: what came of an answer to native messages.
        read_answer: those to what was spoken.
        read: makes a reader of one stream.
        results_hold_images: images of a result stay in it.
        mend: a body that was refused, and what the server said, to the body that is sent instead; to ``None`` if nothing
            helps, as of a body that was mended. ``None`` if this API has no such refusals.
    """

    family: str
    path: str
    schemas: tuple[str, ...]
    custom: tuple[str, ...]
    calls: tuple[str, ...]
    write_history: Callable[[Sequence[Entry]], list[Any]]
    write_payload: Callable[[list[Any], Options], Json]
    tool_choice: Any
    write_answer: Callable[[Json], list[Any]]
    read_answer: Callable[[Sequence[Any]], Spoken]
    read: Callable[[], StreamReader]
    results_hold_images: bool = True
    mend: Callable[[Json, str], Json | None] | None = None


@dataclass(slots=True)
class Partial:
    """What came of an answer until now.

    Attributes:
        content: pieces of its text.
        tool_calls: whole calls, in the provider's format; those that were cut off are marked.
        kept: what the provider wants to have back, in order, among placeholders.
        stop_reason: why the model stopped; ``None`` if it did not.
        stop_detail: what the provider itself says of it; empty if nothing.
        usage: what it cost, by the provider's own words.
    """

    content: list[str] = field(default_factory=list)
    tool_calls: list[Json] = field(default_factory=list)
    kept: list[Json] = field(default_factory=list)
    stop_reason: StopReason | None = None
    stop_detail: str = ""
    usage: Json = field(default_factory=dict)

    def as_json(self) -> Json:
        """Return it as ``state["partial"]``."""
        return {
            "content": "".join(self.content),
            "tool_calls": list(self.tool_calls),
            "kept": list(self.kept),
            "stop_reason": self.stop_reason,
            "stop_detail": self.stop_detail,
            "usage": self.usage,
        }


class StreamReader(ABC):
    """Reads the events of one answer; one for each attempt.

    Events that are not known are passed over, and so is what contradicts itself about a call: such a call comes
    out malformed. Only what ends the whole answer is an error. Of an answer that begins anew nothing of before is
    kept, and what follows the end is not read.
    """

    family: ClassVar[str]

    def __init__(self) -> None:
        self._finished = False
        self._begin_anew()

    def feed(self, event: Json) -> Iterator[Json]:
        """Take one event of the stream; yield what it says to people.

        Raises:
            AttemptFailed: the provider says that it failed.
        """
        past = self._calls.follows_the_end(event)
        if self._calls.begins_anew(event):
            self._begin_anew()
        error = self._error(event)
        if error is not None and not past:
            raise AttemptFailed(of_error(error))
        with suppress(StreamError):  # the call that it was about comes out malformed
            self.partial.tool_calls += self._calls.feed(event)
        if not past:
            yield from self._read(event)

    def finish(self) -> Iterator[Json]:
        """End the stream; yield what is to be told in the end.

        Raises:
            AttemptFailed: the answer had not come to its end.
        """
        self.close()
        if self._refused and self.ended:
            self.partial.stop_reason, self.partial.stop_detail = "refused", "refusal"
        if self.partial.stop_reason == "stop" and self.partial.tool_calls:  # some servers call it so
            self.partial.stop_reason = "tool_calls"
        if self.partial.usage:
            yield usage_event(self.partial.usage, self.partial.stop_reason)
        if not self.ended:
            raise AttemptFailed(
                Failure("cut_off", "broke off in the midst of its answer", retryable=True, status=200)
            )

    def close(self) -> None:
        """Take in the calls that are under way: they were cut off. A second time nothing happens."""
        if not self._finished:
            self._finished = True
            self.partial.tool_calls += self._calls.finish()

    def _begin_anew(self) -> None:
        """Begin an answer. What came before is forgotten: the answer that comes now is the whole one."""
        self.partial: Partial = Partial()
        self.ended: bool = False
        self._calls = assembler(self.family)
        self._refused = False
        self._said = 0
        self._placed = 0

    @abstractmethod
    def _error(self, event: Json) -> Any:
        """Return the error that an event tells; ``None`` if it tells none."""

    @abstractmethod
    def _read(self, event: Json) -> Iterator[Json]:
        """Take in all but calls; set ``ended`` once the answer is whole."""

    def _say(self, text: Any) -> Iterator[Json]:
        if isinstance(text, str) and text:
            self.partial.content.append(text)
            self._said += len(text)
            yield {"type": "text", "text": text}

    def _place_text(self, keys: Json | None = None) -> None:
        """Keep a place for the text that has been said since the last one, if there is any."""
        if self._said > self._placed:
            self.partial.kept.append(text_place(self._said - self._placed, keys))
            self._placed = self._said

    def _refuse(self, text: Any) -> Iterator[Json]:
        """Say what a model says that refuses: it is all that there is to be shown."""
        for said in self._say(text):
            self._refused = True
            yield said

    def _stopped(self, word: str, detail: str = "") -> None:
        """The answer is whole; ``word`` is the provider's for why."""
        self.ended = True
        self.partial.stop_reason = stop_reason(word)
        said = f"{word}: {detail}" if detail else word
        self.partial.stop_detail = " ".join(said[:_LONGEST_DETAIL].split())

    def _think(self, text: Any) -> Iterator[Json]:
        if isinstance(text, str) and text:
            yield {"type": "reasoning", "text": text}


_LONGEST_DETAIL: Final = 500
_INPUT = ("prompt_tokens", "input_tokens")
_OUTPUT = ("completion_tokens", "output_tokens")


def usage_event(usage: Json, stop_reason: StopReason | None) -> Json:
    """Return the ``usage`` event: tokens in and out, why it stopped, and the provider's own account as ``raw``."""

    def first(keys: tuple[str, ...]) -> int | None:
        return next((usage[key] for key in keys if type(usage.get(key)) is int), None)

    event = {"type": "usage", "input_tokens": first(_INPUT), "output_tokens": first(_OUTPUT)}
    return {**event, "stop_reason": stop_reason, "raw": dict(usage)}
