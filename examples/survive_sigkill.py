"""Kill a whole program with SIGKILL under load, again and again, and see that its tools go on where they were.

The program runs two tools in Python and two in Node that count in their state, kept in an SQLite file. Several callers
for each tool write down every answer that they have seen. After each kill the next program begins, and the count of every
tool has to be what its callers saw last, or more by no more than the calls that were under way.

    python examples/survive_sigkill.py                                # some rounds, in a few seconds
    python examples/survive_sigkill.py --rounds 500 --folder soak     # the long form; the folder keeps all that was seen
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from callboard import Callboard, ToolFailed

COUNTER = """
export default {
  init: ({ name }) => ({ name, count: 0 }),
  getToolSchemas: ({ name }) => [{ type: 'function', function: { name, parameters: { type: 'object' } } }],
  executeTool(name, args, state) {
    state.count += 1;
    return { success: true, result: state.count };
  },
};
"""
TOOLS = ("python1", "python2", "node1", "node2")


class Counter:
    """The same in Python."""

    def __init__(self, name: str) -> None:
        self.name = name

    def init(self, config: dict[str, Any]) -> dict[str, Any]:
        return {"count": 0}

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"type": "function", "function": {"name": self.name, "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name: str, payload: Any, state: dict[str, Any]) -> dict[str, Any]:
        state["count"] += 1
        return {"success": True, "result": state["count"]}


def work(folder: Path, generation: int, callers: int) -> None:
    """The program that is killed."""
    with Callboard(state={"path": str(folder / "state.db")}) as board:
        for tool in TOOLS:
            if tool.startswith("python"):
                board.register(Counter(tool))
            else:
                source = {"node_tool": {"file": str(folder / "counter.mjs"), "id": tool}}
                board.load(source, config={"name": tool})
        begin = folder / f"begin-{generation}.writing"
        begin.write_text(json.dumps({tool: board.board.state_of(tool)["count"] for tool in TOOLS}))
        begin.rename(folder / f"begin-{generation}.json")
        print("ready", flush=True)
        threads = [
            threading.Thread(target=call, args=(board, tool, folder / f"seen-{generation}-{tool}-{number}"))
            for tool in TOOLS
            for number in range(callers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def call(board: Callboard, tool: str, seen: Path) -> None:
    """Call without end, and write down what was seen, in a way that SIGKILL does not undo."""
    file = os.open(seen, os.O_WRONLY | os.O_CREAT)
    while True:
        try:
            answer = board.call(tool)
        except ToolFailed as failed:
            answer = failed.result  # no number: the judge stumbles over it
        os.write(file, f"{answer}\n".encode())


def kill_at_random(
    folder: Path, generation: int, callers: int, chance: random.Random, *, ready: bool
) -> None:
    """One generation: most are killed under load, and some before it has begun, unless they have to be ``ready``."""
    command = [
        sys.executable,
        __file__,
        "--work",
        str(generation),
        "--folder",
        str(folder),
        "--callers",
        str(callers),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        if chance.random() < 0.8 or ready:
            assert program.stdout.readline() == b"ready\n", "the program has failed"
        time.sleep(chance.uniform(0.05, 0.5))
        program.kill()


def judge(folder: Path, generations: int, callers: int) -> tuple[list[str], int, int]:
    """What is wrong, a sentence each; how many answers were seen, and by how much the states were ahead of them."""
    faults, answers, ahead = [], 0, 0
    known = dict.fromkeys(TOOLS, 0)
    for generation in range(generations):
        begin = folder / f"begin-{generation}.json"
        if not begin.exists():  # killed before it was ready, so nothing was called
            continue
        for tool, count in json.loads(begin.read_text()).items():
            if not known[tool] <= count <= known[tool] + callers:
                faults.append(
                    f"generation {generation}: {tool} began with {count}, and {known[tool]} had been seen"
                )
            ahead += count - known[tool]
            files = folder.glob(f"seen-{generation}-{tool}-*")
            seen = sorted(int(line) for file in files for line in file.read_text().split())
            if len(set(seen)) < len(seen) or (seen and seen[0] <= count):
                faults.append(f"generation {generation}: {tool} has answered one number twice")
            known[tool] = max([count, *seen])
            answers += len(seen)
    return faults, answers, ahead


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=3, help="how often the program is killed (3)")
    parser.add_argument("--callers", type=int, default=4, help="callers of each tool (4)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the kills (1)")
    parser.add_argument("--folder", help="a new folder for all that is seen; a temporary one by default")
    parser.add_argument("--work", type=int, metavar="GENERATION", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work is not None:
        work(Path(given.folder), given.work, given.callers)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(given.folder or temporary)
        folder.mkdir(parents=True, exist_ok=bool(not given.folder))
        (folder / "counter.mjs").write_text(COUNTER)
        chance = random.Random(given.seed)  # noqa: S311 - it has to repeat itself
        for generation in range(given.rounds + 1):
            kill_at_random(folder, generation, given.callers, chance, ready=generation == given.rounds)
        faults, answers, ahead = judge(folder, given.rounds + 1, given.callers)
    print(*faults, sep="\n", end="")
    print(
        f"{given.rounds} kills, {answers} answers seen, {len(faults)} states lost; {ahead} answers were on their way"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
