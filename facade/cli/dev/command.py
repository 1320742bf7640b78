"""`callboard dev`: a plugin at work while it is written."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...authoring.dev_server import DevServer
from ...authoring.locate import folders_of
from ...hosts.tap import tapping
from ...reload.file_watcher import SourceWatch
from ..ui.exit_codes import WELL
from ..ui.options import common, json_option, quiet, trust_option
from ..ui.prompt import at_a_prompt
from ..ui.streams import Streams
from ..ui.text import Text
from ..ui.trust import admit_at
from .commands import Work
from .host_output import Hearing
from .piped_lines import carry_out_lines
from .view import ForPeople, ForPrograms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .view import View


@click.command(short_help="A plugin at work while you write it.")
@click.argument("place", type=click.Path(path_type=Path), default=".")
@trust_option
@json_option
@common
def dev(place: Path, as_json: bool) -> int:
    """Run the plugin in the folder PLACE, and call its tools from a prompt.

    A line is a call, such as "echo value=hello" or 'echo {"value": "hello"}', or a command: /help lists them. Parts, what the
    tool writes to stderr, its result and its state are shown as they come. When a file is changed, the plugin is loaded anew; its
    state is kept.

    PLACE may be a configuration or a single module, too. Without a terminal, lines are read from stdin.
    """
    quiet()
    with Streams(as_json=as_json) as out:
        if out.terminal and os.isatty(out.stdin):
            with at_a_prompt(out) as prompt, _working(place, ForPeople(prompt.console), out) as work:
                prompt.console.print(Text("/help says what can be typed; Ctrl-D leaves", "dim"))
                prompt.carry_out_all(work)
            return WELL
        view = ForPeople(out.console) if out.people else ForPrograms(out)
        with _working(place, view, out) as work:
            return carry_out_lines(work, out, work.longest)


@contextmanager
def _working(place: Path, view: View, out: Streams) -> Iterator[Work]:
    """What is at the place, loaded, and loaded anew whenever its files change."""
    hearing = Hearing(view)
    with DevServer(place, tapping(hearing.tap), hearing.event, admit=admit_at(place, out.stdin)) as bench:
        work = Work(bench, view)
        with SourceWatch(folders_of(bench.configuration, place), work.load):
            work.load([])
            yield work
