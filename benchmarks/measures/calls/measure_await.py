"""What a call costs whom an event loop runs: one in flight, many at once, and parts as they come."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from calls import SMALL, WINDOW, node_board, tool_call
from harness import PLACEMENTS, Block, Placement, alternate_async, placed
from peers.bare_asyncio import AsyncPipes
from table import Row, at_least, at_most, compared, microseconds, per_second

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from callboard import Callboard
    from contest import Contest
    from table import Bound

    Work = Callable[[Any], Awaitable[Any]]

PARTS = 100

_MANY = 1000

_PEER_GOALS: dict[Placement, Bound] = {"pinned": at_least(8), "unpinned": at_least(4)}


def measure(contest: Contest) -> list[Row]:
    """A board against a harness of asyncio's own pipes, and against the peer."""
    return [row for placement in PLACEMENTS for row in asyncio.run(_in_place(contest, placement))]


async def _in_place(contest: Contest, placement: Placement) -> list[Row]:
    with placed(placement):
        return [
            *await _one(contest, placement),
            *[await _window(contest, placement, window) for window in (WINDOW, _MANY)],
            await _parts(contest, placement),
        ]


async def _one(contest: Contest, placement: Placement) -> list[Row]:
    count = contest.times(200, 50)
    async with AsyncExitStack() as stack:
        bare = await stack.enter_async_context(AsyncPipes())
        board = stack.enter_context(node_board())
        turns: dict[str, Callable[[], Awaitable[Block]]] = {
            "callboard": lambda: _one_by_one(board.execute_async, _calls(count)),
            "bare": lambda: _one_by_one(bare.call, iter([SMALL] * count)),
        }
        if (peer := stack.enter_context(contest.peer())) is not None:
            turns["peer"] = partial(_elsewhere, lambda: peer.one_by_one(count, len(SMALL["text"])))
        samples = await alternate_async(turns, contest.times(40, 6), warm_up=contest.times(25, 5))
    ours, bare_one = samples["callboard"], samples["bare"]
    what, value = f"await of one call, {placement}", microseconds(ours.median)
    floor = compared(what, value, f"bare asyncio pipes {microseconds(bare_one.median)}", ours.over(bare_one))
    return [floor, contest.beside_peer(what, samples, goal=_PEER_GOALS[placement])]


async def _window(contest: Contest, placement: Placement, window: int) -> Row:
    count = contest.times(2000, 500) if window < _MANY else contest.times(3000, 1000)
    async with AsyncExitStack() as stack:
        bare = await stack.enter_async_context(AsyncPipes())
        board = stack.enter_context(node_board(concurrency=WINDOW))
        samples = await alternate_async(
            {
                "callboard": lambda: _rate(board.execute_async, _calls(count), window),
                "bare": lambda: _rate(bare.call, iter([SMALL] * count), window),
            },
            contest.times(15, 3),
            warm_up=contest.times(5, 2),
        )
    ours, bare_rate = samples["callboard"], samples["bare"]
    what, against = (
        f"await, {window:,} in flight, {placement}",
        f"bare asyncio pipes {per_second(bare_rate.median)}",
    )
    return compared(what, per_second(ours.median), against, ours.over(bare_rate), goal=at_least(0.4))


async def _parts(contest: Contest, placement: Placement) -> Row:
    count = contest.times(30, 5)
    async with AsyncExitStack() as stack:
        bare = await stack.enter_async_context(AsyncPipes())
        board = stack.enter_context(node_board())
        samples = await alternate_async(
            {
                "callboard": lambda: _one_by_one(partial(_stream, board), iter(range(count))),
                "bare": lambda: _one_by_one(lambda _: bare.stream(PARTS), iter(range(count))),
            },
            contest.times(15, 3),
            warm_up=contest.times(5, 2),
        )
    ours, bare_parts = samples["callboard"], samples["bare"]
    what, against = (
        f"{PARTS} parts awaited, {placement}",
        f"bare asyncio pipes {microseconds(bare_parts.median)}",
    )
    return compared(what, microseconds(ours.median), against, ours.over(bare_parts), goal=at_most(2))


async def _stream(board: Callboard, _: int) -> None:
    call = board.submit(tool_call({"parts": PARTS}))
    came = [part async for part in call]
    if len(came) != PARTS or not call.done():
        raise RuntimeError(f"{len(came)} of {PARTS} parts came")


def _calls(count: int) -> Iterator[Any]:
    return iter([tool_call(SMALL) for _ in range(count)])


async def _one_by_one(work: Work, inputs: Iterator[Any]) -> Block:
    clock = time.perf_counter
    block = []
    for each in inputs:
        begin = clock()
        answer = await work(each)
        block.append(clock() - begin)
        _require_success(answer)
    return block


async def _rate(work: Work, inputs: Iterator[Any], window: int) -> Block:
    """Calls a second of so many coroutines, each of which takes the next call as soon as its last one has ended."""
    count = 0

    async def worker() -> None:
        nonlocal count
        for each in inputs:
            _require_success(await work(each))
            count += 1

    begin = time.perf_counter()
    await asyncio.gather(*[worker() for _ in range(window)])
    return [count / (time.perf_counter() - begin)]


async def _elsewhere(turn: Callable[[], Block]) -> Block:
    """The peer's turn, in its own process: meanwhile this loop has nothing to do."""
    return turn()


def _require_success(answer: Any) -> None:
    if isinstance(answer, dict) and answer.get("success") is False:
        raise RuntimeError(f"a measured call failed: {answer}")
