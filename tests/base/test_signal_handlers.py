"""What a signal handler raises is an interrupt of the program; what the contained code raises itself is not."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from functools import partial

import pytest
from callboard.base.foreign import blames, contain, is_interrupt, shown, told
from programs import PROGRAMS

SIGNAL = signal.SIGUSR1


class SoftLimit(Exception):
    """As a task queue's."""


def by_function(signum, frame):
    raise SoftLimit("by function")


def by_nested_function(signum, frame):
    def deeper():
        raise SoftLimit("deeper")

    deeper()


def that_has_deleted_its_arguments(signum, frame):
    del signum, frame
    raise SoftLimit("without arguments")


def that_restores_the_default(signum, frame):
    signal.signal(signum, signal.SIG_DFL)
    raise SoftLimit("once")


def with_a_cause(signum, frame):
    raise SoftLimit("because") from OSError("the cause")


def within_its_own_handling(signum, frame):
    try:
        (PROGRAMS / "there is no such file").open()
    except OSError as error:
        raise SoftLimit("in context") from error


class Limit:
    def method(self, signum, frame):
        raise SoftLimit("by method")

    @staticmethod
    def static(signum, frame):
        raise SoftLimit("by static method")

    @classmethod
    def of_class(cls, signum, frame):
        raise SoftLimit("by class method")

    def __call__(self, signum, frame):
        raise SoftLimit("by object")


def with_more(limit, signum, frame, *, more):
    raise SoftLimit(f"{limit} {more}")


def with_any(*arguments, **named):
    raise SoftLimit("with any arguments")


HANDLERS = {
    "function": by_function,
    "function that calls others": by_nested_function,
    "lambda": lambda *_: 1 / 0,
    "bound method": Limit().method,
    "static method": Limit.static,
    "class method": Limit.of_class,
    "object": Limit(),
    "partial": partial(with_more, 3, more="seconds"),
    "partial of a partial": partial(partial(with_more, 3), more="seconds"),
    "partial of an object": partial(Limit()),
    "any arguments": with_any,
    "deleted arguments": that_has_deleted_its_arguments,
    "bound method of deleted arguments": partial(lambda _, *more: that_has_deleted_its_arguments(*more), 1),
    "one-shot": that_restores_the_default,
    "raise from": with_a_cause,
    "raise in context": within_its_own_handling,
    "C function": signal.default_int_handler,
}


@pytest.fixture(params=HANDLERS.values(), ids=HANDLERS)
def handler(request):
    before = signal.signal(SIGNAL, request.param)
    yield request.param
    signal.signal(SIGNAL, before)


def raised_by(function):
    try:
        function()
    except BaseException as error:
        return error
    raise AssertionError("it raises nothing")


def interrupted():
    signal.raise_signal(SIGNAL)


def interrupted_far_below(depth=5):
    return interrupted() if depth == 0 else interrupted_far_below(depth - 1)


def interrupted_within_a_generator():
    return next(interrupted() for _ in range(3))


@pytest.mark.parametrize(
    "code",
    [interrupted, interrupted_far_below, interrupted_within_a_generator],
    ids=lambda code: code.__name__,
)
def test_what_a_handler_raises_is_an_interrupt(handler, code):
    error = raised_by(code)

    assert is_interrupt(error)
    assert not blames(error)
    assert contain(error, None, "not logged") is error


def test_what_a_handler_raises_is_still_one_after_our_code_has_raised_it_again(handler):
    def again():
        try:
            interrupted()
        except BaseException as error:
            error.add_note("seen on its way")
            raise

    assert is_interrupt(raised_by(again))


@pytest.mark.parametrize("show", [told, shown])
def test_an_interrupt_comes_out_of_the_text_of_what_is_shown(handler, show):
    class Shown:
        def __repr__(self):
            interrupted()
            return "shown"

        __str__ = __repr__

    assert is_interrupt(raised_by(lambda: show(Shown())))


def test_a_tracer_that_raises_is_an_interrupt():
    def quit_debugging(frame, event, argument):
        raise SoftLimit("the debugger was left")

    def traced():
        sys.settrace(quit_debugging)
        shown("traced")

    before = sys.gettrace()
    try:
        error = raised_by(traced)
    finally:
        sys.settrace(before)

    assert is_interrupt(error)


def by_itself():
    raise SoftLimit("by itself")


def passes_its_frame_to_a_helper():
    def helper(frame, depth):
        raise ValueError(depth)

    helper(sys._getframe(), "call it what you like")


def of_its_own_from_an_interrupt():
    try:
        interrupted()
    except SoftLimit as error:
        raise ValueError("the code has decided so") from error


def beside_an_interrupt_that_it_handled():
    try:
        interrupted()
    except SoftLimit:
        raise ValueError("the code has decided so")  # noqa: B904 - the interrupt is its context


@pytest.mark.parametrize(
    "code",
    [
        by_itself,
        passes_its_frame_to_a_helper,
        of_its_own_from_an_interrupt,
        beside_an_interrupt_that_it_handled,
    ],
    ids=lambda code: code.__name__,
)
@pytest.mark.parametrize("installed", [by_nested_function, signal.SIG_IGN, signal.default_int_handler])
def test_what_the_contained_code_raises_itself_is_none(code, installed):
    handlers = {SIGNAL: signal.signal(SIGNAL, by_function)}
    handlers[signal.SIGUSR2] = signal.signal(signal.SIGUSR2, installed)
    try:
        error = raised_by(code)

        assert not is_interrupt(error)
        assert blames(error)
    finally:
        for number, before in handlers.items():
            signal.signal(number, before)


@pytest.mark.parametrize(
    "kind", [asyncio.CancelledError, GeneratorExit, ValueError, SystemExit, KeyboardInterrupt]
)
def test_in_another_thread_nothing_is_one(kind):
    errors = []

    def raises():
        raise kind

    thread = threading.Thread(target=lambda: errors.append(is_interrupt(raised_by(raises))))
    thread.start()
    thread.join()

    assert errors == [False]
