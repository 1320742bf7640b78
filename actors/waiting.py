"""Waiting in an event loop for a callback that comes from another thread."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger("callboard.actors")


async def wait_for_callback(
    register: Callable[[Callable[[], None]], bool], forget: Callable[[Callable[[], None]], None]
) -> None:
    """Wait until a callback is called, once, in whatever thread.

    Args:
        register: takes the callback; False when there is nothing to wait for.
        forget: takes it back, called or not.
    """
    from asyncio import Event, get_running_loop  # noqa: PLC0415 - whoever awaits has imported it

    loop, woken = get_running_loop(), Event()

    def wake() -> None:
        try:
            loop.call_soon_threadsafe(woken.set)
        except RuntimeError:  # the loop was closed, and whoever waited in it is gone
            logger.debug("nobody waits in %r any more", loop)

    if register(wake):
        try:
            await woken.wait()
        finally:
            forget(wake)
