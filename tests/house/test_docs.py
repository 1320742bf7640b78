"""Every page tells the truth: its Python runs, and so do its commands.

A page is run in an empty folder that has the `examples` of the checkout in it; `pages` says what of it is run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from house_source import ROOT
from pages import PAGES, REMARK, blocks, program
from thorough import thorough

FIRST = {
    "README.md",
    "docs/crash-recovery.md",
    "docs/embedding.md",
    "docs/reference/board.md",
    "docs/reference/hooks.md",
    "docs/tutorial.md",
}
"""Pages that are tried in each run; what stands on the others starts what other tests start too."""

EXIT = re.compile(r"#.*\bexit status (\d+)")


def commands(page: Path) -> list[str]:
    return [
        line
        for block in blocks(page)
        if block.language == "sh" and not block.remark
        for line in block.lines
        if line and not line.startswith("#")
    ]


@pytest.mark.parametrize(
    "name", [name for name, page in PAGES.items() if any(block.file for block in blocks(page))]
)
def test_a_reader_is_told_the_name_of_a_file_before_it_is_run(name):
    lines = PAGES[name].read_text().splitlines()
    untold = []
    told = ""
    for number, line in enumerate(lines):
        remark = REMARK.match(line)
        if remark and remark["file"] and remark["file"].rsplit("/", 1)[-1] not in told:
            untold.append(f"{name}:{number + 1} {remark['file']}")
        told = "" if line.startswith("## ") else f"{told}\n{line}" if not remark else told
    assert untold == []


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    return tmp_path


def unpack(page: Path, folder: Path) -> None:
    for block in blocks(page):
        if block.file is not None:
            file = folder / block.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("\n".join(block.lines) + "\n")


def run(argv: list[str], folder: Path, code: int = 0) -> None:
    warnings = "default" if argv[-1].startswith("pip ") else "error"  # pip has some of its own
    paths = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        argv,
        cwd=folder,
        env=os.environ | {"PATH": paths, "PYTHONWARNINGS": warnings, "XDG_STATE_HOME": str(folder / "state")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=50,
        check=False,
    )
    assert ended.returncode == code, ended.stdout


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in FIRST else thorough)
        for name, page in PAGES.items()
        if program(page)
    ],
)
def test_the_python_of_a_page_runs(name, folder):
    unpack(PAGES[name], folder)
    script = folder / "page.py"
    script.write_text(program(PAGES[name]))

    run([sys.executable, str(script)], folder)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in FIRST else thorough)
        for name, page in PAGES.items()
        if commands(page)
    ],
)
def test_the_commands_of_a_page_work(name, folder):
    unpack(PAGES[name], folder)

    for command in commands(PAGES[name]):
        expected = EXIT.search(command)
        run(["bash", "-o", "pipefail", "-c", command], folder, int(expected[1]) if expected else 0)
