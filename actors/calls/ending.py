"""How a call ends: what comes before its result is visible, and then who is woken.

A signal handler may raise between any two lines of this in the caller's thread. Then another thread takes the same steps again,
so each of them may be taken twice.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...base.foreign import Log, contain
from .waiting import Wake

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...supervision.runtime.clock import Timer
    from .stage import Result

logger: Log = Log("callboard.actors")


class Ending:
    """One ending of one call.

    Attributes:
        result: the result mapping.
        first: done before anybody can see it.
        waiting: callbacks of those who wait, until each was called.
        left: an interrupt has left it half done.
        over: all has been done.
    """

    __slots__ = ("first", "left", "over", "result", "waiting")

    def __init__(self, result: Result, first: Callable[[], None] | None) -> None:
        self.result: Result = result
        self.first: Callable[[], None] | None = first
        self.waiting: list[Callable[[], None]] = []
        self.left: bool = False
        self.over: bool = False


def settle(ending: Ending, call: str, told: Callable[[], None] | None, timer: Timer | None) -> None:
    """Do what comes before the result is visible; raises an interrupt that came meanwhile, for another thread to do all of it again.

    Args:
        ending: the call's.
        call: its id, for the log.
        told: tells the call's owner of the result.
        timer: the call's deadline, which is taken off the clock.
    """
    try:
        try:
            if ending.first is not None:
                ending.first()
        finally:
            if told is not None:
                told()
            if timer is not None:
                timer.cancel()
    except BaseException as error:  # noqa: BLE001 - a bug of ours, or an interrupt: the waiting caller gets its answer
        if (interrupt := contain(error, logger, "settling call %s failed", call)) is not None:
            raise interrupt from None


def wake_all(callbacks: list[Callable[[], None]], call: str) -> None:
    """Call all who wait for a call; then raise the interrupt of the main thread that came meanwhile, if one did.

    Args:
        callbacks: emptied. The caller's own may be among them, which may raise anything: the others must hear all the same.
        call: its id, for the log.
    """
    interrupt = wake(callbacks, call)
    if interrupt is not None:
        raise interrupt


def wake(
    callbacks: list[Callable[[], None]], call: str, interrupt: BaseException | None = None
) -> BaseException | None:
    """As `wake_all`, but return the interrupt, that which was there before if none came."""
    # Each is taken out once it was called: after an interrupt it is better called twice than never.
    while callbacks:
        function = callbacks[0]
        try:
            function()
        except BaseException as error:  # noqa: BLE001 - see `wake_all`
            interrupt = contain(error, logger, "a callback of call %s failed", call) or interrupt
            if isinstance(function, Wake):
                interrupt = wake([partial(function.func, *function.args)], call, interrupt)
        del callbacks[0]
    return interrupt
