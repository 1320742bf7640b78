from __future__ import annotations

import itertools
import threading
import time

import pytest
from callboard.supervision.runtime import events
from callboard.supervision.runtime.events import EventStream
from every_point import interrupted_at_each_point
from leaks import no_leaks

PATIENCE = 10.0


@pytest.fixture
def stream():
    with no_leaks():
        stream = EventStream()
        yield stream
        stream.close()


def publish(stream, *subjects, kind="plugin_removed"):
    for subject in subjects:
        stream.publish(kind, subject)


def test_a_subscriber_hears_what_happens_in_order(stream):
    heard = []
    stream.subscribe(heard.append)
    before = time.time()

    publish(stream, "a", "b", "c")
    stream.publish("plugin_registered", "a", tools=["echo"])

    assert stream.settle(PATIENCE)
    assert [event.subject for event in heard] == ["a", "b", "c", "a"]
    assert [event.sequence for event in heard] == [1, 2, 3, 4]
    assert heard[-1].facts == {"tools": ["echo"]}
    assert before <= heard[0].time <= time.time()


def test_what_is_published_again_is_told_once_to_each_subscriber(stream):
    ears, told = [[], []], set()
    for ear in ears:
        stream.subscribe(ear.append)

    for _ in range(3):
        stream.publish("plugin_removed", "a", told)
    stream.publish("plugin_registered", "a", told, tools=["echo"])
    stream.publish("plugin_removed", "a", set())

    assert stream.settle(PATIENCE)
    for ear in ears:
        assert [event.kind for event in ear] == ["plugin_removed", "plugin_registered", "plugin_removed"]


