"""Packages from npm for tests: pinned, in a folder of their own, and of the content that is written down."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from callboard.hosts.node.find import find_node
from callboard.hosts.node_packages.npm import npm_program

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Pinned(NamedTuple):
    """A version, and the hash of its archive; without one the registry's word is taken."""

    version: str
    integrity: str | None = None


def node_program() -> str:
    """The Node that runs the tools of a board."""
    node = find_node().path
    assert node is not None
    return node


def npm_install(place: Path, packages: Mapping[str, Pinned]) -> None:
    """Install packages and what they need; none of their scripts is run."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "package.json").write_text('{"private": true}\n')
    npm = npm_program(node_program())
    assert npm is not None, f"there is no npm that goes with {node_program()}"
    wanted = [f"{name}@{package.version}" for name, package in packages.items()]
    subprocess.run(
        [*npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", *wanted],
        cwd=place,
        check=True,
    )
    installed = json.loads((place / "package-lock.json").read_text())["packages"]
    for name, package in packages.items():
        found = installed[f"node_modules/{name}"]["integrity"]
        assert package.integrity in {None, found}, f"{name} {package.version} is another one: {found}"
