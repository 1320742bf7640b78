import os
import signal
import subprocess
import sys

import pytest
from bare_host import PATIENCE
from python_runner import python_command, python_host

STATE = {"count": 0}


@pytest.mark.parametrize("way", [None, "answers", "leaves_threads", "spins"])
def test_the_host_ends_with_its_stdin(way):
    with python_host() as host:
        host.value("init")
        if way == "spins":
            host.execute("moody", {"way": way, "first": "begun"}, STATE)
            host.read()
        elif way is not None:
            host.answer(host.execute("moody", {"way": way}, STATE))

        assert host.finish() == 0


@pytest.mark.parametrize("code", ["import threading; threading.Event().wait()", "raise RuntimeError"])
@pytest.mark.parametrize("asked", [True, False])
def test_the_host_ends_with_its_stdin_even_if_its_plugin_never_comes(tmp_path, code, asked):
    file = tmp_path / "broken.py"
    file.write_text(f"print('loading')\n{code}")

    with python_host("broken.Tool", file) as host:
        if asked:
            host.send("init")
        host.stderr_until("loading")

        assert host.finish() == 0


def test_an_idle_host_ends_as_a_program_does(tmp_path):
    file = tmp_path / "tidies.py"
    file.write_text(
        "import atexit\natexit.register(print, 'tidied up')\nfrom moody_python import Moody as Tool\n"
    )

    with python_host("tidies.Tool", file) as host:
        host.value("init")

        assert host.finish() == 0
    assert host.stderr == "tidied up\n"


def test_an_end_that_takes_too_long_is_cut_short(tmp_path):
    file = tmp_path / "lingers.py"
    file.write_text(
        "import atexit, threading\natexit.register(threading.Event().wait)\nfrom moody_python import Moody as Tool\n"
    )

    with python_host("lingers.Tool", file) as host:
        host.value("init")

        assert host.finish() == 0


def test_the_host_ends_when_nobody_can_read_its_answers():
    with python_host() as host:
        host.value("init")
        host.close_stdout()
        host.send("init")

        assert host.process.wait(PATIENCE) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("way", ["spins", "never_lets_go", "answers"])
def test_the_host_dies_by_the_signals_that_ask_for_it(number, way):
    with python_host() as host:
        host.execute("moody", {"way": way, "first": "begun"}, STATE)
        host.read()

        host.process.send_signal(number)

        assert host.exit_code() == -number


def test_the_last_words_of_a_crash_name_the_line():
    with python_host() as host:
        host.execute("moody", {"way": "reads_nothing"}, STATE)

        assert host.exit_code() == -signal.SIGSEGV
    assert "Fatal Python error: Segmentation fault" in host.stderr
    assert "in reads_nothing" in host.stderr


def test_the_host_ends_when_its_parent_does_though_its_stdin_stays_open():
    # The parent in between ends when told to; the pipe to the host's stdin is ours, and stays open.
    between = (
        "import subprocess, sys; subprocess.Popen(sys.argv[2:], stdin=int(sys.argv[1])); sys.stdin.read()"
    )
    theirs, ours = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", between, str(theirs), *python_command()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[theirs],
        start_new_session=True,
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        os.close(theirs)
        os.write(ours, b'{"v":1,"id":"1","method":"init"}\n')
        assert parent.stdout.readline()

        parent.stdin.close()

        assert parent.wait(PATIENCE) == 0
        assert parent.stdout.read() == b""  # so the host, which had it too, has ended
    os.close(ours)


def test_a_child_that_inherits_everything_does_not_hold_the_protocols_pipes():
    with python_host() as host:
        pid = host.answer(host.execute("moody", {"way": "leaves_a_child"}, STATE))["result"]["value"][
            "result"
        ]
        os.kill(host.process.pid, signal.SIGKILL)

        assert host.rest() == []
        assert host.process.wait(PATIENCE) == -signal.SIGKILL
        os.kill(pid, signal.SIGKILL)  # it is still there
