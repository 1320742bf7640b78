"""An event loop that awaits one short call after the other reads the host itself, and nobody else has to wait for it."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import uvloop
from boards import node_board
from callboard.actors.hosted.loop_lease import LoopLease
from callboard.hosts.process.loop_reader import LoopReader, is_uninterrupted
from leaks import no_leaks, wait_until
from tools import tool_call

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from callboard.actors.board import Board
    from callboard.actors.calls.call import Call

PATIENCE = 20.0

uvloop.new_event_loop().close()  # libuv opens a pipe once for the whole process, which is no leak of ours

in_each_loop = pytest.mark.parametrize("make_loop", [asyncio.new_event_loop, uvloop.new_event_loop])


def in_loop(main: Coroutine[Any, Any, Any], make_loop: Callable[[], Any] = asyncio.new_event_loop) -> Any:
    """In a thread of its own: in the main one these tests have a time limit that is kept by a signal, and no loop there is lent anything."""

    def run() -> Any:
        with asyncio.Runner(loop_factory=make_loop) as runner:
            return runner.run(main)

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()


def read_by(board: Board) -> str:
    return board.status()["plugins"]["moody"]["host"]["read_by"]


def moody(**arguments: Any) -> dict[str, Any]:
    return tool_call("moody", **arguments)


def nothing(*_: object) -> None:
    """Told of what this test does not look at."""


async def awaited(call: Call) -> Any:
    return await call


async def led(board: Board) -> None:
    """Await short calls until this loop reads the host; how short they are is the machine's to say."""
    for _ in range(10_000):
        await board.submit(moody())
        if read_by(board) == "loop":
            return
    raise AssertionError("no loop came to read the host")


@in_each_loop
def test_a_loop_that_awaits_call_after_call_reads_the_host(make_loop):
    with no_leaks(), node_board() as (board, *_):

        async def main():
            await led(board)
            return [(await board.submit(moody(value=n)))["result"]["echo"] for n in range(50)]

        assert in_loop(main(), make_loop) == list(range(50))


@in_each_loop
@pytest.mark.parametrize("concurrency", [1, 16])
def test_calls_of_many_tasks_run_in_the_order_in_which_they_were_submitted(make_loop, concurrency, tmp_path):
    ledger = tmp_path / "ledger"

    with node_board(concurrency=concurrency) as (board, *_):

        async def one(n: int) -> bool:
            return (await board.submit(moody(ledger=str(ledger), line=n)))["success"]

        async def main():
            await led(board)
            return await asyncio.gather(*[one(n) for n in range(300)])

        assert all(in_loop(main(), make_loop))
    assert ledger.read_text().split() == [str(n) for n in range(300)]


def test_a_thread_that_waits_takes_the_reading_from_a_loop_that_is_blocked():
    with node_board(concurrency=2) as (board, *_), ThreadPoolExecutor() as pool:

        def elsewhere():
            return board.submit(moody(value="mine")).result(PATIENCE)

        async def main():
            await led(board)
            answer = pool.submit(elsewhere)
            return answer.result(PATIENCE)  # which blocks this loop

        assert in_loop(main())["result"]["echo"] == "mine"


def test_a_callback_of_another_runs_in_no_loop():
    with node_board(concurrency=2) as (board, *_), ThreadPoolExecutor() as pool:
        ran_in = threading.Event()

        def elsewhere():
            call = board.submit(moody(do="wait", ms=50))
            call.add_done_callback(
                lambda: ran_in.set() if threading.current_thread() is not loop_thread else None
            )

        async def main():
            await led(board)
            pool.submit(elsewhere).result(PATIENCE)
            while not ran_in.is_set():
                await board.submit(moody())

        loop_thread = threading.current_thread()
        in_loop(asyncio.wait_for(main(), PATIENCE))
        assert ran_in.is_set()


def test_an_answer_that_came_in_time_counts_although_its_loop_was_blocked_beyond_the_deadline():
    with node_board() as (board, _, events):

        async def main():
            await led(board)
            call = board.submit(moody(do="wait", ms=100), deadline=1.0)
            waiting = asyncio.ensure_future(awaited(call))
            await asyncio.sleep(0)
            # Nothing runs in this loop until others have seen the end of the call.
            events.wait_for("call_ended", lambda event: event.facts["call"] == call.id)
            return await waiting

        assert in_loop(main())["success"]


def test_a_loop_that_was_closed_leaves_the_host_to_the_next():
    with no_leaks(), node_board() as (board, *_):
        for _ in range(5):
            in_loop(led(board))
            assert board.submit(moody()).result(PATIENCE)["success"]


def test_loops_in_several_threads_and_threads_beside_them_get_their_own_answers():
    with no_leaks(), node_board(concurrency=8) as (board, *_), ThreadPoolExecutor(8) as pool:

        def loop(name: int) -> list[Any]:
            async def main():
                return [(await board.submit(moody(value=[name, n])))["result"]["echo"] for n in range(200)]

            return in_loop(main())

        def thread(name: int) -> list[Any]:
            return [
                board.submit(moody(value=[name, n])).result(PATIENCE)["result"]["echo"] for n in range(200)
            ]

        answers = [pool.submit(loop if name % 2 else thread, name) for name in range(6)]

        for name, answer in enumerate(answers):
            assert answer.result(PATIENCE * 3) == [[name, n] for n in range(200)]


