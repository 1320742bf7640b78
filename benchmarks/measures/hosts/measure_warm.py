"""How long it takes from nothing to the first answer of a package that was built in the cache before."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from callboard import Callboard, NodeToolPlugin
from calls import SMALL, TOOL, run, tool_call
from harness import Block, alternate
from table import Row, at_most, compared, microseconds

if TYPE_CHECKING:
    from contest import Contest

_MANIFEST = {
    "name": "warm",
    "type": "module",
    "scripts": {"build": "node -e \"require('fs').cpSync('src', 'dist', { recursive: true })\""},
    "agent": {"tools": [{"id": "echo", "entry": "dist/index.mjs"}]},
}


def measure(contest: Contest) -> list[Row]:
    """A new board with one package from the cache, against the same host started by hand; unpinned."""
    with TemporaryDirectory() as folder:
        package = Path(folder) / "package"
        (package / "src").mkdir(parents=True)
        (package / "package.json").write_text(json.dumps(_MANIFEST))
        shutil.copy(TOOL, package / "src" / "index.mjs")
        turns = {"callboard": lambda: _board(package), "by hand": _by_hand}
        samples = alternate(turns, contest.times(15, 4))
    ours, bare = samples["callboard"], samples["by hand"]
    against = f"the same host by hand {microseconds(bare.median)}"
    return [
        compared(
            "first call from a warm cache",
            microseconds(ours.median),
            against,
            ours.over(bare),
            goal=at_most(1.2),
        )
    ]


def _board(package: Path) -> Block:
    call = tool_call(SMALL)
    begin = time.perf_counter()
    with Callboard({"plugin_cache_dir": str(package.parent / "cache")}) as board:
        board.load(f"node:{package}")
        run(board, call)
        return [time.perf_counter() - begin]


def _by_hand() -> Block:
    """Seconds from the start of a host, without a board, to the first answer of the same tool."""
    begin = time.perf_counter()
    with NodeToolPlugin("echo", TOOL) as tool:
        state = tool.init({})
        tool.get_tool_schemas(state)
        tool.execute_tool("echo", SMALL, state)
        return [time.perf_counter() - begin]
