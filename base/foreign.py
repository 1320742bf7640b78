"""Where code that is not ours is called, whatever it raises: callbacks, subscribers, stores, and what handles our log.

Half of what can be raised is no `Exception`: `SystemExit`, `KeyboardInterrupt`, `GeneratorExit`, `asyncio.CancelledError`,
and whatever a program derives from `BaseException`. In a thread of ours each of them would end that thread, and with it
all that the thread was for; so every border is an ``except BaseException`` that ends in `contain`, or in `blames`
where a result or an error tells whose fault it is. ``docs/design/foreign-code.md`` lists the borders.

A logger's handlers and filters are such code too. So no code of Callboard calls a `logging.Logger`, but a `Log`.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING

from .validation import a_type

if TYPE_CHECKING:
    from types import TracebackType

    ExcInfo = bool | BaseException | tuple[type[BaseException], BaseException, TracebackType | None] | None


def is_interrupt(error: BaseException) -> bool:
    """Whether it is the program that was told to end, and not the callable's failure.

    Ctrl-C, or a signal handler that exits: both come up in the main thread, in whatever runs there.
    """
    return isinstance(error, KeyboardInterrupt | SystemExit) and _in_main_thread()


def blames(error: BaseException) -> bool:
    """Whether what a plugin's own code raised is the plugin's fault; all is, but Ctrl-C in the main thread.

    An exit is its fault everywhere: that a tool exits must not end its embedder.
    """
    return not (isinstance(error, KeyboardInterrupt) and _in_main_thread())


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
    """What an exception says, which is its own code. Raises nothing."""
    try:
        return str(error)
    except BaseException:  # noqa: BLE001 - a broken __str__ must not cost what its exception has not
        return "(the exception's own text cannot be read)"


def shown(value: object, most: int = 200) -> str:
    """The `repr` of anything, cut at ``most`` characters. Raises nothing: a `repr` may be a caller's own."""
    try:
        return repr(value)[:most]
    except BaseException:  # noqa: BLE001 - it is only for show
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


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
