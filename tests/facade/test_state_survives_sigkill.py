"""A whole program that is killed under load: its tools go on from the last answer that any caller saw."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from house_source import ROOT
from leaks import no_leaks
from thorough import times

if TYPE_CHECKING:
    from pathlib import Path

ROUNDS, CALLERS = times(2, 4), 3
TOOLS = ("python1", "python2", "node1", "node2")


def seen_in(folder: Path, generation: int, tool: str) -> list[list[int]]:
    """What each caller of a tool has seen in a generation, in its order; a line that was cut off was never seen."""
    files = sorted(folder.glob(f"seen-{generation}-{tool}-*"))
    return [[int(line) for line in file.read_text().split("\n")[:-1]] for file in files]


def test_after_sigkill_every_tool_goes_on_from_the_last_answer_that_a_caller_saw(tmp_path):
    folder = tmp_path / "generations"
    program = ROOT / "examples" / "survive_sigkill.py"
    options = {"rounds": ROUNDS, "callers": CALLERS, "seed": 1, "folder": folder}
    arguments = [f"--{name}={value}" for name, value in options.items()]

    with no_leaks():
        ended = subprocess.run(
            [sys.executable, str(program), *arguments],
            cwd=tmp_path,
            env=os.environ | {"PYTHONWARNINGS": "error"},
            capture_output=True,
            text=True,
            check=False,
            timeout=50,
        )

    assert (ended.returncode, ended.stderr) == (0, "")
    begun = {generation: folder / f"begin-{generation}.json" for generation in range(ROUNDS + 1)}
    begun = {generation: json.loads(file.read_text()) for generation, file in begun.items() if file.exists()}
    assert len(begun) > 1
    for tool in TOOLS:
        last = 0
        for generation, counts in begun.items():
            by_caller = seen_in(folder, generation, tool)
            seen = sorted(count for caller in by_caller for count in caller)
            # Never less than what a caller saw; at most the calls more that were under way.
            assert last <= counts[tool] <= last + CALLERS
            assert all(caller == sorted(set(caller)) for caller in by_caller)
            # Each number was answered once, and all of them but those that were on their way to a caller.
            assert len(set(seen)) == len(seen)
            last = max([counts[tool], *seen])
            missing = set(range(counts[tool] + 1, last + 1)) - set(seen)
            assert len(missing) <= CALLERS
        assert last > CALLERS
