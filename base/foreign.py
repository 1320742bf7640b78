"""Where code that is not ours is called, whatever it raises: callbacks, subscribers, stores, and what handles our log.

Half of what can be raised is no `Exception`: `SystemExit`, `KeyboardInterrupt`, `GeneratorExit`, `asyncio.CancelledError`,
and whatever a program derives from `BaseException`. In a thread of ours each of them would end that thread, and with it
all that the thread was for; so every border is an ``except BaseException`` that ends in `contain`, or in `blames`
where a result or an error tells whose fault it is. ``docs/design/foreign-code.md`` lists the borders.

A logger's handlers and filters are such code too. So no code of Callboard calls a `logging.Logger`, but a `Log`.
"""

from __future__ import annotations

import logging
import signal
import sys
import threading
import traceback
from contextlib import suppress
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING

from .validation import a_type

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType, TracebackType

    ExcInfo = bool | BaseException | tuple[type[BaseException], BaseException, TracebackType | None] | None


def is_interrupt(error: BaseException) -> bool:
    """Whether something outside ended the step, and not the code that ran: to be raised on, in the main thread alone.

    That is Ctrl-C, an exit, and whatever a signal handler or a tracer raised (a time limit, a debugger that is left).
    """
    return in_main_thread() and (
        isinstance(error, KeyboardInterrupt | SystemExit) or _raised_from_outside(error)
    )


def blames(error: BaseException) -> bool:
    """Whether what a plugin's own code raised is the plugin's fault; all is, but an interrupt of the main thread.

    An exit of its own is its fault everywhere: that a tool exits must not end its embedder.
    """
    return not (in_main_thread() and (isinstance(error, KeyboardInterrupt) or _raised_from_outside(error)))


def contain(error: BaseException, log: Log, text: str, *values: object) -> BaseException | None:
    """Log what foreign code raised, to be called where it was caught.

    Returns:
        ``None``, or the interrupt that has to be raised once all is done that others wait for (see `is_interrupt`).
    """
    if is_interrupt(error):
        return error
    try:
        log.error(text, *values, exc_info=error)
    except BaseException as interrupt:  # noqa: BLE001 - it came while this was logged, see `Log`
        return interrupt
    return None


def told(error: BaseException) -> str:
    """What an exception says, which is its own code. Raises nothing but an interrupt."""
    try:
        return str(error)
    except BaseException as broken:  # a broken __str__ must not cost what its exception has not
        if is_interrupt(broken):
            raise
        return "(the exception's own text cannot be read)"


def shown(value: object, most: int = 200) -> str:
    """The `repr` of anything, cut at ``most`` characters. Raises nothing but an interrupt: a `repr` may be a caller's own."""
    try:
        return repr(value)[:most]
    except BaseException as broken:  # it is only for show
        if is_interrupt(broken):
            raise
        return f"({a_type(value)} that cannot be shown)"


class Log:
    """A logger of Callboard. As a `logging.Logger`, but nothing that its handlers and filters raise comes out of it.

    What they raise is written to stderr, as `logging` does with what it catches itself. Only an interrupt in the
    main thread goes on (see `is_interrupt`).

    Args:
        name: the logger's.
    """

    __slots__ = ("_logger",)

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def debug(self, text: str, *values: object) -> None:
        """Log a step that only a developer asks about."""
        self._write(logging.DEBUG, text, values)

    def info(self, text: str, *values: object) -> None:
        """Log what a user may want to know."""
        self._write(logging.INFO, text, values)

    def warning(self, text: str, *values: object, exc_info: ExcInfo = None) -> None:
        """Log what went wrong and was mended, or was not asked for."""
        self._write(logging.WARNING, text, values, exc_info)

    def error(self, text: str, *values: object, exc_info: ExcInfo = None) -> None:
        """Log what is lost."""
        self._write(logging.ERROR, text, values, exc_info)

    def exception(self, text: str, *values: object) -> None:
        """Log what is lost, with the exception that is being handled."""
        self._write(logging.ERROR, text, values, exc_info=True)

    def _write(self, level: int, text: str, values: tuple[object, ...], exc_info: ExcInfo = None) -> None:
        try:
            if self._logger.isEnabledFor(level):
                self._logger.log(level, text, *values, exc_info=exc_info, stacklevel=3)
        except BaseException as error:  # a handler or a filter of the program's logging
            if is_interrupt(error):
                raise
            _complain(error)


def _complain(error: BaseException) -> None:
    """Write to stderr what the log itself cannot be told; it may be closed, missing, or another object."""
    if logging.raiseExceptions:
        with suppress(BaseException):
            traceback.print_exception(error, file=sys.stderr)


def in_main_thread() -> bool:
    """Whether signal handlers run in this thread."""
    return threading.current_thread() is threading.main_thread()


# Python runs a signal handler, or a tracer, between two instructions of whatever frame is running. In a traceback it follows that
# frame as if the frame had called it. Two things tell it apart: its arguments, and that it is installed. The first misses a handler
# that has deleted its arguments, the second one that has taken itself off before it raised.


def _raised_from_outside(error: BaseException) -> bool:
    """Whether a handler or a tracer raised this, that Python ran in the middle of the code."""
    step = error.__traceback__
    installed: frozenset[CodeType] | None = None
    while step is not None and step.tb_next is not None:
        entered = step.tb_next.tb_frame
        if _was_given(entered, step.tb_frame):
            return True
        if installed is None:
            installed = frozenset(_installed_handlers())
        if entered.f_code in installed:
            return True
        step = step.tb_next
    return False


_OPTIMIZED, _VARARGS = 1, 4
"""Flags of code, as `inspect` has them, which takes long to import."""

_TRACED = frozenset({"call", "line", "return", "exception", "opcode", "c_call", "c_return", "c_exception"})


def _was_given(entered: FrameType, interrupted: FrameType) -> bool:
    """Whether a frame has the arguments of a signal handler, ``(signal, frame)``, or of a tracer, ``(frame, event, …)``."""
    code = entered.f_code
    if not code.co_flags & _OPTIMIZED:  # a module, or the body of a class
        return False
    local = entered.f_locals
    given = [local.get(name) for name in code.co_varnames[: code.co_argcount]]
    if code.co_flags & _VARARGS:
        given += local.get(code.co_varnames[code.co_argcount + code.co_kwonlyargcount]) or ()
    for before, value, after in zip([None, *given], given, [*given[1:], None], strict=False):
        if value is interrupted:
            return isinstance(before, int) or (isinstance(after, str) and after in _TRACED)
    return False


def _installed_handlers() -> Iterator[CodeType]:
    """The code of each Python function that handles a signal at present."""
    for number in signal.valid_signals():
        handler: object = signal.getsignal(number)
        while isinstance(handler, partial):
            handler = handler.func
        if not isinstance(handler, FunctionType | MethodType):
            handler = getattr(type(handler), "__call__", None)  # noqa: B004 - the function, not whether there is one
        code = getattr(handler, "__code__", None)
        if isinstance(code, CodeType):
            yield code
