"""What a hundred plugins in one Node host cost, beside one: time to start, and memory on both sides.

Each run is a process of its own, since memory that was taken once is not given back. The package has a hundred
tools, each in a file of its own and with a schema; a small one is loaded before, so that what is imported once
for all is not counted.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from callboard import Callboard
from harness import Samples
from table import Row, at_most, compared, microseconds

if TYPE_CHECKING:
    from contest import Contest

_COUNT = 100

_TOOL = """
const parameters = {{ type: 'object', properties: {{ x: {{ type: 'number' }} }} }};
export default {{
  init: () => ({{ count: 0 }}),
  getToolSchemas: () => [{{ type: 'function', function: {{ name: '{name}', parameters }} }}],
  executeTool: (name, args, state) => ({{ success: true, result: (state.count += 1) }}),
}};
"""


def measure(contest: Contest) -> list[Row]:
    """Medians over several processes, and ratios within each of them."""
    runs = [_run() for _ in range(contest.times(7, 1))]
    start, alone, kib, host, host_of_one = (
        Samples([[number] for number in numbers]) for numbers in zip(*runs, strict=True)
    )
    what = f"{_COUNT} plugins on one Node host"
    return [
        Row(f"{what}: start", microseconds(start.median), judged=start.median, goal=at_most(1, "s")),
        compared(
            f"{what}: start",
            microseconds(start.median),
            f"a host with one {microseconds(alone.median)}",
            start.over(alone),
        ),
        Row(
            f"{what}: memory of each",
            f"{kib.median:.1f} KiB",
            judged=kib.median,
            goal=at_most(40, "KiB"),
        ),
        compared(
            f"{what}: memory of the host",
            f"{host.median:.1f} MiB",
            f"a host with one {host_of_one.median:.1f} MiB",
            host.over(host_of_one),
        ),
    ]


def _run() -> tuple[float, ...]:
    ended = subprocess.run(
        [sys.executable, "-m", __name__],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(json.loads(ended.stdout))


def package_of(folder: Path, name: str, count: int) -> str:
    """Write a package with so many tools, ``NAME_0`` and on; returns its source."""
    place = folder / name
    place.mkdir()
    tools = [f"{name}_{number}" for number in range(count)]
    for tool in tools:
        (place / f"{tool}.mjs").write_text(_TOOL.format(name=tool))
    entries = [{"id": tool, "entry": f"{tool}.mjs"} for tool in tools]
    (place / "package.json").write_text(json.dumps({"name": name, "agent": {"tools": entries}}))
    return f"node:{place}"


def _start_them() -> tuple[float, ...]:
    """Seconds for a hundred and for one, KiB here of each, MiB of their host and of the other."""
    this = psutil.Process()
    with tempfile.TemporaryDirectory() as folder, Callboard() as board:
        few, many, one = (
            package_of(Path(folder), *each) for each in (("few", 2), ("many", _COUNT), ("one", 1))
        )
        board.load(few)
        before = this.memory_info().rss
        seconds = _seconds(board, many)
        kib = (this.memory_info().rss - before) / 1024 / _COUNT
        alone = _seconds(board, one)
        plugins = board.status()["plugins"]
        hosts = [psutil.Process(plugins[name]["host"]["pid"]) for name in ("many_0", "one_0")]
        return seconds, alone, kib, *(host.memory_info().rss / 2**20 for host in hosts)


def _seconds(board: Callboard, source: str) -> float:
    begin = time.perf_counter()
    board.load(source)
    return time.perf_counter() - begin


if __name__ == "__main__":
    print(json.dumps(_start_them()))
