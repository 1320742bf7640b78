"""A real Ctrl-C in the main thread is not swallowed where foreign code is called; what others wait for is done first."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
import threading

import pytest
from callboard.actors.board import Board
from callboard.base.foreign import Log
from callboard.interop.registry.contribution import ToolInteropContribution
from foreign_scene import Raises, Strange, answers, gated
from leaks import no_leaks
from tools import a_tool, count, tool_call

PATIENCE = 20.0


class SoftLimit(Exception):
    """As the time limit of a task queue or a test runner, whose signal handler raises it."""


def exceed(*_):
    raise SoftLimit


@pytest.fixture(autouse=True)
def handlers():
    """Interrupts as a program has them, whatever the tests were started with."""
    handlers = {signal.SIGINT: signal.default_int_handler, signal.SIGUSR2: exceed}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def press(*_):
    signal.raise_signal(signal.SIGINT)


def leave(*_):
    sys.exit(3)


def run_out_of_time(*_):
    signal.raise_signal(signal.SIGUSR2)


INTERRUPTS = pytest.mark.parametrize(
    ("interrupt", "kind"),
    [(press, KeyboardInterrupt), (leave, SystemExit), (run_out_of_time, SoftLimit)],
    ids=["Ctrl-C", "exit", "time limit"],
)


@INTERRUPTS
@pytest.mark.parametrize("of", ["the call", "its future"])
def test_an_interrupt_while_a_callback_runs_goes_on_to_the_caller_when_all_have_been_told(
    interrupt, kind, of
):
    with no_leaks(), Board() as board:
        go, told = gated(board), []
        call = board.submit(tool_call("tool"), deadline=PATIENCE)
        about = call.future if of == "its future" else call
        about.add_done_callback(interrupt)
        about.add_done_callback(lambda *_: told.append(of))
        call.add_done_callback(lambda: told.append("last"))

        with pytest.raises(kind):
            call.cancel()

        assert told == [of, "last"]
        assert call.result(0)["code"] == "cancelled"
        go.set()
        assert answers(board)


@pytest.mark.parametrize("kind", [asyncio.CancelledError, GeneratorExit, Strange, ValueError])
def test_what_else_a_callback_raises_in_the_main_thread_is_logged(kind, caplog):
    with no_leaks(), Board() as board:
        go = gated(board)
        call = board.submit(tool_call("tool"), deadline=PATIENCE)
        call.add_done_callback(Raises(kind))

        assert call.cancel()
        go.set()
    assert [record.exc_info[0] for record in caplog.records] == [kind]


def test_an_interrupt_in_another_thread_is_the_callbacks_own():
    with no_leaks(), Board() as board:
        go = gated(board)
        call = board.submit(tool_call("tool"), deadline=PATIENCE)
        call.add_done_callback(Raises(KeyboardInterrupt))
        ended = []
        thread = threading.Thread(target=lambda: ended.append(call.cancel()))
        thread.start()
        thread.join(PATIENCE)
        go.set()

    assert ended == [True]


@pytest.mark.parametrize(("interrupt", "kind"), [(press, KeyboardInterrupt), (run_out_of_time, SoftLimit)])
def test_an_interrupt_while_a_contribution_reads_a_call_goes_on_and_its_exit_is_its_fault(interrupt, kind):
    class Accessor:
        format = "odd"
        meant = None

        def matches(self, value):
            if self.meant is not None:
                self.meant()
            return False

        inspect = sanitize = matches

    accessor = Accessor()
    brought = ToolInteropContribution(call_accessors=(accessor,))
    with no_leaks(), Board(contributions=[brought]) as board:
        board.add(a_tool(count), config={})
        accessor.meant = interrupt
        with pytest.raises(kind):
            board.submit(tool_call("tool"))
        accessor.meant = leave
        left = board.submit(tool_call("tool")).result(PATIENCE)
        accessor.meant = None

        assert (left["code"], answers(board)) == ("invalid_call", True)


@INTERRUPTS
def test_an_interrupt_while_something_is_logged_goes_on(interrupt, kind):
    handler = logging.Handler()
    handler.emit = interrupt
    logging.getLogger("callboard").addHandler(handler)
    try:
        with pytest.raises(kind):
            Log("callboard").error("something")
    finally:
        logging.getLogger("callboard").removeHandler(handler)


def test_what_a_handler_of_the_log_raises_otherwise_is_written_to_stderr(capsys):
    handler = logging.Handler()
    handler.emit = Raises(Strange)
    logging.getLogger("callboard").addHandler(handler)
    try:
        Log("callboard").error("something")
    finally:
        logging.getLogger("callboard").removeHandler(handler)

    assert "Strange: raised on purpose" in capsys.readouterr().err


def test_a_message_of_the_log_says_where_it_was_written(caplog):
    Log("callboard.actors").warning("so and %s", "so")

    (record,) = caplog.records
    assert (record.name, record.getMessage(), record.filename) == (
        "callboard.actors",
        "so and so",
        "test_interrupts.py",
    )
