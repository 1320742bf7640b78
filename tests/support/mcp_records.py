"""Recorded sessions with servers of MCP, a file for each: what was asked, and what came back.

A file is lines: ``# {…}`` says what was recorded, ``> {"method", "params"}`` is a request, and each ``< …`` below it a message of the server's as it was
written, the last of them the answer. `mcp_plain` says what stands there for ids and progress tokens.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from leaks import TEST_MARK
from mcp_plain import Heard
from programs import PROGRAMS

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]

RECORDED = PROGRAMS / "recorded_mcp"
"""Where the sessions are kept."""

PLAYER = str(RECORDED / "play.py")
"""The program that answers as a recorded server does; its arguments are the files of that server's sessions, one for each era."""


class Exchange(NamedTuple):
    """A request, and what came back."""

    method: str
    params: Json
    heard: Heard


class Record(NamedTuple):
    """A session.

    Attributes:
        server: which one.
        era: in which one it was spoken.
        package: what the server is of, with its version.
        exchanges: in their order; the first is the client's introduction.
    """

    server: str
    era: str
    package: str
    exchanges: list[Exchange]

    def write(self, folder: Path) -> Path:
        """Write it to its file."""
        told = {"server": self.server, "era": self.era, "package": self.package}
        lines = [f"# {json.dumps(told)}"]
        for method, params, heard in self.exchanges:
            asked = json.dumps({"method": method, "params": params}, ensure_ascii=False)
            lines += [f"> {asked}", *(f"< {each}" for each in (*heard.before, heard.answer))]
        file = folder / f"{self.server}-{self.era}.txt"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
        return file


def read(file: Path) -> Record:
    """Read a session."""
    found: list[tuple[Json, list[str]]] = []
    told: Json = {}
    for line in file.read_text(encoding="utf-8").split("\n"):
        match line[:2]:
            case "# ":
                told = json.loads(line[2:])
            case "> ":
                found.append((json.loads(line[2:]), []))
            case "< ":
                found[-1][1].append(line[2:])
    exchanges = [Exchange(**asked, heard=Heard(came[:-1], came[-1])) for asked, came in found]
    return Record(told["server"], told["era"], told["package"], exchanges)


def records(folder: Path = RECORDED) -> list[Record]:
    """All sessions of a folder."""
    return [read(file) for file in sorted(folder.glob("*.txt"))]


def spoken(era: str, folder: Path = RECORDED) -> list[Record]:
    """The sessions of a folder in an era."""
    return [record for record in records(folder) if record.era == era]


def board_of(place: Path, servers: list[Record], folder: Path = RECORDED, **more: Any) -> Path:
    """The file of a board with the recorded servers; ``more`` stands in it beside them."""
    entries = []
    for record in servers:
        played = [sys.executable, PLAYER, str(folder / f"{record.server}-{record.era}.txt")]
        entries.append({"mcp": {"command": played, "env": TEST_MARK}, "name": record.server})
    file = place / "servers.json"
    file.write_text(json.dumps({"plugins": entries, **more}))
    return file
