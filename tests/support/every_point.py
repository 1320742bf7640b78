"""Raise at each point of a step, once in each run: what a signal handler can do to it.

The points are the lines, the beginnings of functions, and each return of a call to the middle of a line. Left out are the end of a
``with`` block, which the tracer visits again, and the word ``try``. The interpreter runs signal handlers after calls of C, at jumps back
and where a function begins, so none comes between the last call of a block and ``__exit__``. Where the next instruction is in another
``try``, or in none, the interpreter raises in the one of the call: for a function of C, so does this. In Python 3.14 one of them is the
``__enter__`` of C. A jump back is a point if it is in another ``try`` than where it leads, and Python raises there. Finalizers are left out: nobody sees what is raised there.

A usual run takes some of the points, other ones in each test.
"""

from __future__ import annotations

import dis
import itertools
import os
import sys
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Self

import callboard.actors
import callboard.plugins
from jumps_back import RAISES_THERE
from thorough import times

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import CodeType, FrameType

_ROOTS = tuple(
    str(Path(room.__path__[0]).parent / name)
    for room in (callboard.actors, callboard.plugins)
    for name in ("actors", "base", "facade", "hosts", "interop", "plugins", "supervision")
)


class Interrupted(KeyboardInterrupt):
    """Raised at a point, as Ctrl-C is."""


class OutOfTime(TimeoutError):
    """Raised at a point, as many handlers of alarms do; it is an `OSError` too."""


class OutOfThreads(RuntimeError):
    """Raised at a point: an error that Python raises itself where no thread can be started."""


