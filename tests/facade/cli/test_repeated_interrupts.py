"""However many Ctrl-C come, a command ends with status 130 and at most one line, and leaves nothing behind."""

from __future__ import annotations

import signal
import subprocess
from contextlib import suppress

import pytest
from command_line import start, write_config
from leaks import no_leaks, wait_until
from thorough import each_once

PATIENCE = 60.0

LINGERS = """
import { writeFileSync } from "node:fs";
process.on("SIGTERM", () => {});
export default {
  name: "lingers",
  init() { setInterval(() => {}, 1000); writeFileSync("BEGUN", ""); return new Promise(() => {}); },
  get_tool_schemas() { return []; },
  execute_tool() { return { success: true }; },
};
"""
"""A plugin whose load takes for ever, and whose end takes a while."""

COMMANDS = {"tools": [], "call": ["lingers"], "inspect": []}


@pytest.mark.parametrize(("command", "times", "pause"), each_once(COMMANDS, [3, 1, 6], [0.03, 0.0, 0.3]))
def test_a_command_ends_quietly_however_many_interrupts_come(tmp_path, command, times, pause):
    begun, file = tmp_path / "begun", tmp_path / "lingers.mjs"
    file.write_text(LINGERS.replace("BEGUN", str(begun)))
    source = {"node_tool": {"file": str(file), "id": "lingers"}}
    config = write_config(tmp_path, source, start_deadline=60)

    with no_leaks():
        process = start(command, config, *COMMANDS[command])
        wait_until(begun.exists, PATIENCE)
        for _ in range(times):
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(pause)
        _, stderr = process.communicate(timeout=PATIENCE)

    assert process.returncode == 130, stderr.decode()
    said = [line for line in stderr.decode().splitlines() if line]
    assert len(said) <= 1, stderr.decode()