def test_a_host_that_is_killed_while_a_loop_reads_it_is_told_and_replaced():
    with no_leaks(), node_board(host={}) as (board, plugin, _):

        async def main():
            await led(board)
            pid = plugin.host.pid
            call = asyncio.ensure_future(awaited(board.submit(moody(do="wait"))))
            await asyncio.sleep(0)
            os.kill(pid, signal.SIGKILL)
            return await call, await board.submit(moody())

        lost, following = in_loop(main())
    assert (lost["code"], lost["outcome"]) == ("host_crashed", "outcome_unknown")
    assert following["success"]


def test_a_task_that_is_cancelled_takes_its_call_along_and_the_next_works():
    with node_board() as (board, *_):

        async def main():
            await led(board)
            call = board.submit(moody(do="wait", ms=30))
            waiting = asyncio.ensure_future(awaited(call))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            return call, await board.submit(moody())

        call, following = in_loop(main())
    assert call.result()["code"] == "cancelled"
    assert following["success"]


@pytest.mark.parametrize("size", [70_000, 3_000_000])
def test_a_large_answer_is_whole_whoever_reads_it(size):
    with node_board() as (board, *_):

        async def main():
            await led(board)
            large = await board.submit(moody(value="x" * size))
            return large, await board.submit(moody(value="small"))

        large, small = in_loop(main())
    assert large["result"]["echo"] == "x" * size
    assert small["result"]["echo"] == "small"


def test_parts_that_a_loop_reads_come_in_order_and_before_the_end():
    with node_board() as (board, *_):

        async def main():
            await led(board)
            call = board.submit(moody(do="parts", parts=2000))
            return [part async for part in call], call.done()

        parts, done = in_loop(main())
    assert parts == list(range(2000))
    assert done


def test_an_interrupt_while_a_loop_reads_ends_the_host_and_no_call_hangs():
    with no_leaks(), node_board() as (board, plugin, _):

        async def main():
            await led(board)
            peer, of_the_loop = plugin.host._peer, threading.current_thread()
            hear = peer.receive

            def interrupted(data: bytes) -> Any:
                if threading.current_thread() is not of_the_loop:  # it was too slow to keep the reading
                    return hear(data)
                peer.receive = hear
                raise KeyboardInterrupt

            peer.receive = interrupted
            while True:
                await board.submit(moody())

        with pytest.raises(KeyboardInterrupt):
            in_loop(main())

        wait_until(lambda: board.submit(moody()).result(PATIENCE)["success"])


@in_each_loop
def test_a_loop_that_an_interrupt_has_ended_holds_no_pipe_open(make_loop):
    stdout, host = os.pipe()
    loop = make_loop()

    def interrupted(_: bytes) -> None:
        raise KeyboardInterrupt

    reader = LoopReader(
        loop, stdout, lock=threading.RLock(), hear=interrupted, wake=nothing, failed=nothing, returned=nothing
    )
    reader.begin()
    os.write(host, b"{}\n")
    with pytest.raises(KeyboardInterrupt) as caught:  # held: whoever reports it keeps what it has met
        loop.run_forever()
    os.close(stdout)
    with pytest.raises(BrokenPipeError):
        os.write(host, b"{}\n")

    reader.leave()
    loop.close()
    os.close(host)
    assert caught.type is KeyboardInterrupt


def test_a_loop_that_is_not_awaiting_any_more_gives_the_reading_back():
    with node_board() as (board, *_):

        async def main():
            await led(board)
            wait_until(lambda: read_by(board) == "pump")

        in_loop(main())


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF, signal.SIGUSR1]
)
def test_a_loop_in_the_main_thread_is_lent_nothing_where_a_handler_may_raise(number):
    def of(numbers: set[int], handler: Any) -> dict[int, Any]:
        return {each: signal.signal(each, handler) for each in numbers}

    before = of({signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF, signal.SIGUSR1}, signal.SIG_DFL)
    before |= of({signal.SIGINT}, nothing)  # as asyncio.run has one
    try:
        assert is_uninterrupted()
        signal.signal(number, signal.default_int_handler)
        assert not is_uninterrupted()
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


class AHost:
    """Leads at once, and has another begin to wait at the moment between the look and the lease."""

    def __init__(self) -> None:
        self.meanwhile: Callable[[], None] = lambda: None
        self.readers: list[Any] = []

    def lead(self, loop: Any, _returned: Any) -> Any:
        self.meanwhile()
        reader = SimpleNamespace(loop=loop, ended=False)
        reader.end = lambda: setattr(reader, "ended", True)
        self.readers.append(reader)
        return reader


def a_lease(host: AHost) -> tuple[LoopLease, Any]:
    endpoint: Any = SimpleNamespace(mailbox=SimpleNamespace(has_only=lambda _: True), on_waited=None)
    sender: Any = SimpleNamespace(host=host)
    return LoopLease(sender, endpoint, lambda: None), object()


def a_wait(submitted: float) -> Any:
    return SimpleNamespace(submitted=submitted)


def test_one_who_begins_to_wait_as_the_lease_is_given_ends_it():
    host = AHost()
    lease, loop = a_lease(host)
    host.meanwhile = lease.on_waited

    for submitted in (0.0, 0.001):
        lease.on_awaited(a_wait(submitted), loop)

    assert [reader.ended for reader in host.readers] == [True]


def test_each_who_begins_to_wait_ends_the_lease_that_there_is_then():
    host = AHost()
    lease, loop = a_lease(host)

    for submitted in (0.0, 0.001):
        lease.on_awaited(a_wait(submitted), loop)
    lease.on_waited()
    lease.on_awaited(a_wait(0.003), loop)
    lease.on_waited()

    assert [reader.ended for reader in host.readers] == [True, True]
