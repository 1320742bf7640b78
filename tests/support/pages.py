"""The pages of the project, and the blocks of code on them.

Two comments, which no reader sees, stand directly above a block: ``<!-- file: NAME -->`` has the block written to that file before the page
is run, and ``<!-- not run -->`` leaves it out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from house_source import ROOT, project_files

if TYPE_CHECKING:
    from pathlib import Path

PAGES = {
    page.relative_to(ROOT).as_posix(): page
    for page in project_files(".md")
    if page.parent == ROOT or {ROOT / "docs", ROOT / "examples"} & set(page.parents)
}

FENCE = re.compile(r"^```(\w*)$")
REMARK = re.compile(r"^<!-- (not run|file: (?P<file>\S+)) -->$")


@dataclass(frozen=True)
class Block:
    """A block of code on a page; ``line`` is the number of its first line."""

    language: str
    remark: str
    file: str | None
    line: int
    lines: tuple[str, ...]


def blocks(page: Path) -> list[Block]:
    """The blocks of a page, in order."""
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
