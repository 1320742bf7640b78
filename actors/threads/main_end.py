"""What becomes of boards when the main thread ends by an exception: Ctrl-C, ``SystemExit``, an error. They are stopped.

Python then waits for the threads that are no daemons, for as long as they like, and one that waits for a call would hold
the program until that call's deadline. When the main thread just ends nothing is stopped: those threads work on.

Python does not say how the main thread has ended: for ``SystemExit`` no hook is called, and the exception is forgotten
before anything else is asked. But a frame that has ended says what its last instruction was, and one that returned has
ended by a return. So the outermost frame of the main thread is kept while there are boards (it is a module's, as a rule,
whose names live on anyhow), and looked at when `threading` is about to wait.
"""

from __future__ import annotations

import opcode
import sys
import threading
from typing import TYPE_CHECKING, Final, Protocol
from weakref import WeakSet

from ...base.foreign import Log, contain
from ...base.threads import current_frames

if TYPE_CHECKING:
    from types import FrameType

logger: Log = Log("callboard.actors")


class Stoppable(Protocol):
    """A board, or its face."""

    def stop(self) -> None:
        """End every call, and itself."""


class _MainThread:
    """The one of this process. It is watched from the first board on."""

    def __init__(self) -> None:
        self._boards: WeakSet[Stoppable] = WeakSet()
        self._frames: tuple[FrameType, ...] = ()
        self._watched = False

    def watch(self, board: Stoppable) -> None:
        """Have a board stopped if the main thread ends by an exception, until `forget`."""
        if not self._watched:
            self._watched = True
            # The callbacks that are registered first are called last. The standard library's pool waits there for its threads, which
            # may be waiting for a call.
            try:
                import concurrent.futures.thread  # noqa: F401, PLC0415 - see above

                threading._register_atexit(self._about_to_wait)  # type: ignore[attr-defined] # noqa: SLF001 - `atexit` runs only after the threads were awaited
            except (AttributeError, RuntimeError):
                # This Python has no such thing, or is just ending.
                logger.debug("nobody tells of the end of the main thread")
        self._boards.add(board)
        self._frames = _outermost()

    def forget(self, board: Stoppable) -> None:
        """It has been stopped."""
        self._boards.discard(board)
        if not self._boards:
            self._frames = ()

    def _about_to_wait(self) -> None:
        """Python is ending, and about to wait for the threads that are no daemons; in the main thread."""
        frame: FrameType | None = sys._getframe()  # noqa: SLF001 - the frames of this thread
        here = set()
        while frame is not None:
            here.add(frame)
            frame = frame.f_back
        ended = next((each for each in self._frames if each not in here), None)
        if ended is None or _has_returned(ended):
            return
        interrupt = None
        for board in list(self._boards):  # a copy: one that has been stopped takes itself out
            try:
                board.stop()
            except BaseException as error:  # noqa: BLE001 - the others are stopped all the same
                said = "stopping a board at the end of the main thread failed"
                interrupt = contain(error, logger, said) or interrupt
        if interrupt is not None:
            raise interrupt


main_thread: Final = _MainThread()

_RETURNS = {number for name, number in opcode.opmap.items() if name.startswith("RETURN_")} - {
    opcode.opmap.get("RETURN_GENERATOR")
}


def _has_returned(frame: FrameType) -> bool:
    return frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] in _RETURNS


def _outermost() -> tuple[FrameType, ...]:
    """The main thread's outermost frame; in a child of `multiprocessing`, whose own frames outlast it, the next ones too."""
    frame = current_frames().get(threading.main_thread().ident or 0)
    frames: list[FrameType] = []
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    frames.reverse()
    of_python = (
        each for each in frames[1:] if each.f_globals.get("__name__", "").startswith("multiprocessing.")
    )
    return (*frames[:1], *of_python)
