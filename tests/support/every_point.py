"""Raise at each line that a step runs and where each function begins, once in each run: what a signal handler can do to it.

Left out are the end of a ``with`` block, which the tracer visits again, and the word ``try``. The interpreter runs signal handlers
after calls, at jumps back and where a function begins, so none comes between the last call of a block and ``__exit__``. Finalizers are
left out too: nobody sees what is raised there.
"""

from __future__ import annotations

import dis
import itertools
import sys
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Self

import callboard.actors
import callboard.plugins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType

_ROOTS = tuple(
    str(Path(room.__path__[0]).parent / name)
    for room in (callboard.actors, callboard.plugins)
    for name in ("actors", "base", "facade", "hosts", "interop", "plugins", "supervision")
)


class Interrupted(KeyboardInterrupt):
    """Raised at a line, as Ctrl-C is."""


class Interruption:
    """Raises `Interrupted` in the thread that enters it, at the line of that number of Callboard's own code.

    Args:
        line: which of the lines and beginnings that are run from then on, from 0.

    Attributes:
        place: where it has raised; ``None`` if fewer lines were run.
    """

    def __init__(self, line: int) -> None:
        self.place: str | None = None
        self._left = line

    def __enter__(self) -> Self:
        sys.settrace(self._enter_frame)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _enter_frame(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(_ROOTS) or _in_finalizer(frame):
            return None
        return self._at_line if _is_closed(frame) else self._count(frame)

    def _at_line(self, frame: FrameType, event: str, _argument: Any) -> Any:
        if event != "line" or _leaves_a_with_block(frame):
            return self._at_line
        return self._count(frame)

    def _count(self, frame: FrameType) -> Any:
        if self._left:
            self._left -= 1
            return self._at_line
        sys.settrace(None)
        file = Path(frame.f_code.co_filename)
        self.place = f"{file.parent.name}/{file.name}:{frame.f_lineno} in {frame.f_code.co_qualname}"
        raise Interrupted(self.place)


def _in_finalizer(frame: FrameType | None) -> bool:
    """Whether what is raised there goes nowhere: Python prints it."""
    while frame is not None and frame.f_code.co_name != "__del__":
        frame = frame.f_back
    return frame is not None


def _is_closed(frame: FrameType) -> bool:
    """Whether a generator is entered to be closed, or for an exception: no instruction begins it, so no handler runs."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] == "YIELD_VALUE"


def _leaves_a_with_block(frame: FrameType) -> bool:
    """Whether what comes next is ``__exit__(None, None, None)``, or a ``try`` that has no instruction of its own."""
    code = frame.f_code.co_code
    names = [dis.opname[code[at]] for at in range(frame.f_lasti, min(frame.f_lasti + 10, len(code)), 2)]
    if names[0] == "NOP":
        return True
    while names and names[0] == "SWAP":  # the value that is returned is kept below
        del names[0]
    return names[:3] == ["LOAD_CONST"] * 3


def some_lines(seed: str, step: int) -> Iterator[int]:
    """One line of each ``step`` of them, drawn by a seed."""
    chance = Random(seed)
    return (start + chance.randrange(step) for start in itertools.count(0, step))


def interrupted_at_each_line(
    step: Callable[[], object],
    *,
    before: Callable[[], object] = lambda: None,
    lines: Iterable[int] | None = None,
) -> Iterator[str]:
    """Run a step again and again, interrupted at a later line each time; yields where, and ends after a whole run.

    Args:
        step: what is interrupted.
        before: done before each run, without interruption.
        lines: at which, ascending and without an end; each of them if ``None``.
    """
    for line in itertools.count() if lines is None else lines:
        before()
        interruption = Interruption(line)
        with suppress(Interrupted), interruption:
            step()
        if interruption.place is None:
            return
        yield interruption.place
