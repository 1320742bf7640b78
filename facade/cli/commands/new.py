"""`callboard new`: a plugin to begin with."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...authoring.create import create
from ...authoring.template import OTHER_NAMES, TEMPLATES
from ...base.suggestions import meant
from ..ui.exit_codes import WELL
from ..ui.options import common, json_option
from ..ui.streams import Streams
from ..ui.text import Text
from .npm import npm_is_there

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ui.console import SafeConsole


def kind_of(text: str) -> str:
    """The type of an argument that is a kind of plugin; one of `TEMPLATES`."""
    kind = OTHER_NAMES.get(text, text)
    if kind not in TEMPLATES:
        raise click.BadParameter(f"{text!r} is none; {meant(text, TEMPLATES)}")
    return kind


@click.command(short_help="A plugin to begin with, tests and all.")
@click.argument("kind", type=kind_of)
@click.argument("folder", type=click.Path(path_type=Path))
@json_option
@common
def new(kind: str, folder: Path, as_json: bool) -> int:
    """Write a new plugin into FOLDER, which gives it its name: two tools, their tests, a README.

    KIND says what it is written in:

    \b
        callboard new node my-tools
        callboard new typescript my-tools
        callboard new python my-tools
        callboard new bash my-tools

    It passes its own tests and can be called as it is.
    """  # noqa: D301 - click wants the character, not a backslash
    with Streams(as_json=as_json) as out:
        files = create(kind, folder)
        commands = [*_for_this_shell(TEMPLATES[kind].tests), "callboard call agent.json echo value=hello"]
        if out.people:
            _show(folder, files, commands, out.console)
        else:
            out.print_json({"kind": kind, "folder": str(folder), "files": files, "commands": commands})
    return WELL


def _for_this_shell(commands: Sequence[str]) -> list[str]:
    """With Callboard's npm where the shell has none, or only one of an older Node."""
    if not any(command.startswith("npm ") for command in commands) or npm_is_there():
        return list(commands)
    return [f"callboard {command}" if command.startswith("npm ") else command for command in commands]


def _show(folder: Path, files: list[str], commands: list[str], console: SafeConsole) -> None:
    for name in files:
        console.print(Text(f"  {folder / name}", "dim"), soft_wrap=True)
    enter = [] if folder.samefile(".") else [f"cd {shlex.quote(str(folder))}"]
    console.print(Text.assemble(("✓ ", "green"), f"{folder.resolve().name} is there. Now try:\n"))
    for command in (*enter, *commands):
        console.print(Text(f"    {command}", "bold"), soft_wrap=True)
