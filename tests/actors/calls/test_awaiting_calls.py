"""Who awaits a call, and what becomes of it when they are cancelled: the last to go takes it along."""

from __future__ import annotations

import asyncio
import threading
from contextlib import aclosing

import anyio
import pytest
import trio
from callboard.actors.calls.call import Call
from callboard.plugins.contract.invocation import Invocation
from leaks import wait_until

DONE = {"success": True, "result": 1}
PATIENCE = 20.0

both_loops = pytest.mark.parametrize("backend", ["asyncio", "trio"])


def a_call() -> Call:
    call = Call("c1", Invocation(tool_name="t", payload={}))
    call.begin()
    return call


def was_cancelled(call: Call) -> bool:
    return call.done() and call.result()["code"] == "cancelled"


async def read(call, parts, body=None):
    async for part in call:
        parts.append(part)
        if body is not None:
            await body()


async def give_up(*functions):
    """Have each run until it waits for what never comes, and cancel them all."""
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as group:
            for function in functions:
                group.start_soon(function)
            await anyio.wait_all_tasks_blocked()
            scope.cancel()


async def awaiting(call):
    await call


# Each of them alone is the last


@both_loops
def test_a_cancelled_await_cancels_the_call(backend):
    call = a_call()

    anyio.run(give_up, lambda: awaiting(call), backend=backend)

    assert was_cancelled(call)


@both_loops
def test_an_await_whose_time_is_over_cancels_the_call(backend):
    call = a_call()

    async def main():
        with anyio.move_on_after(0.01):
            await call

    anyio.run(main, backend=backend)

    assert was_cancelled(call)


@both_loops
def test_a_cancelled_loop_over_parts_cancels_the_call(backend):
    call, parts = a_call(), []
    call.add_chunk({"part": 1}, 10)

    anyio.run(give_up, lambda: read(call, parts), backend=backend)

    assert parts == [1]
    assert was_cancelled(call)


@both_loops
def test_a_loop_over_parts_whose_body_is_cancelled_cancels_the_call(backend):
    call = a_call()
    call.add_chunk({"part": 1}, 10)

    async def main():
        await give_up(lambda: read(call, [], anyio.sleep_forever))
        await anyio.wait_all_tasks_blocked()

    anyio.run(main, backend=backend)

    assert was_cancelled(call)


def test_wait_for_that_gives_up_cancels_the_call():
    call = a_call()

    async def main():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(call, 0.01)

    asyncio.run(main())

    assert was_cancelled(call)


def test_an_asyncio_task_that_is_cancelled_cancels_its_call():
    call = a_call()

    async def main():
        task = asyncio.create_task(awaiting(call))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())

    assert was_cancelled(call)


def test_a_cancelled_trio_scope_cancels_its_call_and_a_result_from_another_thread_wakes_trio():
    lost, kept = a_call(), a_call()

    async def main():
        with trio.move_on_after(0.01) as scope:
            await lost
        threading.Thread(target=kept.finish, args=(DONE,)).start()
        return scope.cancelled_caught, await kept

    assert trio.run(main) == (True, DONE)
    assert was_cancelled(lost)


# Somebody is left


@both_loops
def test_the_last_of_several_awaits_to_be_cancelled_cancels_the_call(backend):
    call = a_call()

    async def main():
        async with anyio.create_task_group() as group:
            group.start_soon(awaiting, call)
            await give_up(lambda: awaiting(call), lambda: read(call, []))
            left = was_cancelled(call)
            group.cancel_scope.cancel()
        return left

    async def outer():
        results.append(await main())

    results = []
    anyio.run(outer, backend=backend)

    assert results == [False]
    assert was_cancelled(call)


@both_loops
def test_a_reader_that_is_busy_with_a_part_keeps_a_call_whose_other_awaiter_is_cancelled(backend):
    call, parts = a_call(), []
    call.add_chunk({"part": 1}, 10)

    async def main():
        going_on = anyio.Event()
        async with anyio.create_task_group() as group:
            group.start_soon(read, call, parts, going_on.wait)
            await give_up(lambda: awaiting(call))
            call.add_chunk({"part": 2}, 10)
            call.finish(DONE)
            going_on.set()

    anyio.run(main, backend=backend)

    assert parts == [1, 2]
    assert call.result() == DONE


