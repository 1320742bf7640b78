"""The long tests as somebody runs them by hand: mistyped, interrupted, and read by a program that has seen enough."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from callboard.chaos.__main__ import main
from callboard.chaos.checker.exits import READER_GONE
from callboard.chaos.checker.leak_check import Census
from interrupts import interruptible
from leaks import TEST_MARK, no_leaks

SIMULATE = [sys.executable, "-u", "-m", "callboard.chaos", "simulate"]
ENVIRONMENT = os.environ | TEST_MARK


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["soak", "--calls", "0"], "argument --calls: it is 0; it has to be 1 or more"),
        (["soak", "--hosts", "some"], "argument --hosts: 'some' is no whole number"),
        (["soak", "--html", "/no/such/folder/page.html"], "there is no folder /no/such/folder"),
        (["simulate", "--seeds", "-1"], "argument --seeds: it is -1; it has to be 1 or more"),
        (["simulate", "--trace", "/"], "argument --trace: / is a folder"),
    ],
)
def test_what_is_wrong_with_an_option_is_said_before_anything_runs(words, why, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)

    assert ended.value.code == 2
    assert why in capsys.readouterr().err


def test_a_reader_that_goes_away_ends_them_quietly():
    with no_leaks():
        process = subprocess.Popen(
            [*SIMULATE, "--seeds", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT
        )
        assert process.stdout is not None
        process.stdout.close()
        _, said = process.communicate(timeout=50)

    assert (process.returncode, said) == (READER_GONE, b"")


def test_an_interrupt_ends_them_in_a_word():
    with no_leaks():
        with interruptible():
            soak = subprocess.Popen(
                [sys.executable, "-c", PROGRAM],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=ENVIRONMENT,
            )
        assert soak.stdout is not None
        soak.stdout.readline()  # its hosts are there
        soak.send_signal(signal.SIGINT)
        _, said = soak.communicate(timeout=50)

    assert (soak.returncode, said) == (130, b"\ninterrupted\n")


PROGRAM = """
import sys
from callboard.chaos.load import soak
from callboard.chaos.__main__ import main

class Told(soak.Recorder):
    def __init__(self, *given, **more):
        super().__init__(*given, **more)
        print("begun", flush=True)

soak.Recorder = Told
sys.exit(main(["soak", "--calls", "1000000", "--hosts", "2", "--faults", "0"]))
"""


def test_standard_streams_that_were_opened_anew_are_nobodys_leavings(capfd):
    census = Census()

    with capfd.disabled():
        left = census.left()

    assert left.descriptors == ()
