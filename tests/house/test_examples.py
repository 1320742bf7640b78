"""Every example runs as it stands."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from house_source import ROOT, project_files
from node_path import node_program
from thorough import thorough

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = ROOT / "examples"

packages = sorted(path.parent for path in EXAMPLES.glob("*/package.json"))
python_packages = sorted(path.parent for path in EXAMPLES.glob("*/pyproject.toml"))
bash_packages = sorted(path.parent for path in EXAMPLES.glob("*/test.sh"))
programs = [
    path
    for path in project_files(".py")
    if EXAMPLES in path.parents and '__name__ == "__main__"' in path.read_text()
]

measures = EXAMPLES / "host_deaths.py"
"""It kills a host in every way several times over, for the medians that it prints."""

run_elsewhere = EXAMPLES / "survive_sigkill.py"
"""By `tests/facade/test_state_survives_sigkill.py`, which also looks at what it leaves."""


def _name(path: Path) -> str:
    return path.relative_to(EXAMPLES).as_posix()


@pytest.mark.parametrize("package", packages, ids=_name)
def test_the_tests_of_a_javascript_example_pass(package: Path) -> None:
    ended = _run([node_program(), "--test"], package)

    assert ended.returncode == 0, ended.stdout


@pytest.mark.parametrize("package", python_packages, ids=_name)
def test_the_tests_of_a_python_example_pass(package: Path, tmp_path: Path) -> None:
    ended = _run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(package), str(package)],
        tmp_path,
    )

    assert ended.returncode == 0, ended.stdout


@pytest.mark.parametrize("package", bash_packages, ids=_name)
def test_the_tests_of_a_bash_example_pass(package: Path) -> None:
    ended = _run(["bash", "test.sh"], package)

    assert ended.returncode == 0, ended.stdout


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(path, marks=thorough if path == measures else ())
        for path in programs
        if path != run_elsewhere
    ],
    ids=_name,
)
def test_a_python_example_runs_from_anywhere(program: Path, tmp_path: Path) -> None:
    ended = _run([sys.executable, str(program)], tmp_path)

    assert ended.returncode == 0, ended.stdout


def test_every_example_is_one_that_is_run_here() -> None:
    there = {
        EXAMPLES / path.relative_to(EXAMPLES).parts[0] for path in project_files() if EXAMPLES in path.parents
    }
    run = {EXAMPLES / path.relative_to(EXAMPLES).parts[0] for path in programs}

    assert there - run - {*packages, *python_packages, *bash_packages} == {EXAMPLES / "README.md"}


def _run(argv: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv,
        cwd=folder,
        env=os.environ | {"PYTHONWARNINGS": "error"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=50,
        check=False,
    )
