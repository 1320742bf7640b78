"""Which Node.js the tests run."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from callboard.hosts.node.find import NodeCandidate, find_node
from callboard.hosts.node_packages.npm import npm_program as npm_of


def node() -> NodeCandidate:
    """The Node the package itself would take: ``CALLBOARD_NODE``, then the one on PATH, then the wheel's."""
    return find_node()


def node_program() -> str:
    """Its path."""
    path = node().path
    assert path is not None
    return path


def npm_program() -> tuple[str, ...]:
    """The npm that the package itself would take. The wheel's has no program that could be found on PATH."""
    npm = npm_of(node_program())
    assert npm is not None
    return npm


def path_with_npx(folder: Path) -> str:
    """``PATH`` on which there is an npx: the one of the system, or one in this folder that runs the wheel's."""
    if shutil.which("npx") is not None:
        return os.environ["PATH"]
    *_, npm = npm_program()
    script = folder / "npx"
    script.write_text(f'#!/bin/sh\nexec "{node_program()}" "{Path(npm).with_name("npx-cli.js")}" "$@"\n')
    script.chmod(0o755)
    return os.pathsep.join([str(folder), environment_with_node()["PATH"]])


def environment_with_node() -> dict[str, str]:
    """This process's environment, where ``node`` is that Node: the system may have none."""
    return os.environ | {"PATH": os.pathsep.join([str(Path(node_program()).parent), os.environ["PATH"]])}
