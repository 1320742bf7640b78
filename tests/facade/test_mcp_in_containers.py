"""A server in a container ends with its host, though its process is no child of it."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

from callboard import Callboard
from leaks import TEST_MARK, alive, no_leaks, wait_until
from programs import PROGRAMS
from tools import tool_call

if TYPE_CHECKING:
    from pathlib import Path


def engine(folder: Path) -> dict[str, str]:
    """Variables with which `docker` is a program of ours."""
    (folder / "bin").mkdir()
    (folder / "containers").mkdir()
    program = folder / "bin" / "docker"
    script = PROGRAMS / "python" / "container_engine.py"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n')
    program.chmod(0o755)
    found = {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    return found | {"CONTAINERS": str(folder / "containers")} | TEST_MARK


def test_a_container_is_ended_by_its_name_when_its_host_has_gone(tmp_path: Path) -> None:
    server = {"command": ["docker", "run", "-i", "mcp/words"], "env": engine(tmp_path)}
    started: dict[int, list[str]] = {}

    def containers() -> dict[int, list[str]]:
        for file in (tmp_path / "containers").glob("callboard-words-*"):
            if file.suffix == ".new":
                continue
            pid, *words = file.read_text().split()
            started[int(pid)] = words
        return started

    with no_leaks():
        with Callboard({"plugins": [{"mcp": server, "name": "words"}]}) as board:
            (first,) = containers()
            os.kill(board.status()["plugins"]["words"]["host"]["pid"], signal.SIGKILL)
            wait_until(lambda: not alive(first), 30)
            assert board.execute(tool_call("echo", a=1))["success"]
            assert len(containers()) == 2
        assert [alive(pid) for pid in containers()] == [False, False]

    assert all({"--rm", "--init", "--name"} < set(words) for words in started.values())
