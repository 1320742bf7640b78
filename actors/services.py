"""What the parts of one board share, handed on as one value. The board makes it, and closes what is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..hosts.process_tree.watchdog import Watchdog
    from ..supervision.runtime.clock import Clock
    from ..supervision.runtime.events import EventStream
    from .state.persister import StateKeeper
    from .threads.hook_pool import HookThreads


@frozen(eq=False, kw_only=True)
class Services:
    """See the module. For a part that needs two or more of them; one that needs the clock alone takes the clock.

    Attributes:
        clock: the board's time.
        events: where it publishes.
        threads: where code of others runs that may not come back.
        watchdog: ends the hosts with this process.
        random: the source of the jitter of hosts.
        keeper: keeps the plugins' states beyond this process, or ``None``.
        tool_runtime: what plugins of this process find in their context under that name.
    """

    clock: Clock
    events: EventStream
    threads: HookThreads
    watchdog: Watchdog
    random: Callable[[], float]
    keeper: StateKeeper | None = None
    tool_runtime: Any = None