@pytest.mark.parametrize("wait", [lambda call: call.result(PATIENCE), lambda call: list(call.parts())])
def test_a_thread_that_waits_for_the_result_or_for_parts_keeps_the_call(wait):
    call = a_call()
    thread = threading.Thread(target=wait, args=(call,))
    thread.start()
    wait_until(lambda: call._at_end)

    anyio.run(give_up, lambda: awaiting(call))

    assert call.finish(DONE)
    thread.join(PATIENCE)


def test_a_future_keeps_the_call():
    call = a_call()
    future = call.future

    anyio.run(give_up, lambda: awaiting(call))
    call.finish(DONE)

    assert future.result(PATIENCE) == DONE


def test_a_callback_keeps_the_call():
    call, told = a_call(), []
    call.add_done_callback(lambda: told.append(call.result()))

    anyio.run(give_up, lambda: awaiting(call))
    call.finish(DONE)

    assert told == [DONE]


def test_a_wait_that_is_over_keeps_no_call():
    call = a_call()
    call.add_chunk({"part": 1}, 10)
    with pytest.raises(TimeoutError):
        call.result(timeout=0)
    for _ in call.parts():
        break

    anyio.run(give_up, lambda: awaiting(call))

    assert was_cancelled(call)


def test_a_shield_keeps_the_call():
    call = a_call()

    async def main():
        shielded = asyncio.ensure_future(awaiting(call))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.shield(shielded), 0.01)
        kept = not call.done()
        call.finish(DONE)
        await shielded
        return kept

    assert asyncio.run(main())
    assert call.result() == DONE


def test_a_shield_around_the_call_itself_keeps_it():
    call = a_call()

    async def main():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.shield(call), 0.01)
        return call.finish(DONE)

    assert asyncio.run(main())


# Nobody was cancelled


@both_loops
def test_a_break_out_of_a_loop_over_parts_cancels_nothing(backend):
    call = a_call()
    call.add_chunk({"part": 1}, 10)

    async def main():
        async for _ in call:
            break
        async with aclosing(aiter(call)) as parts:
            call.add_chunk({"part": 2}, 10)
            async for _ in parts:
                break
        await anyio.wait_all_tasks_blocked()

    anyio.run(main, backend=backend)

    assert call.finish(DONE)


@both_loops
def test_an_error_within_a_loop_over_parts_cancels_nothing(backend):
    call = a_call()
    call.add_chunk({"part": 1}, 10)

    async def fail():
        raise ValueError

    async def main():
        with pytest.raises(ValueError):  # noqa: PT011 - it has no words
            await read(call, [], fail)
        await anyio.wait_all_tasks_blocked()

    anyio.run(main, backend=backend)

    assert call.finish(DONE)


def test_a_coroutine_that_is_closed_cancels_nothing():
    call = a_call()

    async def main():
        coroutine = awaiting(call)
        coroutine.send(None)
        coroutine.close()

    asyncio.run(main())

    assert call.finish(DONE)


@both_loops
def test_one_who_comes_back_after_a_wait_for_a_part_that_was_too_long_reads_on(backend):
    call, parts = a_call(), []
    call.add_done_callback(lambda: None)

    async def main():
        reader = aiter(call)
        with anyio.move_on_after(0.01):
            await anext(reader)
        call.add_chunk({"part": 1}, 10)
        call.finish(DONE)
        parts.extend([part async for part in reader])

    anyio.run(main, backend=backend)

    assert parts == [1]


@both_loops
def test_a_call_that_has_ended_can_be_awaited_in_any_loop_and_a_cancel_changes_nothing(backend):
    call = a_call()
    call.finish(DONE)

    async def main():
        with anyio.CancelScope() as scope:
            scope.cancel()
            return await call

    assert anyio.run(main, backend=backend) == DONE


def test_an_await_where_no_loop_runs_says_what_does():
    call = a_call()

    with pytest.raises(RuntimeError, match="neither asyncio nor trio"):
        awaiting(call).send(None)

    assert call.finish(DONE)


@both_loops
def test_parts_from_another_thread_are_read_in_order(backend):
    call, parts = a_call(), []

    def emit():
        for number in range(100):
            call.add_chunk({"part": number}, 10)
        call.finish(DONE)

    async def main():
        threading.Thread(target=emit).start()
        await read(call, parts)
        return await call

    assert anyio.run(main, backend=backend) == DONE
    assert parts == list(range(100))
