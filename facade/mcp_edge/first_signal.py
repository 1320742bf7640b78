"""The signal that ends a server, in an event loop."""

from __future__ import annotations

import asyncio
import signal


def first_signal() -> asyncio.Future[int]:
    """A future of the running loop: the number of the first SIGINT or SIGTERM. The second one acts as it would have."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[int] = loop.create_future()

    def note(number: int) -> None:
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(each)
        if not found.done():
            found.set_result(number)

    for each in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(each) is not signal.SIG_IGN:
            loop.add_signal_handler(each, note, int(each))
    return found
