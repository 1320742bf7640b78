"""Calls streamed by OpenAI Chat Completions, and by the many servers that speak nearly the same.

A call is a run of deltas with one ``index``. The first brings its id and its name, and the rest pieces of
its arguments; nothing says that it is over but the ``finish_reason`` of all. Servers differ: an index
may be null, or 0 for every call, ids and names may be said again with every delta, or come late. What
is never done is to add to one call what may belong to another:

- An id that is new at its index begins a call, unless the one there has no id yet and this delta is not
  named otherwise.
- Without an id, a name begins a call if it is another name, or if the arguments there are whole.
- All else goes to the call with the same id, or the last with the same index, or without either the last.

``finish_reason`` counts as the end of all calls if it is one of the few that mean so. After any other,
such as ``length``, calls that are not whole were cut off. Some servers give a reason with each of several calls, so
that further calls may follow one; but not in chunks with another id, which are another answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from ..assembly.argument_text import is_whole
from ..assembly.assembler import Assembler, Draft, cut_off, missed, note_stray
from ..errors import describe
from ..exact_json import json_text
from ..format_ids import OPENAI_CHAT

_PAYLOADS: Final = {"function": "arguments", "custom": "input"}
"""What a delta nests its name in, and what the payload is called there."""

_KNOWN: Final = frozenset({"index", "id", "type", *_PAYLOADS})

_ENDINGS: Final = frozenset({"tool_calls", "function_call", "tool_use", "stop", "end_turn"})
"""Reasons that mean: all was said that was to be said."""


@dataclass(slots=True, eq=False)
class _Draft(Draft):
    index: int | None = None
    name: str | None = None
    nest: str | None = None
    extras: dict[str, Any] = field(default_factory=dict)


class ChatAssembler(Assembler):
    """Reads whole chunks, or what stands under ``delta`` in them, or single deltas of ``tool_calls``."""

    format: ClassVar[str] = OPENAI_CHAT

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._choices: dict[Any, list[_Draft]] = {}

    def _take(self, event: dict[str, Any]) -> None:
        choices = event.get("choices")
        if isinstance(choices, list):
            for choice in choices:
                if isinstance(choice, dict):
                    self._take_choice(choice, event)
        elif any(key in event for key in ("tool_calls", "function_call")):
            self._take_delta(0, event)
        elif any(key in event for key in _PAYLOADS):
            self._take_call(0, event)

    def _answer_of(self, event: dict[str, Any]) -> Any:
        return event.get("id") if event.get("choices") else None  # the chunk with the usage has no choices

    def _end(self) -> None:
        for number in self._choices:
            self._end_choice(number, properly=False)

    def _take_choice(self, choice: dict[str, Any], event: dict[str, Any]) -> None:
        number = choice.get("index") or 0
        if not isinstance(number, int):
            drafts = (draft for drafts in self._choices.values() for draft in drafts)
            self._astray(f"the index of a choice is {describe(number)}", drafts)
            return
        if number:  # an alternative answer: its calls are not asked for beside those of the first
            return
        delta, message = choice.get("delta"), choice.get("message")
        if isinstance(delta, dict):
            self._take_delta(number, delta)
        if isinstance(message, dict) and not self._choices.get(number):  # in place of deltas
            self._take_delta(number, message)
        reason = choice.get("finish_reason")
        if reason:
            self._end_choice(number, properly=isinstance(reason, str) and reason in _ENDINGS)
            self._place_ended(number, event)

    def _take_delta(self, number: int, delta: dict[str, Any]) -> None:
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                self._take_call(number, call)
            else:
                self._astray(f"a delta of a call is {describe(call)}", self._choices.get(number, ()))
        if isinstance(delta.get("function_call"), dict):  # the older way: one call, no id, no index
            self._take_call(number, {"function": delta["function_call"]})

    def _take_call(self, number: int, delta: dict[str, Any]) -> None:
        index, call_id = delta.get("index"), delta.get("id")
        nests = [key for key in _PAYLOADS if isinstance(delta.get(key), dict)]
        said = delta[nests[0]] if nests else {}
        name = said.get("name")
        problem = _unreadable(index, call_id, name) or ("it is of two kinds" if len(nests) > 1 else None)
        if problem:
            self._astray(f"a delta cannot be read: {problem}", self._choices.get(number, ()))
            return
        draft = self._draft_of(number, index, call_id or None, name or None)
        if draft is None and (call_id or name or (nests and said.get(_PAYLOADS[nests[0]]))):
            draft = self._begin(number, index)
        if draft is None:  # one too many, or nothing is said of a call that has not begun
            return
        if draft.ended:
            self._contradiction("more of a call came after its end", draft)
            return
        self._note(draft, delta, nests[0] if nests else None)
        if nests:
            note_stray(draft, said, ("name", _PAYLOADS[nests[0]]))
            piece = said.get(_PAYLOADS[nests[0]])
            if isinstance(piece, dict):  # arguments are text, but some servers write the object itself
                piece = self._copy(piece, "$.arguments", draft)
                piece = None if piece is None else json_text(piece)
            self._add(draft, piece)

    def _draft_of(
        self, number: int, index: int | None, call_id: str | None, name: str | None
    ) -> _Draft | None:
        """Return the call that a delta goes on with; ``None`` if it goes on with none."""
        drafts = self._choices.get(number, [])
        here = [draft for draft in drafts if index == draft.index or None in {index, draft.index}]
        at = here[-1] if here else None
        if call_id is not None:
            known = next((draft for draft in reversed(here) if draft.call_id == call_id), None)
            if known is not None and (not name or name == (known.name or name)):
                return known
            late = at is not None and not at.ended and at.call_id is None and not (name and at.name)
        else:
            late = at is not None and not (
                name and at.name and (name != at.name or at.ended or is_whole(at.text))
            )
        return at if late else None

    def _begin(self, number: int, index: int | None) -> _Draft | None:
        if not self._may_begin():
            return None
        draft = _Draft(index=index)
        self._choices.setdefault(number, []).append(draft)
        return draft

    def _note(self, draft: _Draft, delta: dict[Any, Any], nest: str | None) -> None:
        """Keep what a delta says of its call, apart from its arguments."""
        said = delta[nest] if nest else {}
        draft.index = delta.get("index") if draft.index is None else draft.index
        draft.call_id = draft.call_id or delta.get("id") or None
        draft.name = draft.name or said.get("name") or None
        if nest and draft.nest not in {None, nest}:
            self._contradiction(f"it was a {draft.nest} call, and now is a {nest} call", draft)
        stated = "custom" if delta.get("type") == "custom" else None
        draft.nest = draft.nest or nest or stated
        if len(delta) > (1 if nest else 0):
            for key, item in delta.items():
                if isinstance(key, str) and key not in _KNOWN and draft.extras.get(key) != item:
                    draft.extras[key] = self._copy(item, f"$.{key}", draft)

    def _end_choice(self, number: int, *, properly: bool) -> None:
        for draft in self._choices.get(number, ()):
            if not draft.ended:
                missed(draft, draft.text)
                if not properly:
                    cut_off(draft, draft.text, raw=draft.nest == "custom")
                self._hand_over(draft, _written(draft), number)


def _unreadable(index: Any, call_id: Any, name: Any) -> str:
    """Name what is there of these and of a wrong type; what is missing or null is fine."""
    found = (
        ("index", index, type(index) is int),
        ("id", call_id, isinstance(call_id, str)),
        ("name", name, isinstance(name, str)),
    )
    return ", ".join(
        f"its {what} is {describe(it)}" for what, it, fine in found if not fine and it is not None
    )


def _written(draft: _Draft) -> dict[str, Any]:
    # Servers have types of their own for functions; what they nest the call in is what it is.
    nest = draft.nest or "function"
    inner = {"name": draft.name, _PAYLOADS[nest]: draft.text}
    call = {
        "id": draft.call_id,
        "type": nest,
        nest: {k: v for k, v in inner.items() if v is not None},
    }
    return {**{key: item for key, item in call.items() if item is not None}, **draft.extras}
