"""What the servers behind `callboard mcp` say on stderr: a file for each, private, bounded, without secrets."""

from __future__ import annotations

import asyncio
import json
import re
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from callboard.cli.mcp.stderr_logs import LONGEST, MOST, StderrLogs, log_folder
from callboard.hosts.process.process import Command, ProcessExit
from callboard.hosts.report.redaction import HIDDEN
from command_line import ENVIRONMENT
from leaks import TEST_MARK, no_leaks
from mcp_clients import PATIENCE, SERVER, command, over_pipes
from sdks import needs_sdk

pytestmark = needs_sdk

SAYS = f"""
import os, runpy, sys
sys.stderr.write("\\x1b[31mred\\x1b[0m " + os.environ["API_KEY"] + " \\x07\\n" + "unfinished")
sys.stderr.flush()
sys.argv = ["", "tools=crash"]
runpy.run_path({SERVER!r}, run_name="__main__")
"""
KEY = "s3cr3t-of-ours"
STARTED = Command(("x",), {"API_KEY": KEY})


def lines_of(file: Path) -> list[str]:
    """Without their times."""
    lines = file.read_text().splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \[\d+\] ", line) for line in lines)
    return [line.partition("] ")[2] for line in lines]


def test_each_server_has_a_private_log_of_its_own_without_its_secrets(tmp_path: Path) -> None:
    config, logs = tmp_path / "servers.json", tmp_path / "made" / "logs"
    loud = {"command": sys.executable, "args": ["-c", SAYS], "env": {**TEST_MARK, "API_KEY": KEY}}
    config.write_text(json.dumps({"mcpServers": {"loud": loud, "../out": loud}}))

    async def talk() -> None:
        async with over_pipes(config, "handshake", "--log-dir", str(logs)) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            for tool in tools:
                await client.call_tool(tool, {})
            await client.call_tool(tools[0], {})

    with no_leaks():
        asyncio.run(talk())

    loud_log, other = sorted(logs.iterdir(), key=lambda file: file.name != "loud.log")
    said = lines_of(loud_log)
    assert said[0] == f"red {HIDDEN} \\u0007"
    assert KEY not in loud_log.read_text() + other.read_text()
    assert "\x1b" not in loud_log.read_text()
    assert said.count(said[0]) == said.count(said[1]) >= 2
    assert said[1].startswith("unfinished")
    assert [line for line in said if line.startswith("---")]
    assert "/" not in other.name
    assert [stat.S_IMODE(each.stat().st_mode) for each in (logs, loud_log, other)] == [0o700, 0o600, 0o600]


def test_a_log_has_a_bound_and_keeps_what_was_last(tmp_path: Path) -> None:
    generation = StderrLogs(tmp_path / "logs").listen("a", 1, STARTED)

    for number in range(5):
        generation.said(b"x" * 1000 + b"\n" + f"{number}\n".encode() * (MOST // 100))
    generation.said(b"the last\n")

    files = sorted((tmp_path / "logs").iterdir())
    assert [file.name for file in files] == ["a.log", "a.log.1"]
    assert all(file.stat().st_size <= MOST for file in files)
    assert lines_of(files[0])[-1] == "the last"


def test_of_a_line_without_an_end_the_beginning_is_kept_and_no_part_of_a_secret(tmp_path: Path) -> None:
    generation = StderrLogs(tmp_path / "logs").listen("a", 1, STARTED)

    for _ in range(100):
        generation.said(b"y" * (LONGEST - 5) + KEY.encode())
    generation.said(b"\nnext\n")

    long, following = lines_of(tmp_path / "logs" / "a.log")
    assert len(long) < LONGEST + 50
    assert KEY[:5] not in long
    assert following == "next"


def test_lines_of_several_writers_are_whole(tmp_path: Path) -> None:
    def write(number: int) -> None:
        generation = StderrLogs(tmp_path / "logs").listen("a", number, STARTED)
        for _ in range(200):
            generation.said(f"{number}".encode() * 50 + b"\n")

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    lines = lines_of(tmp_path / "logs" / "a.log")
    assert sorted(lines) == sorted(f"{number}" * 50 for number in range(4) for _ in range(200))


def test_a_link_in_the_place_of_a_log_is_not_followed(tmp_path: Path) -> None:
    logs, precious = StderrLogs(tmp_path / "logs"), tmp_path / "precious"
    precious.write_text("as it was")
    (tmp_path / "logs" / "a.log").symlink_to(precious)

    logs.listen("a", 1, STARTED).said(b"other\n")

    assert precious.read_text() == "as it was"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", "é", "x" * 300, "a b", ".hidden", "CON:"])
def test_any_name_of_a_server_is_a_file_in_the_folder(name: str, tmp_path: Path) -> None:
    StderrLogs(tmp_path / "logs").listen(name, 1, STARTED).said(b"it\n")

    (file,) = (tmp_path / "logs").iterdir()
    assert lines_of(file) == ["it"]
    assert not file.name.startswith(".")


def test_two_configurations_have_folders_of_their_own() -> None:
    here = {"XDG_STATE_HOME": "/s"}

    folders = {log_folder(Path(place), here) for place in ("/a/agent.json", "/b/agent.json")}

    assert len(folders) == 2
    assert {str(folder.parent) for folder in folders} == {"/s/callboard/logs"}
    assert log_folder(Path("/a/agent.json"), {"XDG_STATE_HOME": "s"}).is_absolute()


def test_a_folder_that_cannot_be_written_is_refused_if_it_was_asked_for_and_else_told(tmp_path: Path) -> None:
    config, file = tmp_path / "servers.json", tmp_path / "file"
    config.write_text('{"mcpServers": {}}')
    file.write_text("")

    def run(state: Path, *options: str) -> Any:
        env = {**ENVIRONMENT, "XDG_STATE_HOME": str(state)}
        words = command(config, *options)
        return subprocess.run(words, input=b"", capture_output=True, timeout=PATIENCE, env=env, check=False)

    asked, usual = run(tmp_path, "--log-dir", str(file / "logs")), run(file)

    assert (asked.returncode, usual.returncode) == (2, 0)
    assert b"--log-dir" in usual.stderr


def test_a_generation_that_ends_is_noted(tmp_path: Path) -> None:
    generation = StderrLogs(tmp_path / "logs").listen("a", 3, STARTED)

    generation.said(b"no end")
    generation.ended(ProcessExit(3, None, 1.0, None))

    assert lines_of(tmp_path / "logs" / "a.log") == ["no end", "--- exit code 3"]
