"""`python benchmarks/run.py`: measure, and print the table of goals.

Exits with 0 whatever the numbers are: how fast something is is told here, and judged by people. No
test asserts a speed.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from typing import TYPE_CHECKING

import machine
from callboard.hosts.errors import HostStartError
from contest import Contest
from peers import mcp_peer
from table import render

if TYPE_CHECKING:
    from table import Row

PLACES = {
    "calls": (
        "overhead",
        "options",
        "await",
        "throughput",
        "payload",
        "mcp",
        "gateway",
        "state",
        "waiting",
        "in_process",
        "interop",
    ),
    "hosts": (
        "start",
        "warm",
        "crash",
        "standby",
        "restart",
        "import",
        "plugins",
        "shared",
        "crash_of_others",
        "many",
        "outage",
        "idle",
        "flood",
        "neighbour",
    ),
}
"""Each is a file, ``measures/<place>/measure_<name>.py``, and one or more rows."""

MEASUREMENTS = {name: place for place, names in PLACES.items() for name in names}


def main() -> int:
    """Run from the command line."""
    options = _parser().parse_args()
    try:
        facts = machine.describe()
    except HostStartError as error:
        print(f"nothing can be measured: {error}", file=sys.stderr)
        return 2
    contest = Contest(quick=options.quick, no_peer=_why_no_peer(options))
    facts["mcp"] = contest.no_peer or f"{mcp_peer.CLIENT}, {mcp_peer.SERVER}"
    rows: list[Row] = []
    for name in options.only:
        begin = time.perf_counter()
        rows += importlib.import_module(f"measures.{MEASUREMENTS[name]}.measure_{name}").measure(contest)
        print(f"{name}: {time.perf_counter() - begin:.0f} s", file=sys.stderr)
    if options.json:
        print(json.dumps({"facts": facts, "rows": [row.as_dict() for row in rows]}, indent=2))
    else:
        print(*(f"{name}: {value}" for name, value in facts.items()), "", render(rows), sep="\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Measure Callboard beside the floor and beside its peer.")
    parser.add_argument(
        "--quick", action="store_true", help="a short form with rough numbers; installs nothing"
    )
    parser.add_argument(
        "--only",
        type=_names,
        default=tuple(MEASUREMENTS),
        metavar="NAME,...",
        help=f"some of: {', '.join(MEASUREMENTS)}",
    )
    parser.add_argument("--without-mcp", action="store_true", help="leave the MCP peer out")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _names(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if unknown := [name for name in names if name not in MEASUREMENTS]:
        raise argparse.ArgumentTypeError(
            f"no such measurement: {', '.join(unknown)}; there are: {', '.join(MEASUREMENTS)}"
        )
    return names


def _why_no_peer(options: argparse.Namespace) -> str | None:
    if options.without_mcp:
        return "left out"
    try:
        mcp_peer.require(install=not options.quick)
    except mcp_peer.PeerMissing as missing:
        return str(missing)
    return None


if __name__ == "__main__":
    sys.exit(main())
