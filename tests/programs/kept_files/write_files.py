"""Write one file of each kind that Callboard keeps, with whichever Callboard is on the path. Run by `make_files.py`.

    python write_files.py FOLDER

It is run by checkouts of long ago, so it uses what all of them have: the front door, and modules that have kept their names.
"""

from __future__ import annotations

import inspect
import io
import json
import subprocess
import sys
from pathlib import Path

from callboard import Callboard
from callboard.agent.sessions.session import Session
from callboard.agent.sessions.store import SessionStore
from callboard.chaos.faults import Exit, Garbage
from callboard.chaos.schedule import Schedule
from callboard.chaos.triggers import NthByte, NthCall, NthFrame, NthSpawn
from callboard.hosts.packages.consent import Step
from callboard.trust.trust_file import TrustFile

CALLS = {"count": 3, "note": 2}


def main(folder: Path) -> None:
    """Write them all."""
    state(folder / "state.db")
    session(folder)
    recording(folder / "recording.ndjson")
    schedule(folder / "schedule.json")
    facts = {"url": "https://example.org/tools.git", "commit": "c" * 40}
    TrustFile(folder / "trust.json").add([Step("git", facts, {"ref": "v1"})])
    for left in folder.glob("*.lock"):
        left.unlink()


def state(file: Path) -> None:
    """A tool in a host, and one in this process, each with a state."""
    with Callboard(state=file) as board:
        board.load("kept_tools.Counting", isolate=True)
        board.load("kept_tools.Noting")
        for tool, calls in CALLS.items():
            for number in range(calls):
                call = {"type": "function_call", "call_id": str(number), "name": tool, "arguments": "{}"}
                assert board.execute(call)["success"]


def session(folder: Path) -> None:
    """A call, its result, and an answer."""
    calls = [{"id": "c1", "tool": "count", "arguments": {}}]
    kept = Session(
        "session",
        [
            {"role": "user", "content": "Count, please."},
            {"role": "assistant", "content": "", "metadata": {"tool_calls": calls}},
            {"role": "tool", "content": "3", "tool_call_id": "c1"},
            {"role": "assistant", "content": "Three."},
        ],
        {"model": "any"},
    )
    SessionStore(folder).open(kept).close()


def recording(file: Path) -> None:
    """What went between the command line and the tool in a host."""
    entry = {"plugin": "kept_tools.Counting", "isolate": True}
    config = file.with_name("config.json")
    config.write_text(json.dumps({"plugins": [entry]}))
    command = [sys.executable, "-m", "callboard", "inspect", str(config), "--json", "--record", str(file)]
    subprocess.run(command, input="count\ncount\n", text=True, check=True, stdout=subprocess.DEVNULL)
    config.unlink()


def schedule(file: Path) -> None:
    """Triggers that count within a process of a host; what such a process is called has changed."""
    word = "life" if "life" in inspect.signature(NthCall).parameters else "generation"
    within = {word: 2}
    entries = [
        (NthCall(3, **within), Exit(7)),
        (NthByte(100, **within), Garbage()),
        (NthFrame(4, "out", **within), Exit(), "counter"),
        (NthCall(1), Exit(1)),
        (NthSpawn(5), Exit(2)),
    ]
    file.write_text(Schedule(5, entries).to_json() + "\n")


if __name__ == "__main__":
    sys.stdout = io.TextIOWrapper(sys.stderr.buffer)
    main(Path(sys.argv[1]))