def test_all_subscribers_hear_the_same_in_the_same_order(stream):
    ears = [[] for _ in range(3)]
    for ear in ears:
        stream.subscribe(ear.append)
    threads = [
        threading.Thread(target=lambda n=n: publish(stream, *(f"{n}.{m}" for m in range(200))))
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert stream.settle(PATIENCE)
    assert [event.sequence for event in ears[0]] == list(range(1, 801))
    assert ears[0] == ears[1] == ears[2]


def test_a_subscriber_hears_only_the_kinds_it_asked_for(stream):
    heard = []
    stream.subscribe(heard.append, ["plugin_registered"])

    publish(stream, "a")
    stream.publish("plugin_registered", "b", tools=[])

    assert stream.settle(PATIENCE)
    assert [(event.sequence, event.subject) for event in heard] == [(2, "b")]


def test_a_kind_that_there_is_not_is_refused(stream):
    with pytest.raises(ValueError, match="no such kind of event: host_exploded; there are: actor_failed"):
        stream.subscribe(print, ["host_exploded"])


def test_a_subscriber_hears_nothing_of_what_was_before_it(stream):
    begun, go_on, heard = threading.Event(), threading.Event(), []

    def slow(_event):
        begun.set()
        assert go_on.wait(PATIENCE)

    stream.subscribe(slow)
    publish(stream, "the one that holds things up", "before")
    assert begun.wait(PATIENCE)

    stream.subscribe(heard.append)
    publish(stream, "after")
    go_on.set()

    assert stream.settle(PATIENCE)
    assert [event.subject for event in heard] == ["after"]


def test_who_has_left_hears_no_more(stream):
    heard = []
    with stream.subscribe(heard.append) as subscription:
        publish(stream, "a")
        stream.settle(PATIENCE)

    publish(stream, "b")
    subscription.close()

    assert stream.settle(PATIENCE)
    assert [event.subject for event in heard] == ["a"]


def test_a_subscriber_that_fails_harms_no_other(stream, caplog):
    heard = []

    def fail(_event):
        raise RuntimeError("a bug")

    stream.subscribe(fail)
    stream.subscribe(heard.append)
    publish(stream, "a", "b")

    assert stream.settle(PATIENCE)
    assert [event.subject for event in heard] == ["a", "b"]
    assert caplog.text.count("RuntimeError: a bug") == 2


def test_a_slow_subscriber_blocks_no_publisher_and_what_is_too_much_is_counted(stream, monkeypatch):
    monkeypatch.setattr(events, "MAX_WAITING", 5)
    begun, go_on, heard = threading.Event(), threading.Event(), []

    def slow(event):
        heard.append(event.sequence)
        begun.set()
        assert go_on.wait(PATIENCE)

    stream.subscribe(slow)
    publish(stream, "the one that holds things up")
    assert begun.wait(PATIENCE)
    publish(stream, *("x" for _ in range(8)))
    go_on.set()

    assert stream.settle(PATIENCE)
    assert heard == [1, 2, 3, 4, 5, 6]
    assert stream.dropped == 3


def test_what_nobody_hears_can_be_left_out(stream):
    assert not stream.wants("call_ended")

    with stream.subscribe(lambda _: None, ["call_ended"]):
        assert stream.wants("call_ended")
        assert not stream.wants("host_ready")

    assert not stream.wants("call_ended")


def test_without_subscribers_there_is_no_thread_and_nothing_to_wait_for():
    with no_leaks():
        stream, before = EventStream(), threading.active_count()
        publish(stream, "a")

        assert stream.settle(0)
        assert threading.active_count() == before
        stream.close()


def test_settling_does_not_wait_for_ever(stream):
    go_on = threading.Event()
    stream.subscribe(lambda _: go_on.wait(PATIENCE) and None)
    publish(stream, "a")

    assert stream.settle(0.02) is False
    go_on.set()


def test_a_subscriber_that_settles_does_not_wait_for_itself(stream):
    answers = []
    stream.subscribe(lambda _: answers.append(stream.settle(PATIENCE)))
    publish(stream, "a")

    assert stream.settle(PATIENCE)
    assert answers == [False]


def test_a_closed_stream_tells_what_was_waiting_and_then_no_more():
    heard = []
    with no_leaks():
        stream = EventStream()
        subscription = stream.subscribe(heard.append)
        publish(stream, "a", "b")
        stream.close()
        stream.close()
        publish(stream, "c")
        stream.subscribe(heard.append)
        publish(stream, "d")
        subscription.close()

    assert [event.subject for event in heard] == ["a", "b"]
    assert not stream.wants("host_ready")
    assert stream.settle(0)


def test_a_stream_whose_close_was_interrupted_tells_what_was_waiting_before_the_next_ends():
    streams, heard = [], []

    def hear(event):
        time.sleep(0.02)  # waits for nothing: the subscriber is slow
        heard.append(event)

    def begin():
        streams.append(EventStream())
        heard.clear()
        streams[-1].subscribe(hear)
        publish(streams[-1], "a")

    for place in interrupted_at_each_point(lambda: streams[-1].close(), before=begin):  # noqa: PLW0108 - each time another one
        streams[-1].close()
        assert [event.subject for event in heard] == ["a"], place


def test_a_stream_has_one_thread_and_ends_it_after_an_interrupted_subscribe():
    streams, heard = [], []

    def begin():
        streams.append(EventStream())
        heard.clear()

    def subscribe():
        streams[-1].subscribe(lambda _event: None)

    for place in interrupted_at_each_point(subscribe, before=begin, points=itertools.count()):
        with no_leaks():
            streams[-1].subscribe(heard.append)
            publish(streams[-1], "a", "b")
            streams[-1].close()
            assert [event.subject for event in heard] == ["a", "b"], place
            assert not [each.name for each in threading.enumerate() if each.name == "callboard-events"], place


def test_a_subscriber_may_close_the_stream():
    with no_leaks():
        stream, closed = EventStream(), threading.Event()

        def close(_event):
            stream.close()
            closed.set()

        stream.subscribe(close)
        publish(stream, "a", "b")

        assert closed.wait(PATIENCE)
