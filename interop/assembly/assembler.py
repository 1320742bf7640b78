"""What all assemblers are: a stream's events in, whole calls out, without I/O.

An assembler is fed one event after the other, as JSON values, and owns no connection and no clock. Events
that have nothing to do with calls are passed over, so that a whole response may be fed as it comes.

What comes out is a call in the provider's own wire format, as it would stand in an answer that was not
streamed: the registry inspects and converts it like any other. It comes out once, as soon as it is
certain that nothing of it is missing. That a stream has ended is no such certainty: a call that is open
then comes out as malformed (see ``call_marks``), unless its arguments are a JSON object already, to
which nothing can be added. It is never given empty arguments for those that are missing.

What follows the end of an answer is not read, and an answer that begins anew is one answer: gateways send a
stream twice, or start over when their upstream fails, and a call that runs twice cannot be taken back. A call
that has come out does not come out again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from ...base.errors import JsonValueError
from ...base.frozen import frozen
from ..calls.argument_place import strays_of
from ..calls.arguments import parse_arguments
from ..calls.marks import marked
from ..errors import describe
from ..exact_json import exact_json, json_text
from ..limits import MAX_STREAMED_CALLS, MAX_STREAMED_CHARS
from .argument_text import is_whole, joined
from .stream_errors import StreamError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ..calls.arguments import FaultCode


_SHORT: Final = 1000


@frozen
class StreamLimits:
    """How much one stream may hold. Beyond it an event is refused, and its call is cut off.

    Attributes:
        calls: calls in one stream, those that have come out among them.
        chars: characters of arguments in the calls that are under way, taken together.
    """

    calls: int = MAX_STREAMED_CALLS
    chars: int = MAX_STREAMED_CHARS


@dataclass(slots=True, eq=False)
class Draft:
    """One call on its way. Each format adds what else it has to know.

    Attributes:
        call_id: the id its result will refer to, once it is known.
        pieces: what came of its arguments.
        chars: their length, together.
        trouble: why it will come out malformed, whatever else comes.
        ended: it has come out.
        stray: a key that its form does not have, under which a piece of its arguments may have come.
    """

    call_id: str | None = None
    pieces: list[str] = field(default_factory=list)
    chars: int = 0
    trouble: tuple[FaultCode, str] | None = None
    ended: bool = False
    stray: str | None = None

    @property
    def text(self) -> str:
        """What there is of the arguments."""
        return joined(self.pieces)


class Assembler(ABC):
    """Puts the calls of one stream together; `assembler` makes the right one. Not thread-safe.

    Attributes:
        format: the family whose streams it reads, such as ``anthropic.messages``.
    """

    format: ClassVar[str]

    def __init__(self, limits: StreamLimits | None = None) -> None:
        self._limits = limits or StreamLimits()
        self._begun = 0
        self._chars = 0
        self._ready: list[dict[str, Any]] = []
        self._error: StreamError | None = None
        self._finished = False
        self._begun_answer = False
        self._over = False
        self._ended: set[int] = set()  # places, such as choices, that ended, or began anew
        self._ended_answer: str | None = None  # the id of the answer in which one ended
        self._came: set[tuple[int, int]] = set()  # place and hash of each call that came out

    def feed(self, event: Any) -> tuple[dict[str, Any], ...]:
        """Take one event; return the calls that are whole now, in the order in which they ended.

        Calls share nothing with the event. Nothing comes of an event behind the end of the answer.

        Raises:
            StreamError: the event contradicts what came before, is no JSON object, goes beyond the limits,
                or comes after `finish`. All else that it says is taken in; calls that became whole
                come out with the next event, or in the end.
        """
        if self._finished:
            raise StreamError(self.format, "an event came after the end of the stream")
        if not isinstance(event, dict):
            raise StreamError(self.format, f"an event is a JSON object, and this is {describe(event)}")
        if self.follows_the_end(event):
            self._over = True
            return ()
        if self.begins_anew(event):
            self._ended.add(0)
        self._begun_answer = self._begun_answer or self._begins(event)
        self._take(event)
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        return self._handed_over()

    def finish(self) -> tuple[dict[str, Any], ...]:
        """End the stream; return the calls that have not come out yet. A second time there are none.

        Those that were cut off are malformed, and say so.
        """
        if not self._finished:
            self._finished = True
            self._end()
        return self._handed_over()

    def follows_the_end(self, event: dict[str, Any]) -> bool:
        """Say whether an event comes behind the end of the answer: nothing of it may be read."""
        if self._over or self._ended_answer is None:
            return self._over
        answer = self._answer_of(event)
        return isinstance(answer, str) and answer != self._ended_answer

    def begins_anew(self, event: dict[str, Any]) -> bool:
        """Say whether the answer begins once more with an event: what came of it until then does not count."""
        return self._begun_answer and self._begins(event) and not self.follows_the_end(event)

    def _begins(self, event: dict[str, Any]) -> bool:
        """Say whether an event is the one by which an answer begins, in APIs that have one."""
        return False

    def _answer_of(self, event: dict[str, Any]) -> Any:
        """Return the id of the answer that an event belongs to, in APIs whose events bear it."""
        return None

    def _close(self) -> None:
        """The answer has ended: nothing is under way any more, and nothing else is read."""
        self._end()
        self._over = True

    def _place_ended(self, place: int, event: dict[str, Any]) -> None:
        """Note that all was said in a place. What follows there may be the same once more, or another answer."""
        self._ended.add(place)
        answer = self._answer_of(event)
        if isinstance(answer, str):
            self._ended_answer = answer

    @abstractmethod
    def _take(self, event: dict[str, Any]) -> None:
        """Take one event in; contradictions go to `_contradiction`, whole calls to `_hand_over`."""

    @abstractmethod
    def _end(self) -> None:
        """Hand over all calls that are still under way."""

    def _may_begin(self) -> bool:
        """Count one more call; note that it is refused if there are too many."""
        if self._begun >= self._limits.calls:
            self._contradiction(f"there are more than {self._limits.calls} calls")
            return False
        self._begun += 1
        return True

    def _add(self, draft: Draft, piece: Any) -> None:
        """Add a piece to the arguments of a call; what comes after trouble is dropped."""
        if piece is None or piece == "" or draft.trouble is not None:
            return
        if not isinstance(piece, str):
            self._contradiction(f"a piece of its arguments is {describe(piece)}, not a string", draft)
        elif self._room_for(draft, len(piece)):
            draft.pieces.append(piece)

    def _copy(self, value: Any, what: str, draft: Draft) -> Any:
        """Return a copy of a value of a call; ``None``, and trouble, if it is no JSON or too long."""
        try:
            copy = exact_json(value, what=what)
        except JsonValueError as error:
            self._contradiction(str(error), draft)
            return None
        return copy if self._room_for(draft, len(json_text(copy))) else None

    def _copy_object(self, value: dict[Any, Any], what: str, draft: Draft) -> dict[str, Any]:
        """Return a copy of an object of a call; in trouble what is needed to answer it: its short texts."""
        copy = self._copy(value, what, draft)
        if copy is not None:
            return dict(copy)
        return {
            key: item
            for key, item in value.items()
            if isinstance(key, str) and isinstance(item, str) and len(item) <= _SHORT
        }

    def _room_for(self, draft: Draft, chars: int) -> bool:
        if self._chars + chars > self._limits.chars:
            problem = f"the arguments are longer than {self._limits.chars} characters"
            draft.trouble = ("cut_off", problem)
            self._report(problem, draft)
            return False
        self._chars += chars
        draft.chars += chars
        return True

    def _contradiction(self, problem: str, draft: Draft | None = None) -> None:
        """Note what is wrong, for `feed` to raise; a call that it concerns is malformed from now on."""
        if draft is not None and draft.trouble is None:
            draft.trouble = ("contradicted", problem)
        self._report(problem, draft)

    def _astray(self, problem: str, drafts: Iterable[Draft]) -> None:
        """Note that a piece may belong to any of these calls: none of them can be believed to be whole."""
        self._report(problem, None)
        for draft in drafts:
            if not draft.ended and draft.trouble is None:
                draft.trouble = ("contradicted", "a piece of it may have gone astray")

    def _report(self, problem: str, draft: Draft | None) -> None:
        # Of several in one event the first is told: the others may follow from it.
        if self._error is None:
            self._error = StreamError(self.format, problem, call_id=draft.call_id if draft else None)

    def _hand_over(self, draft: Draft, value: dict[str, Any], place: int = 0) -> None:
        """Let a call out, marked if there was trouble with it; not one that came out before the place ended."""
        self._let_go(draft)
        draft.pieces.clear()
        came = (place, hash(json_text(value)))
        if came in self._came and (place in self._ended or draft.call_id):
            if place not in self._ended:
                self._report("it came a second time", draft)
            return
        self._came.add(came)
        self._ready.append(value if draft.trouble is None else marked(value, *draft.trouble))

    def _let_go(self, draft: Draft) -> None:
        draft.ended = True
        self._chars -= draft.chars

    def _handed_over(self) -> tuple[dict[str, Any], ...]:
        ready, self._ready = tuple(self._ready), []
        return ready


def note_stray(
    draft: Draft, piece: Mapping[str, Any], known: Collection[str], *, event: bool = False
) -> None:
    """Note that a piece has something under a key that its form does not have.

    Args:
        draft: the call.
        piece: what brings the piece.
        known: all keys that it may have.
        event: it is a whole event, which has keys of its own: only those under which forms have arguments are strange.
    """
    strays = strays_of({}, (), around=piece) if event else strays_of(piece, known)
    strange = [key for key in strays if key not in known]
    if strange:
        draft.stray = draft.stray or strange[0]


def missed(draft: Draft, text: Any) -> None:
    """Note that a call came without arguments, though a piece of them may have stood under another key."""
    if draft.trouble is None and draft.stray is not None and isinstance(text, str):
        read = parse_arguments(text)
        if read.kind == "object" and not read.payload:
            problem = f"the call has no arguments, but a piece of it has {draft.stray[:60]!a}"
            draft.trouble = ("contradicted", problem)


def cut_off(draft: Draft, text: str, *, raw: bool = False) -> None:
    """Note that a call was cut off, unless there was trouble before, or its arguments are whole.

    Args:
        draft: the call.
        text: what there is of its arguments.
        raw: they are raw input, which is never known to be whole: more of it might have come.
    """
    if draft.trouble is None and (raw or not is_whole(text)):
        draft.trouble = ("cut_off", "the stream ended in the middle of the call")
