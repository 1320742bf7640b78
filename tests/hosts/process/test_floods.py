"""A host that floods its stdout is counted in full and told as a sample, and gives way to the others."""

from __future__ import annotations

import logging
import time

import pytest
from callboard.hosts.process.posix_process import PolledProcess, Pump
from callboard.hosts.process.pump import REST, TURN
from callboard.hosts.protocol.blocking_request import ask
from callboard.hosts.protocol.noise import MOST
from evil_hosts import ANSWER, PART, PATIENCE, REQUEST, OwnerEar, ProcessEar, carried, evil, running
from leaks import no_leaks, wait_until
from thorough import times

MANY = times(20_000, 100_000)
FEW = 20 * MOST
"""What is told of a flood at most, on a machine that takes twenty seconds for it."""


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


@pytest.mark.parametrize("line", ["a print", "7", '{"level":"info","msg":"hello"}', "{level: info}"])
def test_a_flood_of_prints_is_counted_in_full_and_told_as_a_sample(line, caplog):
    with caplog.at_level(logging.INFO, "callboard.hosts"):
        with running(evil("floods", str(MANY), line)) as (host, ear):
            assert ask(host, "execute_tool", {}, PATIENCE) == ("fine", None)
            assert host.counts == {"stray": MANY}

        assert ear.of("ended") != []
        assert ear.strays == MANY
        assert 0 < len(ear.of("stray")) < FEW
        assert sum("printed" in record.message for record in caplog.records) < FEW


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (ANSWER.replace("ID", "ID0"), "duplicate"),
        (PART.replace("ID", "ID0"), "late"),
        (ANSWER.replace("ID", "nobody"), "unknown"),
    ],
)
def test_a_flood_of_dropped_messages_is_counted_in_full_and_told_as_a_sample(line, reason):
    with running(evil("floods", str(MANY), line)) as (host, ear):
        for _ in range(2):  # of the first the flood may be what was asked for
            ask(host, "execute_tool", {}, PATIENCE)

    assert host.counts[reason] >= MANY
    assert ear.dropped == host.counts
    assert ear.told == host.counts
    assert 0 < len(ear.of("dropped")) < FEW


def test_a_flood_of_parts_is_told_in_full_and_in_order():
    with running(evil("floods", "20000", PART)) as (host, _):
        owner = OwnerEar()
        host.send("execute_tool", {}, owner)
        owner.wait("answer")

    assert owner.kinds() == ["part"] * 20_000 + ["answer"]


class QuickEar(ProcessEar):
    """Notes what was done in which order: the size of each piece of output, and rests."""

    def __init__(self):
        super().__init__()
        self.deeds = []


class BusyEar(QuickEar):
    """Makes as much of each piece of output as takes a turn."""

    def on_output(self, data):
        self.deeds.append(len(data))
        end = time.perf_counter() + TURN
        while time.perf_counter() < end:
            continue
        super().on_output(data)


def resting(command, listener, *, host, watchdog):
    """As `polled`, with a pump that notes when it rests, and does not."""
    process = PolledProcess.spawn(command, host=host, watchdog=watchdog)
    return process, Pump(process, listener, rest=listener.deeds.append)


def test_a_pump_that_is_flooded_rests_after_each_turn():
    with carried("floods", "10000", "a flood of words", begin=resting, ear=BusyEar()) as (process, ear):
        process.write(REQUEST)
        wait_until(lambda: ear.output.endswith(b"}\n"))

    pieces, rests = [deed for deed in ear.deeds if deed != REST], ear.deeds.count(REST)
    assert len(ear.output.splitlines()) == 10_001
    assert max(pieces) < 4096
    assert rests > len(pieces) / 2
