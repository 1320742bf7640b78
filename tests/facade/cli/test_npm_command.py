"""`callboard npm`: npm for who has no Node but that of the extra, as a shell would run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from callboard.hosts.node.find import node_candidates

if TYPE_CHECKING:
    from pathlib import Path

WHEEL = next(candidate for candidate in node_candidates(environ={"PATH": ""}) if candidate.source == "wheel")


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The environment of a system without Node."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "env"):
        (programs / name).symlink_to(f"/bin/{name}")
    return {**os.environ, "PATH": str(programs), "HOME": str(tmp_path), "CALLBOARD_NODE": ""}


def callboard(*words: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "callboard", *words],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_without_a_node_of_the_system_npm_runs_on_that_of_the_extra(
    tmp_path: Path, bare: dict[str, str]
) -> None:
    scripts = {"outer": "npm run inner", "inner": "node -p 'process.execPath'"}
    (tmp_path / "package.json").write_text(json.dumps({"name": "a", "scripts": scripts}))

    ran = callboard("npm", "run", "outer", folder=tmp_path, environment=bare)

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == WHEEL.path


def test_the_options_and_the_exit_status_are_npms(tmp_path: Path, bare: dict[str, str]) -> None:
    helped = callboard("npm", "--help", folder=tmp_path, environment=bare)
    failed = callboard("npm", "--prefix", "nowhere", "run", "nothing", folder=tmp_path, environment=bare)

    assert "npm <command>" in helped.stdout
    assert "npm error" in failed.stderr
    assert failed.returncode not in {0, 2}


def test_javascript_is_a_kind_of_plugin_by_its_own_name(tmp_path: Path, bare: dict[str, str]) -> None:
    made = callboard("new", "--json", "javascript", "my-tools", folder=tmp_path, environment=bare)

    assert json.loads(made.stdout)["kind"] == "node"


def test_a_new_plugin_names_the_npm_that_is_there(tmp_path: Path, bare: dict[str, str]) -> None:
    made = callboard("new", "--json", "typescript", "my-tools", folder=tmp_path, environment=bare)

    assert json.loads(made.stdout)["commands"][:2] == ["callboard npm install", "callboard npm test"]
