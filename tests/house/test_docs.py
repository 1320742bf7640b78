"""Every page tells the truth: its Python runs, and so do its commands.

A page is run in an empty folder that has the `examples` of the checkout in it. Two comments, which no reader sees,
stand directly above a block of code: ``<!-- file: NAME -->`` has the block written to that file first, and
``<!-- not run -->`` leaves it out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from house_source import ROOT, project_files
from thorough import thorough

PAGES = {
    page.relative_to(ROOT).as_posix(): page
    for page in project_files(".md")
    if page.parent == ROOT or {ROOT / "docs", ROOT / "examples"} & set(page.parents)
}

FIRST = {
    "README.md",
    "docs/crash-recovery.md",
    "docs/embedding.md",
    "docs/reference/board.md",
    "docs/reference/hooks.md",
    "docs/tutorial.md",
}
"""Pages that are tried in each run; what stands on the others starts what other tests start too."""

FENCE = re.compile(r"^```(\w*)$")
REMARK = re.compile(r"^<!-- (not run|file: (?P<file>\S+)) -->$")
EXIT = re.compile(r"#.*\bexit status (\d+)")


@dataclass(frozen=True)
class Block:
    """A block of code on a page; ``line`` is the number of its first line."""

    language: str
    remark: str
    file: str | None
    line: int
    lines: tuple[str, ...]


def blocks(page: Path) -> list[Block]:
    found, lines, number = [], page.read_text().splitlines(), 0
    while number < len(lines):
        fence = FENCE.match(lines[number])
        if fence is None:
            number += 1
            continue
        end = lines.index("```", number + 1)
        remark = REMARK.match(lines[number - 1]) if number else None
        found.append(
            Block(
                fence[1],
                remark[1] if remark else "",
                remark["file"] if remark else None,
                number + 2,
                tuple(lines[number + 1 : end]),
            )
        )
        number = end + 1
    return found


def program(page: Path) -> str:
    """All Python of a page that is run, each line where it stands on the page."""
    lines: list[str] = []
    for block in blocks(page):
        if block.language == "python" and not block.remark:
            lines += [""] * (block.line - 1 - len(lines))
            lines += block.lines
    return "\n".join(lines)


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
