"""The tests of the guide "Testing crash recovery" are real tests, and they pass."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from house_source import ROOT
from leaks import TEST_MARK

GUIDE = (ROOT / "docs" / "testing-crash-recovery.md").read_text()
FILES = dict(re.findall(r"<!-- file: (\S+) -->\n```\w*\n(.*?)```", GUIDE, re.DOTALL))
PLUGIN = ("-p", "no:callboard-chaos", "-p", "callboard.pytest_plugin", "-p", "no:cacheprovider")


def test_the_tests_of_the_guide_pass(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)

    ended = subprocess.run(
        [sys.executable, "-W", "error", "-m", "pytest", *PLUGIN, "-q", "test_upper.py"],
        cwd=tmp_path,
        env=os.environ | TEST_MARK,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )

    assert ended.returncode == 0, ended.stdout
    assert "4 passed" in ended.stdout
