"""What a small call costs beside a host in trouble: one that floods its stdout, is killed and comes back, or is reloaded.

The same call beside the same host that is idle is the floor. Half of the calls, and one in a hundred, take longer than what is told.
"""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING

from calls import RESTART_AT_ONCE, SMALL, TOOL, board_turn, node_board, run, tool_call
from harness import Samples, alternate
from measures.hosts.measure_flood import flood_host
from table import Row, compared, microseconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from callboard import Callboard
    from contest import Contest
    from harness import Block

FLOODS = ("prints", "parts", "duplicates")

_PATIENCE = 600.0


def measure(contest: Contest) -> list[Row]:
    """Unpinned."""
    count, times, seconds = contest.times(500, 50), contest.times(5, 1), contest.times(10, 2) / 10
    with node_board() as board:
        board.load(flood_host(), name="flooding", deadline=_PATIENCE)
        board.load(
            {"node_tool": {"file": str(TOOL)}},
            name="other",
            config={"names": ["other"]},
            restart=RESTART_AT_ONCE,
        )
        turns: dict[str, Callable[[], Block]] = {"idle": lambda: board_turn(board, count, SMALL)}
        turns |= {
            f"a flood of {kind}": lambda kind=kind: _beside(board, lambda: _flood(board, kind, seconds))
            for kind in FLOODS
        }
        turns["a host that is killed and recovers"] = lambda: _beside(board, lambda: _kill(board), times)
        turns["a reload"] = lambda: _beside(board, lambda: board.reload("other"), times)
        samples = alternate(turns, contest.times(9, 2))
    return [
        row
        for what in turns
        if what != "idle"
        for row in _rows(f"small call beside {what}", samples[what], samples["idle"])
    ]


def _rows(what: str, troubled: Samples, idle: Samples) -> list[Row]:
    rows = []
    for name, at in (("half", 0.5), ("one in a hundred", 0.99)):
        mine, theirs = _quantile(troubled, at), _quantile(idle, at)
        against = f"beside an idle host {microseconds(theirs.median)}"
        rows.append(
            compared(f"{what}, {name} take longer", microseconds(mine.median), against, mine.over(theirs))
        )
    return rows


def _quantile(samples: Samples, at: float) -> Samples:
    """One sample of each block: the one below which so many lie."""
    return Samples([[sorted(block)[int(len(block) * at)]] for block in samples.blocks])


def _beside(board: Callboard, trouble: Callable[[], object], times: int = 1) -> Block:
    """Small calls, one after the other, until the trouble is over so many times."""
    block: Block = []
    for _ in range(times):
        thread = threading.Thread(target=trouble)
        thread.start()
        while thread.is_alive():
            block += board_turn(board, 1, SMALL)
        thread.join()
    return block


def _flood(board: Callboard, kind: str, seconds: float) -> None:
    run(board, tool_call({"kind": kind, "seconds": seconds}, "flood"))


def _kill(board: Callboard) -> None:
    """Until it has answered again."""
    os.kill(board.status()["plugins"]["other"]["host"]["pid"], signal.SIGKILL)
    while board.submit(tool_call(SMALL, "other")).result()["success"] is not True:
        pass  # it was sent to the one that is dying
