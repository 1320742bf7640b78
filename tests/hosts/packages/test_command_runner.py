"""What is run on a package is bounded in time and in what it sees, and nothing of it is left behind."""

from __future__ import annotations

import os
import sys

import psutil
import pytest
from callboard.hosts.packages.command_runner import CommandRunner, Ended, network_environment
from callboard.hosts.packages.output_posix import PolledOutput
from callboard.hosts.packages.output_windows import ThreadedOutput
from callboard.hosts.process.process import Command
from every_point import interrupted_at_each_point
from leaks import TEST_MARK, alive, no_leaks, wait_until

PATIENCE = 20.0

BOTH_WAYS = (PolledOutput, ThreadedOutput)


def python(program: str, *arguments: str) -> Command:
    return Command((sys.executable, "-c", program, *arguments), {**TEST_MARK, "PATH": os.environ["PATH"]})


@pytest.mark.parametrize("output", BOTH_WAYS)
def test_a_program_is_run_to_its_end_and_what_it_says_is_kept(output):
    with no_leaks(), CommandRunner(20, output) as command_runner:
        ended = command_runner.run(
            python("import sys; print('out', flush=True); print('err', file=sys.stderr); sys.exit(3)")
        )

    assert ended.code == 3
    assert ended.stdout == "out"
    assert sorted(ended.said.split()) == ["err", "out"]
    assert (ended.well, ended.text) == (False, "ended with exit code 3")


@pytest.mark.parametrize("output", BOTH_WAYS)
def test_a_program_that_takes_too_long_is_ended_with_all_that_it_has_started(output):
    program = (
        "import subprocess, time; print(subprocess.Popen(['sleep', '600']).pid, flush=True); time.sleep(600)"
    )

    with no_leaks(), CommandRunner(0.5, output) as command_runner:
        ended = command_runner.run(python(program))

    assert (ended.code, ended.text) == (None, "took too long")
    assert not alive(int(ended.stdout))


@pytest.mark.parametrize("output", BOTH_WAYS)
def test_a_child_that_holds_the_pipe_is_not_waited_for_and_ends_with_the_program(output):
    program = "import subprocess; print(subprocess.Popen(['sleep', '600'], start_new_session=True).pid)"

    with no_leaks(), CommandRunner(20, output) as command_runner:
        ended = command_runner.run(python(program))

    assert ended.well
    assert not alive(int(ended.stdout))


def test_an_interrupt_at_any_point_leaves_nothing_of_a_program_behind():
    sleeping = Command(("/bin/sleep", "600"), {**TEST_MARK, "PATH": os.environ["PATH"]})
    before = set(psutil.Process().children())

    def run():
        with CommandRunner(0.05) as command_runner:
            command_runner.run(sleeping)

    run()  # what is imported with the first is not interrupted
    for place in interrupted_at_each_point(run):
        wait_until(lambda: not set(psutil.Process().children()) - before, PATIENCE)
        assert not set(psutil.Process().children()) - before, place


def test_a_program_that_prints_without_end_fills_no_memory():
    with no_leaks(), CommandRunner(0.5) as command_runner:
        ended = command_runner.run(python("while True: print('x' * 1000)"))

    assert ended.code is None
    assert len(ended.stdout) < 3_000_000


@pytest.mark.parametrize("output", BOTH_WAYS)
def test_all_that_a_program_says_before_its_end_is_heard(output):
    with CommandRunner(20, output) as command_runner:
        ended = command_runner.run(python("print('x' * 500_000); print('end')"))

    assert len(ended.stdout) == 500_004


def test_a_program_cannot_ask_anybody():
    with CommandRunner(20) as command_runner:
        ended = command_runner.run(python("import os; print(os.read(0, 1)); open('/dev/tty')"))

    assert ended.stdout == "b''"
    assert "/dev/tty" in ended.said


def test_a_program_that_is_not_there_cannot_be_started():
    with no_leaks(), CommandRunner(20) as command_runner, pytest.raises(FileNotFoundError):
        command_runner.run(Command(("/no/such/program",), {}))


@pytest.mark.parametrize(
    ("code", "text"), [(0, "ended with exit code 0"), (-9, "was ended by signal 9"), (None, "took too long")]
)
def test_an_end_is_told_in_words(code, text):
    assert Ended(code, "", "").text == text


def test_of_the_environment_programs_see_how_the_network_is_reached():
    parent = {
        "https_proxy": "http://proxy",
        "NO_PROXY": "localhost",
        "SSL_CERT_FILE": "/ca",
        "API_KEY": "secret",
    }

    assert network_environment(parent) == {
        name: parent[name] for name in ("https_proxy", "NO_PROXY", "SSL_CERT_FILE")
    }
