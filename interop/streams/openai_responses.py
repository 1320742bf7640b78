"""Calls streamed by OpenAI Responses, of function tools, of custom tools, and of tools of its own that the client runs.

    output_item.added ──▶ deltas ──▶ arguments.done / input.done ──▶ output_item.done

``output_item.done`` brings the whole call and is believed; what came before must not say otherwise. An
event names its item by ``item_id`` and by ``output_index``. The id decides where it is known; servers that
give an item another id with each event are followed by the index. ``arguments.done`` need not have
a name, and no event needs a ``sequence_number``.

An item that is done with the status ``incomplete`` was cut off.

A call to a tool of the API's own that the client has to act on (a shell, a patch, a computer, an approval) has no
payload that would come in pieces: it comes out as the item that is done. What the server runs itself does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from ..assembly.argument_text import joined, mean_the_same
from ..assembly.assembler import Assembler, Draft, cut_off, missed, note_stray
from ..errors import describe
from ..format_ids import OPENAI_RESPONSES
from ..names.native_types import ACTIONS, is_for_the_client

_PAYLOADS: Final = {"function_call": "arguments", "custom_tool_call": "input"}
"""Type of an item -> where its payload stands."""

_EVENTS: Final = {
    "response.function_call_arguments.delta": ("function_call", "delta"),
    "response.custom_tool_call_input.delta": ("custom_tool_call", "delta"),
    "response.function_call_arguments.done": ("function_call", "arguments"),
    "response.custom_tool_call_input.done": ("custom_tool_call", "input"),
}
"""Type of an event -> the type of the item it is about, and where its text stands."""

_RENAMED: Final = frozenset({"tool_search_call"})
"""Items that the API itself gives another ``call_id`` when they are done, which is the one to be answered."""

_ENDINGS: Final = frozenset({"response.completed", "response.failed", "response.incomplete"})


@dataclass(slots=True, eq=False)
class _Draft(Draft):
    """``item`` is the call as it began; ``told``: its payload is whole, though the item is not done yet."""

    item: dict[str, Any] = field(default_factory=dict)
    index: int | None = None
    told: bool = False

    @property
    def payload(self) -> str:
        """What is known of the payload: its pieces, or what the item began with if there are none."""
        if self.pieces:
            return self.text
        begun = self.item.get(_PAYLOADS.get(self.item["type"], ""))
        return begun if isinstance(begun, str) else ""


class ResponsesAssembler(Assembler):
    """Reads the events of a response."""

    format: ClassVar[str] = OPENAI_RESPONSES

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._drafts: list[_Draft] = []
        self._by_id: dict[str, _Draft] = {}
        self._by_index: dict[int, _Draft] = {}

    def _take(self, event: dict[str, Any]) -> None:
        match event:
            case {"type": "response.created"}:
                self._begin_answer()
            case {"type": "response.output_item.added", "item": {"type": str()} as item} if _is_call(item):
                known = self._by_id.get(_text(item, "id") or "")
                if known is None:
                    self._begin(event, item)
                else:
                    self._contradiction("it began a second time", known)
            case {"type": "response.output_item.done", "item": {"type": str()} as item} if _is_call(item):
                self._done(event, item)
            case {"type": "response.output_item.done", "item": {"type": str(of)} as item} if of in ACTIONS:
                self._taken_back(event, item)
            case {"type": str(kind)} if kind in _EVENTS:
                of, key = _EVENTS[kind]
                draft = self._open_draft(event, of)
                if draft is None:
                    return
                if key == "delta":
                    note_stray(draft, event, (), event=True)
                    self._add(draft, event.get(key))
                else:
                    self._payload_told(draft, event.get(key))
            case {"type": str(kind)} if kind in _ENDINGS:
                self._close()

    def _begins(self, event: dict[str, Any]) -> bool:
        return event.get("type") == "response.created"

    def _begin_answer(self) -> None:
        for draft in self._drafts:
            if not draft.ended:
                self._let_go(draft)
        self._drafts.clear()
        self._by_id.clear()
        self._by_index.clear()

    def _end(self) -> None:
        for draft in self._drafts:
            if draft.ended:
                continue
            stated, payload = draft.item["type"], draft.payload
            missed(draft, payload)
            if not draft.told:
                cut_off(draft, payload, raw=stated != "function_call")
            value = {**draft.item, _PAYLOADS[stated]: payload} if stated in _PAYLOADS else draft.item
            if "status" in value:
                value["status"] = "completed" if draft.trouble is None else "incomplete"
            self._hand_over(draft, value)

    def _begin(self, event: dict[str, Any], item: dict[str, Any]) -> _Draft | None:
        if not self._may_begin():
            return None
        index = event.get("output_index")
        draft = _Draft(_id_of(item), index=index if type(index) is int else None)
        draft.item = self._copy_object(item, "$.item", draft)
        self._drafts.append(draft)
        item_id = _text(item, "id")
        if item_id is not None:
            self._by_id[item_id] = draft
        if draft.index is not None:
            self._by_index[draft.index] = draft
        return draft

    def _open_draft(self, event: dict[str, Any], of: str) -> _Draft | None:
        """Return the call that an event adds to, if there is one and it may."""
        draft = self._draft_of(event, _text(event, "item_id"))
        if draft is None:
            numbered = type(event.get("output_index")) is int
            problem = "a piece came for a call that never began, or it does not say for which"
            self._astray(problem, () if numbered else self._drafts)
        elif draft.ended:
            self._contradiction("more of a call came after its end", draft)
        elif draft.item["type"] != of:
            self._contradiction(f"a piece of a {of} came for a {draft.item['type']}", draft)
        else:
            return draft
        return None

    def _draft_of(self, event: dict[str, Any], item_id: str | None) -> _Draft | None:
        index = event.get("output_index")
        known = self._by_id.get(item_id or "")
        if known is not None:
            if type(index) is int and known.index not in {None, index}:
                self._contradiction(f"it stood at {known.index}, and now stands at {index}", known)
            return known
        if type(index) is int:
            return self._by_index.get(index)
        under_way = [draft for draft in self._drafts if not draft.ended]
        return under_way[0] if item_id is None and len(under_way) == 1 else None

    def _payload_told(self, draft: _Draft, payload: Any) -> None:
        if not isinstance(payload, str):
            self._contradiction(f"its whole payload is {describe(payload)}, not a string", draft)
            return
        self._compare(draft, payload)
        if not draft.pieces:
            self._add(draft, payload)
        draft.told = True

    def _done(self, event: dict[str, Any], item: dict[str, Any]) -> None:
        draft = self._draft_of(event, _text(item, "id"))
        call_id = _id_of(item)
        if draft is not None and draft.ended and call_id not in {None, draft.call_id}:
            draft = None  # another call in the place of one that is gone
        if draft is None:  # never announced, but here it is, and whole
            draft = self._begin(event, item)
        if draft is None:
            return
        if draft.ended:
            self._contradiction("it ended a second time", draft)
            return
        self._hold_to_its_beginning(draft, item)
        key = _PAYLOADS.get(item["type"])
        if key is None:
            self._action_done(draft, item)
            return
        payload = item.get(key)
        if isinstance(payload, str):
            self._compare(draft, payload)
        value = {**draft.item, **self._copy_object(item, "$.item", draft)}
        if payload is None:
            payload = value[key] = draft.payload
        if item.get("status") is None and "status" in value:  # what it began with is over
            value["status"] = "completed"
        missed(draft, payload)
        if item.get("status") == "incomplete" and isinstance(payload, str):
            cut_off(draft, payload, raw=item["type"] == "custom_tool_call")
        self._hand_over(draft, value)

    def _hold_to_its_beginning(self, draft: _Draft, item: dict[str, Any]) -> None:
        call_id = _id_of(item)
        if item["type"] in _RENAMED:
            draft.call_id = call_id or draft.call_id
        for what in ("type", "name", "namespace", *(() if item["type"] in _RENAMED else ("call_id",))):
            before, now = _text(draft.item, what), _text(item, what)
            if before != now and None not in {before, now}:
                self._contradiction(f"its {what} was {before!r}, and now is {now!r}", draft)

    def _action_done(self, draft: _Draft, item: dict[str, Any]) -> None:
        value = self._copy_object(item, "$.item", draft)
        if item.get("status") == "incomplete":
            cut_off(draft, "", raw=True)
        self._hand_over(draft, value)

    def _taken_back(self, event: dict[str, Any], item: dict[str, Any]) -> None:
        """An item turns out to be the server's own, such as what a shell in a container runs."""
        draft = self._draft_of(event, _text(item, "id"))
        if draft is not None and draft.item["type"] == item["type"]:
            draft.ended = True

    def _compare(self, draft: _Draft, payload: str) -> None:
        """Note it if a whole payload is not what the pieces of it said; nothing said is no lie."""
        said = draft.text
        same = said == joined([payload]) or (
            draft.item["type"] == "function_call" and mean_the_same(said, payload)
        )
        if draft.pieces and draft.trouble is None and not same:
            self._contradiction("its whole payload is not what its pieces said", draft)


def _is_call(item: dict[str, Any]) -> bool:
    return item["type"] in _PAYLOADS or (item["type"] in ACTIONS and is_for_the_client(item))


def _id_of(item: dict[str, Any]) -> str | None:
    return _text(item, "id" if item["type"] == "mcp_approval_request" else "call_id")


def _text(value: dict[str, Any], key: str) -> str | None:
    found = value.get(key)
    return found if isinstance(found, str) and found else None
