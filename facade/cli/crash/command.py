"""`callboard crash`: the whole report of a crash, by the id that a result has."""

from __future__ import annotations

from datetime import datetime

import click
from rich.table import Table

from ..ui.crash_files import CrashFiles, crash_folder
from ..ui.exit_codes import FAILED, WELL
from ..ui.options import common, json_option
from ..ui.streams import Streams, complain
from ..ui.text import Text
from .report import Report, show_crash


@click.command(short_help="The whole report of a crash, by its id; or the last crashes.")
@click.argument("crash_id", metavar="[ID]", required=False)
@json_option
@common
def crash(crash_id: str | None, as_json: bool) -> int:
    """Show the whole report of the crash ID, which stands in the result of each call that it cost; its beginning is enough.

    Without ID the last crashes are listed, the newest first. The reports of call, run, chat and mcp are kept, a hundred of
    them. Exit status 1 when there is no such report.
    """
    files = CrashFiles(crash_folder())
    with Streams(as_json=as_json) as out:
        if crash_id is None:
            _list(files.all(), out)
            return WELL
        report = files.read(crash_id)
        if report is None:
            complain(f"there is no crash {crash_id!r:.100}; 'callboard crash' lists those that were kept")
            return FAILED
        if out.people:
            out.console.print(Text(f"{report['host']}: {report['exit']}; {report['cause']}"), soft_wrap=True)
            show_crash(report, None, out.console)
        else:
            out.print_json(report)
        return WELL


def _list(reports: list[Report], out: Streams) -> None:
    if not out.people:
        for report in reports:
            out.print_json(report)
        return
    if not reports:
        out.console.print("no crash was kept")
        return
    table = Table(box=None, pad_edge=False)
    for name in ("id", "when", "host", "how", "why"):
        table.add_column(name, overflow="fold", no_wrap=name == "id")  # which is typed or copied
    for report in reports:
        when = datetime.fromtimestamp(report["time"]).astimezone().strftime("%Y-%m-%d %H:%M:%S")
        table.add_row(*map(Text, (report["id"], when, report["host"], report["exit"], report["cause"])))
    out.console.print(table)
