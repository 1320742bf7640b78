"""Where the gateways are: each in an environment of its own below ``build/gateways``, of the versions in ``versions.json``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from callboard.hosts.node.find import find_node
from callboard.hosts.node_packages.npm import npm_program

HERE = Path(__file__).parent
PLACE = HERE.parents[1] / "build" / "gateways"
VERSIONS = json.loads((HERE / "versions.json").read_text())
PATIENCE = 600.0
"""Seconds for one installation."""


def node() -> str:
    """The Node that runs what is written for it."""
    found = find_node().path
    assert found is not None, "there is no Node; 'make node' brings one"
    return found


def of_node(package: str, program: str) -> list[str]:
    """The words that run a program of a package from npm."""
    return [node(), str(PLACE / "node" / "node_modules" / package / program)]


def of_python(name: str) -> list[str]:
    """The words that run a program of a package from PyPI."""
    return [str(PLACE / name / "bin" / name)]


def fetch() -> dict[str, str]:
    """Install what is not there yet; returns the errors, by package."""
    failed = {}
    for name, wanted in VERSIONS["python"].items():
        if (why := _once(PLACE / name, wanted, _python)) is not None:
            failed[name] = why
    wanted = [f"{name}@{version}" for name, version in VERSIONS["node"].items()]
    if (why := _once(PLACE / "node", wanted, _node)) is not None:
        failed |= dict.fromkeys(VERSIONS["node"], why)
    return failed


def _once(place: Path, wanted: list[str], install: object) -> str | None:
    stamp = place / "installed"
    if stamp.is_file() and stamp.read_text() == "\n".join(wanted):
        return None
    place.mkdir(parents=True, exist_ok=True)
    for words in install(place, wanted):  # type: ignore[operator]
        done = subprocess.run(words, cwd=place, capture_output=True, text=True, timeout=PATIENCE, check=False)
        if done.returncode != 0:
            said = [line for line in done.stderr.splitlines() if "rror" in line] or [
                f"exit status {done.returncode}"
            ]
            return said[0][:200]
    stamp.write_text("\n".join(wanted))
    return None


def _python(place: Path, wanted: list[str]) -> list[list[str]]:
    pip = [str(place / "bin" / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    return [[sys.executable, "-m", "venv", "--clear", str(place)], [*pip, *wanted]]


def _node(place: Path, wanted: list[str]) -> list[list[str]]:
    (place / "package.json").write_text('{"private": true}\n')
    npm = npm_program(node())
    assert npm is not None, f"there is no npm that goes with {node()}"
    return [[*npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", *wanted]]
