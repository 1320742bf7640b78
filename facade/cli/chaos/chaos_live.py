"""A trial, watched: on a terminal its live picture, a row a plugin, of fixed widths, so that only numbers move.

On a narrow terminal columns are left out, the least telling first; the plugin's name always stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table

from ..ui.background import BackgroundTask, watch
from ..ui.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import RenderableType

    from ...chaos.load.load_test import Front
    from ...trial.trial import Ended, Trial
    from ..ui.streams import Streams

Json = dict[str, Any]

_WIDEST = 100
_BAR = 20
_NEWS = 6
_COLUMNS = {
    "plugin": 12,
    "pid": 7,
    "gen": 3,
    "mark": 1,
    "state": 8,
    "bar": _BAR,
    "calls": 7,
    "open": 4,
    "crashes": 7,
    "last": 11,
}
"""Widths; the plugin's is the least."""
_FIRST_TO_GO = ("last", "bar", "pid", "open", "state", "gen", "crashes")
_UNNAMED = {"mark", "bar"}
_NUMBERS = {"pid", "gen", "calls", "open", "crashes"}
_STATES = {"ready": ("●", "green"), "starting": ("◌", "yellow"), "backoff": ("◌", "yellow")}
_STYLES = {
    "success": "green",
    "host_crashed": "red",
    "deadline_exceeded": "red",
    "protocol_error": "red",
    "failure": "magenta",
    "tool_raised": "magenta",
}


_SECONDS_A_LINE = 2.0


def perform(trial: Trial, out: Streams, draw: Callable[[], RenderableType], *, as_json: bool) -> Ended:
    """Run a trial, and show how it goes: on a terminal as it is drawn, elsewhere a line now and then, and nothing for JSON.

    Raises what `Trial.run` raises.
    """
    performance = BackgroundTask(trial.run, trial.stop, "callboard-trial")
    if out.terminal:
        watch(performance, draw, out.console)
        return performance.outcome()
    with performance:
        for _ in performance.until_over(_SECONDS_A_LINE):
            if as_json or trial.load_test is None:
                continue
            said = f"{trial.elapsed:5.1f} s  {trial.load_test.ended:7,} calls  {trial.kills:3} kills"
            out.console.print(said, soft_wrap=True)
    return performance.outcome()


class Picture:
    """Draws a trial.

    Args:
        trial: what is drawn.
        width: of the terminal.
    """

    def __init__(self, trial: Trial, width: int) -> None:
        self._trial = trial
        self._width = min(width, _WIDEST) - 1

    def draw(self) -> RenderableType:
        """The picture of this moment."""
        title = Text.assemble((" Callboard chaos", "bold"), (f"  {self._trial.plan.config}", "dim"))
        if self._trial.load_test is None:
            return Group(title, Text(" the hosts are starting", "dim"))
        progress = draw_progress(self._trial, self._trial.plan.calls, self._width)
        return Group(title, progress, "", self._rows(), "", self._endings(), "", self._news())

    def _rows(self) -> Table:
        table = Table(box=None, padding=(0, 1, 0, 0), header_style="dim", pad_edge=False, width=self._width)
        columns = fitting(self._width)
        table.add_column("", width=1)
        for name, width in columns.items():
            table.add_column(
                "" if name in _UNNAMED else name,
                width=None if name == "plugin" else width,
                ratio=1 if name == "plugin" else None,
                justify="right" if name in _NUMBERS else "left",
                no_wrap=True,
                overflow="ellipsis",
            )
        assert self._trial.load_test is not None
        plugins = self._trial.plugins()
        for name, front in self._trial.load_test.fronts.items():
            cells = _cells(name, front, plugins.get(name, {}).get("host"))
            table.add_row("", *(cells[column] for column in columns))
        return table

    def _endings(self) -> Text:
        assert self._trial.load_test is not None
        text = Text(" ")
        counted = sorted(dict(self._trial.load_test.counts.endings).items(), key=lambda item: -item[1])
        for ending, count in counted:
            text.append(f"{count:,} ", "bold").append(f"{ending}   ", _STYLES.get(ending, "yellow"))
        return text

    def _news(self) -> Text:
        assert self._trial.nemesis is not None
        lines = self._trial.nemesis.told()[-_NEWS:]
        text = Text(no_wrap=True, overflow="ellipsis")
        for name, what in lines:
            text.append(f" {name:<16} ").append(f"{what}\n", "yellow")
        return text.append("\n" * (_NEWS - len(lines)))


def draw_progress(trial: Trial, calls: int, width: int) -> Text:
    """How far a trial of so many calls, or for so many seconds, has come."""
    ended = 0 if trial.load_test is None else trial.load_test.ended
    seconds = trial.plan.seconds
    said = f" {ended:6,} calls" if seconds is not None else f" {ended:6,} / {calls:,} calls"
    said += f"  {trial.kills:3} / {trial.plan.kills} kills  {trial.elapsed:5.1f} s"
    room = max(0, width - 1 - len(said))
    done = round(min(1.0, trial.elapsed / seconds if seconds else ended / calls) * room)
    bar = (("━" * done, "green"), ("━" * (room - done), "bright_black"))
    return Text.assemble(" ", *bar, said, no_wrap=True, overflow="ellipsis")


def fitting(width: int) -> dict[str, int]:
    """The columns that a line of so many characters has room for, with their widths. Pure."""
    columns = dict(_COLUMNS)
    for name in _FIRST_TO_GO:
        if 1 + sum(columns.values()) + len(columns) <= width:
            break
        del columns[name]
    return columns


def _cells(name: str, front: Front, host: Json | None) -> dict[str, str | Text]:
    """What stands in each column of a plugin's row."""
    pid, generation, mark, state = present_generation(host)
    return {
        "plugin": Text(name, "bold"),
        "pid": pid,
        "gen": generation,
        "mark": mark,
        "state": state,
        "bar": _bar(front),
        "calls": f"{front.ended:,}",
        "open": str(front.made - front.ended),
        "crashes": str(host["crashes"]) if host else "",
        "last": last_crash(host),
    }


def last_crash(host: Json | None) -> Text:
    """How the last generation ended that crashed."""
    last = (host or {}).get("last_crash")
    return Text(last["exit"].removeprefix("signal ") if last else "", "dim")


def present_generation(host: Json | None) -> tuple[str, str, Text, str]:
    """Pid, generation, and the state with its mark."""
    if host is None:
        return "", "", Text("●", "green"), "thread"
    mark, style = _STATES.get(host["state"], ("○", "red"))
    return str(host.get("pid", "")), str(host["generation"]), Text(mark, style), host["state"]


def _bar(front: Front) -> Text:
    done = min(_BAR, round(_BAR * front.ended / max(1, front.quota)))
    return Text.assemble(("━" * done, "blue"), ("━" * (_BAR - done), "bright_black"))
