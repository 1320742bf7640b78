"""The events of a board in a file, one a line, as they come."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from .streams import LineWriter, complain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...supervision.runtime.events import Event


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
