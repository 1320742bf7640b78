"""What a process was doing between two looks at it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import psutil
import pytest
from callboard.hosts.limits.vitals import Vitals, doing, sample, sample_all, waits
from leaks import wait_until

LAUNCHER = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"
SLEEPS = "import signal; print('up', flush=True); signal.pause()"


def look(at, cpu_seconds, *, stopped=False, about_to=False):
    return Vitals(at=at, cpu_seconds=cpu_seconds, rss=1, descriptors=3, stopped=stopped, about_to=about_to)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (look(0.0, 1.0), look(2.0, 2.94), "it was computing all the while (97% of a processor)"),
        (look(0.0, 1.0), look(2.0, 4.0), "it was computing all the while (150% of a processor)"),
        (look(0.0, 1.0), look(2.0, 1.02), "it was waiting for something (1% of a processor)"),
        (look(0.0, 1.0), look(2.0, 2.9, stopped=True), "it is stopped by a signal"),
        (look(0.0, 1.0), None, None),
        (None, look(2.0, 1.0), None),
        (look(2.0, 1.0), look(2.0, 1.0), None),
    ],
)
def test_busy_waiting_and_stopped_are_told_apart(before, after, said):
    assert doing(before, after) == said


def test_a_process_that_is_gone_or_a_zombie_has_no_vitals():
    process = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # ended, and not yet reaped

    as_a_zombie = sample(process.pid)
    process.wait()

    assert as_a_zombie is None
    assert sample(process.pid) is None


def test_a_process_that_a_signal_has_stopped_is_seen_to_be():
    with subprocess.Popen([sys.executable, "-c", SLEEPS], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        waiting = sample(process.pid)
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        stopped = sample(process.pid)
        process.kill()

    assert (waiting.stopped, stopped.stopped) == (False, True)
    assert waiting.rss > 0


def test_a_look_at_oneself_has_what_the_system_says():
    vitals = sample(os.getpid(), descriptors=True)

    assert sample(os.getpid()).descriptors is None
    assert abs(vitals.descriptors - psutil.Process().num_fds()) <= 2
    assert vitals.cpu_seconds > 0


@pytest.mark.parametrize(
    ("before", "after", "waited"),
    [
        (look(0.0, 1.0), look(0.2, 1.01), True),
        (look(0.0, 1.0), look(0.2, 1.03), False),
        (look(0.0, 1.0), look(0.2, 1.0, about_to=True), False),
        (look(0.0, 1.0), None, True),
        (None, None, True),
        (None, look(0.2, 1.0), False),
        (look(0.2, 1.0), look(0.2, 1.0), False),
    ],
)
def test_a_process_that_computes_or_would_with_a_processor_does_not_wait(before, after, waited):
    assert waits(before, after) is waited


def test_a_launcher_waits_for_nothing_while_its_program_computes():
    with subprocess.Popen([sys.executable, "-c", LAUNCHER, "while True: pass"]) as launcher:
        wait_until(lambda: len(psutil.Process(launcher.pid).children()) == 1)
        (program,) = psutil.Process(launcher.pid).children()
        before = sample_all(launcher.pid)
        wait_until(lambda: sample_all(launcher.pid).cpu_seconds > before.cpu_seconds + 0.1)
        assert not waits(before, sample_all(launcher.pid))

        program.kill()

        launcher.wait()
    assert sample_all(launcher.pid) is None


def test_a_launcher_waits_if_all_that_it_has_started_does():
    with subprocess.Popen([sys.executable, "-c", LAUNCHER, SLEEPS], stdout=subprocess.PIPE) as launcher:
        launcher.stdout.readline()

        wait_until(lambda: waits(sample_all(launcher.pid), sample_all(launcher.pid)))

        psutil.Process(launcher.pid).children()[0].kill()
