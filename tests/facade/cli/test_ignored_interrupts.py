"""A command that is started with SIGINT ignored, as by a shell in the background, is not to be interrupted."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess

import psutil
import pytest
from command_line import ECHO, ENVIRONMENT, PACED, PATIENCE, command, ndjson, started, write_config
from interrupts import ignores_interrupts, uninterruptible
from leaks import no_leaks, wait_until
from thorough import every
from tools import tool_call


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


def children_of(pid):
    return psutil.Process(pid).children()


def paced(number):
    return tool_call("paced", f"p{number}", ms=300)


COMMANDS = {
    "run": ((PACED,), ("run", "CONFIG"), ndjson(paced(number) for number in range(3))),
    "call": ((PACED,), ("call", "CONFIG", "paced", "ms:=500"), ""),
    "dev": ((PACED,), ("dev", "CONFIG"), "paced ms:=500\n"),
    "demo": ((), ("demo", "--seconds", "2"), ""),
    "chaos": ((ECHO,), ("chaos", "CONFIG", "--calls", "500", "--kills", "2"), ""),
}


@pytest.mark.parametrize("name", every(3, COMMANDS))
def test_a_command_that_ignores_interrupts_comes_to_its_own_end(name, tmp_path):
    plugins, words, text = COMMANDS[name]
    config = write_config(tmp_path, *plugins)
    process = started(uninterruptible(command(*(config if word == "CONFIG" else word for word in words))))
    process.stdin.write(text.encode())
    process.stdin.close()
    wait_until(lambda: children_of(process.pid), PATIENCE)  # its hosts
    process.send_signal(signal.SIGINT)
    ignores = ignores_interrupts(process.pid)
    said = process.stdout.read()
    complained = process.stderr.read()
    process.stdout.close()
    process.stderr.close()

    assert ignores
    assert said
    assert (process.wait(PATIENCE), complained) == (0, b"")
    assert b"cancelled" not in said


def test_at_a_prompt_a_signal_that_is_ignored_is_no_interrupt(tmp_path):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        uninterruptible(command("dev", write_config(tmp_path, ECHO))),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=ENVIRONMENT | {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"},
        start_new_session=True,
    )
    os.close(theirs)
    shown = ""

    def until(text):
        nonlocal shown
        while text not in shown:
            assert select.select([ours], [], [], PATIENCE)[0], f"waited in vain for {text!r} in {shown!r}"
            shown += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", os.read(ours, 65536).decode())

    until("Ctrl-D leaves\r\n>")
    os.write(ours, b"echo value=he")
    until("value=he")
    ignores = ignores_interrupts(process.pid)
    process.send_signal(signal.SIGINT)
    os.write(ours, b"llo\r")
    until("Echo: hello")
    os.write(ours, b"/quit\r")
    status = process.wait(PATIENCE)
    os.close(ours)

    assert ignores
    assert status == 0
