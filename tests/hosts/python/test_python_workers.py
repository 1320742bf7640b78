from __future__ import annotations

import threading
from contextlib import contextmanager

import pytest
from callboard.base.event_loop import EventLoop
from callboard.hosts.python.runner.threads import ThreadPool

PATIENCE = 20


@contextmanager
def at_work(crew):
    """The crew works, with a thread of the test in the place of the main one."""
    main = threading.Thread(target=crew.work)
    main.start()
    yield main
    crew.dismiss()
    main.join(PATIENCE)
    assert not main.is_alive()


class Work:
    """A job that a test lets go on step by step."""

    def __init__(self):
        self.thread = None
        self.begun, self.go_on, self.told = threading.Event(), threading.Event(), threading.Event()

    def __call__(self, loop):
        self.thread = threading.current_thread()
        self.begun.set()
        assert self.go_on.wait(PATIENCE)
        return self.told.set


def given(crew, count):
    jobs = [Work() for _ in range(count)]
    for job in jobs:
        crew.give(job)
    return jobs


def test_no_job_waits_for_another():
    crew = ThreadPool(EventLoop)

    with at_work(crew) as main:
        jobs = given(crew, 3)
        assert all(job.begun.wait(PATIENCE) for job in jobs)
        for job in jobs:
            job.go_on.set()
            assert job.told.wait(PATIENCE)

    assert jobs[0].thread is main
    assert len({job.thread for job in jobs}) == 3


def test_nothing_is_begun_before_the_plugin_is_there():
    crew = ThreadPool(EventLoop)
    jobs = given(crew, 3)

    assert not any(job.begun.is_set() for job in jobs)

    with at_work(crew):
        assert all(job.begun.wait(PATIENCE) for job in jobs)
        for job in jobs:
            job.go_on.set()


def test_whoever_is_told_of_a_job_finds_its_thread_free():
    crew = ThreadPool(EventLoop)
    threads = []
    done = threading.Event()

    def again(loop):
        threads.append(threading.current_thread())
        return (lambda: crew.give(again)) if len(threads) < 100 else done.set

    with at_work(crew) as main:
        crew.give(again)
        assert done.wait(PATIENCE)

    assert set(threads) == {main}


def test_a_thread_that_is_free_again_is_used_again():
    crew = ThreadPool(EventLoop)

    with at_work(crew):
        held, *_ = given(crew, 1)
        threads = set()
        for _ in range(5):
            (job,) = given(crew, 1)
            job.go_on.set()
            assert job.told.wait(PATIENCE)
            threads.add(job.thread)
        held.go_on.set()

    assert len(threads) == 1


def test_where_there_is_no_thread_to_be_had_the_job_is_refused_and_the_rest_goes_on():
    crew = ThreadPool(EventLoop)

    with at_work(crew):
        (held,) = given(crew, 1)
        assert held.begun.wait(PATIENCE)
        usual = threading.stack_size(1 << 46)  # more than there are addresses for
        try:
            with pytest.raises(RuntimeError, match="thread"):
                crew.give(Work())
        finally:
            threading.stack_size(usual)
        (job,) = given(crew, 1)
        assert job.begun.wait(PATIENCE)
        for each in (job, held):
            each.go_on.set()
