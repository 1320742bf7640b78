"""SIGKILL to "the Node process answers again", beside two process supervisors.

Both contestants as they come, and tuned for speed; all take turns in one run. Callboard's is a cold
restart without a standby: a new process, loaded and asked.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from calls import RESTART_AT_ONCE, node_board
from harness import Block, Samples, alternate
from measures.hosts.measure_crash import kill_and_ask
from peers.keepers import CIRCUS, SUPERVISOR, Keeper, KeeperMissing, require
from table import Row, compared, microseconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from contest import Contest

KEEPERS = {
    "circus, by default": ("circusd", CIRCUS, 0.5, {"check_delay": 5.0}),
    "circus, looking each 10 ms": ("circusd", CIRCUS, 0.5, {"check_delay": 0.01}),
    "supervisor, by default": ("supervisord", SUPERVISOR, 1.5, {"startsecs": 1}),
    "supervisor, startsecs 0": ("supervisord", SUPERVISOR, 0.5, {"startsecs": 0}),
}
"""Program, configuration, seconds between two kills, and what is set in it."""


def measure(contest: Contest) -> list[Row]:
    """The host is killed with a call in flight; the keepers' process while it is idle; unpinned."""
    try:
        require(install=not contest.quick)
    except KeeperMissing as missing:
        return [Row("SIGKILL to answers again", against=f"circus, supervisor: {missing}")]
    with ExitStack() as stack:
        board = stack.enter_context(node_board(restart=RESTART_AT_ONCE))
        turns: dict[str, Callable[[], Block]] = {"callboard": lambda: [kill_and_ask(board, orphan=False)[1]]}
        for name, (program, config, rest, settings) in KEEPERS.items():
            keeper = stack.enter_context(Keeper(program, config, rest=rest, **settings))
            turns[name] = keeper.kill
        samples = alternate(turns, contest.times(12, 2))
    return [_row(name, samples) for name in KEEPERS]


def _row(name: str, samples: dict[str, Samples]) -> Row:
    ours, theirs = samples["callboard"], samples[name]
    return compared(
        "SIGKILL to answers again, times faster",
        microseconds(ours.median),
        f"{name} {microseconds(theirs.median)}",
        theirs.over(ours),
    )
