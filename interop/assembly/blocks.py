"""Calls streamed as content blocks, each with an index, a start, pieces of its input, and a stop.

Anthropic and Bedrock differ in how they spell these, and in nothing else that matters here. The input
of a call is a JSON object, sent as text. No text at all means no arguments, but only if the message
ended as it should: at the limit of tokens a call may be stopped before its first argument. So a call
whose text is no whole object waits, once it has been stopped, until something shows that it was not
the one cut off: another block begins, or the message gives its reason to stop, or the stream ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from ..calls.arguments import parse_arguments
from ..errors import describe
from ..exact_json import json_text
from .argument_text import is_whole, mean_the_same
from .assembler import Assembler, Draft, cut_off, missed, note_stray

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .assembler import StreamLimits


@dataclass(slots=True, eq=False)
class BlockDraft(Draft):
    """``block`` is the call as it began."""

    block: dict[str, Any] = field(default_factory=dict)


class BlockAssembler(Assembler):
    """What the assemblers of such streams share."""

    id_key: ClassVar[str]
    """Where a block has its id."""

    endings: ClassVar[frozenset[str]]
    """Reasons to stop that mean: all was said that was to be said."""

    def __init__(self, limits: StreamLimits | None = None) -> None:
        super().__init__(limits)
        self._open: dict[int, BlockDraft | None] = {}  # None for a block that is no call of ours
        self._waiting: list[BlockDraft] = []
        self._stopped = False

    def follows_the_end(self, event: dict[str, Any]) -> bool:
        """As for all; and an answer that gave its reason to stop does not begin anew."""
        return super().follows_the_end(event) or (self._stopped and self._begins(event))

    def wire(self, block: dict[str, Any]) -> dict[str, Any]:
        """Return the call as it stands in an answer that was not streamed."""
        return block

    def _start(self, index: Any, block: dict[str, Any] | None) -> None:
        """A block begins; ``None`` for one that is no call of ours."""
        if not self._is_index(index):
            return
        self._release()
        before = self._open.pop(index, None)
        if before is not None:
            self._contradiction(f"block {index} began again before it was stopped", before)
            self._write(before)
        if block is None:
            if len(self._open) < self._limits.calls:
                self._open[index] = None
        elif self._may_begin():
            call_id = block.get(self.id_key)
            draft = BlockDraft(call_id if isinstance(call_id, str) else None)
            draft.block = self._copy_object(block, "$", draft)
            self._open[index] = draft

    def _piece(self, index: Any, piece: Mapping[str, Any], key: str, *known: str) -> None:
        """A piece of a call's input, which belongs under ``key``; ``known`` are the other keys that it may have."""
        if not self._is_index(index):
            return
        if index not in self._open:
            self._contradiction(f"a piece came for block {index}, which is not open")
            return
        draft = self._open[index]
        if draft is not None:
            note_stray(draft, piece, (key, *known))
            self._add(draft, piece.get(key))

    def _stop(self, index: Any) -> None:
        """A block ends; whoever feeds the blocks of calls alone may feed the ends of all."""
        if not self._is_index(index):
            return
        draft = self._open.pop(index, None)
        if draft is None:
            return
        if draft.pieces and draft.block.get("input") and not mean_the_same(draft.text, _begun(draft)):
            self._contradiction("its pieces are not the input that it began with", draft)
        if is_whole(_said(draft)):
            self._write(draft)
        else:
            self._waiting.append(draft)

    def _stop_reason(self, reason: Any) -> None:
        """The message says why it ended."""
        if not reason:
            return
        self._stopped = True
        if not isinstance(reason, str) or reason not in self.endings:
            for draft in self._waiting:
                cut_off(draft, _said(draft))
        self._release()

    def _begin_answer(self) -> None:
        """An answer begins: what is under way belongs to one that broke off."""
        for draft in [*self._waiting, *self._open.values()]:
            if draft is not None:
                self._let_go(draft)
        self._waiting.clear()
        self._open.clear()

    def _end(self) -> None:
        self._release()
        for draft in self._open.values():
            if draft is not None:
                cut_off(draft, _said(draft))
                self._write(draft)
        self._open.clear()

    def _release(self) -> None:
        waiting, self._waiting = self._waiting, []
        for draft in waiting:
            self._write(draft)

    def _write(self, draft: BlockDraft) -> None:
        said = _said(draft)
        missed(draft, said)
        read = parse_arguments(said)
        sound = draft.trouble is None and read.kind == "object"
        self._hand_over(draft, self.wire({**draft.block, "input": read.payload if sound else said}))

    def _is_index(self, index: Any) -> bool:
        if type(index) is int:
            return True
        under_way = [draft for draft in self._open.values() if draft is not None]
        self._astray(f"the index of a block is {describe(index)}", under_way)
        return False


def _said(draft: BlockDraft) -> str:
    """Return the input as text: its pieces, or what the block began with if there are none."""
    return draft.text if draft.pieces else _begun(draft)


def _begun(draft: BlockDraft) -> str:
    # An empty object is how a block begins whose input is still to come.
    begun = draft.block.get("input")
    return json_text(begun) if begun else ""
