"""The small parts of the loop's shell: news for one reader, threads that come and go, and what ends a turn."""

from __future__ import annotations

import asyncio
import threading

from callboard.agent.loop.cancellation import Cancellation
from callboard.agent.loop.inbox import Inbox
from callboard.agent.threads import WorkerPool


def test_news_come_in_their_order_to_who_waits_and_to_who_awaits():
    inbox = Inbox()
    sending = threading.Thread(target=lambda: [inbox.put(number) for number in range(2000)])

    async def awaited():
        return [await inbox.get_async() for _ in range(1000)]

    sending.start()
    waited = [inbox.get() for _ in range(1000)]

    assert waited + asyncio.run(awaited()) == list(range(2000))
    assert len(inbox) == 0


def test_a_reader_that_stops_awaiting_takes_nothing_with_it():
    inbox = Inbox()

    async def impatient():
        task = asyncio.create_task(inbox.get_async())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        inbox.put("news")
        return await inbox.get_async()

    assert asyncio.run(impatient()) == "news"


def test_helpers_do_no_more_at_once_than_they_may_and_go_when_all_is_done(caplog):
    helpers, inbox, gate = WorkerPool("test-helpers", most=2), Inbox(), threading.Semaphore(0)

    def job(number):
        inbox.put(("begun", number))
        gate.acquire()
        if number == 0:
            raise ValueError("a bug")
        inbox.put(("done", number))

    for number in range(3):
        helpers.do(lambda number=number: job(number))
    begun = {inbox.get(), inbox.get()}
    threads = [thread for thread in threading.enumerate() if thread.name == "test-helpers"]
    gate.release(3)
    rest = {inbox.get() for _ in range(3)}
    for thread in threads:
        thread.join(10)

    assert begun == {("begun", 0), ("begun", 1)}
    assert len(threads) == 2
    assert not any(thread.is_alive() for thread in threads)
    assert rest == {("begun", 2), ("done", 1), ("done", 2)}
    assert "a job failed" in caplog.text


def test_a_cancellation_is_heard_once_by_those_who_still_listen_and_at_once_by_those_who_come_late():
    cancellation, heard = Cancellation(), []
    cancellation.subscribe(lambda: heard.append("first"))
    cancellation.subscribe(lambda: heard.append("gone"))()

    cancellation.cancel()
    cancellation.cancel()
    cancellation.subscribe(lambda: heard.append("late"))

    assert heard == ["first", "late"]
    assert cancellation.cancelled
