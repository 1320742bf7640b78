"""What is left of a host is looked for among strangers, and not in the sessions that other hosts of the same program lead."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest
from evil_hosts import REQUEST, carried
from leaks import TEST_MARK, alive, no_leaks, wait_gone
from programs import NODE

A_DEATH_AMONG_HOSTS = """
import json, os, queue, signal, sys
from callboard import Callboard

looked_at, told = set(), queue.SimpleQueue()

def hook(event, arguments):
    if event == "open" and str(arguments[0]).startswith("/proc/"):
        looked_at.add(str(arguments[0]).split("/")[2])
    elif event == "resource.prlimit":
        looked_at.add(str(arguments[0]))

plugins = [{"node_tool": {"file": sys.argv[1], "id": name}, "config": {"names": [name]}} for name in "abc"]
with Callboard({"plugins": plugins, "supervision": {"intensity": 0}}) as board:
    board.subscribe(told.put, kinds=["host_crashed"])
    pids = [plugin["host"]["pid"] for plugin in board.status()["plugins"].values()]
    sys.addaudithook(hook)
    os.kill(pids[0], signal.SIGKILL)
    told.get(timeout=20)
    print(json.dumps({"looked_at": sorted(looked_at), "pids": [str(pid) for pid in pids]}))
"""


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


def test_a_death_looks_at_no_other_host():
    program = [sys.executable, "-c", A_DEATH_AMONG_HOSTS, str(NODE / "moody.mjs")]
    ended = subprocess.run(program, env=os.environ | TEST_MARK, capture_output=True, check=True, timeout=60)
    said = json.loads(ended.stdout)

    dead, *others = said["pids"]
    assert dead in said["looked_at"]  # it is seen what is looked at
    assert set(others).isdisjoint(said["looked_at"])


def test_of_two_hosts_the_one_that_dies_takes_its_own_detached_child_along_and_no_other():
    children = []
    how = ("session", "twice", "unmarked")
    with (
        carried("leaves_a_child", *how) as (dying, ear),
        carried("leaves_a_child", *how) as (living, other_ear),
    ):
        for process, its_ear in ((dying, ear), (living, other_ear)):
            process.write(REQUEST)
            its_ear.wait("output")
            children.append(int(its_ear.output.rpartition(b'"payload": ')[2].rstrip(b"}\n")))

        os.kill(dying.pid, signal.SIGKILL)
        ear.wait("gone")
        wait_gone(children[:1])
        lives_on = [alive(living.pid), alive(children[1])]

    assert lives_on == [True, True]
    wait_gone(children)
