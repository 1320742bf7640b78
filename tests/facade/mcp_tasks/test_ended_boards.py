"""A served board that is ended while tasks run leaves no process, though its servers go on after the end of their input."""

from __future__ import annotations

import json
import signal
import sys
from typing import TYPE_CHECKING, Any

import pytest
from leaks import TEST_MARK, wait_until
from mcp_clients import PATIENCE
from mcp_pipes import hello, line, serving
from programs import PROGRAMS
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_sdk

SERVER = str(PROGRAMS / "python" / "mcp_task_server.py")
KINDS: dict[str, list[str]] = {"servers": [], "own": ["optional"]}
"""The words of two servers: a task of the first is one of the server's too; one of the second is the board's alone."""


def methods_in(log: Path) -> list[str]:
    lines = log.read_text().splitlines() if log.exists() else []  # its server may not be up yet
    return [json.loads(each).get("method") for each in lines]


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_a_board_that_is_ended_while_tasks_run_leaves_no_process(
    ending: signal.Signals, tmp_path: Path
) -> None:
    logs = {name: tmp_path / name for name in KINDS}
    entries: dict[str, Any] = {
        name: {
            "command": sys.executable,
            "args": [SERVER, "lingers", f"log={logs[name]}", *words],
            "env": TEST_MARK,
        }
        for name, words in KINDS.items()
    }

    with serving(tmp_path, {"mcpServers": entries}) as board:
        board.say(hello(), line(id=1, method="tools/list"))
        tools = [tool["name"] for tool in board.answers(2)[1]["result"]["tools"]]
        never = [name for name in tools if name.endswith("never")]
        for name in never:
            board.say(line(id=name, method="tools/call", params={"name": name, "arguments": {}, "task": {}}))
        tasks = [each["result"]["task"] for each in board.answers(2).values()]
        wait_until(lambda: all("tools/call" in methods_in(log) for log in logs.values()), PATIENCE)
        board.process.send_signal(ending)
        status = board.process.wait(PATIENCE)

    assert [task["status"] for task in tasks] == ["working"] * 2
    assert "tasks/result" not in methods_in(logs["own"])
    assert (status == -signal.SIGKILL) is (ending is signal.SIGKILL)
