"""Files of a command: its configuration; and those that it writes, what it has found out, at its end, and the events of its board, as they come.

Whether a report can be written is tried before the command begins: minutes of work are not to be lost to a folder
that was misspelt. What stands in the file stays there if the command is interrupted.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .streams import LineWriter, complain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...supervision.runtime.events import Event


class Report(click.Path):
    """An option that names a file for a report."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, writable=True, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Take a path that can be written, as far as can be known now."""
        file = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not file.parent.is_dir():
            self.fail(f"cannot write {file}: there is no folder {file.parent}", param, ctx)
        try:
            _try(file)
        except OSError as error:
            self.fail(f"cannot write {file}: {error.strerror}", param, ctx)
        return file


def _try(file: Path) -> None:
    """Make a file, and remove it; one that is there is left alone. Raises `OSError`."""
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return
    file.unlink()


def absolute(path: Path) -> Path:
    """Return the absolute path of a path that was typed.

    Raises:
        click.UsageError: it is relative, and the working directory has been deleted.
    """
    try:
        return path.absolute()
    except FileNotFoundError as error:
        raise click.UsageError(
            f"{path} is relative to the working directory, which has been deleted; "
            "give an absolute path, or start in a folder that is there"
        ) from error


class ConfigFile(click.Path):
    """The type of a configuration: its file, or the folder that has one as ``agent.json``.

    What is wrong with the file is for the reader of configurations to say.
    """

    name = "config"

    def __init__(self) -> None:
        super().__init__(dir_okay=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The path of the file."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not path.is_dir():
            return str(value)
        from ...authoring.locate import CONFIGURATION  # noqa: PLC0415 - not for the page of help

        if not (path / CONFIGURATION).is_file():
            self.fail(
                f"the folder {path} has no {CONFIGURATION}; name a configuration, or run: callboard dev {path}",
                param,
                ctx,
            )
        return str(path / CONFIGURATION)


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


@contextmanager
def event_file(path: str | None) -> Iterator[tuple[Callable[[Event], None], ...]]:
    """Subscribers that write to a file of that name, which is emptied first; none without a name.

    A file that cannot be written any more is complained of once, and costs no call.

    Raises:
        click.BadParameter: the file cannot be opened.
    """
    if path is None:
        yield ()
        return
    try:
        file = open(path, "wb", buffering=0)  # noqa: PTH123, SIM115 - a path as it was typed; closed below
    except OSError as error:
        raise click.BadParameter(f"cannot write {path}: {error.strerror}", param_hint="'--events'") from error
    try:
        writer = LineWriter(
            file.fileno(), lambda error: complain(f"cannot write the events any more: {error.strerror}")
        )
        yield (lambda event: writer.write(_as_json(event)),)
    finally:
        file.close()


def _as_json(event: Event) -> dict[str, Any]:
    return {
        "sequence": event.sequence,
        "kind": event.kind,
        "subject": event.subject,
        "time": event.time,
        "facts": event.facts,
    }
