"""A pool whose user is interrupted anywhere gives the next job to a thread that runs it."""

from __future__ import annotations

import itertools
import threading

from callboard.actors.threads.hook_pool import HookPool
from callboard.actors.threads.pool import ThreadPool
from every_point import interrupted_at_each_point
from leaks import no_leaks, wait_until

PATIENCE = 10.0


def test_a_job_that_takes_its_thread_along_costs_no_later_job():
    with no_leaks():
        pool = ThreadPool("callboard-test", PATIENCE)
        astray = []

        def have_an_idle_thread():
            given_back = threading.Event()

            def job(thread):
                pool.hand_back(thread)
                given_back.set()
                return True

            pool.run(job)
            assert given_back.wait(PATIENCE)

        for place in interrupted_at_each_point(lambda: pool.run(pool.hand_back), before=have_an_idle_thread):
            # Each loses the thread that runs it, which may have been given back twice.
            ran = [threading.Event() for _ in range(3)]
            for event in ran:

                def lost(_thread, event=event):
                    event.set()
                    return False

                pool.run(lost)
                if not event.wait(PATIENCE / 5):
                    astray.append(place)

        pool.close()

    assert astray == []


def test_a_hook_whose_asking_was_interrupted_counts_as_under_way_no_longer():
    with no_leaks():
        pools = []
        for place in interrupted_at_each_point(
            lambda: pools[-1].call("echo", int, PATIENCE),
            before=lambda: pools.append(HookPool()),
            points=itertools.count(),
        ):
            wait_until(lambda: pools[-1].asking == 0)
            assert pools[-1].call("echo", int, PATIENCE) == 0, place
            pools[-1].close()
        pools[-1].close()
