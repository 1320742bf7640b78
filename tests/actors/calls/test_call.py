"""The call handle: one ending, parts in order, and waiting from threads and event loops."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from callboard.actors.calls.call import Call
from callboard.actors.calls.stage import Stage
from callboard.actors.calls.unread_parts import MAX_UNREAD_PARTS
from callboard.plugins.contract.invocation import Invocation
from hypothesis import given
from hypothesis import strategies as st
from manual_clock import ManualClock

DONE = {"success": True, "result": 1}


def a_call(**facts) -> Call:
    return Call("c1", Invocation(tool_name="t", payload={}), **facts)


def test_a_call_ends_once_and_the_first_ending_is_the_one_that_counts():
    call = a_call()

    endings = [call.finish(DONE), call.finish({"success": False, "error": "later"}), call.cancel()]

    assert endings == [True, False, False]
    assert call.result() == DONE


def test_of_many_threads_that_end_a_call_exactly_one_wins():
    for _ in range(50):
        call, gate = a_call(), threading.Barrier(4)

        def end(number: int, call=call, gate=gate) -> bool:
            gate.wait()
            return call.cancel() if number == 0 else call.finish({"success": True, "result": number})

        with ThreadPoolExecutor(4) as pool:
            wins = list(pool.map(end, range(4)))

        assert wins.count(True) == 1
        winner = wins.index(True)
        assert call.result().get("result", 0) == winner


@pytest.mark.parametrize(("begun", "outcome"), [(False, "not_sent"), (True, "outcome_unknown")])
def test_a_cancelled_call_says_whether_the_tool_may_have_run(begun, outcome):
    call = a_call()
    if begun:
        call.begin()

    call.cancel()

    assert call.result()["code"] == "cancelled"
    assert call.result()["outcome"] == outcome


def test_a_call_that_was_put_back_has_not_been_sent():
    call = a_call()
    call.begin()
    call.put_back()

    call.cancel()

    assert call.result()["outcome"] == "not_sent"


def test_a_call_ends_at_its_deadline_and_not_before():
    clock = ManualClock()
    call = a_call(submitted=clock.now())
    call.limit(clock, 5.0)

    clock.advance(4.999)
    before = call.done()
    clock.advance(0.001)

    assert not before
    assert call.result()["code"] == "deadline_exceeded"
    assert "5 s" in call.result()["error"]


@pytest.mark.parametrize(
    ("steps", "outcome", "said"),
    [
        ([], "not_sent", "was not asked"),
        (["begin", "put_back"], "not_sent", "was not asked"),
        (["begin"], "outcome_unknown", "did not answer"),
        (["begin", "lose"], "outcome_unknown", "did not answer"),
    ],
)
def test_a_deadline_says_that_a_tool_did_not_answer_only_if_it_was_asked(steps, outcome, said):
    clock = ManualClock()
    call = a_call(submitted=clock.now())
    call.limit(clock, 5.0)
    do = {"begin": call.begin, "put_back": call.put_back, "lose": lambda: call.put_back({"success": False})}
    for step in steps:
        do[step]()

    clock.advance(5.0)

    assert call.result()["outcome"] == outcome
    assert said in call.result()["error"]


def test_a_call_that_ends_takes_its_deadline_off_the_clock():
    clock = ManualClock()
    call = a_call(submitted=clock.now())
    call.limit(clock, 5.0)

    call.finish(DONE)

    assert clock.pending() == ()


def test_what_the_next_call_relies_on_is_done_before_anybody_is_told():
    call, order = a_call(), []
    call.add_done_callback(lambda: order.append("told"))

    call.finish(DONE, first=lambda: order.append("committed"))

    assert order == ["committed", "told"]


def test_a_result_that_does_not_count_commits_nothing():
    call, order = a_call(), []
    call.cancel()

    call.finish(DONE, first=lambda: order.append("committed"))

    assert order == []


def test_a_result_true_of_one_stage_only_is_refused_in_another():
    call = a_call()
    call.begin()

    assert not call.finish(DONE, only_in=Stage.QUEUED)
    assert not call.done()


def test_waiting_longer_than_the_timeout_raises_and_the_call_goes_on():
    call = a_call()

    with pytest.raises(TimeoutError, match="c1"):
        call.result(timeout=0.01)

    assert call.finish(DONE)
    assert call.result(timeout=0) == DONE


@given(before=st.integers(0, 5), after=st.integers(0, 5))
def test_parts_come_in_order_before_the_end_and_none_after(before, after):
    call = a_call()
    accepted = [call.add_chunk({"part": n}, 1) for n in range(before)]
    call.finish(DONE)
    accepted += [call.add_chunk({"part": -1}, 1) for _ in range(after)]

    assert list(call.parts()) == list(range(before))
    assert accepted == [True] * before + [False] * after


def test_a_reader_waits_for_parts_that_another_thread_emits():
    call, read = a_call(), []
    reader = threading.Thread(target=lambda: read.extend(call.parts()))
    reader.start()

    for number in range(100):
        call.add_chunk({"part": number}, 1)
    call.finish(DONE)
    reader.join(10)

    assert read == list(range(100))


def test_parts_that_nobody_reads_are_bounded_and_the_loss_is_counted():
    call = a_call()

    for number in range(MAX_UNREAD_PARTS + 3):
        call.add_chunk({"part": number}, 1)
    call.finish(DONE)

    assert call.parts_dropped == 3
    assert next(call.parts()) == 3


def test_a_call_can_be_awaited_without_blocking_the_loop():
    async def main() -> tuple[dict, int]:
        call, ticks = a_call(), 0
        waiting = asyncio.ensure_future(_await(call))
        for _ in range(50):
            await asyncio.sleep(0)
            ticks += 1
        threading.Thread(target=call.finish, args=(DONE,)).start()
        return await waiting, ticks

    result, ticks = asyncio.run(main())

    assert result == DONE
    assert ticks == 50


def test_parts_can_be_read_in_an_event_loop():
    async def main() -> list:
        call = a_call()

        def emit() -> None:
            for number in range(20):
                call.add_chunk({"part": number}, 1)
            call.finish(DONE)

        threading.Thread(target=emit).start()
        return [part async for part in call]

    assert asyncio.run(main()) == list(range(20))


def test_a_waiter_whose_loop_was_closed_harms_nobody():
    call = a_call()
    call.add_done_callback(lambda: None)  # somebody else awaits it still

    async def abandon() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(_await(call), 0.01)

    asyncio.run(abandon())

    assert call.finish(DONE)


def test_the_future_has_the_result_and_cancelling_it_leaves_the_call_alone():
    call = a_call()
    future = call.future

    cancelled = future.cancel()
    call.finish(DONE)

    assert not cancelled
    assert future.result(5) == DONE
    assert call.future is future


async def _await(call: Call) -> dict:
    return await call


def test_a_call_that_was_sent_once_is_never_said_not_to_have_been_sent():
    call = a_call()
    call.begin()
    call.put_back({"success": False, "error": "the host crashed", "code": "host_crashed"})

    call.cancel()

    assert call.result()["outcome"] == "outcome_unknown"


def test_a_call_that_has_ended_is_nobodys():
    call = a_call()
    call.cancel()

    assert not call.adopt(object(), "plugin")
    assert call.plugin_name is None


def test_nobody_sees_a_result_before_what_the_next_call_relies_on_is_settled():
    call, seen = a_call(), []
    call.begin()
    call.add_done_callback(lambda: seen.append("told"))

    def settle() -> None:
        with pytest.raises(TimeoutError):
            call.result(0)
        seen.append((call.done(), call.stage, call.cancel(), call.add_chunk({"part": 1}, 1)))

    call.finish(DONE, first=settle)

    assert seen == [(False, Stage.STARTED, False, False), "told"]
    assert (call.done(), call.stage, call.result()) == (True, Stage.ENDED, DONE)


def test_a_call_has_its_result_even_if_settling_it_fails(caplog):
    call = a_call()

    call.finish(DONE, first=lambda: 1 / 0)

    assert call.result() == DONE
    assert "settling call c1 failed" in caplog.text


def test_a_callback_that_raises_costs_nobody_else_the_news(caplog):
    call, told = a_call(), []
    call.add_done_callback(lambda: 1 / 0)
    call.add_done_callback(lambda: told.append(True))

    assert call.finish(DONE)

    assert told == [True]
    assert "a callback of call c1 failed" in caplog.text


def test_a_callback_that_comes_after_the_end_may_raise_as_well(caplog):
    call = a_call()
    call.finish(DONE)

    call.add_done_callback(lambda: 1 / 0)

    assert "a callback of call c1 failed" in caplog.text
