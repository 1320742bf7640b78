"""Calls streamed by Google Gemini: whole parts, or on Vertex AI arguments that grow piece by piece.

A ``functionCall`` part is a whole call, unless it says ``willContinue``. Then further parts follow, without the
name, whose ``partialArgs`` say one value each, at a path: ``{"jsonPath": "$.a[0]", "stringValue": "x"}``. A text
may come in several pieces, each but the last with a ``willContinue`` of its own. The first part that does
not say ``willContinue`` is the last; it may be empty.

Keys are read in the wire's spelling and in that of the Python SDK, and a call comes out in its own.

Some servers, and gateways, give a ``finishReason`` with each chunk. So calls that follow one are read, unless they
bear another ``responseId``, or are the same as before.

Parts of several calls at once can only be told apart by the calls' ids. Without ids a new name while a
call is under way means that the call lost its end, and it comes out as malformed.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from ..assembly.argument_tree import ArgumentTree
from ..assembly.assembler import Assembler, Draft
from ..errors import describe
from ..exact_json import json_text
from ..format_ids import GEMINI
from ..limits import MAX_DEPTH
from ..names.gemini_spelling import as_base64, said, spelt, wire_key, wire_keys

_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    "stringValue": str,
    "numberValue": (int, float),
    "boolValue": bool,
}
_PATCH_KEYS: Final = frozenset({"jsonPath", "willContinue", "nullValue", *_TYPES})

_OF_A_PIECE: Final = frozenset({"partialArgs", "willContinue"})

_ENDING: Final = "STOP"
"""The reason that means: all was said that was to be said."""


@dataclass(slots=True, eq=False)
class _Draft(Draft):
    """``part`` is the part the call began with, which has it at ``key``; ``grows``: more parts of it were announced."""

    grows: bool = False
    key: str = "functionCall"
    part: dict[str, Any] = field(default_factory=dict)
    tree: ArgumentTree = field(default_factory=ArgumentTree)


class GeminiAssembler(Assembler):
    """Reads whole chunks, or what stands under ``content`` in them, or single parts."""

    format: ClassVar[str] = GEMINI

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._open: dict[int, list[_Draft]] = {}

    def _take(self, event: dict[str, Any]) -> None:
        candidates = event.get("candidates")
        if isinstance(candidates, list):
            for candidate in candidates:
                if isinstance(candidate, dict):
                    self._take_candidate(candidate, event)
        else:
            self._take_parts(0, event if isinstance(event.get("parts"), list) else {"parts": [event]})

    def _end(self) -> None:
        for number in list(self._open):
            self._end_candidate(number, None)

    def _take_candidate(self, candidate: dict[str, Any], event: dict[str, Any]) -> None:
        number = candidate.get("index") or 0
        if not isinstance(number, int):
            under_way = [draft for drafts in self._open.values() for draft in drafts]
            self._astray(f"the index of a candidate is {describe(number)}", under_way)
            return
        if number:  # an alternative answer: its calls are not asked for beside those of the first
            return
        content = candidate.get("content")
        if isinstance(content, dict):
            self._take_parts(number, content)
        reason = said(candidate, "finishReason")
        if reason:
            self._end_candidate(number, reason)
            self._place_ended(number, event)

    def _answer_of(self, event: dict[str, Any]) -> Any:
        return said(event, "responseId")

    def _take_parts(self, number: int, content: dict[str, Any]) -> None:
        parts = content.get("parts")
        for part in parts if isinstance(parts, list) else ():
            call = said(part, "functionCall") if isinstance(part, dict) else None
            if isinstance(call, dict):
                self._take_part(number, part, call)

    def _take_part(self, number: int, part: dict[str, Any], call: dict[str, Any]) -> None:
        under_way = self._open.get(number, [])
        name, call_id = _text(call, "name"), _text(call, "id")
        draft = _continued(under_way, name, call_id)
        if draft is None and (name or call.get("args")):
            self._lose_the_end_of(number, call_id)
            draft = self._begin(number, part, call)
        elif draft is None and said(call, "partialArgs"):
            self._astray("arguments came for no call, or for one of several that are under way", under_way)
        elif draft is not None and said(part, "thoughtSignature") is not None:
            key = spelt(part, "thoughtSignature")
            draft.part[key] = self._copy(as_base64(part[key]), "$.thoughtSignature", draft)
        if draft is None:
            return
        patches = said(call, "partialArgs")
        for patch in patches if isinstance(patches, list) else ():
            self._patch(draft, patch)
        if said(call, "willContinue"):
            draft.grows = True
        else:
            self._write(number, draft)

    def _begin(self, number: int, part: dict[str, Any], call: dict[str, Any]) -> _Draft | None:
        if not self._may_begin():
            return None
        draft = _Draft(_text(call, "id"), key=spelt(part, "functionCall"))
        bare = {key: item for key, item in call.items() if wire_key(key) not in _OF_A_PIECE}
        around = {key: as_base64(item) for key, item in part.items() if wire_key(key) != "functionCall"}
        draft.part = {
            **self._copy_object(around, "$", draft),
            draft.key: self._copy_object(bare, f"$.{draft.key}", draft),
        }
        args = draft.part[draft.key].get("args")
        if isinstance(args, dict):
            draft.tree = ArgumentTree(args)
        self._open.setdefault(number, []).append(draft)
        return draft

    def _lose_the_end_of(self, number: int, call_id: str | None) -> None:
        """A call begins: those under way that it cannot be told apart from have lost their end."""
        for draft in list(self._open.get(number, ())):
            if call_id is None or draft.call_id is None:
                self._contradiction("another call began before its end", draft)
                self._write(number, draft)

    def _patch(self, draft: _Draft, patch: Any) -> None:
        if draft.trouble is not None:
            return
        if isinstance(patch, dict) and "json_path" in patch:
            patch = wire_keys(patch)
        path = patch.get("jsonPath") if isinstance(patch, dict) else None
        if not isinstance(path, str):
            self._contradiction("a partial argument has no path", draft)
            return
        steps = parse_path(path)
        if steps is None:
            self._contradiction(f"{path[:80]!r} is no path to one value", draft)
            return
        kinds = [kind for kind in _TYPES if patch.get(kind) is not None]
        value = patch[kinds[0]] if kinds else None
        if len(kinds) > 1 or (kinds and not _is(value, kinds[0])) or not patch.keys() <= _PATCH_KEYS:
            self._contradiction(f"the value at {path[:80]} cannot be read", draft)
        elif kinds or "nullValue" in patch:
            piece = len(value) if isinstance(value, str) else 0
            if self._room_for(draft, len(path) + piece):
                problem = draft.tree.put(steps, value, more=bool(patch.get("willContinue")))
                if problem is not None:
                    self._contradiction(f"at {path[:80]}, {problem}", draft)

    def _end_candidate(self, number: int, reason: Any) -> None:
        for draft in list(self._open.get(number, ())):
            # Vertex AI leaves the last part out now and then; the end of the whole answer stands for it.
            if draft.trouble is None and (reason != _ENDING or draft.tree.unended):
                draft.trouble = ("cut_off", "the stream ended in the middle of the call")
            self._write(number, draft)

    def _write(self, number: int, draft: _Draft) -> None:
        self._open[number].remove(draft)
        call = draft.part[draft.key]
        args = draft.tree.value()
        if draft.trouble is not None:
            # As text, and without its end: so it looks like what it is to any reader.
            call["args"] = json_text(args)[:-1]
        elif args or draft.grows or isinstance(call.get("args"), dict):
            call["args"] = args
        self._hand_over(draft, draft.part, number)


def _continued(under_way: list[_Draft], name: str | None, call_id: str | None) -> _Draft | None:
    """Return the call that a part goes on with, if it is sure which."""
    if call_id is not None:
        same = next((draft for draft in under_way if draft.call_id == call_id), None)
        if same is not None or name is not None:
            return same
    return under_way[0] if name is None and len(under_way) == 1 else None


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, float) and not math.isfinite(value):
        return False
    return isinstance(value, _TYPES[kind]) and (kind == "boolValue" or not isinstance(value, bool))


def _text(value: dict[str, Any], key: str) -> str | None:
    found = value.get(key)
    return found if isinstance(found, str) and found else None


Step = str | int
"""A key of an object, or a place in an array."""

_STEP = re.compile(
    r"\.(?P<name>[^.\[\]'\"\s]+)"
    r"|\[(?P<index>0|[1-9][0-9]{0,9})\]"
    r"|\[(?P<quoted>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')\]",
    re.DOTALL,
)


def parse_path(path: str) -> tuple[Step, ...] | None:
    """Return the steps from the root of a JSON Path, such as ``$.a.b[0]['c.d']``; ``None`` if it is no path to one value below it.

    Only what leads to exactly one value (RFC 9535, singular queries) is read: no wildcards, no filters, no counting
    from the end.
    """
    if not path.startswith("$"):
        return None
    steps: list[Step] = []
    position = 1
    while position < len(path):
        found = _STEP.match(path, position)
        if found is None or len(steps) == MAX_DEPTH:
            return None
        name, index, quoted = found["name"], found["index"], found["quoted"]
        step = name if name is not None else int(index) if index is not None else _unquoted(quoted)
        if step is None:
            return None
        steps.append(step)
        position = found.end()
    return tuple(steps) or None


def _unquoted(quoted: str) -> str | None:
    """Return what stands in the quotes. In single ones a single quote is escaped, a double one is not."""
    if quoted[0] == "'":
        body = re.sub(r"\\.|\"", _requoted, quoted[1:-1], flags=re.DOTALL)
        quoted = f'"{body}"'
    try:
        text = json.loads(quoted)
    except json.JSONDecodeError:
        return None
    return text if isinstance(text, str) else None


def _requoted(found: re.Match[str]) -> str:
    return {"\\'": "'", '"': '\\"'}.get(found[0], found[0])
