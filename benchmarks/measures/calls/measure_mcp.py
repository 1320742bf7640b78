"""The way to an MCP server: a board against the official client, in front of the same server of twenty lines."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from callboard import Callboard
from calls import RESTART_AT_ONCE, SMALL, WINDOW, board_turn, run, text_of, tool_call, window_turn
from harness import PLACEMENTS, Block, Placement, Samples, alternate, placed
from peers.mcp_peer import PeerFailed
from table import Bound, Row, at_least, at_most, compared, microseconds, per_second

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from contest import Contest
    from peers.mcp_peer import Peer

SERVER = (sys.executable, str(Path(__file__).parents[2] / "peers" / "echo_server.py"))

_LONG = len(SMALL["text"])
_SIZES = (("64 KB", 64 * 1024, 20), ("1 MB", 1024 * 1024, 5))
_HUGE = 16 * 1024 * 1024
_WHOLE = 64 * 1024 * 1024
"""Bytes of a result that are not cut off, so that both carry the same."""

_PATIENCE = 5.0
"""Seconds after which a server that was killed is taken for gone for ever."""


def measure(contest: Contest) -> list[Row]:
    """What the calls take, what they cost our own process, and what becomes of them when the server dies."""
    small = [row for placement in PLACEMENTS for row in _small(contest, placement)]
    return [*small, *_large(contest), *_killed(contest)]


@contextmanager
def _board(**options: Any) -> Iterator[Callboard]:
    with Callboard() as board:
        server = {"command": list(SERVER), "result_limit": _WHOLE}
        board.load({"mcp": server, "name": "echo"}, **options)
        yield board


def _small(contest: Contest, placement: Placement) -> list[Row]:
    count = contest.times(200, 50)
    with placed(placement), ExitStack() as stack:
        board, wide = stack.enter_context(_board()), stack.enter_context(_board(concurrency=WINDOW))
        peer = stack.enter_context(contest.peer(*SERVER))
        rounds, warm_up = contest.times(30, 4), contest.times(5, 1)

        def beside(ours: Callable[[], Block], theirs: Callable[[Peer], Block]) -> dict[str, Samples]:
            turns = {"callboard": ours} | ({} if peer is None else {"peer": lambda: theirs(peer)})
            return alternate(turns, rounds, warm_up=warm_up)

        runner = stack.enter_context(asyncio.Runner())
        took = beside(lambda: board_turn(board, count, SMALL), lambda peer: peer.one_by_one(count, _LONG))
        cost = beside(lambda: _processor_time(board, count), lambda peer: peer.processor_time(count, _LONG))
        awaited = beside(
            lambda: runner.run(_await_each(board, count, time.perf_counter)),
            lambda peer: peer.one_by_one(count, _LONG),
        )
        cost_awaited = beside(
            lambda: runner.run(_await_each(board, count, time.process_time)),
            lambda peer: peer.processor_time(count, _LONG),
        )
        many = beside(
            lambda: window_turn(wide, 4 * count), lambda peer: peer.pipelined(2 * count, _LONG, WINDOW)
        )
    return [
        _row(contest, f"MCP server, a call of 150 B, {placement}", took, goal=at_most(0.6)),
        _row(contest, f"MCP server, CPU of our process, {placement}", cost, stage=at_most(0.3), goal=at_most(0.15)),
        _row(contest, f"MCP server, await of a call, {placement}", awaited, goal=at_most(0.6)),
        _row(contest, f"MCP server, CPU of our process, awaited, {placement}", cost_awaited, stage=at_most(0.3), goal=at_most(0.15)),
        _row(contest, f"MCP server, {WINDOW} in flight, {placement}", many, show=per_second, goal=at_least(1)),
    ]  # fmt: skip


def _processor_time(board: Callboard, count: int) -> Block:
    """Seconds of CPU of this process for each call, which has all threads of the board; their mean."""
    calls = [tool_call(SMALL) for _ in range(count)]
    begin = time.process_time()
    for call in calls:
        run(board, call)
    return [(time.process_time() - begin) / count]


async def _await_each(board: Callboard, count: int, clock: Callable[[], float]) -> Block:
    """As the official client's calls are made, whose caller awaits them, too; seconds of each by that clock, as their mean."""
    calls = [tool_call(SMALL) for _ in range(count)]
    begin = clock()
    for call in calls:
        await board.execute_async(call)
    return [(clock() - begin) / count]


def _large(contest: Contest) -> Iterator[Row]:
    for name, size, count in _SIZES:
        times = contest.times(count, 1)
        with _board() as board, contest.peer(*SERVER) as peer:
            turns = {"callboard": partial(board_turn, board, times, text_of(size))}
            if peer is not None:
                turns["peer"] = partial(peer.one_by_one, times, size)
            samples = alternate(turns, contest.times(10, 2))
        yield _row(contest, f"MCP server, echo of {name}", samples)
    with _board() as board, contest.peer(*SERVER) as peer:
        (ours,) = board_turn(board, 1, text_of(_HUGE))
        theirs = contest.no_peer if peer is None else _told(partial(peer.one_by_one, 1, _HUGE))
    yield Row("MCP server, echo of 16 MB", microseconds(ours), f"mcp: {theirs}")


def _killed(contest: Contest) -> Iterator[Row]:
    """Here the question is whether there is a next answer at all."""
    with _board(restart=RESTART_AT_ONCE) as board:
        ours = Samples([_kill(board) for _ in range(contest.times(20, 2))])
    with contest.peer(*SERVER) as peer:
        theirs = contest.no_peer
        if peer is not None:
            theirs = _told(partial(peer.killed, _PATIENCE), otherwise=f"never, in {_PATIENCE:g} s")
    yield Row("MCP server, SIGKILL to next answer", microseconds(ours.median), f"mcp: {theirs}")


def _kill(board: Callboard) -> Block:
    pid = int(run(board, tool_call({}, "pid")))
    begin = time.perf_counter()
    os.kill(pid, signal.SIGKILL)
    while not board.execute(tool_call(SMALL))["success"]:  # the one that was sent before its death was seen
        pass
    return [time.perf_counter() - begin]


def _told(turn: Callable[[], Block], otherwise: str = "") -> str:
    try:
        return microseconds(*turn())
    except PeerFailed as failed:
        return f"{otherwise or 'failed'}: {failed}"


def _row(
    contest: Contest,
    what: str,
    samples: dict[str, Samples],
    *,
    show: Callable[[float], str] = microseconds,
    stage: Bound | None = None,
    goal: Bound | None = None,
) -> Row:
    """As a multiple of the official client's."""
    ours, theirs = samples["callboard"], samples.get("peer")
    value = show(ours.median)
    if theirs is None:
        return Row(what, value, f"mcp: {contest.no_peer}", stage=stage, goal=goal)
    return compared(what, value, f"mcp {show(theirs.median)}", ours.over(theirs), stage=stage, goal=goal)