class Interruption:
    """Raises in the thread that enters it, at the point of that number of Callboard's own code.

    Args:
        point: which of the points that are run from then on, from 0.
        kind: what is raised.
        after_calls: whether the returns of calls to the middle of a line are points too.

    Attributes:
        place: where it has raised; ``None`` if fewer points were run.
    """

    def __init__(
        self, point: int, kind: type[BaseException] = Interrupted, *, after_calls: bool = True
    ) -> None:
        self.place: str | None = None
        self._left = point
        self._kind = kind
        self._after_calls = after_calls
        self._calls: dict[FrameType, int] = {}
        self._resumed: set[FrameType] = set()

    def __enter__(self) -> Self:
        # Python 3.12 tells of instructions only if a frame has asked for them before.
        sys._getframe().f_trace_opcodes = self._after_calls
        if self._after_calls:
            sys.setprofile(self._after_c)
        sys.settrace(self._enter_frame)
        return self

    def __exit__(self, *_: object) -> None:
        _trace_no_more()
        self._calls.clear()
        self._resumed.clear()

    def _enter_frame(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(_ROOTS) or _in_finalizer(frame):
            return None
        if _is_suspended(frame):
            self._resumed.add(frame)
            return self._in_frame
        frame.f_trace_opcodes = self._after_calls
        return self._count(frame)

    def _in_frame(self, frame: FrameType, event: str, _argument: Any) -> Any:
        if frame in self._resumed:
            # Where it is closed, or an exception is thrown into it, no instruction begins it, so no handler runs.
            self._resumed.discard(frame)
            if event != "exception":
                return self._count(frame)
        if event == "opcode":
            called, at = self._calls.pop(frame, None), frame.f_lasti
            calls, jumps, blocks = _read(frame.f_code)
            if at in calls:
                self._calls[frame] = at
            if at in jumps or (called is not None and blocks[called] == blocks[at]):
                return self._count(frame)
        elif event == "line" and not _leaves_a_with_block(frame):
            return self._count(frame)
        elif event == "return":
            self._calls.pop(frame, None)
        return self._in_frame

    def _after_c(self, frame: FrameType, event: str, _argument: Any) -> None:
        """Where a function of C has returned to another block, what is raised here is raised in the block of the call."""
        if (
            event == "c_return"
            and frame.f_trace is not None
            and frame.f_lasti in _last_of_blocks(frame.f_code)
        ):
            self._count(frame)

    def _count(self, frame: FrameType) -> Any:
        if self._left:
            self._left -= 1
            return self._in_frame
        _trace_no_more()
        file = Path(frame.f_code.co_filename)
        self.place = f"{file.parent.name}/{file.name}:{frame.f_lineno} in {frame.f_code.co_qualname}"
        raise self._kind(self.place)


@cache
def _read(code: CodeType) -> tuple[frozenset[int], frozenset[int], dict[int, int | None]]:
    """Where code calls, where it jumps back out of a block, and for each instruction which handler gets what is raised there; by offsets."""
    read = dis.Bytecode(code)
    blocks: dict[int, int | None] = {}
    calls: set[int] = set()
    back: dict[int, int] = {}
    before = 0
    for instruction in read:
        at = instruction.offset
        handlers = [entry.target for entry in read.exception_entries if entry.start <= at < entry.end]
        blocks[at] = handlers[-1] if handlers else None
        if (
            instruction.opname == "GET_AWAITABLE"
        ):  # a coroutine that has not begun: Python warns of it, and nothing else is lost
            calls.discard(before)
        before = at
        if instruction.opname.startswith("CALL") and not instruction.opname.startswith("CALL_INTRINSIC"):
            calls.add(at)
        if RAISES_THERE and instruction.opname == "JUMP_BACKWARD":
            back[at] = instruction.argval
    jumps = {at for at, head in back.items() if blocks[at] != blocks[head]}
    return frozenset(calls), frozenset(jumps), blocks


@cache
def _last_of_blocks(code: CodeType) -> frozenset[int]:
    """The calls whose next instruction is in another block, by offsets."""
    calls, _, blocks = _read(code)
    return frozenset(
        at for at, after in itertools.pairwise(blocks) if at in calls and blocks[at] != blocks[after]
    )


def _trace_no_more() -> None:
    sys.settrace(None)
    sys.setprofile(None)


def _in_finalizer(frame: FrameType | None) -> bool:
    """Whether what is raised there goes nowhere: Python prints it."""
    while frame is not None and frame.f_code.co_name != "__del__":
        frame = frame.f_back
    return frame is not None


def _is_suspended(frame: FrameType) -> bool:
    """Whether a generator or coroutine is entered that has begun: to go on, to be closed, or for an exception."""
    code, at = frame.f_code.co_code, frame.f_lasti
    return "YIELD_VALUE" in {dis.opname[code[at]], dis.opname[code[at - 2]]}


def _leaves_a_with_block(frame: FrameType) -> bool:
    """Whether what comes next is ``__exit__(None, None, None)``, or a ``try`` that has no instruction of its own."""
    code = frame.f_code.co_code
    names = [dis.opname[code[at]] for at in range(frame.f_lasti, min(frame.f_lasti + 10, len(code)), 2)]
    if names[0] == "NOP":
        return True
    while names and names[0] == "SWAP":  # the value that is returned is kept below
        del names[0]
    return names[:3] == ["LOAD_CONST"] * 3


def some_points(seed: str, step: int) -> Iterator[int]:
    """One point of each ``step`` of them, drawn by a seed."""
    chance = Random(seed)
    return (start + chance.randrange(step) for start in itertools.count(0, step))


def interrupted_at_each_point(
    step: Callable[[], object],
    *,
    before: Callable[[], object] = lambda: None,
    points: Iterable[int] | None = None,
    kind: type[BaseException] = Interrupted,
    after_calls: bool = True,
) -> Iterator[str]:
    """Run a step again and again, interrupted some points later each time; yields where, and ends after a whole run.

    Args:
        step: what is interrupted.
        before: done before each run, without interruption.
        points: at which, ascending and without an end; if ``None`` each of them in the thorough tests, else some of them.
        kind: what is raised.
        after_calls: see `Interruption`.

    Raises:
        AssertionError: a step has swallowed an interrupt.
    """
    each = times(_SOME, 1)
    some = itertools.count(zlib.crc32(os.environ["PYTEST_CURRENT_TEST"].encode()) % each, each)
    for point in some if points is None else points:
        before()
        interruption = Interruption(point, kind, after_calls=after_calls)
        with suppress(kind), interruption:
            step()
            assert interruption.place is None, f"the interrupt was swallowed: {interruption.place}"
        if interruption.place is None:
            return
        yield interruption.place


_SOME = 6
"""A usual run takes one point of so many: half as many runs of a step as there are lines, about."""
