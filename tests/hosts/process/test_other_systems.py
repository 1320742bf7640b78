"""What only other systems use, as far as it can be tried on this one: layouts, decisions, and threads for polling."""

from __future__ import annotations

import ctypes
import os
import threading
from functools import partial

import pytest
from callboard.hosts.process.channel import Channel
from callboard.hosts.process.transport import ProcessTransport
from callboard.hosts.process.windows_process import threaded
from callboard.hosts.process_tree.group import is_batch_file
from callboard.hosts.process_tree.tree_kill import WatchList, listen
from callboard.hosts.process_tree.windows_job import KILL_ON_CLOSE, Limits, ending_on_close
from evil_hosts import ANSWER, PATIENCE, ProcessEar, running, says, sent
from leaks import no_leaks


def test_a_host_answers_over_threads_and_leaves_nothing():
    with (
        no_leaks(),
        running(says(ANSWER), carry=partial(ProcessTransport, begin=threaded)) as (host, ear),
    ):
        for owner in sent(host, *map(str, range(20))):
            assert owner.wait("answer") == [("fine", None)]
        host.stop("not needed")

        assert ear.ended().exit.code == 0


@pytest.mark.parametrize("few", [0, 1, 2, 3])
def test_a_start_that_runs_out_of_threads_on_the_way_leaves_nothing(monkeypatch, few):
    started, start = [], threading.Thread.start

    def scarce(thread):
        if len(started) == few:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    with no_leaks():
        process, pump = threaded(says(ANSWER), ProcessEar(), host="evil", watchdog=None)
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", scarce)
            with pytest.raises(RuntimeError):
                pump.start()
        process.abort()
        for thread in started:
            thread.join(PATIENCE)

    assert not any(thread.is_alive() for thread in started)
    assert process.popen.stdin.closed
    assert process.popen.stdout.closed
    assert process.popen.stderr.closed


# The channel


def test_items_are_taken_in_order_and_nobody_waits_longer_than_said():
    channel = Channel[int](2)

    taken = [channel.put(1), channel.put(2), channel.take(None), channel.take(None), channel.take(0.001)]

    assert taken == [True, True, 1, 2, None]


def test_whoever_waits_for_an_item_can_be_called_away_and_whoever_waits_for_room_is_let_go():
    channel, came = Channel[int](1), []
    taker = threading.Thread(target=lambda: came.append(channel.take(None)))
    taker.start()
    channel.call()
    taker.join(PATIENCE)
    channel.put(1)
    putter = threading.Thread(target=lambda: came.append(channel.put(2)))
    putter.start()
    channel.close()
    putter.join(PATIENCE)

    assert came == [None, False]
    assert not channel.put(3)


def test_a_call_that_comes_before_anybody_waits_is_not_lost():
    channel = Channel[int](1)

    channel.call()

    assert channel.take(None) is None


# Windows


def test_the_limits_of_a_job_are_laid_out_as_windows_has_them():
    assert ctypes.sizeof(Limits) == 144
    assert (Limits.IoInfo.offset, Limits.PeakJobMemoryUsed.offset) == (64, 136)
    assert bytes(ending_on_close())[16:20] == KILL_ON_CLOSE.to_bytes(4, "little")


@pytest.mark.parametrize(
    ("program", "is_one"),
    [
        ("npm.cmd", True),
        (r"C:\tools\RUN.BAT", True),
        ("run.bat. .", True),
        ("node.exe", False),
        ("/usr/bin/bat", False),
        ("cmd", False),
        ("a.cmd/tool", False),
    ],
)
def test_a_batch_file_is_known_by_its_name(program, is_one):
    assert is_batch_file(program) is is_one


def test_a_watchdog_that_cannot_poll_hears_all_until_its_stdin_ends():
    reader, writer = os.pipe()
    os.write(writer, b"+ 1 2.0 mark 7\n+ 2 3.0 mark 0\n- 1\n")
    os.close(writer)
    watch_list = WatchList()
    listen(reader, watch_list)
    os.close(reader)

    assert watch_list.hosts == {2: (3.0, "mark", 0)}
