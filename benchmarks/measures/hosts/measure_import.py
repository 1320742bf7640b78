"""How long it takes to import the board in a fresh interpreter, beside the packages it needs alone.

`import callboard` by itself fetches nothing; what it costs a program is told by the first name it asks for. A board
imports more with the first plugin and the first call that need it, so that is measured too: what is put off is not gained.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from harness import Block, alternate
from table import Row, at_most, compared, microseconds

if TYPE_CHECKING:
    from contest import Contest

_CALL = {"id": "1", "type": "function", "function": {"name": "echo", "arguments": "{}"}}
_SERVING = (
    "from echo_plugin import Echo; board = Callboard().start(); board.register(Echo()); "
    f"assert board.execute({_CALL})['success']"
)
_PROGRAM = "import time; begin = time.perf_counter(); {}; print(time.perf_counter() - begin)"


def measure(contest: Contest) -> list[Row]:
    """Seconds of the statements, not of the interpreter around them."""
    turns = {
        "board": partial(_import, "from callboard import Callboard"),
        "serving": partial(_import, f"from callboard import Callboard; {_SERVING}"),
        "contract": partial(_import, "from callboard.types import ToolPlugin"),
        "packages": partial(_import, "import pykka, orjson, psutil"),
    }
    samples = alternate(turns, contest.times(15, 5))
    packages = samples["packages"]
    beside = f"pykka, orjson and psutil alone {microseconds(packages.median)}"
    board, serving, contract = samples["board"], samples["serving"], samples["contract"]
    return [
        compared(
            "from callboard import Callboard",
            microseconds(board.median),
            beside,
            board.over(packages),
            goal=at_most(1.3),
        ),
        compared(
            "from callboard import Callboard, to the first answer of a Python tool",
            microseconds(serving.median),
            beside,
            serving.over(packages),
        ),
        compared(
            "from callboard.types import ToolPlugin",
            microseconds(contract.median),
            beside,
            contract.over(packages),
        ),
    ]


def _import(statement: str) -> Block:
    # Compiled once and kept, as where it is installed: otherwise compiling is all that is measured.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(statement)],
        env=environment,
        cwd=Path(__file__).parents[2],  # where the plugin is
        capture_output=True,
        text=True,
        check=True,
    )
    return [float(ended.stdout)]
