"""The one fault that no soak can draw: it ends the process in which the soak would run. A program of its own has it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest
from leaks import TEST_MARK, no_leaks, wait_gone

PATIENCE = 30.0

PROGRAM = """
import json, sys
from callboard.actors.board import Board
from callboard.actors.hosting.settings import HostSettings
from callboard.chaos.inject.evil_tool import EvilToolPlugin
from callboard.chaos.faults import KillParent, Orphan
from callboard.chaos.schedule import Schedule
from callboard.chaos.triggers import NthCall
from callboard.plugins.adapter.adapter import PluginAdapter
from psutil import Process

folder, language, mark = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
schedule = Schedule(1, [(NthCall(2), KillParent(), "evil"), (NthCall(1), Orphan(), "good")])
board = Board()
for name in ("evil", "good"):
    plugin = EvilToolPlugin(name, schedule, folder=folder, language=language, env=mark)
    board.begin_hosted(PluginAdapter(plugin), plugin, host=HostSettings({}))
    board.settle_hosted(name, required=True)
call = {"type": "function_call", "call_id": "1", "arguments": {}}
first = [board.submit({**call, "name": f"{name}_count"}).result(30)["success"] for name in ("good", "evil")]
print(json.dumps([first, [process.pid for process in Process().children(recursive=True)]]), flush=True)
board.submit({**call, "name": "evil_count"}).result(30)
print("lived on", flush=True)
"""


@pytest.mark.parametrize("language", ["node", "python"])
def test_a_host_that_kills_the_program_leaves_no_host_behind(language, tmp_path):
    with no_leaks(within=PATIENCE):
        program = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(tmp_path), language, json.dumps(TEST_MARK)],
            stdout=subprocess.PIPE,
        )
        with program:
            assert program.stdout is not None
            answered, pids = json.loads(program.stdout.readline())
            said = program.stdout.read()
        wait_gone(pids, PATIENCE)

    assert (answered, len(pids) >= 3, said) == ([True, True], True, b"")
    assert program.returncode == -signal.SIGKILL
