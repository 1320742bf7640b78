"""A file for what a command has found out, asked for before it begins and written at its end.

Whether it can be written is looked at first: minutes of work are not to be lost to a folder that was misspelt.
It is only looked at, so what stands in the file stays there if the command is interrupted.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from .streams import complain


class Report(click.Path):
    """An option that names such a file."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, writable=True, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Take a path that can be written, as far as can be known now."""
        file = Path(os.fsdecode(super().convert(value, param, ctx)))
        folder = file.absolute().parent
        if not folder.is_dir():
            self.fail(f"cannot write {file}: there is no folder {folder}", param, ctx)
        if not file.exists() and not os.access(folder, os.W_OK):
            self.fail(f"cannot write {file}: nothing may be written to the folder {folder}", param, ctx)
        return file


def write_report(file: Path | None, text: str) -> bool:
    """Write it, if a file was asked for; returns whether that went well, and says on stderr why not."""
    if file is None:
        return True
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        complain(f"cannot write {file}: {error.strerror}")
        return False
    return True
