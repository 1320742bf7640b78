"""`callboard inspect`: what goes between Callboard and its hosts, seen, kept, and asked again."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...authoring.dev_server import DevServer
from ...authoring.host_replay import hosts_only, replay
from ...authoring.locate import configuration_at
from ...authoring.recorder import Recorder, header
from ...authoring.recording_diff import differences, exchanges_in
from ...authoring.recording_format import NoRecording, RecordingNewer, is_recording, read_recording
from ...hosts.tap import tapping
from ..dev.commands import Work
from ..dev.piped_lines import carry_out_lines
from ..ui.exit_codes import FAILED, WELL
from ..ui.options import common, json_option, quiet, seconds, trust_option
from ..ui.streams import LineWriter, OutputLost, Streams, complain
from ..ui.text import Text
from ..ui.trust import admit, admit_at
from .view import difference_line, entry_line, exchange_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...authoring.dev_server import LoadedAnew
    from ...authoring.recording_format import Entry
    from ...plugins.results.call_result import CallResult
    from ...supervision.runtime.events import Event

Json = dict[str, Any]

PATIENCE = 10.0


@click.command("inspect", short_help="What goes between Callboard and its hosts.")
@click.argument("place", type=click.Path(path_type=Path))
@click.option(
    "--record", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Keep what is heard in this file.",
)  # fmt: skip
@click.option(
    "--replay", "recorded", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
    help="Ask the hosts what was asked in this recording, and tell where they answer otherwise.",
)  # fmt: skip
@click.option(
    "--shared", is_flag=True,
    help="Let plugins share hosts as the configuration says; else each has its own.",
)  # fmt: skip
@click.option(
    "--patience", type=seconds, default=PATIENCE, show_default=True, metavar="SECONDS",
    help="How long an answer may take in a replay.",
)  # fmt: skip
@trust_option
@json_option
@common
def inspect(
    place: Path, record: Path | None, recorded: Path | None, *, shared: bool, patience: float, as_json: bool
) -> int:
    """Show what goes between Callboard and the hosts of PLACE: a configuration, or the folder of a plugin.

    Calls are read from stdin, one a line, such as "echo value=hello"; what is sent, what comes back and what hosts write to
    stderr is shown as it goes. With --record it is kept too, without secrets; of a recording as PLACE the same is shown again.
    With --replay its requests are put to the hosts of PLACE once more. Exit status: 0 all is well, 1 a call failed, or
    an answer differs.
    """
    quiet()
    if record is not None and recorded is not None:
        raise click.UsageError(
            "--record and --replay do not go together; a replay asks what was recorded before"
        )
    with Streams(as_json=as_json) as out:
        if recorded is not None:
            return _replay(place, recorded, patience, out)
        if _is_recording(place):
            if record is not None:
                raise click.UsageError(f"{place} is a recording; --record is for a configuration")
            _show(place, out)
            return WELL
        return _listen(place, record, out, alone=not shared)


def _is_recording(place: Path) -> bool:
    if not place.is_file():
        return False
    with place.open("rb") as file:
        return is_recording(file.readline())


def _read(file: Path) -> list[Entry]:
    try:
        with file.open("rb") as lines:
            return read_recording(lines, file)
    except RecordingNewer:
        raise
    except NoRecording as error:
        raise NoRecording(f"{file}: {error}") from error


def _show(file: Path, out: Streams) -> None:
    tell = _teller(out)
    for entry in _read(file):
        tell(entry)


def _teller(out: Streams) -> Callable[[Entry], None]:
    if out.people:
        return lambda entry: out.console.print(entry_line(entry), **_line(out))
    return lambda entry: out.print_json(entry.as_json)


def _line(out: Streams) -> dict[str, Any]:
    """How a line is printed: cut to the width of a terminal, and whole elsewhere."""
    return {"no_wrap": True, "overflow": "ellipsis"} if out.terminal else {"soft_wrap": True}


def _listen(place: Path, record: Path | None, out: Streams, *, alone: bool) -> int:
    with _keeping(record, place) as keep:
        tell = _teller(out)

        def hear(entry: Entry) -> None:
            keep(entry)
            tell(entry)

        bench = DevServer(
            place,
            tapping(Recorder(hear, time.monotonic).tap),
            _hear_nothing,
            alone=alone,
            admit=admit_at(place, out.stdin),
        )
        with bench:
            work = Work(bench, _Problems())
            work.load([])
            return carry_out_lines(work, out, work.longest)


@contextmanager
def _keeping(record: Path | None, place: Path) -> Iterator[Callable[[Entry], None]]:
    """Keeps entries in a file, which is emptied first."""
    if record is None:
        yield lambda _: None
        return
    try:
        file = open(record, "wb", buffering=0, opener=_for_the_owner)  # noqa: SIM115 - closed below
    except OSError as error:
        raise click.BadParameter(
            f"cannot write {record}: {error.strerror}", param_hint="'--record'"
        ) from error
    broken: list[OSError] = []
    try:
        writer = LineWriter(file.fileno(), broken.append)
        writer.write(header(str(place)))
        yield lambda entry: writer.write(entry.as_json)
    finally:
        file.close()
    if broken:
        raise OutputLost(broken[0])


def _for_the_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _replay(place: Path, recorded: Path, patience: float, out: Streams) -> int:
    counted = otherwise = 0
    exchanges = exchanges_in(_read(recorded))
    configuration = admit(hosts_only(configuration_at(place)), str(place), out.stdin)
    for was, now in replay(exchanges, configuration, patience):
        found = differences(was.outcome, now.outcome)
        counted += 1
        otherwise += bool(found)
        if out.people:
            out.console.print(exchange_line(was, same=not found), **_line(out))
            for difference in found:
                out.console.print(difference_line(difference), soft_wrap=True)
        else:
            said = {
                "host": was.host,
                "generation": was.generation,
                "method": was.method,
                "params": was.params,
            }
            out.print_json({**said, "same": not found, "differences": [asdict(each) for each in found]})
    if out.people:
        mark = ("✗ ", "red") if otherwise else ("✓ ", "green")
        out.console.print(Text.assemble(mark, f"{counted} requests, {otherwise} answered otherwise"))
    return FAILED if otherwise else WELL


def _hear_nothing(_: Event) -> None:
    """What is of interest is heard from the hosts themselves."""


class _Problems:
    """Tells on stderr what goes wrong; what goes well is seen in the traffic."""

    def loaded(self, what: LoadedAnew, changed: list[str], seconds: float) -> None:
        for problem in what.problems:
            complain(problem)

    def said(self, host: str, line: str) -> None:
        """See `View`."""

    def happened(self, kind: str, plugin: str, why: str) -> None:
        """See `View`."""

    def part(self, part: Any) -> None:
        """See `View`."""

    def ended(self, result: CallResult, reads: Any, state: Json | None, seconds: float) -> None:
        """See `View`; a failure that no host has seen would not be seen otherwise."""
        if result.get("outcome") == "not_sent":
            complain(str(result.get("error")))

    def told(self, what: Any) -> None:
        complain(str(what))

    def refused(self, why: str) -> None:
        complain(why)
