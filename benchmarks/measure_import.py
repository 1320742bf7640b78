"""How long `import callboard` takes in a fresh interpreter, beside the packages it needs alone."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

from harness import Block, alternate
from table import Row, at_most, compared, microseconds

if TYPE_CHECKING:
    from contest import Contest

_PROGRAM = "import time; begin = time.perf_counter(); import {}; print(time.perf_counter() - begin)"


def measure(contest: Contest) -> list[Row]:
    """Seconds of the import statement, not of the interpreter around it."""
    turns = {
        "callboard": partial(_import, "callboard"),
        "packages": partial(_import, "pykka, orjson, psutil"),
    }
    samples = alternate(turns, contest.times(15, 5))
    ours, packages = samples["callboard"], samples["packages"]
    return [
        compared(
            "import callboard",
            microseconds(ours.median),
            f"pykka, orjson and psutil alone {microseconds(packages.median)}",
            ours.over(packages),
            goal=at_most(1.3),
        )
    ]


def _import(modules: str) -> Block:
    # Compiled once and kept, as where it is installed: otherwise compiling is all that is measured.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(modules)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return [float(ended.stdout)]
