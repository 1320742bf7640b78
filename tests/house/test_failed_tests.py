"""One failure stays one."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import pytest
from leaks import alive
from programs import ROOT

SUPPORT = ROOT / "tests" / "support"

SUITE = """
import os, subprocess, sys
import pytest
from leaks import TEST_MARK

def start(*words, **options):
    process = subprocess.Popen(["sleep", "1000"], **options)
    print("started", process.pid)
    return process.pid

@pytest.fixture(scope="module")
def shared():
    process = subprocess.Popen(["sleep", "1000"])
    yield process
    assert process.poll() is None
    process.kill()
    process.wait()

@pytest.fixture
def fails_at_the_end():
    yield
    start()
    assert not "the end"

def test_fails(shared):
    start()
    start(start_new_session=True)
    assert False

def test_fails_at_its_end(fails_at_the_end):
    pass

def test_fails_with_an_orphan():
    script = "import subprocess; print(subprocess.Popen(['sleep', '1000'], stdout=subprocess.DEVNULL).pid)"
    said = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, env=os.environ | TEST_MARK).stdout
    print("started", int(said))
    assert False

def test_passes():
    print("goes on", start())
"""


def test_a_failed_test_ends_what_it_has_started_and_nothing_else(tmp_path):
    suite = tmp_path / "test_suite.py"
    suite.write_text(SUITE)
    words = [sys.executable, "-m", "pytest", "-p", "aftermath", "-p", "no:cacheprovider", "-rA", str(suite)]
    env = os.environ | {"PYTHONPATH": str(SUPPORT)}

    ended = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=env, check=False)

    (goes_on,) = {int(pid) for pid in re.findall(r"goes on (\d+)", ended.stdout)}
    started = {int(pid) for pid in re.findall(r"started (\d+)", ended.stdout)}
    left = {pid for pid in started if alive(pid)}
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert re.search(r"2 failed, 2 passed, 1 error in", ended.stdout), ended.stdout
    assert len(started) == 5
    assert left == {goes_on}


@pytest.mark.parametrize("module", ["aftermath"])
def test_all_tests_are_looked_after(module, request):
    assert request.config.pluginmanager.has_plugin(module)
