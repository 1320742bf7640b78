"""The benchmarks run. How fast anything is is no matter of a test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from house_source import ROOT
from thorough import thorough

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = ROOT / "benchmarks" / "run.py"

CHEAP = ("overhead", "throughput", "in_process", "crash")

measurements = sorted(
    path.stem.removeprefix("measure_") for path in PROGRAM.parent.glob("measures/*/measure_*.py")
)


@pytest.fixture(scope="module")
def report() -> dict[str, list[dict[str, object]]]:
    return json.loads(_run("--quick", "--without-mcp", "--json", "--only", ",".join(CHEAP)).stdout)


@thorough
def test_every_bound_on_what_can_be_measured_here_is_judged(
    report: dict[str, list[dict[str, object]]],
) -> None:
    judged = {row["what"]: row["verdicts"].keys() for row in report["rows"] if row["judged"] is not None}
    bounded = {row["what"]: {name for name in ("stage", "goal") if row[name]} for row in report["rows"]}

    assert judged == {what: bounded[what] for what in judged}
    assert any("goal" in verdicts for verdicts in judged.values())


@thorough
def test_the_rows_of_a_peer_that_takes_no_part_say_so(report: dict[str, list[dict[str, object]]]) -> None:
    unjudged = [row["against"] for row in report["rows"] if row["judged"] is None]

    assert set(unjudged) == {"mcp: left out"}


@thorough
def test_formats_are_measured_although_the_other_converters_are_not_installed() -> None:
    rows = json.loads(_run("--quick", "--without-mcp", "--json", "--only", "interop").stdout)["rows"]

    assert [row["what"] for row in rows if row["goal"] and row["judged"] is None] == []
    assert any("litellm" in row["against"] for row in rows)


@thorough
def test_the_table_has_a_line_for_every_row(tmp_path: Path) -> None:
    printed = _run("--quick", "--without-mcp", "--only", "in_process", folder=tmp_path).stdout

    lines = [line for line in printed.splitlines() if line.startswith("| Python tool in process")]
    assert len(lines) == 2


def test_the_help_names_every_measurement_there_is() -> None:
    said = " ".join(_run("--help").stdout.split())

    assert [name for name in measurements if name not in said] == []


def test_a_measurement_that_does_not_exist_is_refused_by_name() -> None:
    ended = _run("--only", "overhaed", code=2)

    assert "no such measurement: overhaed" in ended.stderr


def _run(*arguments: str, folder: Path = ROOT, code: int = 0) -> subprocess.CompletedProcess[str]:
    ended = subprocess.run(
        [sys.executable, str(PROGRAM), *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONWARNINGS": "error"},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert ended.returncode == code, ended.stderr
    return ended
