"""The main thread imports nothing in the midst of a call: a signal handler that raises there would leave the import lock held."""

from __future__ import annotations

import subprocess
import sys

import pytest
from leaks import TEST_MARK
from programs import PROGRAMS

PROGRAM = PROGRAMS / "python" / "imports_of_the_main_thread.py"


@pytest.mark.parametrize("kind", ["thread", "isolated", "node", "mcp"])
def test_the_main_thread_imports_nothing_from_a_load_to_the_stop(kind):
    ran = subprocess.run(
        [sys.executable, str(PROGRAM), kind, str(PROGRAMS)],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
        env=TEST_MARK,
    )

    assert ran.stdout.splitlines() == ["done"], ran.stderr
