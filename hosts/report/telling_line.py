"""The line of a program's stderr that says most of why it ended, of Node, Python, Go and Rust. Pure.

Unlike `thrown` it takes what looks like an error for one, so it is for people, and never for decisions.
"""

from __future__ import annotations

import re
from typing import Final

MOST_CHARACTERS: Final = 300
_MOST_READ = 2 * MOST_CHARACTERS
"""Characters of a line that are looked at."""

_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")

_INSIDE = re.compile(
    r"at \S.*|File \".*\", line \d+.*|\d+: \S.*|goroutine \d+ \[.*|\S*\.go:\d+.*|created by .*|[\w./*()]+\(.*\)"
    r"|[\^~ ]+|[\[\]{}(), ]+|(errno|code|syscall|address|port|path|host|hostname|spawnargs|cause|stack): .*"
    r"|Node\.js v\d.*|note: run with .RUST_BACKTRACE.*|stack backtrace:|exit status \d+|Traceback .*"
    r"|npm (error|ERR!) (A complete log of this run|\S+\.log$).*"
)
"""A line that is the inside of a runtime: a frame, its heading, a field of an error, or a last remark."""

_ERROR = re.compile(
    r"(?i:\b(error|panic|fatal|panicked at)\b)|\w(Error|Exception|Exit|Interrupt)\b|^\w+(\.\w+)*Error\b"
)
_GENERAL = re.compile(r"(?i:\berror\b)|\bAggregateError\b")
_SPECIFIC = re.compile(r"(?!Aggregate)\b[A-Za-z]\w*(Error|Exception)\b|^panic:|panicked at")
_OF_SYSTEM = re.compile(r"\bE[A-Z]{3,}(_[A-Z]+)? |\bE[A-Z]{3,}: |\(os error \d+\)")
"""Such as ``connect ECONNREFUSED 127.0.0.1:6379``; not the code alone."""

_NPM_CODE = re.compile(r"npm (error|ERR!) code ")
_BEFORE = re.compile(r"^(\[?(errors|cause)\]?: )?\[? ?(?=\w*Error\b)")
_AFTER = re.compile(r"[ \[{,]+$")


def telling_line(stderr: str) -> str:
    """Return the line that says most, of at most `MOST_CHARACTERS`: an error of the system or the last error, else the last line; or nothing."""
    found = [_COLOURS.sub("", line[:_MOST_READ]).strip() for line in stderr.splitlines()]
    lines = [line for line in found if line]
    said = [line for line in lines if not _INSIDE.fullmatch(line)]
    return _plain(_most(said or lines))[:MOST_CHARACTERS]


def _most(lines: list[str]) -> str:
    codes = [place for place, line in enumerate(lines) if _NPM_CODE.match(line)]
    if codes and codes[0] + 1 < len(lines):
        return lines[codes[0] + 1]
    errors = [place for place, line in enumerate(lines) if _ERROR.search(line)]
    of_system = [line for line in lines if _OF_SYSTEM.search(line)]
    if not errors:
        return (of_system or lines or [""])[-1]
    last = lines[errors[-1]]
    if of_system and _GENERAL.search(last) and not _SPECIFIC.search(last):
        return of_system[-1]
    if last.endswith(":") and errors[-1] + 1 < len(lines):
        return f"{last} {lines[errors[-1] + 1]}"
    return last


def _plain(line: str) -> str:
    """Without the brackets in which Node shows an error that is part of another."""
    return _AFTER.sub("", _BEFORE.sub("", line))
