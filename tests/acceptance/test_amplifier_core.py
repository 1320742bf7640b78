"""Amplifier's own validator and behavioural checks, and its own coordinator, hooks and models, with tools of a board."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest
from amplifier_core_package import amplifier_core
from programs import PROGRAMS

FIXTURES = "asyncio_default_fixture_loop_scope=function"
KIT = PROGRAMS / "amplifier_module"

MODULE = """
from callboard.amplifier import mount as _mount

async def mount(coordinator, config=None):
    return await _mount(coordinator, {{"config": {{"plugins": ["path:{folder}"]}}}})
"""


@pytest.mark.timeout(1200)  # packages are fetched
def test_the_contracts_own_checks_pass_and_calls_go_both_ways(tmp_path):
    package = tmp_path / "amplifier-module-tool-words" / "amplifier_module_tool_words"
    package.mkdir(parents=True)
    plugin = tmp_path / "plugin"
    plugin.mkdir()
    (plugin / "agent_plugin.json").write_text('{"entries": ["words_tool.Words"]}')
    shutil.copy(KIT / "words_tool.py", plugin)
    (package / "__init__.py").write_text(MODULE.format(folder=plugin))
    checks = package.parent / "test_checks.py"
    shutil.copy(KIT / "checks.py", checks)
    env = {**os.environ, "PYTHONPATH": str(amplifier_core())}

    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "-o",
            FIXTURES,
            str(checks),
        ],
        cwd=package.parent,
        env=env,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "skipped" not in done.stdout
    assert int(re.findall(r"(\d+) passed", done.stdout)[0]) == 14
