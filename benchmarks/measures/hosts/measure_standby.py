"""SIGKILL to a host with a standby: how soon the next call is answered.

The next kill waits until the next standby is loaded: two kills in a row are a matter of the cold restart,
which `measure_crash` has.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from calls import RESTART_AT_ONCE, node_board
from harness import Samples, alternate
from measures.hosts.measure_crash import kill_and_ask
from measures.hosts.measure_start import bare_spawn_to_reply
from table import Row, at_most, compared, microseconds

if TYPE_CHECKING:
    from contest import Contest
    from harness import Block

_SETTLE = 0.05


def measure(contest: Contest) -> list[Row]:
    """One call in flight when the host is killed, and one right after; no backoff; unpinned."""
    loaded = threading.Semaphore(0)
    with node_board(restart=RESTART_AT_ONCE, standby=1) as board:
        # In time for the first one: it is not begun before the host has been ready for a while.
        board.subscribe(lambda _: loaded.release(), ["standby_ready"])

        def takeover() -> Block:
            loaded.acquire()
            time.sleep(_SETTLE)
            return [kill_and_ask(board, orphan=False)[1]]

        turns = {"standby": takeover, "bare": bare_spawn_to_reply}
        samples = alternate(turns, contest.times(40, 4))
    return _rows(samples["standby"], samples["bare"])


def _rows(standby: Samples, bare: Samples) -> list[Row]:
    again = compared(
        "SIGKILL to next answer, standby, beside a bare start",
        microseconds(standby.median),
        f"bare spawn to reply {microseconds(bare.median)}",
        standby.over(bare),
    )
    limit = Row(
        "SIGKILL to next answer, standby",
        microseconds(standby.median),
        judged=standby.median * 1000,
        goal=at_most(8, "ms"),
    )
    return [limit, again]
