"""Loops whose jump back leaves a block: what a signal handler raises there goes past ``__exit__`` or ``finally``.

Since Python 3.13 signal handlers that run at a jump back raise in its own block. A conditional one, such as that of an ``if`` at the end of a
loop, has none: no row of the exception table covers it (CPython's issue 130279).
"""

from __future__ import annotations

import dis
import itertools
import sys
from types import CodeType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RAISES_THERE = sys.version_info >= (3, 13)
"""Whether Python raises in the block of the jump. Before, it raised in that of the loop's head."""


class LeftBlock(NamedTuple):
    """A block that a jump back leaves.

    Attributes:
        function: its qualified name.
        line: of the jump.
        kind: ``with`` or ``finally``. An ``except`` that catches all is the latter, too.
    """

    function: str
    line: int | None
    kind: str


def left_blocks(code: CodeType) -> Iterator[LeftBlock]:
    """The blocks that the jumps back leave, in code and in all code within it; none where Python raises elsewhere."""
    if not RAISES_THERE:
        return
    if code.co_exceptiontable:  # else there is no block
        yield from _Function(code).left_blocks()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from left_blocks(constant)


class _Function:
    """The instructions of a function, and its exception table."""

    def __init__(self, code: CodeType) -> None:
        bytecode = dis.Bytecode(code)
        self._name = code.co_qualname
        self._entries = bytecode.exception_entries
        self._instructions = list(bytecode)
        self._places = {instruction.offset: place for place, instruction in enumerate(self._instructions)}

    def left_blocks(self) -> Iterator[LeftBlock]:
        for jump in self._instructions:
            if jump.opname == "JUMP_BACKWARD":
                for _, kind in self._blocks(jump.argval) - self._blocks(jump.offset):
                    yield LeftBlock(self._name, jump.positions and jump.positions.lineno, kind)

    def _blocks(self, at: int) -> set[tuple[int, str]]:
        """The blocks that are left in order when anything is raised there: where their handlers begin, and their kinds."""
        found: set[tuple[int, str]] = set()
        known: set[int] = set()
        handler = self._handler(at)
        while handler is not None and handler not in known:
            known.add(handler)
            kind = _kind(self._instructions[self._places[handler] :])
            if kind is not None:
                found.add((handler, kind))
            handler = self._handler(handler)
        return found

    def _handler(self, at: int) -> int | None:
        return next((entry.target for entry in self._entries if entry.start <= at < entry.end), None)


def _kind(handler: Sequence[dis.Instruction]) -> str | None:
    """What a handler belongs to; ``None`` if it catches some errors only, or is the compiler's own."""
    first, second = handler[:2]
    if first.opname != "PUSH_EXC_INFO":
        return None
    if second.opname == "WITH_EXCEPT_START":
        return "with"
    start = handler[1:8]
    before = list(itertools.takewhile(lambda each: each.opname != "CHECK_EXC_MATCH", start))
    catches_all = len(before) == len(start) or "BaseException" in [each.argval for each in before]
    return "finally" if catches_all else None
